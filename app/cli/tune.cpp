// SPDX-License-Identifier: Apache-2.0
// hidetc tune: the kernels of a model, or of the graphs that a script builds and of the functions with spaces that it calls, each
// with the schedules that it may have and what was measured of them.
#include "app/session/model/tune/tune.h"

#include <algorithm>
#include <cmath>

#include "app/cli/model_options.h"
#include "app/cli/text/numbers.h"
#include "app/session/fleet/tune_fleet.h"
#include "app/session/worker/run_in_worker.h"
#include "lang/base/columns.h"
#include "lang/base/quantity.h"

namespace hidet::cli {

using namespace session;

namespace {

struct TuneOptions {
    ModelOptions model;
    std::vector<std::string> paths;
    bool all = false;
    std::string remote;
    std::string fleet; // a scheduler; empty: none
    int jobs = 4;
};

const TunedCandidate* taken(const TunedOperator& op) {
    const auto found = std::ranges::find(op.candidates, op.best, &TunedCandidate::schedule);
    return found == op.candidates.end() ? nullptr : &*found;
}

Cells row_of(const TunedOperator& op, const TunedCandidate& candidate) {
    const std::string measured = candidate.seconds ? time_text(*candidate.seconds) : "";
    const std::string spread = candidate.seconds ? "± " + percent_text(candidate.spread / 2) : "";
    std::string note = candidate.schedule == op.best ? "taken" : candidate.discarded;
    if (candidate.beside)
        note += cat(note.empty() ? "" : ", ", "with the kernels beside it ", time_text(*candidate.beside));
    const std::string predicted = candidate.predicted > 0 ? time_text(candidate.predicted) : "";
    return {{"  " + candidate.schedule}, {predicted}, {measured}, {spread}, {note}};
}

std::string text_of(const TunedOperator& op, bool all) {
    const TunedCandidate* best = taken(op);
    std::string out = cat(op.uses > 1 ? cat(op.uses, " x ") : "", op.name);
    if (best && best->seconds && op.candidates.front().seconds && *best->seconds < *op.candidates.front().seconds)
        out += cat(": ", time_text(*op.candidates.front().seconds), " before, ", time_text(*best->seconds), " now");
    else if (best && best->seconds)
        out += cat(": ", time_text(*best->seconds), ", as before");
    out += op.nodes.empty() ? "\n" : cat("  (", join(op.nodes, ", "), ")\n");
    std::vector<Cells> rows = {{{"  schedule"}, {"predicted"}, {"measured"}, {""}, {""}}};
    std::vector<const TunedCandidate*> sorted;
    for (const TunedCandidate& each : op.candidates)
        if (all || each.seconds || op.candidates.size() <= 8)
            sorted.push_back(&each);
    std::ranges::stable_sort(sorted, [](const TunedCandidate* a, const TunedCandidate* b) {
        return a->seconds.value_or(INFINITY) < b->seconds.value_or(INFINITY);
    });
    for (const TunedCandidate* each : sorted)
        rows.push_back(row_of(op, *each));
    if (all)
        for (const TunedCandidate& each : op.refused)
            rows.push_back({{"  " + each.schedule}, {""}, {""}, {""}, {each.discarded}});
    out += columns_text(rows);
    const std::size_t hidden = op.candidates.size() - sorted.size();
    if (hidden > 0 || (!all && !op.refused.empty()))
        out += cat("  ", hidden > 0 ? cat(hidden, " more were not measured, ") : "", op.refused.size(),
                   " refused (--all)\n");
    return out;
}

std::string text_of(const std::vector<TunedFusion>& fusions) {
    if (fusions.empty())
        return "";
    std::vector<Cells> rows = {{{"fused or not"}, {"as one"}, {"apart"}, {""}}};
    for (const TunedFusion& each : fusions) {
        const auto time = [](const std::optional<double>& seconds) { return seconds ? time_text(*seconds) : ""; };
        const std::string changed = each.is_fused == each.was_fused ? ", as before" : "";
        rows.push_back({{cat("  ", each.uses > 1 ? cat(each.uses, " x ") : "", each.producer, " -> ", each.consumer)},
                        {time(each.fused)},
                        {time(each.apart)},
                        {cat(each.is_fused ? "fused" : "apart", changed,
                             each.discarded.empty() ? "" : cat(": ", each.discarded))}});
    }
    return columns_text(rows);
}

std::string text_of(const ModelTuneResult& result, bool all) {
    std::string out = cat("for ", result.where, ": ", count_of(result.operators.size(), "kernel"), " with schedules, ",
                          count_of(result.measured, "candidate"), " measured now\n");
    out += text_of(result.fusions);
    double before = 0, now = 0;
    for (const TunedOperator& op : result.operators) {
        out += text_of(op, all);
        const TunedCandidate* best = taken(op);
        if (best && best->seconds && op.candidates.front().seconds) {
            before += static_cast<double>(op.uses) * *op.candidates.front().seconds;
            now += static_cast<double>(op.uses) * *best->seconds;
        }
    }
    if (now > 0)
        out += cat("together: ", time_text(before), " before, ", time_text(now), " now\n");
    return out;
}

// A script says itself what a model is told by options.
std::string option_of_models(const ModelOptions& given) {
    const ModelRequest& options = given.request;
    return first_given({{!given.dimensions.empty(), "--dim"},
                        {!options.off.empty(), "--off"},
                        {!options.on.empty(), "--on"},
                        {!options.with.empty(), "--with"},
                        {!options.precision.empty(), "--precision"},
                        {!options.quantize.empty(), "--quantize"},
                        {!options.choices.empty(), "--choices"},
                        {given.no_fusion, "--no-fusion"}});
}

// What cannot be asked of one of the files; 0: nothing.
int refuse_for(const ModelRequest& request, const ModelOptions& options) {
    const bool is_script = request.path.ends_with(".py");
    if (is_script && !request.tuned.empty())
        return refuse_usage("--node is for models; operators of scripts have no names");
    if (is_script && request.traced != 0)
        return refuse_usage("'--graph' is for what a script traces; 'tune' runs the script, and "
                            "tunes all graphs that it builds");
    const std::string of_models = is_script ? option_of_models(options) : "";
    if (!of_models.empty())
        return refuse_usage(cat(of_models, " is for models; a script says it itself"));
    if (request.space == 0)
        return refuse_usage("space 0 has nothing to tune; 1 and 2 have");
    return 0;
}

void print_result(const ModelTuneResult& result, bool all) {
    if (result.operators.empty())
        return;
    print_text(text_of(result, all));
    if (!result.is_complete)
        print_note("not all candidates were measured; the next run goes on where this one ended");
}

int report_all(const TuneOptions& options, const std::vector<ModelTuneResult>& results) {
    end_progress();
    if (options.model.json)
        print_text(Document().add("models", results).text());
    int worst = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!options.model.json) {
            print_text(cat(i == 0 ? "" : "\n", options.paths[i], "\n"));
            print_result(results[i], options.all);
            print_diagnostics(results[i].diagnostics);
        }
        worst = std::max(worst, end_of(results[i]));
    }
    return worst;
}

