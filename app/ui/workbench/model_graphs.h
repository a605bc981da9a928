// SPDX-License-Identifier: GPL-3.0-only
// The graphs of a model, one after each pass, as far as they are read, and which of them is shown. Reading and the passes work
// on another thread; each phase is there as soon as it is done, and only the newest request counts.
#pragma once

#include <memory>

#include <QObject>

#include "app/session/model/view/model_view.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/workbench/model_carry.h"

namespace hidet::ui {

struct Studio;

class ModelGraphs : public QObject {
    Q_OBJECT
public:
    ModelGraphs(Studio& studio, QObject* parent);

    // Of a script that may be edited, what was shown stays until the new text has a graph, and ids are carried over.
    enum class Source { File, Script };
    void read(const session::ModelRequest& request, Source source);
    void stop();
    void textEdited(); // of a script that it is made of: read again soon, and the newest text wins

    const session::SnapshotPtr& snapshot() const { return m_snapshot; } // null: still being read
    bool isBusy() const { return m_reading.busy(); }                    // a snapshot is on its way
    QString doing() const; // "reading", "optimising", "planning"; empty: nothing
    bool isBroken() const; // it could not be read; the snapshot's diagnostics say why
    // A script of the model has mistakes, which these diagnostics say: what is shown is as it was before. Null: no.
    const session::SnapshotPtr& failed() const { return m_failed; }
    // What is shown is of an older text of a script that is being edited.
    bool isBehind() const;
    QString whyBehind() const; // a sentence: the mistake that keeps it so; empty: it is on its way, or not behind
    // Of boxes, the same from text to text. Null: ids say it, as the file is not being edited.
    const std::shared_ptr<const BoxKeys>& boxKeys() const { return m_boxKeys; }

    const session::ModelGraph* shown() const; // null: none
    const session::ModelGraph* last() const;  // that is run; null: none
    int shownNumber() const;                  // in snapshot()->graphs; by default the last one
    void setShown(int number);                // -1: the last one, also when it changes

signals:
    void replaced(const hidet::ui::ModelCarry& carried); // before snapshotChanged(), for what goes by ids
    void snapshotChanged();
    void shownChanged(); // another graph, or the same one from a new snapshot
    void stateChanged(); // busy, behind, failed
    void textSettled();  // nobody has typed for a moment: it should be read again

private:
    struct Arrived {
        session::SnapshotPtr snapshot;
        ModelCarry carry;
    };
    void take(const session::SnapshotPtr& snapshot, const ModelCarry& carried);
    void replace(const session::SnapshotPtr& snapshot, const ModelCarry& carried);
    bool hasGraph() const { return m_snapshot && !m_snapshot->graphs.empty(); }

    Studio& m_studio;
    Source m_source = Source::File; // of the newest request
    bool m_isTyped = false;         // since it was read
    session::SnapshotPtr m_snapshot;
    session::SnapshotPtr m_failed;
    session::SnapshotPtr m_arriving; // of the newest request, as far as it is
    quint64 m_request = 0;
    int m_shown = -1;
    std::shared_ptr<const BoxKeys> m_boxKeys;
    OneShot m_editing{0, [this] { emit textSettled(); }};
    LatestTask m_reading{LatestTask::Wanted::ByPerson}; // last: its results arrive here
};

} // namespace hidet::ui
