// SPDX-License-Identifier: Apache-2.0
// hidetc history: the runs that a file keeps, the texts that were run, what each cost and what differs between two of them, and
// which change made a script slower.
#include <algorithm>

#include "app/cli/output.h"
#include "app/cli/text/document.h"
#include "app/cli/text/numbers.h"
#include "app/cli/verbs.h"
#include "app/session/kernel_bench/kept_edits.h"
#include "app/session/kernel_bench/steps.h"
#include "app/session/kernel_bench/versions.h"
#include "app/session/view/diff.h"
#include "lang/base/columns.h"
#include "lang/base/quantity.h"
#include "lang/base/transformed.h"

namespace hidet::cli {

namespace {

using namespace session;

struct HistoryOptions {
    std::string file;
    std::string script;
    std::string function;
    std::vector<std::string> compare; // two runs
    std::string text;                 // a run
    std::string baseline;             // a run
    std::string name;                 // "3=before the swizzle"
    bool slower = false;
    bool steps = false;
    bool forget_edits = false;
    bool json = false;
};

// What the options leave of a history. A run is called by its place in it, from 1 on, by its name, "baseline" or "last".
struct Listed {
    History& history;
    std::vector<const RunRecord*> runs;
    Baselines baselines;
};

Listed listed(History& history, const HistoryOptions& options) {
    Listed out{history, {}, baselines_of(history.runs())};
    for (const RunRecord& run : history.runs())
        if ((options.script.empty() || run.script == options.script) &&
            (options.function.empty() || run.function == options.function))
            out.runs.push_back(&run);
    return out;
}

// Null: there is none, which is told.
const RunRecord* find(const Listed& listed, const std::string& called) {
    std::size_t place = 0;
    if (read_number(called, place) && place >= 1 && place <= listed.runs.size())
        return listed.runs[place - 1];
    if (called == "last" && !listed.runs.empty())
        return listed.runs.back();
    for (auto run = listed.runs.rbegin(); run != listed.runs.rend(); ++run)
        if ((*run)->name == called || (called == "baseline" && (*run)->is_baseline))
            return *run;
    wrong_usage(cat("there is no run '", called, "': a run is a number from 1 to ", listed.runs.size(),
                    ", a name, 'baseline' or 'last'"));
    return nullptr;
}

std::string time_of(const RunRecord& run) {
    return run.times && run.times->median > 0 ? time_text(run.times->median) : "-";
}

std::string compared(const Listed& listed, const RunRecord& run) {
    if (run.is_baseline)
        return "the baseline";
    const auto baseline = listed.baselines.find(run.key());
    return baseline == listed.baselines.end() ? "" : delta_of(run, *baseline->second).sentence;
}

// A column without anything, its title included, is left out.
std::string aligned(std::vector<std::vector<std::string>> texts) {
    std::vector<Cells> rows(texts.size());
    for (std::size_t c = 0; c < texts.front().size(); ++c)
        if (std::ranges::any_of(texts, [&](const auto& row) { return !row[c].empty(); }))
            for (std::size_t r = 0; r < rows.size(); ++r)
                rows[r].push_back({std::move(texts[r][c])});
    return columns_text(rows, "");
}

std::string table_of(const Listed& listed) {
    const bool has_edited = std::ranges::any_of(listed.runs, [](const RunRecord* run) { return !run->edited.empty(); });
    std::vector<std::vector<std::string>> rows{{"", "when", "function", "arguments", "on", "result", "time", "text",
                                                has_edited ? "by hand" : "", "name", "beside the baseline"}};
    for (std::size_t i = 0; i < listed.runs.size(); ++i) {
        const RunRecord& run = *listed.runs[i];
        rows.push_back({cat(i + 1), run.when, run.function, run.shapes, run.where, verdict_name(run.verdict),
                        time_of(run), run.hash.substr(0, 8), run.edited, run.name, compared(listed, run)});
    }
    return aligned(rows);
}

std::string table_of(const std::vector<TextStep>& steps) {
    std::vector<std::vector<std::string>> rows{
        {"when", "text", "runs", "registers", "shared", "predicted", "time", "beside the text before"}};
    for (const TextStep& step : steps) {
        const CodeFigures& figures = step.figures;
        rows.push_back({step.when, step.hash.substr(0, 8), cat(step.runs),
                        figures.registers ? cat(*figures.registers) : "-",
                        figures.shared_bytes ? bytes_text(static_cast<double>(*figures.shared_bytes)) : "-",
                        figures.predicted ? cat("~", time_text(*figures.predicted)) : "-",
                        figures.measured ? time_text(*figures.measured) : "-", join(step.changes, "; ")});
    }
    return aligned(rows);
}

std::string said_of(const Listed& listed, const RunRecord& run) {
    const auto place = std::ranges::find_if(
        listed.runs, [&](const RunRecord* other) { return other->when == run.when && other->number == run.number; });
    return cat("run ", place - listed.runs.begin() + 1, run.name.empty() ? "" : cat(" (", run.name, ")"), ", ",
               time_of(run));
}

// What differs between the texts of two runs; empty: nothing.
Result<std::string> difference(const Listed& listed, const RunRecord& left, const RunRecord& right) {
    HIDET_TRY(const std::string before, listed.history.text_of(left));
    HIDET_TRY(const std::string after, listed.history.text_of(right));
    const TextDiff found = *diff(before, after);
    return unified(before, after, found, {said_of(listed, left), said_of(listed, right), 3});
}

int compare_runs(const Listed& listed, const HistoryOptions& options) {
    const RunRecord* left = find(listed, options.compare[0]);
    const RunRecord* right = left ? find(listed, options.compare[1]) : nullptr;
    if (!right)
        return exit_usage;
    const Result<std::string> changes = difference(listed, *left, *right);
    if (!changes)
        return refuse_environment(changes.error());
    const std::string sentence = delta_of(*right, *left).sentence;
    if (options.json)
        print_text(Document().add("comparison", sentence).add("difference", changes.value()).text());
    else
        print_text(cat(sentence, "\n", changes.value().empty() ? "same text\n" : changes.value()));
    return exit_fine;
}

// Of the newest run that was measured: what it stands beside are the runs of its key.
int find_slowdown(const Listed& listed, const HistoryOptions& options) {
    std::vector<RunRecord> runs = transformed(listed.runs, [&](const RunRecord* run) { return *run; });
    const std::vector<Version> versions = runs.empty() ? std::vector<Version>() : versions_of(runs, runs.back().key());
    const std::optional<Slowdown> found = slowdown_of(versions);
    if (!found) {
        const std::string sentence = versions.size() < 2 ? "only one text was run with these arguments, here"
                                                         : "the newest text is not slower than one before it";
        print_text(options.json ? Document().add("sentence", sentence).text() : sentence + "\n");
        return exit_fine;
    }
    const RunRecord &before = versions[found->before].best, &after = versions[found->after].best;
    std::string sentence =
        cat("beside the fastest, ", said_of(listed, versions[found->fastest].best), ", the newest text is ",
            found->whole.sentence, "; it became slower from ", said_of(listed, before), " to ", said_of(listed, after));
    if (found->unknown > 0)
        sentence += cat("; ", count_of(found->unknown, "text"), " between them could not be compared");
    const Result<std::string> changes = difference(listed, before, after);
    const std::string shown = changes ? changes.value() : changes.error().message + "\n";
    if (options.json)
        print_text(Document()
                       .add("sentence", sentence)
                       .add("slowdown", *found)
                       .add("before", before)
                       .add("after", after)
                       .add("difference", shown)
                       .text());
    else
        print_text(cat(sentence, "\n", shown));
    return exit_fine;
}

int print_run(const Listed& listed, const HistoryOptions& options) {
    const RunRecord* run = find(listed, options.text);
    if (!run)
        return exit_usage;
    const Result<std::string> text = listed.history.text_of(*run);
    if (!text)
        return refuse_environment(text.error());
    print_text(text.value());
    return exit_fine;
}

// Times are those of the newest run's function, arguments and device. Edits are those of its script.
int print_steps(const std::vector<RunRecord>& runs, const HistoryOptions& options) {
    const std::string script = !options.script.empty() || runs.empty() ? options.script : runs.back().script;
    const std::vector<TextStep> steps = steps_of(runs, KeptEdits(options.file).of(script));
    if (options.json)
        print_text(Document().add("steps", steps).text());
    else
        print_text(steps.empty() ? "no runs\n" : table_of(steps));
    return exit_fine;
}

int forget_edits(const HistoryOptions& options) {
    const Result<std::size_t> gone = KeptEdits(options.file).forget(options.script);
    if (!gone)
        return refuse_environment(gone.error());
    print_note(cat("forgot ", count_of(static_cast<std::int64_t>(gone.value()), "text"), " of edits"));
    return exit_fine;
}

// Names and baselines; nothing: all was done.
std::optional<int> change(const HistoryOptions& options, History& history) {
    if (!options.baseline.empty()) {
        const RunRecord* run = find(listed(history, options), options.baseline);
        if (!run)
            return exit_usage;
        if (const Result<bool> done = history.pin(run->when, run->number); !done)
            return refuse_environment(done.error());
    }
    if (options.name.empty())
        return std::nullopt;
    const std::size_t equals = options.name.find('=');
    if (equals == std::string::npos)
        return refuse_usage(cat("'", options.name, "' is not RUN=NAME, such as '3=before the swizzle'"));
    const RunRecord* run = find(listed(history, options), options.name.substr(0, equals));
    if (!run)
        return exit_usage;
    if (const Result<bool> done = history.rename(run->when, run->number, options.name.substr(equals + 1)); !done)
        return refuse_environment(done.error());
    return std::nullopt;
}

int show_history(const HistoryOptions& options, const Cancelled&) {
    if (options.forget_edits)
        return forget_edits(options);
    History history(options.file);
    if (int exit = exit_fine; !open_history(history, exit))
        return exit;
    if (const std::optional<int> exit = change(options, history))
        return *exit;
    const Listed shown = listed(history, options);
    if (!options.compare.empty())
        return compare_runs(shown, options);
    if (!options.text.empty())
        return print_run(shown, options);
    if (options.slower)
        return find_slowdown(shown, options);
    std::vector<RunRecord> runs = transformed(shown.runs, [&](const RunRecord* run) { return *run; });
    if (options.steps)
        return print_steps(runs, options);
    if (options.json)
        print_text(Document().add("runs", runs).text());
    else
        print_text(runs.empty() ? "no runs\n" : table_of(shown));
    return exit_fine;
}

} // namespace

void add_history(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("history", "the runs of the past: their texts, what differs, what made them slower");
    HistoryOptions& options = options_for(verb, chosen, show_history);
    verb.file("FILE", options.file, "what 'hidetc try --history' and the studio keep");
    verb.text("--script", options.script, "NAME", "runs of this script only");
    const Argument function = verb.text("--function", options.function, "F", "runs of this function only");
    const Argument compare =
        verb.texts("--compare", options.compare, "RUN RUN", "what differs between the texts of two runs").takes(2);
    const Argument text = verb.text("--text", options.text, "RUN", "print the text that was run").excludes(compare);
    const Argument slower =
        verb.flag("--slower", options.slower, "find the change of the text that made the newest run slower")
            .excludes(compare)
            .excludes(text);
    const Argument steps =
        verb.flag("--steps", options.steps,
                  "each text that was run, and those in between that the studio has kept: registers, shared memory, "
                  "predicted and measured time, and what it changed")
            .excludes(compare)
            .excludes(text)
            .excludes(slower);
    const Argument baseline = verb.text("--baseline", options.baseline, "RUN", "compare the others with this run");
    const Argument name = verb.text("--name", options.name, "RUN=NAME", "give a run a name");
    const Argument json = verb.flag("--json", options.json, "one JSON document on standard output").excludes(text);
    Argument forget = verb.flag(
        "--forget-edits", options.forget_edits,
        "forget the texts of edits that the studio has kept beside the runs; with --script those of one script");
    for (const Argument& other : {function, compare, text, slower, steps, baseline, name, json})
        forget.excludes(other);
}

} // namespace hidet::cli
