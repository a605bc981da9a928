// SPDX-License-Identifier: GPL-3.0-only
// A box to choose in whose text ends in an ellipsis where there is no room for it: Qt cuts it between two letters.
#pragma once

#include <QComboBox>
#include <QStyleOptionComboBox>
#include <QStylePainter>

namespace hidet::ui {

class ElidedCombo : public QComboBox {
public:
    using QComboBox::QComboBox;

protected:
    virtual QString shownText() const { return currentText(); }
    void paintEvent(QPaintEvent*) override {
        QStylePainter painter(this);
        painter.setPen(palette().color(QPalette::Text));
        QStyleOptionComboBox option;
        initStyleOption(&option);
        painter.drawComplexControl(QStyle::CC_ComboBox, option);
        const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
        option.currentIcon = {};
        option.currentText = fontMetrics().elidedText(shownText(), Qt::ElideRight, field.width());
        painter.drawControl(QStyle::CE_ComboBoxLabel, option);
    }
};

} // namespace hidet::ui
