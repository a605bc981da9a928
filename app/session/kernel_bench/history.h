// SPDX-License-Identifier: Apache-2.0
// The runs of the past, as JSON lines in a file that the caller names: read whole, appended to a line at a time. Several
// programs may append to one file. A line that cannot be read is skipped and counted; it is kept until the file is trimmed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/kernel_bench/kernel_bench.h"
#include "app/session/kernel_bench/run_texts.h"

namespace hidet::session {

struct KernelRecord {
    std::string name;
    int registers = 0;
    int spill_bytes = 0;
    std::int64_t shared_bytes = 0;
    std::optional<double> occupancy; // 0 to 1; nothing: its launch is not known
};

struct RunRecord {
    std::string when;   // as the caller has it, sortable: "2025-03-01T12:30:00Z". With `number` it names the run
    int number = 0;     // given by append: tells runs of one instant apart
    std::string script; // its name
    std::string hash;   // of its text
    int module = 0;
    std::string function;
    std::string shapes;
    std::string target; // "emulate"
    std::string where;  // the device
    VerdictKind verdict = VerdictKind::Failed;
    std::string sentence;
    std::optional<double> max_absolute; // nothing: no element was compared
    std::optional<TimesView> times;     // without its samples
    std::optional<double> flops;
    double bytes = 0;
    std::optional<double> roofline;
    std::vector<KernelRecord> kernels;
    std::optional<double> predicted; // seconds, of the kernels of its module, before it ran; nothing: not known
    std::string name;                // that a user gave it: "before the swizzle"; empty: none. Set by rename()
    bool is_baseline = false;        // of its key; set by pin()

    // Runs with the same key are compared: script, function, shapes and device; not the text, which is what changes.
    std::string key() const;
};
RunRecord record_of(const KernelBenchRequest& request, const KernelBenchResult& result, std::string when);

struct HistoryLimits {
    std::int64_t bytes = 4 << 20; // above this the older half of the runs goes, baselines and what has a name excepted
    std::int64_t most_bytes() const { return 2 * bytes; } // of what is read, the newest ones
};

class History {
public:
    explicit History(std::string path, HistoryLimits limits = {});

    // A missing file is an empty history. Those of read_file().
    Result<void> load();
    Result<void> load_existing(); // the same, but a missing file is "file-not-found"
    // Adds to the file and to `runs`; sets record.number. The text is kept too, once for all runs of it: run_texts.h.
    // Those of replace_file().
    Result<void> append(RunRecord& record, std::string_view text);
    // The text that was run. "history-text-missing".
    Result<std::string> text_of(const RunRecord& run) const { return m_texts.text(run.hash); }
    // Makes a run the baseline of its key, in place of the one before. False: there is no such run.
    Result<bool> pin(const std::string& when, int number);
    Result<void> unpin(const std::string& key);
    // Gives a run a name, or takes it away. False: there is no such run.
    Result<bool> rename(const std::string& when, int number, const std::string& name);
    // Runs that another machine or another start has kept: those that are not here are added, and names and baselines are as
    // they have them.
    Result<void> adopt(std::vector<RunRecord> runs);
    // All runs of a script, and their texts.
    Result<void> forget(const std::string& script);

    const std::vector<RunRecord>& runs() const { return m_runs; } // oldest first
    const std::string& note() const { return m_note; }            // "2 lines of history.jsonl could not be read"

private:
    Result<void> trim();
    Result<void> write_anew(std::vector<RunRecord> kept);
    Result<bool> change(const std::string& when, int number, const std::string& line);
    Result<void> add(const std::string& line, class LineFileLock& lock);
    Result<void> adopt(RunRecord& run, class LineFileLock& lock);

    std::string m_path;
    RunTexts m_texts;
    HistoryLimits m_limits;
    std::vector<RunRecord> m_runs;
    std::string m_note;
};

using Baselines = std::map<std::string, const RunRecord*>; // by key
Baselines baselines_of(const std::vector<RunRecord>& runs);

enum class Change : std::uint8_t {
    Faster,
    Slower,
    WithinSpread,  // the ranges from the tenth to the ninetieth percentile overlap
    NotComparable, // no time, too few measurements, or one of them is not correct
};

struct Delta {
    Change change = Change::NotComparable;
    double ratio = 1;     // median of the run over the other one's; below 1: faster
    std::string sentence; // "12 % faster, beyond the spread of both"
};
Delta delta_of(const RunRecord& run, const RunRecord& other);

} // namespace hidet::session
