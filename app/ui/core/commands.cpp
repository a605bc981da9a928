// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/commands.h"

#include <algorithm>

#include <QApplication>
#include <QWidget>

#include "lang/base/check.h"

namespace hidet::ui {

static QList<QKeySequence> keysOf(const QString& text) {
    QList<QKeySequence> out;
    for (const QString& key : text.split(';', Qt::SkipEmptyParts))
        out << QKeySequence::fromString(key, QKeySequence::PortableText);
    return out;
}

static QString textOf(const QList<QKeySequence>& keys) {
    return QKeySequence::listToString(keys, QKeySequence::PortableText);
}

static void showTip(QAction& action) {
    const QList<QKeySequence> keys = action.shortcuts();
    const QString key = keys.isEmpty() ? QString() : keys.first().toString(QKeySequence::NativeText);
    const QString help = Commands::helpOf(&action), reason = action.property("reason").toString();
    const QString tip = key.isEmpty() ? help : help + " (" + key + ")";
    action.setToolTip(reason.isEmpty() ? tip : Commands::tr("%1. Not now: %2").arg(tip, reason));
}

const std::vector<CommandInfo>& allCommands() {
    static const std::vector<CommandInfo> commands = {
#define HIDET_COMMAND(name, id, menu, text, keys, help) {Command::name, id, menu, text, keysOf(keys), help},
#include "app/ui/core/commands.def"
    };
    return commands;
}

Commands::Commands(Settings& settings, QObject* parent) : QObject(parent), m_settings(settings) {
    for (const CommandInfo& info : allCommands())
        m_actions.push_back(make(info.id, info.menu, info.text, info.help, info.keys));
    m_bindings.resize(m_actions.size());
    for (std::size_t row = 0; row < m_actions.size(); ++row)
        connect(m_actions[row], &QAction::triggered, this, [this, row] { act(row); });
    connect(&m_settings, &Settings::keysImported, this, &Commands::readKeys);
    refresh();
}

QAction* Commands::make(const QString& id, const QString& menu, const QString& text, const QString& help,
                        const QList<QKeySequence>& keys) {
    auto* action = new QAction(text, this);
    action->setObjectName(id);
    action->setProperty("menu", menu);
    action->setStatusTip(help);
    action->setShortcutContext(Qt::WindowShortcut);
    m_standard[action] = keys;
    const QVariant set = m_settings.extra("keys/" + id);
    show(action, set.isValid() ? QKeySequence::listFromString(set.toString(), QKeySequence::PortableText) : keys);
    connect(action, &QAction::triggered, this, [this, action] { emit begins(action); });
    m_all << action;
    return action;
}

void Commands::show(QAction* action, const QList<QKeySequence>& keys) {
    action->setShortcuts(keys);
    showTip(*action);
}

void Commands::explain(QAction* action, const QString& reason) {
    if (action->property("reason").toString() == reason)
        return;
    action->setProperty("reason", reason);
    showTip(*action);
}

QAction* Commands::find(const QString& id) const {
    for (QAction* action : m_all)
        if (action->objectName() == id)
            return action;
    return nullptr;
}

void Commands::bind(Command command, QObject* owner, std::function<void()> act, std::function<bool()> possible) {
    const auto row = static_cast<std::size_t>(command);
    std::vector<Binding>& bindings = m_bindings[row];
    std::erase_if(bindings, [](const Binding& binding) { return !binding.owner; });
    for (const Binding& other : bindings)
        HIDET_CHECK(possible && (other.possible || other.owner != owner), "a command that is bound twice");
    bindings.push_back({owner, std::move(act), std::move(possible)});
    connect(owner, &QObject::destroyed, this, &Commands::refresh, Qt::QueuedConnection);
    m_actions[row]->setEnabled(bindingOf(row));
}

void Commands::bind(QObject* owner, std::initializer_list<Row> rows) {
    for (const Row& row : rows)
        bind(row.command, owner, row.act, row.possible);
}

static bool hasKeyboard(const QObject* owner) {
    const auto* widget = qobject_cast<const QWidget*>(owner);
    const QWidget* focus = QApplication::focusWidget();
    return widget && focus && (widget == focus || widget->isAncestorOf(focus));
}

bool Commands::isBound(Command command) const {
    const std::vector<Binding>& bindings = m_bindings[static_cast<std::size_t>(command)];
    return std::any_of(bindings.begin(), bindings.end(), [](const Binding& binding) { return binding.owner; });
}

const Commands::Binding* Commands::bindingOf(std::size_t row) const {
    const std::vector<Binding>& bindings = m_bindings[row];
    const Binding* found = nullptr;
    for (auto binding = bindings.rbegin(); binding != bindings.rend(); ++binding) {
        if (!binding->owner || (binding->possible && !binding->possible()))
            continue;
        if (hasKeyboard(binding->owner))
            return &*binding;
        if (!found)
            found = &*binding;
    }
    return found;
}

// What acts may bind or unbind commands: it is called from a copy.
void Commands::act(std::size_t row) {
    if (const Binding* binding = bindingOf(row))
        std::function<void()>(binding->act)();
}

QAction* Commands::add(const QString& id, const QString& menu, const QString& text, const QString& help,
                       const QList<QKeySequence>& keys, QObject* owner, std::function<void()> act) {
    HIDET_CHECK(!find(id), "a command that is added twice");
    QAction* action = make(id, menu, text, help, keys);
    connect(action, &QAction::triggered, owner, std::move(act));
    return action;
}

void Commands::refresh() {
    for (std::size_t i = 0; i < m_bindings.size(); ++i)
        m_actions[i]->setEnabled(bindingOf(i));
}

QString Commands::whyNot(const QAction* action) const {
    if (action->isEnabled())
        return {};
    for (std::size_t i = 0; i < m_actions.size(); ++i)
        if (m_actions[i] == action && !isBound(static_cast<Command>(i)))
            return tr("not available");
    if (const QString own = action->property("reason").toString(); !own.isEmpty())
        return own;
    const QString reason = m_reason ? m_reason() : QString();
    return reason.isEmpty() ? tr("not possible now") : reason;
}

bool Commands::isUsable(const QKeySequence& key) {
    if (key.isEmpty())
        return false;
    const QKeyCombination combination = key[0];
    const Qt::KeyboardModifiers held = combination.keyboardModifiers();
    if (held.testFlag(Qt::ControlModifier) && held.testFlag(Qt::AltModifier))
        return false;
    const bool function = combination.key() >= Qt::Key_F1 && combination.key() <= Qt::Key_F35;
    return function || combination.key() == Qt::Key_Escape || held.testFlag(Qt::ControlModifier) ||
           held.testFlag(Qt::AltModifier) || held.testFlag(Qt::MetaModifier);
}

void Commands::setKeys(QAction* action, const QList<QKeySequence>& keys) {
    for (const QKeySequence& key : keys) {
        QAction* other = ownerOf(key);
        if (!other || other == action)
            continue;
        QList<QKeySequence> left = other->shortcuts();
        left.removeAll(key);
        m_settings.setExtra("keys/" + idOf(other), textOf(left));
        show(other, left);
    }
    const bool standard = keys == standardKeys(action);
    m_settings.setExtra("keys/" + idOf(action), standard ? QVariant() : QVariant(textOf(keys)));
    show(action, keys);
    emit keysChanged();
}

void Commands::resetKeys(QAction* action) {
    setKeys(action, standardKeys(action));
}

void Commands::resetAllKeys() {
    for (const QString& key : m_settings.extraKeys("keys"))
        m_settings.setExtra(key, {});
    readKeys();
}

void Commands::readKeys() {
    for (QAction* action : m_all) {
        const QVariant set = m_settings.extra("keys/" + idOf(action));
        show(action, set.isValid() ? QKeySequence::listFromString(set.toString(), QKeySequence::PortableText)
                                   : standardKeys(action));
    }
    emit keysChanged();
}

QAction* Commands::ownerOf(const QKeySequence& key) const {
    if (key.isEmpty())
        return nullptr;
    for (QAction* action : m_all)
        if (action->shortcuts().contains(key))
            return action;
    return nullptr;
}

QList<QKeySequence> Commands::standardKeys(const QAction* action) const {
    return m_standard.value(action);
}

} // namespace hidet::ui
