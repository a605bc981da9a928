// SPDX-License-Identifier: GPL-3.0-only
// What Nsight Compute counted of the kernels of scripts, or else the emulator. It runs in processes of its own; a profile is gone when its text changes.
#pragma once

#include <memory>

#include <QHash>
#include <QObject>

#include "app/session/profile/profile.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/document/document.h"

namespace hidet::ui {

struct Studio;

class Profiles : public QObject {
    Q_OBJECT
public:
    explicit Profiles(Studio& studio);

    std::shared_ptr<const session::ProfileResult> of(const Document* document) const; // null: none
    bool isBusy() const { return m_task.busy(); }

    // What the emulator counted, in a run of the text that the document has; it stands where no GPU has counted.
    void setEmulated(const Document& document, std::vector<session::LineCounters> counters);

    // Of one line of a script: what a strip beside the editor shows.
    struct Line {
        double share = 0; // of all samples, or of all instructions
        QString hint;
    };
    QHash<int, Line> linesOf(const Document& document) const; // from 1

signals:
    void changed();

private:
    void start();
    void copyCommand();
    void take(Document& document, session::ProfileResult result);
    session::ProfileRequest requestFor(const Document& document) const;
    QHash<int, Line> emulatedLinesOf(const Document& document) const;
    QString hottestOf(const session::ProfileResult& result) const;

    Studio& m_studio;
    LatestTask m_task{LatestTask::Wanted::ByPerson}, m_command{LatestTask::Wanted::ByPerson};
    QHash<const Document*, std::shared_ptr<const session::ProfileResult>> m_results;
    QHash<const Document*, std::vector<session::LineCounters>> m_emulated;
};

} // namespace hidet::ui
