// SPDX-License-Identifier: GPL-3.0-only
// The list of the palette: a model of ranked items and what draws a row of it.
#pragma once

#include <QAbstractListModel>
#include <QStyledItemDelegate>

#include "app/ui/core/theme.h"
#include "app/ui/palette/palette_item.h"

namespace hidet::ui {

class PaletteModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    void show(PaletteItems items);
    const PaletteItems& items() const { return m_items; }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(m_items.size()); }
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    PaletteItems m_items;
};

class PaletteDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    PaletteDelegate(const PaletteModel& model, const ThemeSource& themes, QObject* parent)
        : QStyledItemDelegate(parent), m_model(model), m_themes(themes) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const PaletteModel& m_model;
    const ThemeSource& m_themes;
};

} // namespace hidet::ui
