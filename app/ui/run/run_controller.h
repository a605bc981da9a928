// SPDX-License-Identifier: GPL-3.0-only
// Runs the script of the current document: asks a worker, follows what it prints and how far it is, and turns what comes
// back into a report, findings and a line of the history. One for each window; everything here is on the GUI thread.
#pragma once

#include <memory>
#include <mutex>

#include <QDateTime>
#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QPointer>

#include "app/ui/run/history_store.h"
#include "app/ui/run/plan_store.h"
#include "app/ui/run/run_report.h"
#include "app/ui/run/signature_loader.h"
#include "app/ui/run/verdict.h"
#include "app/ui/run/workers.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

struct RunningNow {
    QPointer<Document> document;
    QString target;
    QString doing;       // "measuring 'matmul'"
    double fraction = 0; // 0: not known
    bool cancelling = false;
    QElapsedTimer since;
};

class RunController : public QObject {
    Q_OBJECT
public:
    RunController(Studio& studio, ServiceMaker services);
    ~RunController() override;

    PlanStore& plans() { return m_plans; }
    HistoryStore& history() { return m_history; }
    Workers& workers() { return *m_workers; }

    // What can be chosen in the current document; null: not known yet.
    const session::SignatureResult* signatures() const { return m_signatures->latest().get(); }
    const session::FunctionSignature* function() const; // of the plan; null: there is none
    QString target() const;                             // "auto", "cuda", "cpu", "emulate", "remote"
    PlanProblems problems() const;                      // of the current document's plan
    QString obstacle() const;                           // why it cannot be run now; empty: it can

    void run(const QString& target = {}); // empty: that of the settings
    void cancel();
    const RunningNow* running() const { return m_running ? &*m_running : nullptr; }

    const RunReport* report(const Document& document) const; // null: it has not been run
    bool isStale(const Document& document) const;            // text, arguments or target differ from what was run
    const session::RunRecord* baselineOf(const RunReport& report) const;
    bool isRunOf(const session::RunRecord& run, const Document& document) const;
    QByteArray output(const Document& document) const;

    session::ServiceState workerState() const; // of the place that the target means
    void restartWorker();
    void doNext(const RunReport& report); // its next step

    void setSignatureSource(SignatureLoader::Source source); // of tests

signals:
    void runningChanged(); // began, ended, is at something else
    void printed(hidet::ui::Document* document, QByteArray text);
    void reportChanged(hidet::ui::Document* document);
    void planChanged(); // of the current document, or what is wrong with it
    void signaturesChanged();
    void workerChanged();
    void detailRequested(hidet::ui::VerdictDetail detail);

private:
    struct Mailbox; // what a service's threads have for us

    void bindCommands();
    void askForSignatures();
    QString refusal(RunReport& report) const;
    session::Job jobOf(const RunReport& report) const;
    void refuse(RunReport report);
    void take(); // what lies in the mailbox
    void finish(const session::Answer& answer);
    void keep(Document* document, RunReport report);
    void textChanged();

    Studio& m_studio;
    PlanStore m_plans;
    HistoryStore m_history;
    SignatureLoader* m_signatures;
    QPointer<Document> m_asked; // whose signatures these are
    QHash<const Document*, RunReport> m_reports;
    QHash<const Document*, QByteArray> m_outputs;
    std::optional<RunningNow> m_running;
    RunReport m_next; // what is being run
    session::Ticket m_ticket = 0;
    RunPlace m_place = RunPlace::Gpu;        // of the last run, or what the target means if that was chosen later
    QHash<const Document*, QString> m_since; // when a script without a file was begun: its name was others' before
    std::shared_ptr<Mailbox> m_mailbox;
    std::unique_ptr<Workers> m_workers; // last: they call back until they are gone
};

} // namespace hidet::ui
