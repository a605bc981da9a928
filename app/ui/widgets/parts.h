// SPDX-License-Identifier: GPL-3.0-only
// How views are put together: what stands in a row, a column or beside each other, and what parts are called.
#pragma once

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>

namespace hidet::ui {

// A widget or a row in a row or a column, and how much it takes of the room that is left.
struct BoxPart {
    BoxPart(QWidget* part, int part_share = 0, Qt::Alignment where = {}) : widget(part), share(part_share), at(where) {}
    BoxPart(QLayout* part, int part_share = 0) : layout(part), share(part_share) {}
    static BoxPart stretch(int share = 0) { return {static_cast<QWidget*>(nullptr), share}; }

    QWidget* widget = nullptr;
    QLayout* layout = nullptr;
    int share = 0;
    Qt::Alignment at;
};
using BoxParts = std::initializer_list<BoxPart>;

constexpr int usual_spacing = -1; // that of the style

void addParts(QBoxLayout& box, BoxParts parts);
QVBoxLayout* newColumn(QWidget* of, BoxParts parts = {}); // without margins
QVBoxLayout* newColumn(const QMargins& margins, int spacing, BoxParts parts, QWidget* of = nullptr);
QHBoxLayout* newRow(const QMargins& margins, int spacing, BoxParts parts, QWidget* of = nullptr);
QHBoxLayout* newBar(BoxParts parts = {}); // above a view
// Neither can be closed.
QSplitter* newSplitter(QWidget* left, int leftWidth, QWidget* right, int rightWidth);

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

} // namespace hidet::ui
