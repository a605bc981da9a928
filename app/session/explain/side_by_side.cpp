// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/side_by_side.h"

#include <algorithm>

#include "app/session/explain/predicted.h"
#include "app/session/kernel_bench/further.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// Why a failure left nothing to compare, and what one does about it.
std::string failure_text(const KernelBenchRequest& request, const KernelBenchResult& bench) {
    const bool lacks_arguments = std::ranges::any_of(
        bench.diagnostics, [](const DiagnosticView& each) { return each.is(DiagId::TryArgumentMissing); });
    if (!lacks_arguments)
        return "nothing says that both compute the same";
    return cat("nothing says what '", bench.function, "' of '", request.run.source.name,
               "' takes: name the script that calls it first, or give it with '--arg NAME=VALUE'");
}

std::string times_text(const SideBySide& made, double ratio) {
    return cat(time_text(*made.seconds), " beside ", time_text(*made.other_seconds), ", ", number_text(ratio),
               " of its time");
}

void judge_predicted(const KernelBenchRequest& request, SideBySide& out) {
    out.is_predicted = true;
    KernelBenchRequest other = request;
    other.run.source = *request.other->script;
    other.calls.clear();
    out.seconds = predicted_seconds(request, out.bench.function, out.bench.module);
    out.other_seconds = predicted_seconds(
        other, request.other->function.empty() ? out.bench.function : request.other->function, request.other->module);
    if (!out.seconds || !out.other_seconds || *out.other_seconds <= 0) {
        out.word = "invalid";
        out.why = is_of_own_calls(request)
                      ? "no time of a GPU is predicted of both, and those of the emulator say nothing"
                      : "a time of a GPU is predicted of the call that a script makes, not of another one ('--arg', "
                        "'--dim'), and those of the emulator say nothing: with '--target cpu' it is measured";
        return;
    }
    const double ratio = *out.seconds / *out.other_seconds;
    out.word = bench::speed_name(bench::speed_of({ratio, ratio, ratio, 1}));
    out.why = "predicted " + times_text(out, ratio);
}

void judge_measured(SideBySide& out) {
    const BenchRow& row = *out.bench.measured;
    const std::optional<SpeedVerdict> speed = speed_of(row);
    const std::optional<bench::Ratio> ratio = row.to_baseline();
    if (!speed || !ratio) {
        out.word = "invalid";
        out.why = "too few calls were measured to say which is faster";
        return;
    }
    out.seconds = row.times.median;
    out.other_seconds = row.baseline_times->median;
    out.word = speed->word;
    out.why = cat(times_text(out, ratio->median), " (", number_text(ratio->low), " to ", number_text(ratio->high),
                  "), on ", row.where, speed->why.empty() ? "" : "; " + speed->why);
}

} // namespace

SideBySide side_by_side(const KernelBenchRequest& request,
                        const std::function<KernelBenchResult(const KernelBenchRequest&)>& bench) {
    SideBySide out;
    out.bench = bench(request);
    const Verdict& verdict = out.bench.verdict;
    if (verdict.kind == VerdictKind::Wrong || verdict.kind == VerdictKind::Invalid) {
        out.word = verdict_name(verdict.kind);
        return out;
    }
    if (verdict.kind == VerdictKind::Failed || !out.bench.measured ||
        (verdict.kind == VerdictKind::Unchecked && !is_beside_itself(request, out.bench.function, out.bench.module))) {
        out.word = "invalid";
        out.why = failure_text(request, out.bench);
        return out;
    }
    if (out.bench.measured->is_emulated)
        judge_predicted(request, out);
    else
        judge_measured(out);
    return out;
}

} // namespace hidet::session
