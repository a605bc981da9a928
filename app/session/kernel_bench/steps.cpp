// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/steps.h"

#include <algorithm>

#include "app/session/kernel_bench/versions.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

struct Moment {
    const std::string* when;
    const RunRecord* run = nullptr;
    const EditState* edit = nullptr;
    const std::string& hash() const { return run ? run->hash : edit->hash; }
};

// In the order of time; what was run at the time of an edit was run after it.
std::vector<Moment> moments_of(const std::vector<RunRecord>& runs, const std::vector<EditState>& edits) {
    std::vector<Moment> out = transformed(edits, [](const EditState& edit) {
        return Moment{&edit.when, nullptr, &edit};
    });
    for (const RunRecord& run : runs)
        out.push_back({&run.when, &run, nullptr});
    std::ranges::stable_sort(out, [](const Moment& a, const Moment& b) { return *a.when < *b.when; });
    return out;
}

void add_run(TextStep& step, const RunRecord& run, const std::string& key) {
    ++step.runs;
    const bool is_wanted = run.key() == key, had_wanted = step.run && step.run->key() == key;
    if (is_wanted ? !had_wanted || is_better(run, *step.run) : !had_wanted)
        step.run = run;
}

void add_edit(TextStep& step, const EditState& edit, int module) {
    const auto found = module > 0 ? edit.modules.find(module) : edit.modules.begin();
    if (found != edit.modules.end())
        step.figures = found->second;
}

// Of the run, where there was one: it says what really ran.
void add_run_figures(TextStep& step, const std::string& key) {
    if (!step.run)
        return;
    const CodeFigures of_run = figures_of(*step.run);
    if (of_run.registers) {
        step.figures.registers = of_run.registers;
        step.figures.shared_bytes = of_run.shared_bytes;
    }
    if (of_run.predicted)
        step.figures.predicted = of_run.predicted;
    if (step.run->key() == key)
        step.figures.measured = of_run.measured;
}

void add_changes(TextStep& step, const TextStep& before) {
    step.changes = changes_of(step.figures, before.figures);
    if (step.figures.measured && before.figures.measured)
        step.changes.push_back(delta_of(*step.run, *before.run).sentence);
}

} // namespace

CodeFigures figures_of(const RunRecord& run) {
    CodeFigures out;
    for (const KernelRecord& kernel : run.kernels)
        out.add_kernel(kernel.registers, kernel.shared_bytes);
    out.predicted = run.predicted;
    if (run.times && run.times->median > 0)
        out.measured = run.times->median;
    return out;
}

std::vector<TextStep> steps_of(const std::vector<RunRecord>& runs, const std::vector<EditState>& edits,
                               std::string key) {
    if (key.empty() && !runs.empty())
        key = runs.back().key();
    int module = 0;
    for (const RunRecord& run : runs)
        if (run.key() == key)
            module = run.module;
    std::vector<TextStep> out;
    for (const Moment& moment : moments_of(runs, edits)) {
        if (out.empty() || out.back().hash != moment.hash())
            out.push_back({*moment.when, moment.hash(), 0, std::nullopt, {}, {}});
        moment.run ? add_run(out.back(), *moment.run, key) : add_edit(out.back(), *moment.edit, module);
    }
    for (TextStep& step : out)
        add_run_figures(step, key);
    for (std::size_t i = 1; i < out.size(); ++i)
        add_changes(out[i], out[i - 1]);
    return out;
}

} // namespace hidet::session
