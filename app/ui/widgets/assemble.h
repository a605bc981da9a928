// SPDX-License-Identifier: GPL-3.0-only
// What panes, bars and pages are put together with: names, rows and columns, buttons, fields, menus.
#pragma once

#include <functional>
#include <initializer_list>

#include <QAbstractItemView>
#include <QBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include "app/ui/core/theme.h"

namespace hidet::ui {

// What tests and style sheets call a widget, and what screen readers do.
template <class Widget>
Widget* named(Widget* widget, const QString& id, const QString& spoken = {}) {
    widget->setObjectName(id);
    if (!spoken.isEmpty())
        widget->setAccessibleName(spoken);
    return widget;
}

struct LayoutPart { // of a row or a column
    LayoutPart(QWidget* one, int share = 0) : widget(one), stretch(share) {}
    LayoutPart(QLayout* one, int share = 0) : layout(one), stretch(share) {}
    QWidget* widget = nullptr;
    QLayout* layout = nullptr; // neither: room
    int stretch = 0;           // its share of what is left
    int pixels = -1;           // of room that does not stretch
};

LayoutPart stretched(int share = 1); // room that takes what is left
LayoutPart spaced(int pixels);
using LayoutParts = std::initializer_list<LayoutPart>;

// Pixels around all of it, and between two parts; -1 between: as it is usual. The layout of a widget, or one for another layout.
QHBoxLayout* newRow(const QMargins& around, int between, LayoutParts parts, QWidget* of = nullptr);
QVBoxLayout* newColumn(const QMargins& around, int between, LayoutParts parts, QWidget* of = nullptr);
// Nothing around and nothing between.
inline QVBoxLayout* newColumn(QWidget* of, LayoutParts parts) {
    return newColumn({}, 0, parts, of);
}

QToolButton* newToolButton(QWidget* parent, const QString& text, const QString& spoken, const QString& tip); // flat
// Buttons of which one is down, in the beginning the first; `chosen` gets the place of another.
struct OneOf {
    QString id, text, tip;
};

QList<QToolButton*> newChoices(QWidget* parent, std::initializer_list<OneOf> each, std::function<void(int)> chosen);

QLineEdit* newSearchField(QWidget* parent, const QString& id, const QString& spoken, const QString& hint);

QMenu* newMenu(QWidget* parent); // gone when it is closed
// Where a click was, or else below the row that a key asked it for.
void popUp(QMenu& menu, const QAbstractItemView& view, const QModelIndex& row, const QPoint& at);

// In the smallest size of text, whatever the theme, as long as the first of them lives.
void keepSmall(ThemeSource& themes, const QList<QWidget*>& widgets);

} // namespace hidet::ui
