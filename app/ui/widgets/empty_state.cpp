// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/empty_state.h"

#include "app/ui/widgets/parts.h"

namespace hidet::ui {

EmptyState::EmptyState(QWidget* parent) : QWidget(parent) {
    makePanel(*this);
    m_title->setAlignment(Qt::AlignCenter);
    m_title->setWordWrap(true);
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    m_text->setProperty("muted", true);
    m_text->setTextFormat(Qt::PlainText);
    // What to install is meant to be copied.
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    newColumn({24, 8, 24, 8}, 8, {stretched(1), m_title, m_text, {m_button, 0, Qt::AlignHCenter}, stretched(2)}, this);
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

void EmptyState::offer(QAction* action, const QString& text) {
    setAction(text, [action] { action->trigger(); });
}

void EmptyState::offerWithKeys(QAction* action, const QString& text) {
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    offer(action, text.isEmpty() || keys.isEmpty() ? text : tr("%1 (%2)").arg(text, keys));
}

} // namespace hidet::ui
