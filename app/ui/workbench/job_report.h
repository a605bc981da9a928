// SPDX-License-Identifier: GPL-3.0-only
// What came of a job in words, whatever was done: how it ended, what went wrong, and what to do next. A value.
#pragma once

#include <QString>

#include "app/session/snapshot/targets.h"
#include "app/session/worker/jobs.h"

namespace hidet::ui {

enum class RunEnd {
    Refused,   // it never began: a mistake in the script, a value that is wrong
    Answered,  // whatever the verdict
    Cancelled, // by the user
    Lost,      // the worker was lost
};

enum class NextStep { Nothing, ShowPlace, RunOnEmulator, Restart, Settings };

struct JobReport {
    RunEnd end = RunEnd::Refused;
    session::Placement target{};
    QString where;      // "the emulator", "NVIDIA H200"
    double seconds = 0; // that the job took
    // Anything that went wrong, and what helps.
    QString trouble; // a sentence without its full stop; empty: nothing
    QString advice;
    NextStep next = NextStep::Nothing;
    session::Place place; // of the trouble
    QString lastWords;    // of a worker that was lost
};

QString troubleOf(const std::string& message); // its first line, as a sentence
// The first error is the trouble, with what helps against it where that is the same for whatever was run. Null: there is none.
const session::DiagnosticView* concludeFailure(JobReport& report, const session::Outcome& outcome);
// An answer that does not fit the question.
void concludeConfused(JobReport& report);
// What is not Ended::Answered.
void concludeUnanswered(JobReport& report, const session::Answer& answer);

} // namespace hidet::ui
