// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/pages/page_parts.h"

namespace hidet::ui {

Page::Page(const QString& title, int width) {
    setProperty("page", true);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    content->setProperty("page", true);
    content->setAttribute(Qt::WA_StyledBackground);
    auto* inside = new QWidget(content);
    inside->setMaximumWidth(width);
    newRow({32, 32, 32, 32}, -1, {stretched(), {inside, 1000}, stretched()}, content);
    auto* name = new QLabel(title);
    name->setProperty("role", "title");
    m_head = newRow({}, 8, {name, stretched()});
    m_column = newColumn({}, 8, {});
    m_all = newColumn({}, 16, {m_head, m_column, stretched()}, inside);
    setWidget(content);
}

void Page::fillHeight() {
    m_all->setStretchFactor(m_column, 1000);
}

QWidget* barOfPage(BoxParts parts) {
    auto* bar = new QWidget;
    bar->setProperty("bar", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    newRow({16, 4, 8, 4}, 8, parts, bar);
    return bar;
}

QLabel* headingOf(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "heading");
    return label;
}

QLabel* mutedLabel(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("muted", true);
    label->setWordWrap(true);
    return label;
}

} // namespace hidet::ui
