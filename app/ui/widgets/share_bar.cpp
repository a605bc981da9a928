// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/share_bar.h"

#include <algorithm>

#include <QPainter>

namespace hidet::ui {

void ShareBar::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    QColor color = m_themes.theme().accent;
    color.setAlpha(50);
    const QRect area = option.rect.adjusted(4, 3, -4, -3);
    const int width = static_cast<int>(area.width() * std::min(1.0, index.data(m_role).toDouble()));
    painter->fillRect(QRect(area.right() - width + 1, area.top(), width, area.height()), color);
}

} // namespace hidet::ui
