// SPDX-License-Identifier: GPL-3.0-only
// Runs the script of the current document: makes a job of it, keeps what it prints, and turns what comes back into a report,
// findings and a line of the history. One for each window; everything here is on the GUI thread.
#pragma once

#include <memory>

#include <QDateTime>
#include <QHash>
#include <QObject>
#include <QPointer>

#include "app/ui/core/latest_task.h"
#include "app/ui/run/edit_trails.h"
#include "app/ui/run/history_store.h"
#include "app/ui/run/plan_store.h"
#include "app/ui/run/run_report.h"
#include "app/ui/run/verdict.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class RunController : public QObject {
    Q_OBJECT
public:
    explicit RunController(Studio& studio);

    PlanStore& plans() { return m_plans; }
    HistoryStore& history() { return m_history; }
    const EditTrails& trails() const { return m_trails; }

    // What can be chosen in the current document; null: not known yet.
    const session::SignatureResult* signatures() const { return m_signatures.get(); }
    const session::FunctionSignature* function() const; // of the plan; null: there is none
    session::Placement target() const;
    PlanProblems problems() const;  // of the current document's plan
    QString whyNotRunnable() const; // why it cannot be run now; empty: it can

    void run(std::optional<session::Placement> target = {}); // nothing: that of the settings
    // Not because the user asked for it: it leaves no trace when it is stopped, and gives way to what he runs.
    void runByItself();
    bool isByItself() const { return m_isByItself; } // what runs now
    bool signaturesAreCurrent() const;               // they are of the newest text

    const RunReport* report(const Document& document) const; // null: it has not been run
    const RunReport* currentReport() const;                  // of the script in front; null: none is, or it has not
    bool isStale(const Document& document) const;            // text, arguments or target differ from what was run
    const session::RunRecord* baselineOf(const RunReport& report) const;
    bool isRunOf(const session::RunRecord& run, const Document& document) const;
    QByteArray output(const Document& document) const { return m_outputs.value(&document); }
    void took(Document* document, const std::string& printed); // what the script printed

    void doNext(const RunReport& report); // its next step

signals:
    void printed(hidet::ui::Document* document, QByteArray text);
    void reportChanged(hidet::ui::Document* document);
    void currentReportChanged(); // the same, of the script in front
    void planChanged();          // of the current document, or what is wrong with it
    void signaturesChanged();
    void detailRequested(hidet::ui::VerdictDetail detail);

private:
    void bindCommands();
    void askForSignatures();
    QString refusal(RunReport& report) const;
    QString whyNotRunByHand() const;
    session::Job jobOf(const RunReport& report) const;
    session::Job jobByHand(const RunReport& report) const;
    void refuse(RunReport report);
    RunReport newReport(const Document& document, session::Placement target);
    void start(Document& document, RunReport report, bool isByItself);
    void finish(Document* document, RunReport report, const session::Answer& answer, bool isByItself);
    void keep(Document* document, RunReport report);
    std::optional<double> predictedOf(const Document& document, const RunReport& report) const;
    void textChanged();

    Studio& m_studio;
    PlanStore m_plans;
    HistoryStore m_history;
    EditTrails m_trails;
    std::shared_ptr<const session::SignatureResult> m_signatures; // of the current document; null: not known yet
    std::uint64_t m_asked = 0;                                    // the revision that they are asked of; 0: of none
    QHash<const Document*, RunReport> m_reports;
    QHash<const Document*, QByteArray> m_outputs;
    QHash<const Document*, QString> m_since; // when a script without a file was begun: its name was others' before
    bool m_isByItself = false;
    std::optional<std::optional<session::Placement>> m_next; // where the user runs, once that has given way
    LatestTask m_asking;                                     // for the signatures
};

} // namespace hidet::ui
