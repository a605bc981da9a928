// SPDX-License-Identifier: Apache-2.0
// The pages of a report as CSV. Every cell is in quotes, a quote within one is doubled, and numbers may have separators of
// thousands. Columns are found by their names, since each version has more of them than the one before.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "lang/base/lines.h"
#include "lang/base/text.h"
#include "runtime/toolchain/ncu.h"

namespace hidet::toolchain {

namespace {

using PageRow = std::vector<std::string>;

PageRow cells_of(std::string_view line) {
    PageRow out(1);
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"')
            out.back().push_back(line[++i]);
        else if (c == '"')
            is_quoted = !is_quoted;
        else if (c == ',' && !is_quoted)
            out.emplace_back();
        else if (c != '\r')
            out.back().push_back(c);
    }
    return out;
}

std::optional<double> number_in(std::string_view cell) {
    std::string plain;
    for (char c : cell)
        if (c != ',')
            plain.push_back(c);
    double value = 0;
    const auto [end, failed] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    if (failed != std::errc() || end != plain.data() + plain.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::uint64_t whole_in(std::string_view cell) {
    const std::optional<double> value = number_in(cell);
    return value && *value >= 0 && *value < 1e18 ? static_cast<std::uint64_t>(*value) : 0;
}

// "0x7f12a0000010", or a number without a prefix.
std::optional<std::uint64_t> offset_in(std::string_view cell) {
    int base = 10;
    if (cell.starts_with("0x")) {
        cell.remove_prefix(2);
        base = 16;
    }
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(cell.data(), cell.data() + cell.size(), value, base);
    if (failed != std::errc() || end != cell.data() + cell.size())
        return std::nullopt;
    return value;
}

// "matmul(float *, float *)", "void matmul<int>(int)" by the name alone.
std::string kernel_name_in(std::string_view cell) {
    cell = trimmed(cell.substr(0, cell.find_first_of("(<")));
    const std::size_t space = cell.rfind(' ');
    return std::string(space == std::string_view::npos ? cell : cell.substr(space + 1));
}

enum class PageColumn {
    None,
    Address,
    Text,
    Samples,
    Executed,
    Threads,
    Divergent,
    Space,
    Sectors,
    ExcessSectors,
    LeastSectors,
    Wavefronts,
    ExcessWavefronts,
    LeastWavefronts,
    Stall,
    StallNotIssued,
};
struct NamedColumn {
    const char* title;
    PageColumn what;
};
constexpr NamedColumn known_columns[] = {
    {"Address", PageColumn::Address},
    {"Source", PageColumn::Text},
    {"Warp Stall Sampling (All Samples)", PageColumn::Samples},
    {"Instructions Executed", PageColumn::Executed},
    {"Thread Instructions Executed", PageColumn::Threads},
    {"Divergent Branches", PageColumn::Divergent},
    {"Address Space", PageColumn::Space},
    {"L2 Theoretical Sectors Global", PageColumn::Sectors},
    {"L2 Theoretical Sectors Global Excessive", PageColumn::ExcessSectors},
    {"L2 Theoretical Sectors Global Ideal", PageColumn::LeastSectors},
    {"L1 Wavefronts Shared", PageColumn::Wavefronts},
    {"L1 Wavefronts Shared Excessive", PageColumn::ExcessWavefronts},
    {"L1 Wavefronts Shared Ideal", PageColumn::LeastWavefronts},
};
constexpr std::string_view stall_prefix = "stall_";

struct PageHeader {
    std::vector<PageColumn> what;
    std::vector<std::string> reasons; // of stalls
    bool has(PageColumn column) const { return std::ranges::find(what, column) != what.end(); }
};

// "stall_wait" is every sample, "stall_wait (Not Issued)" or "stall_wait_not_issued" some of them; the second of two columns
// of one name is the latter, too.
void add_stall(PageHeader& header, std::string_view title) {
    std::string_view reason = title.substr(stall_prefix.size());
    const std::size_t mark = std::min(reason.find("_not_issued"), reason.find(" ("));
    reason = reason.substr(0, mark);
    const bool is_second = std::ranges::find(header.reasons, reason) != header.reasons.end();
    header.what.push_back(is_second || mark != std::string_view::npos ? PageColumn::StallNotIssued : PageColumn::Stall);
    header.reasons.emplace_back(reason);
}

PageHeader header_of(const PageRow& row) {
    PageHeader header;
    for (const std::string& title : row) {
        if (title.starts_with(stall_prefix)) {
            add_stall(header, title);
            continue;
        }
        PageColumn what = PageColumn::None;
        for (const NamedColumn& column : known_columns)
            if (title == column.title)
                what = column.what;
        header.what.push_back(what);
        header.reasons.emplace_back();
    }
    return header;
}

CountedStall& stall_of(CountedInstruction& out, const std::string& reason) {
    for (CountedStall& stall : out.stalls)
        if (stall.reason == reason)
            return stall;
    return out.stalls.emplace_back(CountedStall{reason, 0, 0});
}

CountedInstruction instruction_of(const PageHeader& header, const PageRow& row) {
    CountedInstruction out;
    std::uint64_t excess_sectors = 0, excess_wavefronts = 0;
    for (std::size_t i = 0; i < std::min(row.size(), header.what.size()); ++i) {
        const std::string& cell = row[i];
        const std::uint64_t count = whole_in(cell);
        switch (header.what[i]) {
        case PageColumn::None: break;
        case PageColumn::Address: out.offset = offset_in(cell).value_or(0); break;
        case PageColumn::Text: out.text = trimmed(cell); break;
        case PageColumn::Samples: out.samples = count; break;
        case PageColumn::Executed: out.executed = count; break;
        case PageColumn::Threads: out.threads = count; break;
        case PageColumn::Divergent: out.divergent = count; break;
        case PageColumn::Space: out.space = cell; break;
        case PageColumn::Sectors: out.sectors = count; break;
        case PageColumn::ExcessSectors: excess_sectors = count; break;
        case PageColumn::LeastSectors: out.least_sectors = count; break;
        case PageColumn::Wavefronts: out.wavefronts = count; break;
        case PageColumn::ExcessWavefronts: excess_wavefronts = count; break;
        case PageColumn::LeastWavefronts: out.least_wavefronts = count; break;
        case PageColumn::Stall:
            if (count)
                stall_of(out, header.reasons[i]).samples += count;
            break;
        case PageColumn::StallNotIssued:
            if (count)
                stall_of(out, header.reasons[i]).not_issued += count;
            break;
        }
    }
    if (!header.has(PageColumn::LeastSectors))
        out.least_sectors = out.sectors - std::min(out.sectors, excess_sectors);
    if (!header.has(PageColumn::LeastWavefronts))
        out.least_wavefronts = out.wavefronts - std::min(out.wavefronts, excess_wavefronts);
    return out;
}

void make_offsets(CountedKernel& kernel) {
    const std::uint64_t first = kernel.code.empty() ? 0 : kernel.code.front().offset;
    for (CountedInstruction& instruction : kernel.code)
        instruction.offset -= std::min(first, instruction.offset);
}

// What a unit is, and of what size.
double scale_of_unit(std::string_view unit) {
    struct Scale {
        const char* unit;
        double size;
    };
    static constexpr Scale scales[] = {{"ns", 1e-9},   {"nsecond", 1e-9}, {"us", 1e-6},   {"usecond", 1e-6},
                                       {"ms", 1e-3},   {"msecond", 1e-3}, {"Kbyte", 1e3}, {"Mbyte", 1e6},
                                       {"Gbyte", 1e9}, {"Tbyte", 1e12}};
    for (const Scale& scale : scales)
        if (unit == scale.unit)
            return scale.size;
    return 1;
}

Error not_read(std::string_view what, std::string_view text) {
    const std::string start(trimmed(text.substr(0, 300)));
    return {"counters-not-read", cat("Nsight Compute printed no ", what, start.empty() ? "" : ", but: ", start)};
}

} // namespace

Result<std::vector<CountedKernel>> read_counted_kernels(std::string_view csv) {
    std::vector<CountedKernel> out;
    PageHeader header;
    for (std::string_view line : split_lines(csv)) {
        if (!line.starts_with('"'))
            continue;
        const PageRow row = cells_of(line);
        if (row.front() == "Kernel Name") {
            out.push_back({kernel_name_in(row.size() > 1 ? row[1] : ""), {}});
            header = {};
        } else if (header.what.empty()) {
            header = header_of(row);
            if (!header.has(PageColumn::Address) || !header.has(PageColumn::Text))
                header = {};
        } else if (!out.empty()) {
            out.back().code.push_back(instruction_of(header, row));
        }
    }
    std::erase_if(out, [](const CountedKernel& kernel) { return kernel.code.empty(); });
    if (out.empty())
        return not_read("instruction", csv);
    for (CountedKernel& kernel : out)
        make_offsets(kernel);
    return out;
}

std::optional<double> CountedLaunch::figure(std::string_view name) const {
    const auto found = figures.find(name);
    return found == figures.end() ? std::nullopt : std::optional(found->second);
}

Result<std::vector<CountedLaunch>> read_counted_launches(std::string_view csv) {
    std::vector<CountedLaunch> out;
    PageRow titles, units;
    for (std::string_view line : split_lines(csv)) {
        if (!line.starts_with('"'))
            continue;
        PageRow row = cells_of(line);
        if (titles.empty()) {
            if (row.front() == "ID")
                titles = std::move(row);
        } else if (units.empty()) {
            units = std::move(row);
        } else {
            CountedLaunch launch;
            for (std::size_t i = 0; i < std::min(row.size(), titles.size()); ++i) {
                if (titles[i] == "Kernel Name")
                    launch.kernel = kernel_name_in(row[i]);
                else if (titles[i] == "CC")
                    launch.capability = row[i];
                else if (const std::optional<double> value = number_in(row[i]))
                    launch.figures.emplace(titles[i], *value * scale_of_unit(i < units.size() ? units[i] : ""));
            }
            out.push_back(std::move(launch));
        }
    }
    if (out.empty())
        return not_read("launch", csv);
    return out;
}

} // namespace hidet::toolchain
