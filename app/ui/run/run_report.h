// SPDX-License-Identifier: GPL-3.0-only
// What came of the last run of a document: what was run, and what happened. A value.
#pragma once

#include <memory>
#include <optional>

#include <QByteArray>
#include <QTemporaryDir>

#include "app/session/kernel_bench/history.h"
#include "app/ui/run/run_plan.h"
#include "app/ui/workbench/job_report.h"

namespace hidet::ui {

struct RunReport : JobReport {
    // What was run; the report is stale when one of them differs now.
    QByteArray text;
    RunPlan plan;
    std::shared_ptr<const session::KernelBenchResult> result; // Answered
    std::optional<session::RunRecord> record;                 // as the history has it
    // Where the files of result->tensors are, for as long as somebody has it; null: none were asked for.
    std::shared_ptr<const QTemporaryDir> tensors;
};

// The result of a job that measured a kernel, or that just ran the script.
std::shared_ptr<const session::KernelBenchResult> kernelBenchIn(const session::Answer& answer);
// Fills what follows from the answer in; text, plan, target and where are there already.
void conclude(RunReport& report, const session::Answer& answer);

} // namespace hidet::ui
