// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/row_parts.h"

#include <QPainter>
#include <QWidget>

namespace hidet::ui {

constexpr int part_gap = 12;

void RowParts::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, given, index);
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    QRect rect = option.widget->style()->subElementRect(QStyle::SE_ItemViewItemText, &option, option.widget);
    rect.setLeft(rect.left() + option.fontMetrics.horizontalAdvance(option.text) + part_gap);
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    const QColor behind = isSelected ? option.palette.color(QPalette::Highlight) : theme().panel;
    for (const RowPart& part : partsOf(index)) {
        if (part.text.isEmpty() || rect.width() < 2 * part_gap)
            continue;
        painter->setFont(italic(m_themes.smallFont(), part.isItalic));
        painter->setPen(theme().readable(part.color, behind));
        const QString shown = painter->fontMetrics().elidedText(part.text, Qt::ElideRight, rect.width());
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, shown);
        rect.setLeft(rect.left() + painter->fontMetrics().horizontalAdvance(shown) + part_gap);
    }
}

} // namespace hidet::ui
