// SPDX-License-Identifier: Apache-2.0
// What a GPU counted while it ran a script's kernels: Nsight Compute is started on a program that runs the script, and what
// it says of each instruction is folded to the lines of the script, beside what the maps of accesses say without running.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/session/preview/preview.h"
#include "lang/base/result.h"

namespace hidet::session {

// What Nsight Compute is asked for, wherever it runs.
struct CountRequest {
    std::string text;                 // of the script, which stands alone
    std::vector<std::string> kernels; // that are counted
    double seconds = 120;             // until it counts as endless
    bool keeps_report = false;
};
struct CountedPages {
    std::string instructions, totals; // as it prints them
    std::string report;               // the bytes of its file, where that is kept
    std::string output;               // of the script, and what it said itself
};
// Here, by this program.
Result<CountedPages> count_here(const CountRequest& request, Tools& tools, const std::atomic<bool>* cancelled);

struct ProfileRequest {
    PreviewRequest preview;           // `function`: this kernel only
    std::vector<std::string> program; // that runs the script: "hidetc", "run", "kernel.py", "--target", "cuda"
    std::string input;                // of that program
    std::string folder;               // where it works; empty: where we do
    std::string report;               // the file of Nsight Compute that is kept; empty: none
    double seconds = 120;             // until it counts as endless
    bool compares = true;             // with the maps of accesses
    std::function<Result<CountedPages>(const CountRequest&)> count_elsewhere = {}; // empty: here
};

std::string running_program(); // its path
// What runs the text of a source: its file, if that holds the text; else standard input.
void run_source(ProfileRequest& request, const std::string& hidetc, const std::string& file);

struct StallView {
    std::string reason; // "waits for global memory"
    std::string name;   // "long_sb"
    std::uint64_t samples = 0;
};
struct TrafficView { // of one launch
    std::uint64_t count = 0;
    std::uint64_t least = 0; // the ideal
};
struct ProfiledInstruction {
    int line = 0; // of the listing, from 1; 0: not known
    Place place;
    std::string text;
    std::uint64_t offset = 0; // bytes
    std::uint64_t executed = 0, threads = 0, samples = 0, divergent = 0;
    TrafficView sectors;           // of global memory
    TrafficView wavefronts;        // of shared memory
    std::vector<StallView> stalls; // the most first
};
// What the maps of accesses said of a line.
struct ForeseenView {
    double count = 0, least = 0;
    bool is_exact = false;
};
struct ProfiledLine {
    Place place;
    std::uint64_t executed = 0, threads = 0, samples = 0, divergent = 0;
    double share = 0; // of all samples, 0 to 1
    TrafficView sectors, wavefronts;
    std::optional<ForeseenView> foreseen_sectors, foreseen_wavefronts;
    std::string remark; // why what was counted is not what was foreseen, as far as that is known
    std::vector<StallView> stalls;
};
struct ProfiledKernel {
    std::string name;
    int module = 0;
    Place place;
    std::string arch; // "sm_90a"
    double seconds = 0;
    double dram_bytes = 0, l2_bytes = 0;
    int registers = 0;
    double occupancy = 0;                     // that was reached, 0 to 1
    double compute_roof = 0, memory_roof = 0; // that were reached, 0 to 1
    std::uint64_t executed = 0, samples = 0;
    TrafficView sectors, wavefronts;
    std::string lines_unknown; // why instructions have no lines; empty: they have
    std::vector<StallView> stalls;
    std::vector<ProfiledLine> lines; // in the order of the script
    std::vector<ProfiledInstruction> instructions;
};

struct ProfileResult : Outcome {
    std::vector<ProfiledKernel> kernels;
    std::string output;               // of the script, and what Nsight Compute said
    std::vector<std::string> command; // that was started
    int modules_built = 0;
};

ProfileResult profile(const ProfileRequest& request);

// The command alone, for those who run it themselves: as words of a shell. It needs no GPU and starts nothing. What is missing
// is a diagnostic of the result; `command` is there all the same.
ProfileResult profile_command(const ProfileRequest& request);
std::string shell_text(const std::vector<std::string>& words);

// "waits for global memory" of "long_sb".
std::string stall_meaning(const std::string& name);

} // namespace hidet::session
