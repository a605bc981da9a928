// SPDX-License-Identifier: GPL-3.0-only
// Makes the smallest script that still shows a problem, beside the window, and opens it in a tab of its own. One at a time: a new one
// ends the one before. What it is at stands in a notice, whose button takes what there is by then.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include <QObject>

#include "app/ui/core/latest_task.h"
#include "app/ui/workbench/studio.h"

namespace hidet::session {
struct ReduceProgress;
struct ReduceResult;
} // namespace hidet::session

namespace hidet::ui {

class ScriptReducer : public QObject {
    Q_OBJECT
public:
    // The studio's own from now on. `caret` asks the editor for its place, in bytes: Studio::caretMoved comes only once the view
    // is painted, and a command means where the caret is now.
    ScriptReducer(Studio& studio, std::function<int()> caret);
    ~ScriptReducer() override;

    // A problem with this id and, where it is given, this message.
    void reduce(Document& document, const QString& id, const QString& message);
    bool isBusy() const { return m_task.busy(); }
    void stop(); // with what there is

private:
    struct Chosen {
        QString id, message;
    };
    std::vector<session::DiagnosticView> problems() const; // of the current script
    bool hasProblems() const;
    std::optional<Chosen> problemAtCaret() const; // or the first one; nothing: there is none
    void look();                                  // whether there are some now
    void show(const QString& title, const session::ReduceProgress& progress);
    void take(const QString& title, const session::ReduceResult& result);

    Studio& m_studio;
    const std::function<int()> m_caret;
    bool m_hasProblems = false;
    std::shared_ptr<std::atomic<bool>> m_stop;
    LatestTask m_task{LatestTask::Wanted::ByPerson};
};

} // namespace hidet::ui
