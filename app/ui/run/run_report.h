// SPDX-License-Identifier: GPL-3.0-only
// What came of the last run of a document, in words: what was run, what happened, and what to do next. A value.
#pragma once

#include <memory>
#include <optional>

#include <QByteArray>
#include <QString>

#include "app/session/trial/history.h"
#include "app/session/worker/jobs.h"
#include "app/ui/run/run_plan.h"

namespace hidet::ui {

enum class RunEnd {
    Refused,   // it never began: a mistake in the script, a value that is wrong
    Answered,  // whatever the verdict
    Cancelled, // by the user
    Lost,      // the worker was lost
};

enum class NextStep { Nothing, ShowPlace, RunOnEmulator, Restart, Settings };

struct RunReport {
    RunEnd end = RunEnd::Refused;
    // What was run; the report is stale when one of them differs now.
    QByteArray text;
    RunPlan plan;
    QString target; // "emulate"
    QString where;  // "the emulator"
    double seconds = 0;
    // Anything that went wrong, and what helps.
    QString trouble; // a sentence without its full stop; empty: nothing
    QString advice;
    NextStep next = NextStep::Nothing;
    session::Place place;                               // of the trouble
    QString lastWords;                                  // of a worker that was lost
    std::shared_ptr<const session::TrialResult> result; // Answered
    std::optional<session::RunRecord> record;           // as the history has it
};

// The result of a job that was a trial, or that just ran the script.
std::shared_ptr<const session::TrialResult> trialIn(const session::Answer& answer);
// Fills what follows from the answer in; text, plan, target and where are there already.
void conclude(RunReport& report, const session::Answer& answer);

} // namespace hidet::ui
