// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/parts.h"

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

void addParts(QBoxLayout& box, BoxParts parts) {
    for (const BoxPart& part : parts)
        if (part.widget)
            box.addWidget(part.widget, part.share, part.at);
        else if (part.layout)
            box.addLayout(part.layout, part.share);
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

} // namespace hidet::ui
