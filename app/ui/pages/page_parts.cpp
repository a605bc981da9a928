// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/pages/page_parts.h"

#include <QHBoxLayout>

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
    auto* sides = new QHBoxLayout(content);
    sides->setContentsMargins(32, 32, 32, 32);
    sides->addStretch(1);
    sides->addWidget(inside, 1000);
    sides->addStretch(1);
    m_all = new QVBoxLayout(inside);
    m_all->setContentsMargins(0, 0, 0, 0);
    m_all->setSpacing(16);
    m_head = new QHBoxLayout;
    m_head->setSpacing(8);
    auto* name = new QLabel(title);
    name->setProperty("role", "title");
    m_head->addWidget(name);
    m_head->addStretch(1);
    m_all->addLayout(m_head);
    m_column = new QVBoxLayout;
    m_column->setSpacing(8);
    m_all->addLayout(m_column);
    m_all->addStretch(1);
    setWidget(content);
}

void Page::fillHeight() {
    m_all->setStretchFactor(m_column, 1000);
}

QWidget* barOfPage() {
    auto* bar = new QWidget;
    bar->setProperty("bar", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(16, 4, 8, 4);
    row->setSpacing(8);
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
