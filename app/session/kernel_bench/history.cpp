// SPDX-License-Identifier: Apache-2.0
// A line is {"run": {...}}, {"pin": [when, number]} or {"unpin": key}.
#include "app/session/kernel_bench/history.h"

#include <algorithm>
#include <cmath>

#include "app/session/kernel_bench/record_json.h"
#include "lang/base/quantity.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

static void list_members(KernelRecord& kernel, RecordMembers& members) {
    members.need("name", kernel.name, "registers", kernel.registers, "spillBytes", kernel.spill_bytes, "sharedBytes",
                 kernel.shared_bytes, "occupancy", kernel.occupancy);
}

static void list_members(bench::Clocks& clocks, RecordMembers& members) {
    members.need("lowestMHz", clocks.lowest_mhz, "highestMHz", clocks.highest_mhz);
    members.if_any("slowedBy", clocks.slowed_by);
}

static void list_members(RunRecord& run, RecordMembers& members) {
    members.need("when", run.when, "number", run.number, "script", run.script, "hash", run.hash, "module", run.module,
                 "function", run.function, "shapes", run.shapes, "target", run.target, "where", run.where);
    std::string verdict = verdict_name(run.verdict);
    members.need("verdict", verdict);
    for (VerdictKind kind :
         {VerdictKind::Correct, VerdictKind::Wrong, VerdictKind::Invalid, VerdictKind::Unchecked, VerdictKind::Failed})
        if (verdict == verdict_name(kind))
            run.verdict = kind;
    members.need("sentence", run.sentence);
    members.if_any("maxAbsolute", run.max_absolute, "seconds", run.times, "flops", run.flops);
    members.need("bytes", run.bytes);
    members.if_any("roofline", run.roofline);
    members.need("kernels", run.kernels);
    members.if_any("clocks", run.clocks);
    members.if_any("predicted", run.predicted, "name", run.name, "edited", run.edited);
}

namespace {

struct RunPlace {
    std::string when;
    int number = 0;
};
void list_members(RunPlace& place, RecordMembers& members) {
    members.need("when", place.when, "number", place.number);
}

void pin(const RunPlace& place, std::vector<RunRecord>& runs) {
    const RunRecord* chosen = nullptr;
    for (const RunRecord& run : runs)
        if (run.when == place.when && run.number == place.number)
            chosen = &run;
    if (!chosen)
        return; // it was trimmed
    std::string key = chosen->key();
    for (RunRecord& run : runs)
        if (run.key() == key)
            run.is_baseline = &run == chosen;
}

} // namespace

std::string line_of(const RunRecord& record) {
    return line_of("run", record);
}

std::string pin_line(const std::string& when, int number) {
    return line_of("pin", RunPlace{when, number});
}

std::string unpin_line(const std::string& key) {
    return line_of("unpin", key);
}

bool apply_line(std::string_view line, std::vector<RunRecord>& runs) {
    return read_line(line, [&](const RecordMembers& members) {
        if (members.has("run"))
            return runs.push_back(members.get<RunRecord>("run"));
        if (members.has("pin"))
            return pin(members.get<RunPlace>("pin"), runs);
        if (members.has("name"))
            return apply_name(members.get<RecordName>("name"), runs);
        const auto key = members.get<std::string>("unpin");
        for (RunRecord& run : runs)
            run.is_baseline = run.is_baseline && run.key() != key;
    });
}

constexpr int fewest_samples = 5; // from which on a median says something

std::string RunRecord::key() const {
    return cat(script, "|", module, "|", function, "|", shapes, "|", where);
}

History::History(const std::string& path, HistoryLimits limits) : KeptRuns(path, RunTexts(path + ".texts"), limits) {}

bool History::apply(std::string_view line) {
    return apply_line(line, m_runs);
}

std::string History::line(const RunRecord& run) const {
    return line_of(run);
}

std::string History::lines(const RunRecord& run) const {
    return line_of(run) + (run.is_baseline ? pin_line(run.when, run.number) : "");
}

Result<bool> History::pin(const std::string& when, int number) {
    return change(when, number, pin_line(when, number));
}

Result<void> History::unpin(const std::string& key) {
    return locked(O_RDWR | O_CREAT | O_APPEND, [&](LineFileLock& lock) { return add(unpin_line(key), lock); });
}

Result<void> History::adopt(std::vector<RunRecord> runs) {
    return locked(O_RDWR | O_CREAT | O_APPEND, [&](LineFileLock& lock) -> Result<void> {
        for (RunRecord& run : runs)
            HIDET_TRY_TO(adopt(run, lock));
        return {};
    });
}

