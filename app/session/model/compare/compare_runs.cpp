// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/compare/compare_runs.h"

#include <cmath>

#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

double grown_by(const ComparedKernelRow& row) {
    return row.right_seconds.value_or(0) - row.left_seconds.value_or(0);
}

std::string kernel_counts(const ComparedKernelRow& row) {
    if (row.left_kernels == row.right_kernels)
        return row.left_kernels == 1 ? "" : cat(", ", row.left_kernels, " kernels");
    return cat(", ", row.left_kernels, " -> ", row.right_kernels, " kernels");
}

std::string amount(const std::optional<double>& value, const std::string& unit) {
    return !value ? "-" : unit.empty() ? cat(static_cast<long long>(*value)) : text_of_quantity(*value, unit);
}

std::string signed_share(double left, double right) {
    return left > 0 ? cat(" (", right < left ? "-" : "+", percent_text(std::abs(right / left - 1)), ")") : "";
}

std::string ranking_of(const std::string& title, const std::vector<ComparedKernelRow>& rows) {
    std::string out = rows.empty() ? "" : title + "\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ComparedKernelRow& row = rows[i];
        const double left = row.left_seconds.value_or(0), right = row.right_seconds.value_or(0);
        out +=
            cat("  ", i + 1, "  ", right < left ? "-" : "+", time_text(std::abs(right - left)),
                signed_share(left, right), ", ", amount(row.left_seconds, "s"), " -> ", amount(row.right_seconds, "s"),
                kernel_counts(row), row.is_within_spread ? ", within the spread" : "", "  ", row.name, "\n");
    }
    return out;
}

} // namespace

Result<ComparedSide> side_of(const ModelHistory& history, const ModelRecord& run, const ModelRequest& request) {
    HIDET_TRY(const std::string file, history.graph_file(run));
    ComparedSide out{request, title_of(run), bench_of(run)};
    out.request.path = file;
    out.request.choices.clear();
    out.request.choices_text = run.choices;
    out.request.precision = run.precision;
    out.request.quantize = run.quantize;
    out.request.quantize_limit = run.quantize_limit.value_or(0);
    out.request.dims = run.dims;
    // As it was compiled: kernels are those of the device that ran it.
    out.request.target = run.is_emulated ? Target::Emulate : run.target == "cpu" ? Target::Cpu : Target::Auto;
    return out;
}

RunComparison compare_runs(const ComparedSide& left, const ComparedSide& right) {
    RunComparison out;
    out.left = left.title;
    out.right = right.title;
    ComparedModel sides[2];
    const ComparedSide* given[] = {&left, &right};
    for (int i = 0; i < 2; ++i) {
        ModelViewRequest request;
        static_cast<ModelRequest&>(request) = given[i]->request;
        request.print = {};
        const SnapshotPtr snapshot = view_model(request);
        for (const DiagnosticView& each : snapshot->diagnostics)
            if (each.severity == Severity::Error)
                out.diagnostics.push_back(each);
        out.status = snapshot->status;
        if (snapshot->status != Status::Ok || snapshot->graphs.empty())
            return out;
        sides[i] = {snapshot, 0, {given[i]->bench, nullptr, nullptr}};
    }
    const ModelComparison found = compare_models(sides[0], sides[1]);
    out.is_measured = found.is_measured;
    out.operators = summary_of(found.matching);
    for (const ComparedTotal& total : found.totals)
        out.totals.push_back({total.title, total.unit, total.left, total.right});
    for (const ComparedKernels& row : found.kernels) {
        ComparedKernelRow made{row.name,         row.left_seconds,  row.right_seconds,
                               row.left_kernels, row.right_kernels, row.is_within_spread()};
        const double by = grown_by(made);
        if (by == 0)
            ++out.unchanged;
        else
            (by > 0 ? out.slower : out.faster).push_back(std::move(made));
    }
    return out;
}

std::string runs_text(const RunComparison& comparison) {
    std::string out = cat(comparison.right, " beside ", comparison.left, "\n");
    for (const ComparedTotalRow& total : comparison.totals) {
        if (!total.left && !total.right)
            continue;
        out += cat("  ", total.title, ": ", amount(total.left, total.unit));
        if (total.left != total.right)
            out += cat(" -> ", amount(total.right, total.unit),
                       total.left && total.right ? signed_share(*total.left, *total.right) : "");
        out += "\n";
    }
    out += cat("operators: ", comparison.operators, "\n");
    out += comparison.is_measured ? "kernels, measured:" : "kernels, predicted, as not both were measured:";
    out += cat(" ", comparison.slower.size(), " slower, ", comparison.faster.size(), " faster, ", comparison.unchanged,
               " the same\n");
    return out + ranking_of("slower:", comparison.slower) + ranking_of("faster:", comparison.faster);
}

} // namespace hidet::session
