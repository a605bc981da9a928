// SPDX-License-Identifier: GPL-3.0-only
// A line of text that gives way: what does not fit ends in an ellipsis, and a tooltip has all of it.
#pragma once

#include <QLabel>
#include <QPainter>
#include <QStyleOption>

namespace hidet::ui {

class ElidedLabel : public QLabel {
public:
    explicit ElidedLabel(QWidget* parent = nullptr) : QLabel(parent) {
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        setTextFormat(Qt::PlainText);
    }
    QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, width());
        if (shown != text() && width() < fontMetrics().averageCharWidth() * 8)
            shown.clear(); // a stump says nothing
        setToolTip(shown == text() ? QString() : text());
        painter.setPen(palette().color(foregroundRole()));
        painter.drawText(rect(), static_cast<int>(alignment()) | Qt::TextSingleLine, shown);
    }
};

} // namespace hidet::ui
