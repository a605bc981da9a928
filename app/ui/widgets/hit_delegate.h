// SPDX-License-Identifier: GPL-3.0-only
// A row of a list of hits: "  12  before HIT after", with the hit on the colour of hits. Rows without one are painted as usual.
#pragma once

#include <QStyledItemDelegate>

#include "app/ui/core/theme.h"

namespace hidet::ui {

// HitRole has any value in rows that show a hit; the others say where it is in the text, in characters, and its line's number.
enum HitRoles { HitRole = Qt::UserRole + 1, HitBeginRole, HitEndRole, NumberRole };

class HitDelegate : public QStyledItemDelegate {
public:
    HitDelegate(const ThemeSource& themes, QObject* parent) : QStyledItemDelegate(parent), m_themes(themes) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const override;

private:
    const ThemeSource& m_themes;
};

} // namespace hidet::ui
