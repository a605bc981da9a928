// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/hit_delegate.h"

#include <QPainter>
#include <QWidget>

namespace hidet::ui {

void HitDelegate::paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const {
    if (!index.data(HitRole).isValid())
        return QStyledItemDelegate::paint(painter, given, index);
    QStyleOptionViewItem option = given;
    initStyleOption(&option, index);
    const QString text = option.text;
    option.text.clear();
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &option, painter, option.widget);
    const Theme& theme = m_themes.theme();
    painter->save();
    painter->setFont(m_themes.codeFont());
    const QFontMetrics metrics(m_themes.codeFont());
    QRect area = option.rect.adjusted(4, 0, -4, 0);
    const QString number = index.data(NumberRole).toString();
    const int column = metrics.horizontalAdvance(QStringLiteral("00000"));
    painter->setPen(theme.muted);
    painter->drawText(QRect(area.left(), area.top(), column, area.height()), Qt::AlignRight | Qt::AlignVCenter, number);
    area.setLeft(area.left() + column + 12);
    const int begin = index.data(HitBeginRole).toInt(), end = index.data(HitEndRole).toInt();
    const int from = metrics.horizontalAdvance(text.left(begin));
    QColor mark = theme.warning;
    mark.setAlpha(90);
    painter->setClipRect(area);
    painter->fillRect(QRect(area.left() + from, area.top() + 2, metrics.horizontalAdvance(text.mid(begin, end - begin)),
                            area.height() - 4),
                      mark);
    painter->setPen(theme.text);
    painter->drawText(area, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
    painter->restore();
}

} // namespace hidet::ui
