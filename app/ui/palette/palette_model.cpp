// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/palette/palette_model.h"

#include <QPainter>
#include <QTextLayout>

#include "app/ui/core/icons.h"

namespace hidet::ui {

void PaletteModel::show(PaletteItems items) {
    beginResetModel();
    m_items = std::move(items);
    endResetModel();
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const PaletteItem& item = m_items[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return item.text;
    case Qt::ToolTipRole: return item.help;
    case Qt::AccessibleTextRole: return item.keys.isEmpty() ? item.text : item.text + ", " + item.keys;
    case Qt::AccessibleDescriptionRole: return item.help;
    default: return {};
    }
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex& index) const {
    return index.isValid() ? Qt::ItemIsSelectable | Qt::ItemIsEnabled : Qt::NoItemFlags;
}

QSize PaletteDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    return {option.rect.width(), std::max(28, option.fontMetrics.height() + 8)};
}

void PaletteDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const PaletteItem& item = m_model.items()[static_cast<std::size_t>(index.row())];
    const Theme& theme = m_themes.theme();
    painter->save();
    QRect rest = option.rect;
    const bool chosen = option.state & QStyle::State_Selected;
    const QColor& behind = chosen ? theme.selection : theme.raised;
    if (chosen) {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.selection);
        painter->drawRoundedRect(rest.adjusted(4, 0, -4, 0), 4, 4);
    }
    rest.adjust(12, 0, -12, 0);
    if (!item.icon.isEmpty()) {
        const QRect place(rest.left(), rest.center().y() - 7, 16, 16);
        icon(item.icon, theme.muted).paint(painter, place);
        rest.setLeft(rest.left() + 24);
    }
    const QColor faint = theme.stale(theme.muted), muted = theme.readable(theme.muted, behind);
    if (!item.keys.isEmpty()) {
        painter->setPen(item.possible ? muted : faint);
        painter->setFont(m_themes.smallFont());
        painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, item.keys);
        rest.setRight(rest.right() - painter->fontMetrics().horizontalAdvance(item.keys) - 16);
    }
    QTextLayout layout(option.fontMetrics.elidedText(item.text, Qt::ElideMiddle, rest.width()), option.font);
    QList<QTextLayout::FormatRange> formats;
    for (const auto& [begin, count] : item.matches) {
        QTextLayout::FormatRange format{begin, count, {}};
        format.format.setForeground(item.possible ? theme.readable(theme.accent, behind) : faint);
        format.format.setFontWeight(QFont::DemiBold);
        formats << format;
    }
    layout.setFormats(formats);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    layout.endLayout();
    painter->setPen(item.possible ? theme.text : faint);
    layout.draw(painter, QPointF(rest.left(), rest.center().y() - line.height() / 2 + 1));
    rest.setLeft(rest.left() + int(line.naturalTextWidth()) + 12);
    painter->setPen(item.possible ? muted : faint);
    painter->setFont(m_themes.smallFont());
    const QString detail = painter->fontMetrics().elidedText(item.detail, Qt::ElideMiddle, rest.width());
    painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, detail);
    painter->restore();
}

} // namespace hidet::ui
