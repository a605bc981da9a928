// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/dock_parts.h"

namespace hidet::ui {

void fillDock(DockWidget& dock, QStackedWidget* pages, EmptyState* empty, QWidget* full) {
    dock.setProperty("panel", true);
    dock.setAttribute(Qt::WA_StyledBackground);
    pages->addWidget(empty);
    pages->addWidget(full);
    newColumn(&dock)->addWidget(pages);
}

QVBoxLayout* newColumn(QWidget* of) {
    auto* out = new QVBoxLayout(of);
    out->setContentsMargins(0, 0, 0, 0);
    out->setSpacing(0);
    return out;
}

QHBoxLayout* newBar() {
    auto* out = new QHBoxLayout;
    out->setContentsMargins(8, 2, 8, 2);
    out->setSpacing(8);
    return out;
}

QSplitter* newSplitter(QWidget* left, int leftWidth, QWidget* right, int rightWidth) {
    auto* out = new QSplitter(Qt::Horizontal);
    out->addWidget(left);
    out->addWidget(right);
    out->setChildrenCollapsible(false);
    out->setSizes({leftWidth, rightWidth});
    return out;
}

} // namespace hidet::ui
