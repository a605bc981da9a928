// SPDX-License-Identifier: GPL-3.0-only
// A side of a comparison that is made for another GPU than the panes show: lowered and compiled on another thread, anew for each
// text that was evaluated.
#pragma once

#include "app/session/explain/elsewhere.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/panes/diff_side.h"

namespace hidet::ui {

class OtherGpu : public QObject {
    Q_OBJECT
public:
    OtherGpu(Studio& studio, QObject* parent) : QObject(parent), m_studio(studio) {}

    void want(const DiffSide& side); // begins to make what is not there
    SideText text(const DiffSide& side) const;
    bool isBusy() const { return m_job.busy(); }

signals:
    void changed();

private:
    struct Asked {
        DiffSide side;
        QString script;
        QByteArray text;
        QStringList calls;
        friend bool operator==(const Asked&, const Asked&) = default;
    };
    const session::BoardModule* module(const DiffSide& side) const; // null: there is none
    void make(const Asked& asked, int module);

    Studio& m_studio;
    Asked m_asked, m_made; // the newest, and what is there
    session::Elsewhere m_result;
    LatestTask m_job;
};

} // namespace hidet::ui
