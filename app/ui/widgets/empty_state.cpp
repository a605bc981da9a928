// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/empty_state.h"

#include <QVBoxLayout>

namespace hidet::ui {

EmptyState::EmptyState(QWidget* parent)
    : QWidget(parent), m_title(new QLabel(this)), m_text(new QLabel(this)), m_button(new QPushButton(this)) {
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 8, 24, 8);
    column->setSpacing(8);
    column->addStretch(1);
    m_title->setAlignment(Qt::AlignCenter);
    m_title->setWordWrap(true);
    column->addWidget(m_title);
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    m_text->setProperty("muted", true);
    m_text->setTextFormat(Qt::PlainText);
    // What to install is meant to be copied.
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_text);
    column->addWidget(m_button, 0, Qt::AlignHCenter);
    column->addStretch(2);
    m_button->hide();
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_act)
            m_act();
    });
}

void EmptyState::say(const QString& title, const QString& text) {
    m_title->setText(title);
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    setAccessibleName(text.isEmpty() ? title : title + ". " + text);
}

void EmptyState::setAction(const QString& text, std::function<void()> act) {
    m_act = std::move(act);
    m_button->setText(text);
    m_button->setAccessibleName(text);
    m_button->setVisible(!text.isEmpty());
}

} // namespace hidet::ui
