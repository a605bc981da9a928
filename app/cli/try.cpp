// SPDX-License-Identifier: Apache-2.0
// hidetc try: one function with chosen arguments; whether it is right, how fast it is, and what limits it.

#include <algorithm>
#include <filesystem>

#include "app/cli/kernel_options.h"
#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/text/measured_text.h"
#include "app/cli/text/numbers.h"
#include "app/cli/tile_choice.h"
#include "app/cli/verbs.h"
#include "app/session/explain/predicted.h"
#include "app/session/kernel_bench/history.h"
#include "app/session/kernel_bench/kernel_bench.h"
#include "app/session/kernel_bench/owners.h"
#include "app/session/worker/run_in_worker.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

namespace {

using namespace session;

struct TryOptions : KernelOptions {
    ReplaceOptions replace;
    std::string history;
    std::string block = "0";
    std::uint64_t at = 0;
    bool check_only = false;
};

std::string product(const std::array<std::int64_t, 3>& extents) {
    return cat(extents[0], " x ", extents[1], " x ", extents[2]);
}

// ---- what was asked for ------------------------------------------------------------------------------------------

bool read_request(const TryOptions& options, KernelBenchRequest& request, int& exit) {
    if (!read_kernel_options(options, request, exit))
        return false;
    exit = exit_usage;
    if (!request.save.empty() && !read_tile_choice(options.block, options.at, request.run.tiles_of))
        return false;
    request.measure = !options.check_only;
    request.figures = !options.check_only;
    return true;
}

// ---- what came out -------------------------------------------------------------------------------------------------

std::string text_of(const Comparison& comparison) {
    if (!comparison.refusal.empty())
        return cat("  ", comparison.refusal, "\n");
    std::string out = cat("  ", comparison.tensor, ": ");
    out += comparison.max_absolute
               ? cat("largest error ", number_text(*comparison.max_absolute), " (",
                     number_text(*comparison.max_relative), " relative, ", number_text(*comparison.max_ulp),
                     " ULP), mean ", number_text(*comparison.mean_absolute))
               : std::string("no element is finite on both sides");
    out +=
        cat("; ", number_text(comparison.absolute), " + ", number_text(comparison.relative), " of the value tolerated");
    if (comparison.got_nan + comparison.got_infinite > 0)
        out += cat("; holds ", comparison.got_nan, " NaN and ", comparison.got_infinite, " infinite");
    out += "\n";
    for (const WrongOwner& owner : comparison.owners)
        out += cat("    ", wrong_text(owner), "\n");
    return out;
}

std::string text_of(const KernelView& kernel) {
    std::string out = cat("  kernel ", kernel.name);
    if (kernel.launch)
        out += cat(": grid ", product(kernel.launch->grid), ", block ", product(kernel.launch->block), ", ",
                   kernel.launches == 1 ? "1 launch" : cat(kernel.launches, " launches"));
    out += "\n    ";
    if (!kernel.facts)
        return cat(out, "registers unknown: ", kernel.unavailable, "\n");
    const KernelFacts& facts = *kernel.facts;
    out +=
        cat(kernel.arch, ": ", registers_text(facts), ", ",
            bytes_text(static_cast<double>(facts.static_shared_bytes + kernel.dynamic_shared())), " of shared memory");
    if (!kernel.occupancy)
        return out + "\n";
    const Occupancy& occupancy = *kernel.occupancy;
    if (!occupancy.impossible.empty())
        return cat(out, "\n    cannot run: ", occupancy.impossible, "\n");
    out += cat("\n    ", occupancy_text(occupancy), ", ", count_of(occupancy.blocks, "block"), " per multiprocessor");
    for (const std::string& more : {grid_text(occupancy), occupancy.one_more})
        if (!more.empty())
            out += "; " + more;
    return out + "\n";
}

std::string text_of(const SweepPoint& point, const std::string& name) {
    std::string out = cat("  ", name, " = ", point.value, ": ", verdict_name(point.verdict.kind));
    if (point.max_absolute)
        out += cat(", largest error ", number_text(*point.max_absolute));
    if (point.measured)
        out += cat(", ", time_text(point.measured->times.median), ", ",
                   si_text(point.measured->bytes / point.measured->times.median, "B/s"));
    return out + "\n";
}

std::string text_of(const SavedTensor& tensor) {
    if (!tensor.refusal.empty())
        return cat("  ", tensor.name, " was not saved: ", tensor.refusal, "\n");
    return cat("  saved ", tensor.file, tensor.wanted_file.empty() ? "" : cat(" and ", tensor.wanted_file),
               tensor.is_before ? ", as it was before the call" : "", "\n");
}

std::string text_of(const KernelBenchResult& result, const KernelBenchRequest& request) {
    std::string out;
    if (!result.where.empty())
        out = cat(result.function, "(", result.shapes, ") on ", result.where, "\n  ", result.verdict.sentence, "\n");
    else if (!result.comparisons.empty()) // a check of the script failed
        out = cat(result.script, "\n  ", result.verdict.sentence, "\n");
    for (const Comparison& comparison : result.comparisons)
        out += text_of(comparison);
    if (result.measured)
        out += row_text(*result.measured, "");
    for (const KernelView& kernel : result.kernels)
        out += text_of(kernel);
    for (const SweepPoint& point : result.sweep)
        out += text_of(point, request.vary->name);
    for (const SavedTensor& tensor : result.tensors)
        out += text_of(tensor);
    return out;
}

// False: the file cannot be written, which is told.
bool keep(const std::string& history, const KernelBenchRequest& request, const KernelBenchResult& result) {
    if (history.empty())
        return true;
    RunRecord record = record_of(request, result, utc_now());
    record.predicted = predicted_seconds(request, result.function, result.module);
    const Result<void> kept = History(history).append(record, text_that_ran(request.run));
    if (!kept)
        refuse_environment(kept.error());
    return kept.ok();
}

// False: it cannot be made, which is told.
bool make_folder(const std::string& folder) {
    std::error_code error;
    if (!folder.empty())
        std::filesystem::create_directories(folder, error);
    if (error)
        print_note(cat("error: '", folder, "' cannot be made: ", error.message()));
    return !error;
}

int try_function(const TryOptions& options, const Cancelled& cancelled) {
    KernelBenchRequest request = options.request;
    request.run = request_of(options.run, options.source, cancelled);
    int exit = open_source(options.source, request.run.source);
    if (exit != exit_fine)
        return exit;
    if (!are_calls_of_script(request.calls, request.run.source))
        return exit_usage;
    if (!read_request(options, request, exit))
        return exit;
    std::string output;
    RemoteWorker at;
    if (!take_remote(options.run.remote, at, exit) || !take_replacements(options.replace, request.run, exit))
        return exit;
    request.run.all_checks = true;
    request.run.print = [&](std::string_view text) { output += text; };
    if (!make_folder(request.save))
        return exit_environment;
    KernelBenchResult result = bench_kernel_apart(request, at);
    if (!keep(options.history, request, result))
        return exit_environment;
    const auto document = [&] {
        return Document()
            .add("output", output)
            .add("diagnostics", result.diagnostics)
            .add("kernelBench", result)
            .text();
    };
    exit = print_result(options.source.json, result, document, [&] { return text_of(result, request); });
    const bool is_saved =
        std::ranges::all_of(result.tensors, [](const SavedTensor& each) { return each.refusal.empty(); });
    return exit == exit_fine && !is_saved ? exit_environment : exit;
}

} // namespace

