// SPDX-License-Identifier: GPL-3.0-only
// A share, from 0 to 1, as a bar behind its figure.
#pragma once

#include <QStyledItemDelegate>

#include "app/ui/core/theme.h"

namespace hidet::ui {

class ShareBar : public QStyledItemDelegate {
public:
    ShareBar(const ThemeSource& themes, int role, QObject* parent)
        : QStyledItemDelegate(parent), m_themes(themes), m_role(role) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const ThemeSource& m_themes;
    int m_role; // that has the share
};

} // namespace hidet::ui
