// SPDX-License-Identifier: Apache-2.0
#include "app/session/profile/fold.h"

#include <algorithm>
#include <map>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

using FileLine = std::pair<std::string, int>; // of a script

void add_stall(std::vector<StallView>& out, const StallView& stall) {
    for (StallView& row : out)
        if (row.name == stall.name) {
            row.samples += stall.samples;
            return;
        }
    out.push_back(stall);
}

void sort_stalls(std::vector<StallView>& stalls) {
    std::ranges::stable_sort(stalls, std::greater(), &StallView::samples);
}

void add_traffic(TrafficView& out, const TrafficView& more) {
    out.count += more.count;
    out.least += more.least;
}

// "LDG" of "@!P0 LDG.E R1, [R2]": what follows the point is written differently by different disassemblers.
std::string_view first_word_of(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('@'))
        text = trimmed(text.substr(std::min(text.find(' '), text.size())));
    return text.substr(0, text.find_first_of(" .;"));
}

// Of a line of the listing, "    01b0  @!P0  FMUL R4, R4, 0.5".
std::string_view word_of_line(std::string_view line) {
    line = trimmed(line);
    return first_word_of(line.substr(std::min(line.find(' '), line.size())));
}

void add_access(const AccessView& view, std::optional<ForeseenView>& out) {
    if (view.counted == "unknown")
        return;
    if (!out)
        out = ForeseenView{0, 0, true};
    out->count += view.units;
    out->least += view.least;
    out->is_exact = out->is_exact && view.counted == "exact";
}

// The compiler reads once what a line reads again and again, and puts neighbours together; the hardware writes what an
// asynchronous copy brings line by line of 128 bytes, whatever the banks would allow.
std::string remark_on(const ProfiledLine& line, bool copies) {
    const auto more = [](const TrafficView& counted, const std::optional<ForeseenView>& foreseen) {
        return foreseen ? static_cast<double>(counted.count) - foreseen->count : 0;
    };
    if (more(line.sectors, line.foreseen_sectors) < -0.5 || more(line.wavefronts, line.foreseen_wavefronts) < -0.5)
        return "less than foretold: the compiler keeps values in registers that the line reads again, or reads "
               "neighbours at once";
    if (copies && more(line.wavefronts, line.foreseen_wavefronts) > 0.5)
        return "more than foretold: an asynchronous copy is written to shared memory by lines of 128 bytes of global "
               "memory, one at a time";
    return "";
}

} // namespace

void add_totals(const toolchain::CountedLaunch& launch, ProfiledKernel& out) {
    const auto figure = [&](const char* name) { return launch.figure(name).value_or(0); };
    out.seconds = figure("gpu__time_duration.sum");
    out.dram_bytes = figure("dram__bytes_read.sum") + figure("dram__bytes_write.sum");
    out.l2_bytes = figure("lts__t_bytes.sum");
    out.registers = static_cast<int>(figure("launch__registers_per_thread"));
    out.occupancy = figure("sm__warps_active.avg.pct_of_peak_sustained_active") / 100;
    out.compute_roof = figure("sm__throughput.avg.pct_of_peak_sustained_elapsed") / 100;
    out.memory_roof = figure("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed") / 100;
}

void add_instructions(const toolchain::CountedKernel& counted, ProfiledKernel& out) {
    for (const toolchain::CountedInstruction& from : counted.code) {
        ProfiledInstruction& to = out.instructions.emplace_back();
        to.text = from.text;
        to.offset = from.offset;
        to.executed = from.executed;
        to.threads = from.threads;
        to.samples = from.samples;
        to.divergent = from.divergent;
        to.sectors = {from.sectors, from.least_sectors};
        to.wavefronts = {from.wavefronts, from.least_wavefronts};
        for (const toolchain::CountedStall& stall : from.stalls)
            if (stall.samples)
                to.stalls.push_back({stall_meaning(stall.reason), stall.reason, stall.samples});
        sort_stalls(to.stalls);
    }
}

void join_listing(const MachineFunction& function, const TextSnapshot& listing, ProfiledKernel& out) {
    const std::vector<std::string> lines = split(listing.text, '\n');
    if (out.instructions.size() < function.instructions.size()) {
        out.lines_unknown = cat("Nsight Compute saw ", out.instructions.size(), " instructions, and the listing has ",
                                function.instructions.size());
        return;
    }
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        const auto at = static_cast<std::size_t>(function.instructions[i].line - 1);
        if (at >= lines.size() || word_of_line(lines[at]) != first_word_of(out.instructions[i].text)) {
            out.lines_unknown =
                cat("what ran is not the code of the listing: instruction ", i, " is '", out.instructions[i].text, "'");
            return;
        }
    }
    // What follows is padding, which nothing runs.
    out.instructions.resize(function.instructions.size());
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        out.instructions[i].line = function.instructions[i].line;
        const auto at = static_cast<std::size_t>(function.instructions[i].line - 1);
        if (at < listing.lines.size())
            out.instructions[i].place = listing.lines[at].place;
    }
}

void sum_lines(ProfiledKernel& out) {
    std::map<FileLine, ProfiledLine> lines;
    for (const ProfiledInstruction& instruction : out.instructions) {
        out.executed += instruction.executed;
        out.samples += instruction.samples;
        add_traffic(out.sectors, instruction.sectors);
        add_traffic(out.wavefronts, instruction.wavefronts);
        for (const StallView& stall : instruction.stalls)
            add_stall(out.stalls, stall);
        if (!instruction.place.known())
            continue;
        ProfiledLine& line = lines[{instruction.place.file, instruction.place.line}];
        line.place = instruction.place;
        line.executed += instruction.executed;
        line.threads += instruction.threads;
        line.samples += instruction.samples;
        line.divergent += instruction.divergent;
        add_traffic(line.sectors, instruction.sectors);
        add_traffic(line.wavefronts, instruction.wavefronts);
        for (const StallView& stall : instruction.stalls)
            add_stall(line.stalls, stall);
    }
    sort_stalls(out.stalls);
    for (auto& [key, line] : lines) {
        line.share = out.samples ? static_cast<double>(line.samples) / static_cast<double>(out.samples) : 0;
        sort_stalls(line.stalls);
        out.lines.push_back(std::move(line));
    }
}

void add_foreseen(const KernelExplained& explained, ProfiledKernel& out) {
    for (const AccessView& view : explained.accesses) {
        const auto same = [&](const ProfiledLine& line) {
            return line.place.file == view.place.file && line.place.line == view.place.line;
        };
        const auto line = std::ranges::find_if(out.lines, same);
        if (line == out.lines.end())
            continue;
        add_access(view, view.memory == "shared" ? line->foreseen_wavefronts : line->foreseen_sectors);
    }
    for (ProfiledLine& line : out.lines) {
        const auto copies = [&](const ProfiledInstruction& instruction) {
            return instruction.place.line == line.place.line && instruction.text.find("LDGSTS") != std::string::npos;
        };
        line.remark = remark_on(line, std::ranges::any_of(out.instructions, copies));
    }
}

} // namespace hidet::session
