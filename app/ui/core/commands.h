// SPDX-License-Identifier: GPL-3.0-only
// Everything that can be done, by name. A command is one row of commands.def and one QAction: menus, shortcuts, the palette
// and the tests use the same one. The widget that owns what a command acts on binds it; a command that nobody has bound, or
// whose condition does not hold, is disabled.
#pragma once

#include <functional>
#include <vector>

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QPointer>
#include <QString>

#include "app/ui/core/settings.h"

namespace hidet::ui {

enum class Command {
#define HIDET_COMMAND(name, id, menu, text, keys, help) name,
#include "app/ui/core/commands.def"
};

struct CommandInfo {
    Command command;
    QString id;
    QString menu;
    QString text;
    QList<QKeySequence> keys; // until the user says otherwise
    QString help;
};

const std::vector<CommandInfo>& allCommands();

class Commands : public QObject {
    Q_OBJECT
public:
    Commands(Settings& settings, QObject* parent = nullptr);

    QAction* action(Command command) const { return m_actions[static_cast<std::size_t>(command)]; }
    QAction* find(const QString& id) const; // rows and commands that were added; null: none
    const QList<QAction*>& all() const { return m_all; }

    // What the command does, as long as `owner` lives. `possible` is asked by refresh(); without it the command always is.
    // A command may mean one thing for a script and another for a model: of several bindings whose conditions hold, that of a
    // widget with the keyboard acts, or else the newest.
    void bind(Command command, QObject* owner, std::function<void()> act, std::function<bool()> possible = {});
    struct Row {
        Command command;
        std::function<void()> act;
        std::function<bool()> possible = {};
    };
    void bind(QObject* owner, std::initializer_list<Row> rows); // each of them
    // Several that are possible at the same times.
    void bind(QObject* owner, const std::function<bool()>& possible,
              std::initializer_list<std::pair<Command, std::function<void()>>> acts) {
        for (const auto& [command, act] : acts)
            bind(command, owner, act, possible);
    }
    bool isBound(Command command) const;
    // A command that is made while the program runs: a dock's switch, a theme. Its id stays the same from start to start.
    QAction* add(const QString& id, const QString& menu, const QString& text, const QString& help,
                 const QList<QKeySequence>& keys, QObject* owner, std::function<void()> act);

    // Asks every condition again; call it when a document, a selection or a job has changed.
    void refresh();

    // Why an action is disabled, as a clause: "no script is open".
    void setReason(std::function<QString()> reason) { m_reason = std::move(reason); }
    QString whyNot(const QAction* action) const;
    // The same for one action, from whoever binds it; its tool tip says so too. Empty: it can be done.
    static void explain(QAction* action, const QString& reason);

    static QString idOf(const QAction* action) { return action->objectName(); }
    static QString menuOf(const QAction* action) { return action->property("menu").toString(); }
    static QString helpOf(const QAction* action) { return action->statusTip(); }

    // Keys: what the user has set, or else the table's. Setting keys that another command has takes them from it.
    void setKeys(QAction* action, const QList<QKeySequence>& keys);
    void resetKeys(QAction* action);
    void resetAllKeys();
    QAction* ownerOf(const QKeySequence& key) const; // null: free
    QList<QKeySequence> standardKeys(const QAction* action) const;
    // Keys that no command may have: without Ctrl or Alt they write text, and Ctrl+Alt is AltGr on many keyboards.
    static bool isUsable(const QKeySequence& key);

signals:
    void keysChanged();
    void begins(const QAction* action); // which acts next

private:
    struct Binding {
        QPointer<QObject> owner;
        std::function<void()> act;
        std::function<bool()> possible;
    };
    const Binding* bindingOf(std::size_t row) const; // that would act now; null: none
    void act(std::size_t row);
    QAction* make(const QString& id, const QString& menu, const QString& text, const QString& help,
                  const QList<QKeySequence>& keys);
    void show(QAction* action, const QList<QKeySequence>& keys);
    void readKeys();

    Settings& m_settings;
    std::vector<QAction*> m_actions;
    std::vector<std::vector<Binding>> m_bindings; // by row, the newest last
    QList<QAction*> m_all;
    QHash<const QAction*, QList<QKeySequence>> m_standard;
    std::function<QString()> m_reason;
};

} // namespace hidet::ui
