// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/command_keys.h"

#include <QApplication>
#include <QWidget>

namespace hidet::ui {

bool isForCommands(const QKeyEvent& key) {
    const Qt::KeyboardModifiers held = key.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    return held && held != (Qt::ControlModifier | Qt::AltModifier);
}

QAction* ownerOf(const Commands& commands, const QKeyEvent& key) {
    return commands.ownerOf(QKeySequence(QKeyCombination(key.modifiers() & ~Qt::KeypadModifier, Qt::Key(key.key()))));
}

QString refusalOf(const Commands& commands, const QKeyEvent& key) {
    const QAction* owner = ownerOf(commands, key);
    if (!owner || owner->isEnabled())
        return {};
    return CommandKeys::tr("%1: %2").arg(owner->text(), commands.whyNot(owner));
}

CommandKeys::CommandKeys(const Commands& commands, std::function<void(const QString&)> say, QObject* parent)
    : QObject(parent), m_commands(commands), m_say(std::move(say)) {
    qApp->installEventFilter(this);
}

// With Ctrl alone Qt's fields know better: what they have no use for they leave.
bool CommandKeys::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || !watched->isWidgetType())
        return false;
    const auto& key = static_cast<const QKeyEvent&>(*event);
    const bool writes = static_cast<QWidget*>(watched)->testAttribute(Qt::WA_InputMethodEnabled) &&
                        !key.text().isEmpty() && key.text()[0].isPrint();
    if (!writes || !isForCommands(key) || key.modifiers() & Qt::ControlModifier)
        return false;
    if (const QString why = refusalOf(m_commands, key); !why.isEmpty())
        m_say(why);
    event->accept();
    return true;
}

} // namespace hidet::ui
