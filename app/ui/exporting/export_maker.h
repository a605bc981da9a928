// SPDX-License-Identifier: GPL-3.0-only
// Makes, writes and checks exports, none of it on the GUI thread. What is asked for last counts; an order that comes while
// another is being made ends that.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>

#include "app/session/exporting/verify_export.h"
#include "app/ui/core/in_order.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/exporting/export_subject.h"

namespace hidet::ui {

class ExportMaker : public QObject {
    Q_OBJECT
public:
    using Result = std::shared_ptr<const session::ExportResult>;

    explicit ExportMaker(QObject* parent);
    ~ExportMaker() override;

    void ask(ExportOrder order); // after a pause, in which another may come
    void clear();                // nothing is asked for
    void stop();                 // what is being made or checked
    bool isMaking() const { return m_pause.isActive() || m_making.busy(); }
    bool isChecking() const { return m_checking.busy(); }
    bool isWriting() const { return m_writing; }
    bool wasStopped() const { return m_stopped; }
    QString doing() const;                            // "compiling, 3 of 10"; empty: nothing is known of it
    const Result& result() const { return m_result; } // of the last order; null: there is none yet

    void write(const QString& folder); // what there is
    void check();
    const std::vector<session::CheckStep>& steps() const { return m_steps; }
    void look(const QString& folder); // which of the files are there

signals:
    void changed();                                           // what is made
    void checked();                                           // a step of the check, or its end
    void written(QStringList files, const QString& folder);   // all of them
    void refused(const QString& sentence);                    // by the machine
    void looked(const QString& folder, QStringList existing); // names below the folder

private:
    void make();
    void hear(quint64 number, const QString& doing);

    OneShot m_pause;
    ExportOrder m_order;
    std::shared_ptr<const ExportOrder> m_made; // that the result is of
    Result m_result;
    QString m_doing;
    bool m_stopped = false, m_writing = false;
    quint64 m_number = 0;
    std::vector<session::CheckStep> m_steps;
    std::shared_ptr<int> m_here; // gone when this is: what other threads post is for nobody then
    LatestTask m_making{LatestTask::Wanted::ByPerson}, m_checking{LatestTask::Wanted::ByPerson};
    LatestTask m_looking;
    InOrder m_files; // last: it ends what it writes
};

} // namespace hidet::ui
