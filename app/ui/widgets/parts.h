// SPDX-License-Identifier: GPL-3.0-only
// How views are put together: what stands in a row, a column or beside each other, what parts are called, and small parts.
#pragma once

#include <functional>
#include <initializer_list>

#include <QAbstractItemView>
#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>

#include "app/ui/core/theme.h"

namespace hidet::ui {

// A widget or a row in a row or a column, or room, and how much it takes of what is left.
struct BoxPart {
    BoxPart(QWidget* part, int part_share = 0, Qt::Alignment where = {}) : widget(part), share(part_share), at(where) {}
    BoxPart(QLayout* part, int part_share = 0) : layout(part), share(part_share) {}

    QWidget* widget = nullptr;
    QLayout* layout = nullptr; // neither: room
    int share = 0;
    Qt::Alignment at;
    int pixels = -1; // of room that does not stretch
};
BoxPart stretched(int share = 1); // room that takes what is left
BoxPart spaced(int pixels);
using BoxParts = std::initializer_list<BoxPart>;

constexpr int usual_spacing = -1; // that of the style

void addParts(QBoxLayout& box, BoxParts parts);
QVBoxLayout* newColumn(QWidget* of, BoxParts parts = {}); // without margins
QVBoxLayout* newColumn(const QMargins& margins, int spacing, BoxParts parts, QWidget* of = nullptr);
QHBoxLayout* newRow(const QMargins& margins, int spacing, BoxParts parts, QWidget* of = nullptr);
QHBoxLayout* newBar(BoxParts parts = {}); // above a view
// Neither can be closed.
QSplitter* newSplitter(QWidget* left, int leftWidth, QWidget* right, int rightWidth);
// As wide as there is room; what has no room below is scrolled to.
QScrollArea* newScrollArea(QWidget* content, QWidget* parent);

// What tests and style sheets call a widget, and what screen readers do.
template <class Widget>
Widget* named(Widget* widget, const QString& id, const QString& spoken = {}) {
    widget->setObjectName(id);
    if (!spoken.isEmpty())
        widget->setAccessibleName(spoken);
    return widget;
}

// What tests and style sheets know parts by: "PREFIX.id". A part and its id, and so on.
template <typename... Rest>
void setNames(const QString& prefix, QObject* part, const char* id, Rest... rest) {
    part->setObjectName(prefix + '.' + id);
    if constexpr (sizeof...(rest) > 0)
        setNames(prefix, rest...);
}

void makePanel(QWidget& widget);                              // with the background of panels
void makeBar(QWidget& widget);                                // the same of bars
QLabel* newHint(int margin, QWidget* parent);                 // what is said where there is nothing else, in the middle
QComboBox* newChoice(const QString& spoken, QWidget* parent); // without a frame, as wide as what can be chosen

void makeField(QLineEdit& field, const QString& spoken, const QString& prompt); // that can be cleared

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
