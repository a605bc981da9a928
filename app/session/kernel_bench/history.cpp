// SPDX-License-Identifier: Apache-2.0
// A line is {"run": {...}}, {"pin": [when, number]} or {"unpin": key}.
#include "app/session/kernel_bench/history.h"

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <set>

#include "app/session/kernel_bench/history_json.h"
#include "app/session/kernel_bench/line_file.h"
#include "lang/base/files.h"
#include "lang/base/quantity.h"

namespace hidet::session {

namespace {

constexpr int fewest_samples = 5; // from which on a median says something

Error unwritable(const std::string& path) {
    return {"file-not-written", cat("cannot write '", path, "'")};
}

} // namespace

std::string RunRecord::key() const {
    return cat(script, "|", module, "|", function, "|", shapes, "|", where);
}

History::History(std::string path, HistoryLimits limits) : m_path(path), m_texts(path + ".texts"), m_limits(limits) {}

Result<void> History::load() {
    HIDET_TRY(const NewestLines lines, read_line_file(m_path, m_limits.most_bytes()));
    m_runs.clear();
    m_note = for_each_line(m_path, lines, [&](std::string_view line) { return apply_line(line, m_runs); });
    return {};
}

Result<void> History::load_existing() {
    if (Result<void> there = is_line_file(m_path); !there)
        return there;
    return load();
}

Result<void> History::append(RunRecord& record, std::string_view text) {
    if (Result<void> done = m_texts.keep(text); !done)
        return done.error();
    {
        LineFileLock file(m_path, O_RDWR | O_CREAT | O_APPEND);
        if (!file.is_open())
            return unwritable(m_path);
        if (Result<void> loaded = load(); !loaded) // others may have added to it
            return loaded;
        record.number = 0;
        for (const RunRecord& run : m_runs)
            if (run.when == record.when)
                record.number = std::max(record.number, run.number + 1);
        if (!file.append(line_of(record)))
            return unwritable(m_path);
        m_runs.push_back(record);
    }
    return size_of_line_file(m_path) > m_limits.bytes ? trim() : Result<void>{};
}

// The newer runs up to half of the limit, and all baselines. Readers see the old file or the new one.
Result<void> History::trim() {
    LineFileLock lock(m_path, O_RDWR);
    if (!lock.is_open())
        return unwritable(m_path);
    if (Result<void> loaded = load(); !loaded)
        return loaded;
    std::int64_t bytes = 0;
    std::vector<RunRecord> kept;
    for (auto run = m_runs.rbegin(); run != m_runs.rend(); ++run) {
        bytes += static_cast<std::int64_t>(line_of(*run).size());
        if (run->is_baseline || !run->name.empty() || bytes <= m_limits.bytes / 2)
            kept.push_back(*run);
    }
    std::reverse(kept.begin(), kept.end());
    return write_anew(std::move(kept));
}

// Under the lock of the file.
Result<void> History::write_anew(std::vector<RunRecord> kept) {
    std::string text;
    for (const RunRecord& run : kept)
        text += line_of(run) + (run.is_baseline ? pin_line(run.when, run.number) : "");
    if (Result<void> done = replace_file(m_path, text); !done)
        return done;
    m_runs = std::move(kept);
    std::set<std::string> hashes;
    for (const RunRecord& run : m_runs)
        hashes.insert(run.hash);
    m_texts.keep_only(hashes);
    return {};
}

// Under the lock of the file: to its end, and to the runs.
Result<void> History::add(const std::string& line, LineFileLock& lock) {
    if (!lock.append(line))
        return unwritable(m_path);
    apply_line(std::string_view(line).substr(0, line.size() - 1), m_runs);
    return {};
}

Result<bool> History::change(const std::string& when, int number, const std::string& line) {
    LineFileLock lock(m_path, O_RDWR | O_CREAT | O_APPEND);
    if (!lock.is_open())
        return unwritable(m_path);
    if (Result<void> done = load(); !done)
        return done.error();
    const bool known = std::any_of(m_runs.begin(), m_runs.end(),
                                   [&](const RunRecord& run) { return run.when == when && run.number == number; });
    if (!known)
        return false;
    if (Result<void> done = add(line, lock); !done)
        return done.error();
    return true;
}

Result<bool> History::pin(const std::string& when, int number) {
    return change(when, number, pin_line(when, number));
}

Result<bool> History::rename(const std::string& when, int number, const std::string& name) {
    return change(when, number, name_line(when, number, name));
}

Result<void> History::unpin(const std::string& key) {
    LineFileLock lock(m_path, O_RDWR | O_CREAT | O_APPEND);
    if (!lock.is_open())
        return unwritable(m_path);
    if (Result<void> done = load(); !done)
        return done.error();
    return add(unpin_line(key), lock);
}

Result<void> History::adopt(std::vector<RunRecord> runs) {
    LineFileLock lock(m_path, O_RDWR | O_CREAT | O_APPEND);
    if (!lock.is_open())
        return unwritable(m_path);
    if (Result<void> done = load(); !done)
        return done.error();
    for (RunRecord& run : runs) {
        if (Result<void> done = adopt(run, lock); !done)
            return done;
    }
    return {};
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
        if (Result<void> done = add(lines.substr(at, end - at), lock); !done)
            return done;
    }
    return {};
}

Result<void> History::forget(const std::string& script) {
    LineFileLock lock(m_path, O_RDWR | O_CREAT);
    if (!lock.is_open())
        return unwritable(m_path);
    if (Result<void> done = load(); !done)
        return done.error();
    std::vector<RunRecord> kept;
    for (RunRecord& run : m_runs)
        if (run.script != script)
            kept.push_back(std::move(run));
    return write_anew(std::move(kept));
}

Baselines baselines_of(const std::vector<RunRecord>& runs) {
    Baselines out;
    for (const RunRecord& run : runs)
        if (run.is_baseline)
            out.emplace(run.key(), &run);
    return out;
}

RunRecord record_of(const KernelBenchRequest& request, const KernelBenchResult& result, std::string when) {
    RunRecord out;
    out.when = std::move(when);
    out.script = request.run.source.name;
    out.hash = hash_text(request.run.source.text);
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
        if (each->verdict == VerdictKind::Wrong || each->verdict == VerdictKind::Failed) {
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
