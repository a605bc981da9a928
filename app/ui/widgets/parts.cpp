// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/parts.h"

#include <QButtonGroup>

namespace hidet::ui {

namespace {

template <typename Box>
Box* newBox(const QMargins& margins, int spacing, BoxParts parts, QWidget* of) {
    auto* out = new Box(of);
    out->setContentsMargins(margins);
    out->setSpacing(spacing);
    addParts(*out, parts);
    return out;
}

} // namespace

BoxPart stretched(int share) {
    return {static_cast<QWidget*>(nullptr), share};
}

BoxPart spaced(int pixels) {
    BoxPart out = stretched(0);
    out.pixels = pixels;
    return out;
}

void addParts(QBoxLayout& box, BoxParts parts) {
    for (const BoxPart& part : parts)
        if (part.widget)
            box.addWidget(part.widget, part.share, part.at);
        else if (part.layout)
            box.addLayout(part.layout, part.share);
        else if (part.pixels >= 0)
            box.addSpacing(part.pixels);
        else
            box.addStretch(part.share);
}

QVBoxLayout* newColumn(QWidget* of, BoxParts parts) {
    return newBox<QVBoxLayout>({}, 0, parts, of);
}

QVBoxLayout* newColumn(const QMargins& margins, int spacing, BoxParts parts, QWidget* of) {
    return newBox<QVBoxLayout>(margins, spacing, parts, of);
}

QHBoxLayout* newRow(const QMargins& margins, int spacing, BoxParts parts, QWidget* of) {
    return newBox<QHBoxLayout>(margins, spacing, parts, of);
}

QHBoxLayout* newBar(BoxParts parts) {
    return newRow({8, 2, 8, 2}, 8, parts);
}

QScrollArea* newScrollArea(QWidget* content, QWidget* parent) {
    auto* area = new QScrollArea(parent);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(content);
    return area;
}

QSplitter* newSplitter(QWidget* left, int leftWidth, QWidget* right, int rightWidth) {
    auto* out = new QSplitter(Qt::Horizontal);
    out->addWidget(left);
    out->addWidget(right);
    out->setChildrenCollapsible(false);
    out->setSizes({leftWidth, rightWidth});
    return out;
}

void makePanel(QWidget& widget) {
    widget.setProperty("panel", true);
    widget.setAttribute(Qt::WA_StyledBackground);
}

void makeBar(QWidget& widget) {
    widget.setProperty("bar", true);
    widget.setAttribute(Qt::WA_StyledBackground);
}

QLabel* newHint(int margin, QWidget* parent) {
    auto* out = new QLabel(parent);
    out->setProperty("muted", true);
    out->setAlignment(Qt::AlignCenter);
    out->setWordWrap(true);
    out->setMargin(margin);
    return out;
}

void makeField(QLineEdit& field, const QString& spoken, const QString& prompt) {
    field.setAccessibleName(spoken);
    field.setPlaceholderText(prompt);
    field.setClearButtonEnabled(true);
}

QComboBox* newChoice(const QString& spoken, QWidget* parent) {
    auto* out = new QComboBox(parent);
    out->setAccessibleName(spoken);
    out->setProperty("flat", true);
    out->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return out;
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
    QLineEdit* out = named(new QLineEdit(parent), id);
    makeField(*out, spoken, hint);
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
    themes.follow(widgets.first(), [&themes, widgets] {
        for (QWidget* each : widgets)
            each->setFont(themes.smallFont());
    });
}

} // namespace hidet::ui
