// SPDX-License-Identifier: GPL-3.0-only
// Scripts that define operators and rules of a model: added and removed, opened at the operator that is selected, read again
// when they change on disk. What is wrong with one is told in a notice and is a problem of the script.
#pragma once

#include <QHBoxLayout>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "app/ui/document/file_watch.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class ModelScripts : public QObject {
    Q_OBJECT
public:
    // `showDefinition` is for operators that no script defines.
    ModelScripts(Studio& studio, QObject* parent, std::function<void()> showDefinition);

    void checkNow(); // files of all scripts, as after a sign of change

private:
    void followText(const Document& document);
    void readAgain(const QString& path);
    void add();
    void openOperator();
    std::optional<session::Place> siteOfSelected() const;
    void updateWatched();
    void showMistakes(LiveModel& model);
    void showMistakesIn(const QString& script, LiveModel& model);
    void showFailure(LiveModel& model);
    void tell(const QString& about, const QString& sentence, const QList<Offer>& offers);

    Studio& m_studio;
    const std::function<void()> m_showDefinition;
    QFileSystemWatcher m_watcher;
    QTimer m_pause;
    QHash<QString, FileStamp> m_seen;     // as they were when they were read
    QHash<QString, QString> m_complained; // scripts and models with a notice, and what it says
};

// The scripts of the model in front, each with a button that removes it. Hidden while there are none.
class ModelScriptBar : public QWidget {
    Q_OBJECT
public:
    ModelScriptBar(Studio& studio, QWidget* parent = nullptr);

private:
    void fill();
    QToolButton* button(const QString& text, const QString& name, const QString& tip);

    Studio& m_studio;
    QHBoxLayout* m_row;
    QStringList m_shown;
    QMetaObject::Connection m_connection;
};

} // namespace hidet::ui
