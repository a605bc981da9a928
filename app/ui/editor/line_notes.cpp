// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/line_notes.h"

#include <algorithm>

#include <QPainter>

#include "app/ui/code/carets.h"

namespace hidet::ui {

namespace {

constexpr int gap = 16;    // behind the text, and
constexpr int between = 8; // between notes of a line
constexpr int inset = 4;

QFont fontOf(const CodeView& view, const LineNote& note) {
    QFont out = view.themes().smallFont();
    out.setItalic(note.isPredicted);
    return out;
}

// Colour alone says nothing to those who do not see it. Where there is no room a contract is its sign alone.
QString shownText(const LineNote& note, bool isShort) {
    if (!note.isContract)
        return note.text;
    const QChar sign = note.tone == NoteTone::Ok ? QChar(0x2713) : note.tone == NoteTone::Error ? QChar(0x2717) : u'?';
    return isShort ? QString(sign) : sign + QString(' ') + note.text;
}

} // namespace

LineNotes::LineNotes(CodeView& view)
    : QObject(&view), m_view(view), m_fading(fade_after_ms, [this] {
          m_isFaded = true;
          m_view.viewport()->update();
      }) {}

void LineNotes::show(std::vector<LineNote> notes) {
    const bool areThere = notes == m_notes && std::all_of(m_notes.begin(), m_notes.end(), [this](const LineNote& note) {
                              return lineOf(note) == note.line - 1;
                          });
    if (areThere)
        return setCurrent(true);
    m_view.markerDeleteAll(CodeView::NoteMark);
    m_notes = std::move(notes);
    m_marks.clear();
    for (const LineNote& note : m_notes)
        m_marks.push_back(m_view.markerAdd(note.line - 1, CodeView::NoteMark));
    setCurrent(true);
    m_view.viewport()->update();
}

void LineNotes::setCurrent(bool isCurrent) {
    if (!isCurrent) {
        if (!m_isFaded && !m_fading.isActive() && !m_notes.empty())
            m_fading.start();
        return;
    }
    m_fading.stop();
    if (!m_isFaded)
        return;
    m_isFaded = false;
    m_view.viewport()->update();
}

int LineNotes::lineOf(const LineNote& note) const {
    return m_view.markerLine(m_marks[static_cast<std::size_t>(&note - m_notes.data())]);
}

QString LineNotes::text() const {
    QStringList out;
    int last = -1;
    for (const LineNote& note : m_notes) {
        const int line = lineOf(note);
        if (line < 0)
            continue;
        if (line == last)
            out.last() += ", " + note.text;
        else
            out << QString("%1: %2").arg(line + 1).arg(note.text);
        last = line;
    }
    return out.join('\n');
}

std::vector<LineNotes::Box> LineNotes::boxes() const {
    std::vector<Box> out;
    for (std::size_t first = 0; first < m_notes.size();) {
        std::size_t last = first;
        while (last < m_notes.size() && lineOf(m_notes[last]) == lineOf(m_notes[first]))
            ++last;
        addBoxes(first, last, out);
        first = last;
    }
    return out;
}

// Of the notes of one line, side by side.
void LineNotes::addBoxes(std::size_t first, std::size_t last, std::vector<Box>& out) const {
    const QRect viewport = m_view.viewport()->rect();
    const int line = lineOf(m_notes[first]);
    if (line < 0 || !ask(m_view, QsciScintilla::SCI_GETLINEVISIBLE, line))
        return;
    const int height = static_cast<int>(ask(m_view, QsciScintilla::SCI_TEXTHEIGHT));
    const int rows = static_cast<int>(ask(m_view, QsciScintilla::SCI_WRAPCOUNT, line));
    const int top = m_view.topOfLine(line) + (rows - 1) * height;
    if (top + height <= viewport.top() || top > viewport.bottom())
        return;
    const int end = m_view.rangeOfLine(line).end;
    const QRect text = m_view.rectOf({end, end});
    const auto widthOf = [&](const LineNote& note, bool isShort) {
        return QFontMetrics(fontOf(m_view, note)).horizontalAdvance(shownText(note, isShort)) + 2 * inset;
    };
    const auto widthOfAll = [&](bool isShort) {
        int width = 0;
        for (std::size_t i = first; i < last; ++i)
            width += widthOf(m_notes[i], isShort) + between;
        return width;
    };
    const bool isShort = text.left() + gap + widthOfAll(false) > viewport.right();
    // A line that is wider than the view hides nothing of what is said of it.
    int left = std::max(std::min(text.left() + gap, viewport.right() - widthOfAll(isShort)), 0);
    for (std::size_t i = first; i < last; ++i) {
        const int width = widthOf(m_notes[i], isShort);
        out.push_back({QRect(left, text.top(), width, text.height()), &m_notes[i], isShort});
        left += width + between;
    }
}

void LineNotes::paint(const QRect& changed) {
    if (m_notes.empty())
        return;
    const Theme& theme = m_view.themes().theme();
    QPainter painter(m_view.viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Box& box : boxes()) {
        if (!box.rect.intersects(changed))
            continue;
        QColor color = colorOf(box.note->tone, theme);
        if (m_isFaded)
            color = theme.stale(color);
        painter.setPen(QPen(theme.line, 1));
        painter.setBrush(theme.panel);
        painter.drawRoundedRect(QRectF(box.rect).adjusted(0.5, 1.5, -0.5, -1.5), 4, 4);
        painter.setFont(fontOf(m_view, *box.note));
        painter.setPen(color);
        painter.drawText(box.rect, Qt::AlignCenter, shownText(*box.note, box.isShort));
    }
}

const LineNote* LineNotes::at(const QPoint& point) const {
    for (const Box& box : boxes())
        if (box.rect.contains(point))
            return box.note;
    return nullptr;
}

QRect LineNotes::rectOf(const LineNote& note) const {
    for (const Box& box : boxes())
        if (box.note == &note)
            return box.rect;
    return {};
}

} // namespace hidet::ui
