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
        QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, width());
        if (shown != text() && width() < fontMetrics().averageCharWidth() * 8)
            shown.clear(); // a stump says nothing
        setToolTip(shown == text() ? QString() : text());
        painter.setPen(palette().color(foregroundRole()));
        painter.drawText(rect(), static_cast<int>(alignment()) | Qt::TextSingleLine, shown);
    }

private:
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
};

} // namespace hidet::ui
