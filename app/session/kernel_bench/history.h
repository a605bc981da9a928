// SPDX-License-Identifier: Apache-2.0
// The runs of kernels of the past, as JSON lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/kernel_bench/kept_runs.h"
#include "app/session/kernel_bench/kernel_bench.h"

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
    std::string hash;   // of its text, or of what ran in the place of that
    std::string edited; // kernels that ran from texts that were changed by hand: "scale by scale.ir"; empty: none
    int module = 0;
    std::string function;
    std::string shapes;
    std::string target; // "emulate"
    std::string where;  // the device
    VerdictKind verdict = VerdictKind::Failed;
    std::string sentence;
    std::optional<double> max_absolute;  // nothing: no element was compared
    std::optional<TimesView> times;      // without its samples
    std::optional<bench::Clocks> clocks; // of the GPU meanwhile
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
// The script, or the texts in the place of its kernels.
std::string text_that_ran(const RunRequest& request);
RunRecord record_of(const KernelBenchRequest& request, const KernelBenchResult& result, std::string when);

class History : public KeptRuns<RunRecord> {
public:
    explicit History(const std::string& path, HistoryLimits limits = {});

    // Adds to the file and to `runs`; sets record.number. The text is kept too. Those of replace_file().
    using KeptRuns::append;
    // The text that was run. "history-text-missing".
    Result<std::string> text_of(const RunRecord& run) const { return texts().text(run.hash); }
    // Makes a run the baseline of its key, in place of the one before. False: there is no such run.
    Result<bool> pin(const std::string& when, int number);
    Result<void> unpin(const std::string& key);
    // Runs that another machine or another start has kept: those that are not here are added, and names and baselines are as
    // they have them.
    Result<void> adopt(std::vector<RunRecord> runs);
    // All runs of a script, and their texts.
    Result<void> forget(const std::string& script);

private:
    bool apply(std::string_view line) override;
    std::string line(const RunRecord& run) const override;
    std::string lines(const RunRecord& run) const override;
    const std::string& text_hash(const RunRecord& run) const override { return run.hash; }
    bool lasts(const RunRecord& run) const override { return run.is_baseline || KeptRuns::lasts(run); }
    Result<void> adopt(RunRecord& run, LineFileLock& lock);
};

// The lines of a history.
std::string line_of(const RunRecord& record); // with its line feed
std::string pin_line(const std::string& when, int number);
std::string unpin_line(const std::string& key);
// Does to the runs what the line says; false: it cannot be read, and nothing was done.
bool apply_line(std::string_view line, std::vector<RunRecord>& runs);

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