// A run is the same wherever it is kept: by its instant, what was run and what text. Numbers are given anew.
Result<void> History::adopt(RunRecord& run, LineFileLock& lock) {
    const RunRecord* same = nullptr;
    int free = 0;
    for (const RunRecord& other : m_runs) {
        if (other.when != run.when)
            continue;
        free = std::max(free, other.number + 1);
        if (other.key() == run.key() && other.hash == run.hash)
            same = &other;
    }
    const bool is_named = same && same->name == run.name, is_pinned = same && same->is_baseline;
    run.number = same ? same->number : free;
    std::string lines;
    if (!same)
        lines += line_of(run);
    else if (!is_named)
        lines += name_line(run.when, run.number, run.name);
    if (run.is_baseline && !is_pinned)
        lines += pin_line(run.when, run.number);
    for (std::size_t at = 0, end = 0; at < lines.size(); at = end) {
        end = lines.find('\n', at) + 1;
        HIDET_TRY_TO(add(lines.substr(at, end - at), lock));
    }
    return {};
}

Result<void> History::forget(const std::string& script) {
    return locked(O_RDWR | O_CREAT, [&](LineFileLock&) {
        std::vector<RunRecord> kept;
        for (RunRecord& run : m_runs)
            if (run.script != script)
                kept.push_back(std::move(run));
        return write_anew(std::move(kept));
    });
}

Baselines baselines_of(const std::vector<RunRecord>& runs) {
    Baselines out;
    for (const RunRecord& run : runs)
        if (run.is_baseline)
            out.emplace(run.key(), &run);
    return out;
}

std::string text_that_ran(const RunRequest& request) {
    std::vector<const Source*> texts;
    for (const KernelReplacement& each : request.replacements)
        if (std::ranges::none_of(texts, [&](const Source* known) { return known->name == each.source.name; }))
            texts.push_back(&each.source);
    if (texts.empty())
        return request.source.text;
    return join(transformed(texts, [](const Source* source) { return source->text; }), "\n");
}

RunRecord record_of(const KernelBenchRequest& request, const KernelBenchResult& result, std::string when) {
    RunRecord out;
    out.when = std::move(when);
    out.script = request.run.source.name;
    out.hash = hash_text(text_that_ran(request.run));
    out.edited =
        join(transformed(request.run.replacements,
                         [](const KernelReplacement& each) { return cat(each.kernel, " by ", each.source.name); }),
             ", ");
    out.module = result.module;
    out.function = result.function;
    out.shapes = result.shapes;
    out.target = info(request.run.target).name;
    out.where = result.where;
    out.verdict = result.verdict.kind;
    out.sentence = result.verdict.sentence;
    out.max_absolute = largest_error(result.comparisons);
    if (result.measured) {
        out.times = result.measured->times;
        out.times->samples.clear();
        out.clocks = result.measured->clocks;
        out.flops = result.measured->flops;
        out.bytes = result.measured->bytes;
        out.roofline = result.measured->roofline;
    }
    for (const KernelView& kernel : result.kernels) {
        if (!kernel.facts)
            continue;
        out.kernels.push_back({kernel.name, kernel.facts->registers,
                               kernel.facts->spill_store_bytes + kernel.facts->spill_load_bytes,
                               kernel.facts->static_shared_bytes + kernel.dynamic_shared(),
                               kernel.occupancy ? std::optional(kernel.occupancy->fraction) : std::nullopt});
    }
    return out;
}

Delta delta_of(const RunRecord& run, const RunRecord& other) {
    Delta out;
    if (run.key() != other.key()) {
        out.sentence = "not compared: another function, other shapes or another device";
        return out;
    }
    for (const RunRecord* each : {&run, &other})
        if (each->verdict != VerdictKind::Correct && each->verdict != VerdictKind::Unchecked) {
            out.sentence =
                each == &run ? "not compared: this run is not right" : "not compared: the other run is not right";
            return out;
        }
    if (!run.times || !other.times || run.times->median <= 0 || other.times->median <= 0) {
        out.sentence = "not compared: not both were measured";
        return out;
    }
    out.ratio = run.times->median / other.times->median;
    if (std::min(run.times->count, other.times->count) < fewest_samples) {
        out.sentence =
            cat("not compared: ", std::min(run.times->count, other.times->count), " measurements are too few");
        return out;
    }
    bench::Clocks clocks;
    for (const auto& each : {run.clocks, other.clocks}) {
        const bench::Clocks known = each.value_or(bench::Clocks{});
        bench::add(clocks, known.lowest_mhz, known.slowed_by);
        bench::add(clocks, known.highest_mhz, {});
    }
    const std::string slowdown = bench::slowdown_text(clocks), change = bench::change_text(clocks);
    if (!slowdown.empty() || !change.empty()) {
        out.sentence = cat("not compared: of the GPU, ", slowdown.empty() ? change : slowdown);
        return out;
    }
    std::string by = percent_text(std::fabs(out.ratio - 1));
    bool faster = run.times->p90<other.times->p10, slower = run.times->p10> other.times->p90;
    if (!faster && !slower) {
        out.change = Change::WithinSpread;
        out.sentence = cat("no difference beyond the spread; the medians differ by ", by);
        return out;
    }
    out.change = faster ? Change::Faster : Change::Slower;
    out.sentence = cat(by, faster ? " faster" : " slower", ", beyond the spread of both");
    return out;
}

} // namespace hidet::session
