// SPDX-License-Identifier: GPL-3.0-only
// What a verdict does not say: what a run has not looked for, and the machine that its figures are of.
#pragma once

#include <optional>
#include <string>

#include "app/ui/run/verdict.h"

namespace hidet::ui {

// Where the proof refutes a kernel whose results were right: the verdict says so. False: it does not.
bool addRefutation(VerdictPart& verdict, const session::KernelBenchResult& result, const session::Explained& explained);
// Nothing: the run did not find that the kernel is correct, or there is nothing that it left out. `explained`: null, or what is
// proved of its kernels, which need not be looked for.
std::optional<VerdictPart> uncheckedPart(const RunReport& report, const session::Explained* explained);
// What is proved of accesses without a run. Nothing: no kernel was looked at, or all that is left open is not decided.
std::optional<VerdictPart> boundsPart(const session::Explained& explained);
std::optional<VerdictPart> proofPart(const session::Explained& explained); // once all kernels have one
std::optional<VerdictPart> machinePart(const RunReport& report);
// The schedules that kernels of graphs ran with, as the session words them; nothing: there was no choice.
std::optional<VerdictPart> schedulesPart(const std::string& schedules);

} // namespace hidet::ui
