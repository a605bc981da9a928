// SPDX-License-Identifier: GPL-3.0-only
// What came of the last job on a model: what was done, and what happened. A value.
#pragma once

#include <memory>

#include <QString>
#include <QTemporaryDir>

#include "app/ui/workbench/job_report.h"

namespace hidet::ui {

enum class ModelJob { Compile, Bench, Compare, Tune };

struct TuneOrder {
    std::vector<std::string> operators; // keys; empty: all
    int level = 1;                      // 1: a few candidates of each operator are measured, 2: many
    std::string records;                // a file; empty: the user's
};

struct ModelReport : JobReport {
    ModelJob job = ModelJob::Bench;
    quint64 revision = 0; // of the model
    // One of them, where it was answered.
    std::shared_ptr<const session::ModelCompileResult> compiled;
    std::shared_ptr<const session::ModelBenchResult> bench;
    std::shared_ptr<const session::ModelRunResult> comparison;
    std::shared_ptr<const QTemporaryDir> tensors; // of Compare: where the files of its outputs are
    std::shared_ptr<const session::ModelTuneResult> tuned;
    TuneOrder tuning; // of Tune
    int attempts = 1; // processes that it took: a candidate may take one down

    bool isGood() const { return end == RunEnd::Answered && trouble.isEmpty(); }
};

// Fills what follows from the answer in; job, revision, target and where are there already.
void conclude(ModelReport& report, const session::Answer& answer);

QString doingOf(ModelJob job); // "measuring"

} // namespace hidet::ui
