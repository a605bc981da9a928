// SPDX-License-Identifier: GPL-3.0-only
// What the language service writes between the words of a script, shown behind the lines: types, shapes and folded values. The
// widget of the text cannot make room between its words. Hints go along with their lines while the next ones are on their way.
#pragma once

#include <QMap>
#include <QObject>
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>

#include "app/session/live/assist.h"
#include "app/ui/code/carets.h"
#include "app/ui/code/code_view.h"

namespace hidet::ui {

namespace assist = session::assist;

class InlayHints : public QObject {
    Q_OBJECT
public:
    explicit InlayHints(CodeView& view) : m_view(view) {
        connect(&view, &QsciScintillaBase::SCN_MODIFIED, this,
                [this](int position, int what, const char*, int, int added, int, int, int, int, int) {
                    if (what & (Sci::SC_MOD_INSERTTEXT | Sci::SC_MOD_DELETETEXT))
                        textChanged(position, what, added);
                });
    }

    // of the text that the view has
    void show(const std::vector<assist::InlayHint>& hints) {
        QMap<int, QString> lines;
        for (const assist::InlayHint& hint : hints) {
            QString& text = lines[m_view.lineOf(static_cast<int>(hint.offset))];
            const QString more = (text.isEmpty() ? QString() : QStringLiteral("   ")) + worded(hint);
            if (text.size() + more.size() <= longest_text)
                text += more;
        }
        if (lines == m_lines)
            return;
        m_lines = std::move(lines);
        m_view.viewport()->update();
    }

    // over what the view has painted, and behind what else stands in a line: up to where, by line
    void paint(const QPaintEvent& event, const QMap<int, int>& taken) {
        if (m_lines.isEmpty())
            return;
        const int height = static_cast<int>(ask(m_view, Sci::SCI_TEXTHEIGHT, 0));
        const int first = m_view.firstLine();
        QPainter painter(m_view.viewport());
        painter.setFont(italic(m_view.themes().codeFont()));
        painter.setPen(m_view.themes().theme().muted);
        const int gap = gap_columns * painter.fontMetrics().horizontalAdvance('0');
        for (auto it = m_lines.lowerBound(first); it != m_lines.cend(); ++it) {
            const ByteRange line = m_view.rangeOfLine(it.key());
            const int y = static_cast<int>(ask(m_view, Sci::SCI_POINTYFROMPOSITION, 0, line.end));
            if (y > event.rect().bottom())
                break;
            if (y + height < event.rect().top() || !ask(m_view, Sci::SCI_GETLINEVISIBLE, it.key()))
                continue;
            const int end = static_cast<int>(ask(m_view, Sci::SCI_POINTXFROMPOSITION, 0, line.end));
            const int x = std::max(end, taken.value(it.key(), end)) + gap;
            const int room = m_view.viewport()->width() - x - 4;
            if (room > 4 * gap)
                painter.drawText(QRect(x, y, room, height), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                                 painter.fontMetrics().elidedText(it.value(), Qt::ElideRight, room));
        }
    }

    QString textOf(int line) const { return m_lines.value(line); }

private:
    using Sci = QsciScintillaBase;
    static constexpr int gap_columns = 3;    // between a line and what is said behind it
    static constexpr int longest_text = 100; // characters of one line

    // A hint stands behind its line and not behind its word, so it says which word it is of, unless the line ends there.
    QString worded(const assist::InlayHint& hint) const {
        const auto offset = static_cast<int>(hint.offset);
        const ByteRange line = m_view.rangeOfLine(m_view.lineOf(offset));
        const QString label = QString::fromStdString(hint.label);
        const bool isLast = m_view.bytes({offset, line.end}).trimmed().isEmpty();
        if (hint.kind == assist::InlayHint::Kind::Value && isLast)
            return label;
        const QString word = QString::fromUtf8(wordAt(m_view, offset));
        return hint.kind == assist::InlayHint::Kind::Value ? word + ' ' + label : word + label;
    }

    // The line that is typed in says something else soon; those below go along.
    void textChanged(int position, int what, int addedLines) {
        if (m_lines.isEmpty())
            return;
        const int line = m_view.lineOf(position);
        QMap<int, QString> moved;
        for (auto it = m_lines.cbegin(); it != m_lines.cend(); ++it) {
            const bool isBelow =
                it.key() > line || (it.key() == line && addedLines > 0 && m_view.columnOf(position) == 0);
            const bool isGone = what & Sci::SC_MOD_DELETETEXT && isBelow && it.key() <= line - addedLines;
            if (!isGone)
                moved[isBelow ? it.key() + addedLines : it.key()] = it.value();
        }
        m_lines = std::move(moved);
    }

    CodeView& m_view;
    QMap<int, QString> m_lines; // by line, 0-based
};

} // namespace hidet::ui