int tune(const TuneOptions& options, const Cancelled& cancelled) {
    std::vector<ModelRequest> requests;
    RemoteWorker at;
    for (const std::string& path : options.paths) {
        ModelOptions model = options.model;
        model.request.path = path;
        if (!fill(model, cancelled, requests.emplace_back()) || !take_remote(options.remote, requests.back(), at))
            return exit_usage;
        if (const int refused = refuse_for(requests.back(), model); refused != 0)
            return refused;
    }
    std::vector<ModelTuneResult> results;
    if (options.fleet.empty()) {
        for (const ModelRequest& request : requests)
            results.push_back(tune_model_apart(request, at));
    } else {
        const Result<Fleet> fleet = fleet_named(options.fleet, options.jobs);
        if (!fleet)
            return refuse_environment(fleet.error());
        FleetTuning tuned = tune_on_fleet(requests, fleet.value());
        end_progress();
        for (const std::string& note : tuned.notes)
            print_note(note);
        results = std::move(tuned.results);
    }
    if (results.size() > 1)
        return report_all(options, results);
    return report(options.model, results.front(), [&] { print_result(results.front(), options.all); });
}

} // namespace

void add_tune(Verb& program, Action& chosen) {
    Verb verb = program.add_verb(
        "tune",
        "find the fastest schedules for the kernels of models, or of a script's graphs and its functions with spaces");
    TuneOptions& options = options_for(verb, chosen, tune);
    verb.files("MODEL", options.paths,
               "ONNX files, graphs that were saved (*.hidet) or their documents (*.json), or scripts (*.py)");
    add_model_options(verb, options.model);
    options.model.request.space = 1;
    verb.number("--deadline", options.model.request.deadline, "SECONDS",
                "that it may take; the next run goes on there");
    verb.texts("--node", options.model.request.tuned, "NODE",
               "this operator alone, by its key or name; may be repeated");
    const Argument remote = add_remote(verb, options.remote);
    Argument fleet = verb.text("--fleet", options.fleet, "SCHEDULER",
                               "measure with workers that this scheduler starts, as 'fleet.SCHEDULER = ...' of "
                               "~/.config/hidet/workers.conf says how: slurm or ray");
    fleet.one_of(fleet_names()).excludes(remote);
    verb.number("--jobs", options.jobs, "N", "of a fleet: how many workers (4)").between(1, 1024).needs(fleet);
    verb.flag("--all", options.all, "every candidate, also those that were not measured or refused");
}

} // namespace hidet::cli
