// SPDX-License-Identifier: GPL-3.0-only
// The workspace that a window was opened from, or saved to: a file that a person keeps, commits and passes on. What is open
// now may differ from it, which is shown; it is written when that is asked for.
#pragma once

#include <QObject>

#include "app/ui/core/one_shot.h"
#include "app/ui/persistence/workspace_file.h"

namespace hidet::ui {

class MainWindow;
struct Studio;

class WorkspaceKeeper : public QObject {
    Q_OBJECT
public:
    explicit WorkspaceKeeper(MainWindow& window);

    const QString& path() const { return m_path; } // empty: there is none
    QString title() const;                         // "tiles", "tiles*" where it differs from its file
    bool isModified() const { return m_isModified; }
    void open(const QString& path);   // asks about unsaved text first, in the bar
    void resume(const QString& path); // of a session that has put back what was open
    bool save();                      // where there is none, asks for a file

signals:
    void changed(); // which one it is, or whether it is modified

private:
    void bindCommands();
    void listen();
    bool saveTo(const QString& path);
    bool saveAs();
    void leave();
    std::optional<ReadWorkspace> read(const QString& path);
    bool asks(const QString& path);
    void replaceBy(const QString& path, ReadWorkspace read);
    QStringList putBack(const QJsonObject& settings);
    void tell(const QStringList& remarks);
    Workspace now();
    void lookSoon();
    void look();
    QString folder() const;

    MainWindow& m_window;
    Studio& m_studio;
    QString m_path;
    QJsonObject m_saved; // what is in the file, as essenceOf() has it
    bool m_isModified = false;
    // What is in the file and could not be put back: it is written again.
    QList<KeptDocument> m_missing;
    QJsonObject m_others, m_refused; // settings that this program does not take
    QHash<QString, QJsonObject> m_othersOf;
    QString m_savingTo;    // as soon as the runs are known
    QString m_openingNext; // once that is saved
    OneShot m_pause;
};

} // namespace hidet::ui
