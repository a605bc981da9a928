// SPDX-License-Identifier: GPL-3.0-only
// Rows of a tree whose name is followed by more, in smaller letters and colours of its own, as far as there is room.
#pragma once

#include <QStyledItemDelegate>

#include "app/ui/core/theme.h"

namespace hidet::ui {

struct RowPart {
    QString text;
    QColor color;
    bool isItalic = false;
};

class RowParts : public QStyledItemDelegate {
public:
    RowParts(const ThemeSource& themes, QObject* parent) : QStyledItemDelegate(parent), m_themes(themes) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const override;

protected:
    virtual QList<RowPart> partsOf(const QModelIndex& index) const = 0;
    const Theme& theme() const { return m_themes.theme(); }

private:
    const ThemeSource& m_themes;
};

} // namespace hidet::ui