void add_try(Verb& program, Action& chosen) {
    Verb verb =
        program.add_verb("try", "call one function with chosen arguments: is it right, how fast is it, what limits it");
    TryOptions& options = options_for(verb, chosen, try_function);
    add_kernel_options(verb, options);
    const Argument check_only = verb.flag("--check-only", options.check_only, "call it and check it, measure nothing");
    verb.text(
            "--against", options.request.against, "BASELINE",
            "measure in turns with this: cublas or openblas, or generated, which is the kernel that --replace replaces")
        .excludes(check_only);
    verb.text("--arch", options.request.arch, "ARCH", "the GPU that registers and occupancy are of")
        .excludes(check_only);
    const Argument save = verb.text(
        "--save", options.request.save, "FOLDER",
        "write its tensors of up to 512 MiB as they are after the call, a.npy, and what they should be, a.wanted.npy");
    verb.text("--block", options.block, "N|X,Y,Z",
              "with --save, write the shared tensors and the registers of this block of emulated kernels, by its "
              "number or its index (0), as it leaves them")
        .needs(save);
    verb.number("--at", options.at, "LINE", "and these as its last thread leaves this line of the script").needs(save);
    verb.text("--history", options.history, "FILE",
              "keep this run and its text: for 'hidetc history FILE' and 'hidetc export --history FILE'");
    add_replace(verb, options.replace);
    add_run(verb, options.run);
    add_target(verb, options.run);
    add_unchecked(verb, options.run);
}

} // namespace hidet::cli
