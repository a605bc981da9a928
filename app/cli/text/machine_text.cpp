// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/machine_text.h"

#include <algorithm>
#include <cmath>

#include "app/cli/text/cells.h"
#include "app/cli/text/script_lines.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::cli {

using namespace session;

namespace {

constexpr int shown_warps[] = {1, 4, 16};

std::string rounded(double cycles) {
    return cat(static_cast<long long>(std::llround(cycles)));
}

class Tables {
public:
    Tables(const TextSnapshot& listing, const Source& script, std::size_t rows)
        : m_listing(listing), m_script(script), m_rows(rows) {}

    std::string text_of(const MachineFunction& function);

private:
    void add(const std::string& title, Cells head, std::vector<Cells> rows);
    void loops(const MachineFunction& function);
    void registers(const MachineFunction& function);
    void waits(const MachineFunction& function);
    void accesses(const MachineFunction& function);
    void marks(const std::string& title, const std::vector<MachineMark>& marks, bool with_bytes);
    Cells turn(const MachineLoop& loop, const MachineTurn& turn, const char* what) const;

    Cell place_of(int line) const; // of the listing

    const TextSnapshot& m_listing;
    const Source& m_script;
    const std::size_t m_rows;
    std::string m_text;
};

void Tables::add(const std::string& title, Cells head, std::vector<Cells> rows) {
    if (rows.empty())
        return;
    const std::size_t left_out = m_rows && rows.size() > m_rows ? rows.size() - m_rows : 0;
    rows.resize(rows.size() - left_out);
    rows.insert(rows.begin(), std::move(head));
    m_text += title + "\n" + columns_text(rows);
    if (left_out)
        m_text += cat("  and ", left_out, " more: --all\n");
}

std::string busiest(const MachineTurn& turn) {
    std::vector<std::string> pipes;
    for (const MachinePipe& pipe : turn.pipes)
        if (pipes.size() < 3 && pipe.cycles > 0)
            pipes.push_back(cat(pipe.name, " ", rounded(pipe.cycles)));
    return join(pipes, ", ");
}

Cells Tables::turn(const MachineLoop& loop, const MachineTurn& turn, const char* what) const {
    Cells out = cells(right(place_text(m_script, loop.place)), what, right(cat(turn.instructions)),
                      right(cat(turn.stalls)), right(rounded(turn.latency)));
    std::string binds;
    for (const MachineBound& bound : turn.bounds)
        if (std::find(std::begin(shown_warps), std::end(shown_warps), bound.warps) != std::end(shown_warps)) {
            out.push_back(right(rounded(bound.cycles)));
            binds = bound.by;
        }
    out.push_back({binds});
    out.push_back(right(cat(turn.warps_to_hide)));
    out.push_back({busiest(turn)});
    out.push_back(right(cat(turn.in_flight, " of ", turn.loads)));
    out.push_back(right(turn.bank_cycles ? cat(turn.bank_cycles) : ""));
    out.push_back({line_text(m_script, loop.place)});
    return out;
}

void Tables::loops(const MachineFunction& function) {
    std::vector<Cells> rows;
    for (const MachineLoop& loop : function.loops) {
        const char* least = loop.most ? "least" : loop.is_inner ? "inner" : "outer";
        rows.push_back(turn(loop, loop.least, least));
        if (loop.most)
            rows.push_back(turn(loop, *loop.most, "most"));
    }
    add("loops: cycles of a turn at least, of a warp alone and of so many of one scheduler, and what binds many",
        titles({"line>", "turn", "instructions>", "stalls>", "alone>", "1 warp>", "4 warps>", "16 warps>", "many by",
                "warps to hide>", "busiest", "loads in flight>", "bank cycles>", ""}),
        std::move(rows));
}

void Tables::registers(const MachineFunction& function) {
    std::vector<Cells> rows;
    for (const MachineHolder& holder : function.holders) {
        const auto same = [&](const MachinePressure& row) {
            return row.place.file == holder.place.file && row.place.line == holder.place.line;
        };
        const auto pressure = std::find_if(function.pressure.begin(), function.pressure.end(), same);
        rows.push_back({right(place_text(m_script, holder.place)),
                        right(cat(holder.registers)),
                        right(pressure == function.pressure.end() ? "" : cat(pressure->registers)),
                        {line_text(m_script, holder.place)}});
    }
    add(cat("registers: ", function.most_registers, " are live at line ", place_text(m_script, function.peak),
            "; who wrote them, and how many are live while that line runs"),
        {right("line"), right("written"), right("live"), {""}}, std::move(rows));
}

Cell Tables::place_of(int line) const {
    const auto at = static_cast<std::size_t>(line - 1);
    return right(at < m_listing.lines.size() ? place_text(m_script, m_listing.lines[at].place) : "?");
}

void Tables::waits(const MachineFunction& function) {
    std::vector<MachineArrow> arrows;
    for (const MachineArrow& arrow : function.arrows)
        if (arrow.is_first && !arrow.for_operands)
            arrows.push_back(arrow);
    std::stable_sort(arrows.begin(), arrows.end(),
                     [](const MachineArrow& a, const MachineArrow& b) { return a.cycles < b.cycles; });
    std::vector<Cells> rows = transformed(arrows, [&](const MachineArrow& arrow) {
        return Cells{right(cat(arrow.cycles)), {arrow.setter_name},    place_of(arrow.setter),
                     right(cat(arrow.setter)), place_of(arrow.waiter), right(cat(arrow.waiter))};
    });
    add("waits for results with the shortest cover: cycles between the two, which other warps have to fill up",
        {right("cycles"), {"for"}, right("of line"), right("SASS"), right("waited for at"), right("SASS")},
        std::move(rows));
}

void Tables::accesses(const MachineFunction& function) {
    std::vector<Cells> rows = transformed(function.accesses, [&](const MachineAccess& access) {
        return cells(right(place_text(m_script, access.place)), access.what, access.space,
                     right(access.lane_bytes ? cat(access.lane_bytes, " B") : ""), right(cat(access.instructions)),
                     right(cat(access.depth)), right(access.sectors ? cat(access.sectors * access.instructions) : ""),
                     access.opcode, line_text(m_script, access.place));
    });
    add("memory: instructions that are alike in a line, how deep in loops, and the sectors that a warp asks for at "
        "least",
        titles({"line>", "what", "memory", "a lane>", "instructions>", "depth>", "sectors>", "opcode", ""}),
        std::move(rows));
}

void Tables::marks(const std::string& title, const std::vector<MachineMark>& marks, bool with_bytes) {
    std::vector<Cells> rows = transformed(marks, [&](const MachineMark& mark) {
        return Cells{right(place_text(m_script, mark.place)),
                     right(cat(mark.instructions)),
                     right(with_bytes ? cat(mark.bytes) : ""),
                     {line_text(m_script, mark.place)}};
    });
    add(title, {right("line"), right("instructions"), right(with_bytes ? "bytes" : ""), {""}}, std::move(rows));
}

std::string Tables::text_of(const MachineFunction& function) {
    m_text = cat("kernel '", function.name, "': ", function.instructions.size(), " instructions\n");
    loops(function);
    registers(function);
    waits(function);
    accesses(function);
    marks("spills to the stack, and back", function.spills, true);
    marks("conversions", function.conversions, false);
    return m_text;
}

} // namespace

std::string machine_text(const FormSnapshot& sass, const Source& script, std::size_t rows) {
    std::string text;
    for (const MachineFunction& function : sass.machine->functions)
        text += (text.empty() ? "" : "\n") + Tables(sass.text, script, rows).text_of(function);
    return text;
}

std::string with_controls(const TextSnapshot& text) {
    const std::vector<std::string> lines = split(text.text, '\n');
    std::size_t width = 0;
    for (const std::string& control : text.controls)
        width = std::max(width, control.size());
    std::string out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i + 1 == lines.size() && lines[i].empty())
            break;
        const std::string control = i < text.controls.size() ? text.controls[i] : "";
        const std::string line = control + std::string(width - control.size(), ' ') + lines[i];
        out.append(line, 0, line.find_last_not_of(' ') + 1).push_back('\n');
    }
    return out;
}

} // namespace hidet::cli
