// SPDX-License-Identifier: GPL-3.0-only
// Text that gives way, on one line or on as many as it is given: what does not fit ends in an ellipsis, and a tooltip has
// all of it.
#pragma once

#include <algorithm>

#include <QLabel>
#include <QPainter>
#include <QStyleOption>
#include <QTextLayout>

namespace hidet::ui {

class ElidedLabel : public QLabel {
public:
    explicit ElidedLabel(QWidget* parent = nullptr) : QLabel(parent) {
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        setTextFormat(Qt::PlainText);
    }
    // One line that gives way, or has a fixed width, is as large whatever it says. But a label that says something else has all
    // around it laid out again, up to the window; one that is hidden has not.
    void setText(const QString& text) {
        const bool isOfOneWidth =
            sizePolicy().horizontalPolicy() == QSizePolicy::Ignored || minimumWidth() == maximumWidth();
        const bool isSteady = m_lines == 1 && isOfOneWidth && !testAttribute(Qt::WA_WState_Hidden);
        if (isSteady)
            setAttribute(Qt::WA_WState_Hidden);
        QLabel::setText(text);
        if (isSteady)
            setAttribute(Qt::WA_WState_Hidden, false);
    }
    // One line of parts: those that do not fit go as a whole.
    void setSeparator(const QString& separator) { m_separator = separator; }
    void setMostLines(int lines) {
        m_lines = lines;
        QSizePolicy policy = sizePolicy();
        policy.setHeightForWidth(lines > 1);
        setSizePolicy(policy);
    }
    QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }
    bool hasHeightForWidth() const override { return m_lines > 1; }
    int heightForWidth(int width) const override {
        if (m_lines == 1)
            return QLabel::heightForWidth(width);
        return std::max(1, static_cast<int>(linesIn(width).size())) * fontMetrics().lineSpacing();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        if (m_lines > 1)
            return paintLines(painter);
        const QRect room = contentsRect().adjusted(margin(), margin(), -margin(), -margin());
        QString shown = m_separator.isEmpty() ? fontMetrics().elidedText(text(), Qt::ElideRight, room.width())
                                              : partsIn(room.width());
        if (shown != text() && room.width() < fontMetrics().averageCharWidth() * 8)
            shown.clear(); // a stump says nothing
        setToolTip(shown == text() ? QString() : text());
        painter.setPen(palette().color(foregroundRole()));
        painter.drawText(room, static_cast<int>(alignment()) | Qt::TextSingleLine, shown);
    }

private:
    QString partsIn(int width) const {
        QString shown = text();
        while (!shown.isEmpty() && fontMetrics().horizontalAdvance(shown) > width)
            shown.truncate(std::max<qsizetype>(0, shown.lastIndexOf(m_separator)));
        return shown;
    }

    // Broken between words; the last line has all that is left.
    QStringList linesIn(int width) const {
        QStringList out;
        QTextLayout layout(text(), font());
        layout.beginLayout();
        for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
            line.setLineWidth(width);
            if (out.size() + 1 == m_lines) {
                out << text().mid(line.textStart());
                break;
            }
            out << text().mid(line.textStart(), line.textLength()).trimmed();
        }
        layout.endLayout();
        return out;
    }

    void paintLines(QPainter& painter) {
        QStringList lines = linesIn(width());
        bool whole = true;
        if (!lines.isEmpty()) {
            const QString last = fontMetrics().elidedText(lines.last(), Qt::ElideRight, width());
            whole = last == lines.last();
            lines.last() = last;
        }
        setToolTip(whole ? QString() : text());
        painter.setPen(palette().color(foregroundRole()));
        painter.drawText(rect(), static_cast<int>(alignment()), lines.join('\n'));
    }

    int m_lines = 1;
    QString m_separator;
};

} // namespace hidet::ui
