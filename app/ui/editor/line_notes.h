// SPDX-License-Identifier: GPL-3.0-only
// Notes behind the ends of lines of a script: painted over the text widget, for what stands there is no text. They move with
// their lines while others are typed, and fade when they are of a text that is no more.
#pragma once

#include <QMap>
#include <QPainter>
#include <QRect>
#include <algorithm>

#include "app/ui/code/carets.h"
#include "app/ui/code/code_view.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/live/access_notes.h"

namespace hidet::ui {

class LineNotes : public QObject {
    Q_OBJECT
public:
    explicit LineNotes(CodeView& view)
        : QObject(&view), m_view(view), m_fading(fade_after_ms, [this] {
              m_isFaded = true;
              m_view.viewport()->update();
          }) {}

    // of the text as it is
    void show(std::vector<LineNote> notes) {
        const bool areThere =
            notes == m_notes && std::all_of(m_notes.begin(), m_notes.end(),
                                            [this](const LineNote& note) { return lineOf(note) == note.line - 1; });
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

    static constexpr int fade_after_ms = 400; // shorter, and they would flicker at each key
    // they are of the text as it is; if not, they fade after a while
    void setCurrent(bool isCurrent) {
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

    bool areFaded() const { return m_isFaded; }
    // A line after each other with its notes, as they stand there: for tests, and for who cannot see them.
    QString text() const {
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

    // after the view has painted itself
    void paint(const QRect& changed) {
        if (m_notes.empty())
            return;
        const Theme& theme = m_view.themes().theme();
        QPainter painter(m_view.viewport());
        painter.setRenderHint(QPainter::Antialiasing);
        for (const Box& box : boxes()) {
            reserve(box.rect.right() + inset);
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

    // The note at a point of the viewport, or null.
    const LineNote* at(const QPoint& point) const {
        for (const Box& box : boxes())
            if (box.rect.contains(point))
                return box.note;
        return nullptr;
    }

    // in the viewport; empty: it is not seen
    QRect rectOf(const LineNote& note) const {
        for (const Box& box : boxes())
            if (box.note == &note)
                return box.rect;
        return {};
    }

    // Where the notes of each line end in the viewport, by line, 0-based.
    QMap<int, int> ends() const {
        QMap<int, int> out;
        for (const Box& box : boxes())
            out[lineOf(*box.note)] = box.rect.right();
        return out;
    }

    const std::vector<LineNote>& notes() const { return m_notes; }
    // 0-based, where it is now; -1: the line is gone
    int lineOf(const LineNote& note) const {
        return m_view.markerLine(m_marks[static_cast<std::size_t>(&note - m_notes.data())]);
    }

private:
    static constexpr int gap = 16;    // behind the text, and
    static constexpr int between = 8; // between notes of a line
    static constexpr int inset = 4;
    static QFont fontOf(const CodeView& view, const LineNote& note) {
        return italic(view.themes().smallFont(), note.isPredicted);
    }

    // Colour alone says nothing to those who do not see it. Where there is no room a contract is its sign alone.
    static QString shownText(const LineNote& note, bool isShort) {
        if (!note.isContract)
            return note.text;
        const QChar sign = note.tone == NoteTone::Ok      ? QChar(0x2713)
                           : note.tone == NoteTone::Error ? QChar(0x2717)
                                                          : u'?';
        return isShort ? QString(sign) : sign + QString(' ') + note.text;
    }

    // The view scrolls as far as there are notes; by itself it goes as far as the text that it has shown.
    void reserve(int right) {
        const long needed = right + ask(m_view, QsciScintilla::SCI_GETXOFFSET);
        if (needed > ask(m_view, QsciScintilla::SCI_GETSCROLLWIDTH))
            ask(m_view, QsciScintilla::SCI_SETSCROLLWIDTH, needed);
    }

    struct Box {
        QRect rect;
        const LineNote* note = nullptr;
        bool isShort = false;
    };
    std::vector<Box> boxes() const {
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
    void addBoxes(std::size_t first, std::size_t last, std::vector<Box>& out) const {
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
        int left = text.left() + gap; // over the text it would hide code: one that is out of sight is scrolled to
        for (std::size_t i = first; i < last; ++i) {
            const int width = widthOf(m_notes[i], isShort);
            out.push_back({QRect(left, text.top(), width, text.height()), &m_notes[i], isShort});
            left += width + between;
        }
    }

    CodeView& m_view;
    std::vector<LineNote> m_notes;
    std::vector<int> m_marks; // handles of marks that move with the lines of the notes
    OneShot m_fading;
    bool m_isFaded = false;
};

} // namespace hidet::ui
