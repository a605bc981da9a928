// SPDX-License-Identifier: GPL-3.0-only
// What came of the last job on a model, in words: what was done, what happened, and what to do next. A value.
#pragma once

#include <memory>

#include <QString>

#include "app/session/worker/jobs.h"
#include "app/ui/run/run_report.h"

namespace hidet::ui {

enum class ModelJob { Compile, Bench, Compare };

struct ModelReport {
    ModelJob job = ModelJob::Bench;
    RunEnd end = RunEnd::Refused;
    quint64 revision = 0; // of the model
    QString target;       // "emulate"
    QString where;        // "NVIDIA H200"
    double seconds = 0;   // that the job took
    // Anything that went wrong, and what helps.
    QString trouble; // a sentence without its full stop; empty: nothing
    QString advice;
    NextStep next = NextStep::Nothing;
    session::Place place; // of the trouble
    QString lastWords;    // of a worker that was lost
    QString printed;      // by scripts with operators
    // One of them, where it was answered.
    std::shared_ptr<const session::ModelCompileResult> compiled;
    std::shared_ptr<const session::ModelBenchResult> bench;
    std::shared_ptr<const session::ModelRunResult> comparison;

    bool isGood() const { return end == RunEnd::Answered && trouble.isEmpty(); }
};

// Fills what follows from the answer in; job, revision, target and where are there already.
void conclude(ModelReport& report, const session::Answer& answer);

QString doingOf(ModelJob job); // "measuring"

} // namespace hidet::ui
