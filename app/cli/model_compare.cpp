// SPDX-License-Identifier: Apache-2.0
// hidetc model compare, and the runs that 'model bench --keep' has kept.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/cli/model_options.h"
#include "app/cli/text/numbers.h"
#include "app/session/model/compare/compare_runs.h"
#include "app/session/worker/run_in_worker.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct ModelCompareOptions {
    ModelOptions model; // the file is the left side
    std::string kept;
    bool measure = false;
};

struct ModelKeptOptions {
    std::string file;
    std::string name; // "2=before"
    bool json = false;
};

// A run is called by its place in the history, from 1 on, by its name, or "last". Null: there is none.
const ModelRecord* find_run(const ModelHistory& history, const std::string& called) {
    const std::vector<ModelRecord>& runs = history.runs();
    if (std::size_t place = 0; read_number(called, place))
        return place >= 1 && place <= runs.size() ? &runs[place - 1] : nullptr;
    if (called == "last" && !runs.empty())
        return &runs.back();
    const auto named = std::find_if(runs.rbegin(), runs.rend(), [&](const auto& run) { return run.name == called; });
    return named == runs.rend() ? nullptr : &*named;
}

int no_such_run(const ModelHistory& history, const std::string& called) {
    return refuse_usage(cat("'", called, "' is no file, and no run either: that is a number from 1 to ",
                            history.runs().size(), ", a name, or 'last'"));
}

// Nothing: what is wrong was told, and `exit` says so.
std::optional<ComparedSide> side_named(const std::string& called, const ModelCompareOptions& options,
                                       const ModelHistory& history, const ModelRequest& request, int& exit) {
    std::error_code failed;
    if (!options.kept.empty() && !std::filesystem::is_regular_file(called, failed)) {
        const ModelRecord* run = find_run(history, called);
        if (!run) {
            exit = no_such_run(history, called);
            return std::nullopt;
        }
        Result<ComparedSide> side = side_of(history, *run, request);
        if (side)
            return std::move(side).value();
        exit = refuse_environment(side.error());
        return std::nullopt;
    }
    ComparedSide side{request, std::filesystem::path(called).filename().string(), nullptr};
    side.request.path = called;
    if (!options.measure)
        return side;
    ModelRunRequest measured;
    static_cast<ModelRequest&>(measured) = side.request;
    side.bench = std::make_shared<const ModelBenchResult>(bench_model_apart(measured));
    if (side.bench->status == Status::Ok)
        return side;
    exit = report(options.model, *side.bench, [] {});
    return std::nullopt;
}

int compare_model_runs(const ModelCompareOptions& options, const Cancelled& cancelled) {
    ModelRequest request;
    if (!fill(options.model, cancelled, request))
        return exit_usage;
    ModelHistory history(options.kept);
    int exit = exit_fine;
    if (!options.kept.empty() && !open_history(history, exit))
        return exit;
    const std::optional<ComparedSide> left = side_named(options.model.request.path, options, history, request, exit);
    const std::optional<ComparedSide> right =
        left ? side_named(options.model.other, options, history, request, exit) : std::nullopt;
    if (!right)
        return exit;
    const RunComparison comparison = compare_runs(*left, *right);
    return report(options.model, comparison, [&] {
        if (comparison.status == Status::Ok)
            print_text(runs_text(comparison));
    });
}

std::string text_of_runs(const ModelHistory& history) {
    std::string out;
    for (std::size_t i = 0; i < history.runs().size(); ++i) {
        const ModelRecord& run = history.runs()[i];
        out += cat(i + 1, "  ", run.when, "  ", run.model, "  ", time_text(run.times.median), " on ", run.where, "  ",
                   count_of(run.kernels, "kernel"), "  graph ", run.graph.substr(0, 8),
                   run.name.empty() ? "" : cat("  '", run.name, "'"), "\n");
    }
    return out.empty() ? "no runs\n" : out;
}

int show_kept(const ModelKeptOptions& options, const Cancelled&) {
    ModelHistory history(options.file);
    if (int exit = exit_fine; !open_history(history, exit))
        return exit;
    if (!options.name.empty()) {
        const std::size_t equals = options.name.find('=');
        if (equals == std::string::npos)
            return refuse_usage(cat("'", options.name, "' is not RUN=NAME, such as '3=before the change'"));
        const ModelRecord* run = find_run(history, options.name.substr(0, equals));
        if (!run)
            return no_such_run(history, options.name.substr(0, equals));
        if (const auto done = history.rename(run->when, run->number, options.name.substr(equals + 1)); !done)
            return refuse_environment(done.error());
    }
    print_text(options.json ? Document().add("runs", history.runs()).text() : text_of_runs(history));
    return exit_fine;
}

} // namespace

void add_model_compare(Verb& model, Action& chosen) {
    auto [action, options] = add_action(model, "compare", "what differs between two models, or runs that were kept",
                                        chosen, compare_model_runs);
    action.file("OTHER", options.model.other, "what it is compared with: another file, or a kept run");
    action.text("--kept", options.kept, "FILE",
                "runs that 'model bench --keep' has kept; MODEL and OTHER may be their numbers or names");
    action.flag("--measure", options.measure, "measure the models that are files");
}

void add_model_kept(Verb& model, Action& chosen) {
    Verb verb = model.add_verb("kept", "the runs of models that were kept, and their names");
    ModelKeptOptions& options = options_for(verb, chosen, show_kept);
    verb.file("FILE", options.file, "what 'model bench --keep' and the studio keep");
    verb.text("--name", options.name, "RUN=NAME", "give a run a name");
    verb.flag("--json", options.json, "one JSON document on standard output");
}

} // namespace hidet::cli
