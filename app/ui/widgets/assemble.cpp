// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/assemble.h"

#include <QButtonGroup>

namespace hidet::ui {

namespace {

template <class Layout>
Layout* newLayout(const QMargins& around, int between, LayoutParts parts, QWidget* of) {
    auto* out = new Layout(of);
    out->setContentsMargins(around);
    if (between >= 0)
        out->setSpacing(between);
    for (const LayoutPart& part : parts)
        if (part.widget)
            out->addWidget(part.widget, part.stretch);
        else if (part.layout)
            out->addLayout(part.layout, part.stretch);
        else if (part.pixels >= 0)
            out->addSpacing(part.pixels);
        else
            out->addStretch(part.stretch);
    return out;
}

} // namespace

LayoutPart stretched(int share) {
    return {static_cast<QWidget*>(nullptr), share};
}

LayoutPart spaced(int pixels) {
    LayoutPart out = stretched(0);
    out.pixels = pixels;
    return out;
}

QHBoxLayout* newRow(const QMargins& around, int between, LayoutParts parts, QWidget* of) {
    return newLayout<QHBoxLayout>(around, between, parts, of);
}

QVBoxLayout* newColumn(const QMargins& around, int between, LayoutParts parts, QWidget* of) {
    return newLayout<QVBoxLayout>(around, between, parts, of);
}

QToolButton* newToolButton(QWidget* parent, const QString& text, const QString& spoken, const QString& tip) {
    auto* out = new QToolButton(parent);
    out->setText(text);
    out->setAccessibleName(spoken);
    out->setToolTip(tip);
    out->setAutoRaise(true);
    return out;
}

QList<QToolButton*> newChoices(QWidget* parent, std::initializer_list<OneOf> each, std::function<void(int)> chosen) {
    QList<QToolButton*> out;
    auto* group = new QButtonGroup(parent);
    for (const auto& [id, text, tip] : each) {
        QToolButton* one = named(newToolButton(parent, text, text, tip), id);
        one->setCheckable(true);
        one->setChecked(out.isEmpty());
        group->addButton(one, int(out.size()));
        out << one;
    }
    QObject::connect(group, &QButtonGroup::idToggled, parent, [chosen = std::move(chosen)](int place, bool on) {
        if (on)
            chosen(place);
    });
    return out;
}

QLineEdit* newSearchField(QWidget* parent, const QString& id, const QString& spoken, const QString& hint) {
    QLineEdit* out = named(new QLineEdit(parent), id, spoken);
    out->setPlaceholderText(hint);
    out->setClearButtonEnabled(true);
    return out;
}

QMenu* newMenu(QWidget* parent) {
    auto* out = new QMenu(parent);
    out->setAttribute(Qt::WA_DeleteOnClose);
    return out;
}

void popUp(QMenu& menu, const QAbstractItemView& view, const QModelIndex& row, const QPoint& at) {
    const QRect rect = view.visualRect(row);
    menu.popup(view.viewport()->mapToGlobal(rect.contains(at) ? at : rect.bottomLeft()));
}

void keepSmall(ThemeSource& themes, const QList<QWidget*>& widgets) {
    const auto apply = [&themes, widgets] {
        for (QWidget* each : widgets)
            each->setFont(themes.smallFont());
    };
    QObject::connect(&themes, &ThemeSource::changed, widgets.first(), apply);
    apply();
}

} // namespace hidet::ui
