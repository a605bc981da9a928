// SPDX-License-Identifier: GPL-3.0-only
// What came of the last job on a model: what was done, and what happened. A value.
#pragma once

#include <memory>

#include <QString>

#include "app/ui/workbench/job_report.h"

namespace hidet::ui {

enum class ModelJob { Compile, Bench, Compare };

struct ModelReport : JobReport {
    ModelJob job = ModelJob::Bench;
    quint64 revision = 0; // of the model
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
