// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/kernel_text.h"

#include <algorithm>

#include "app/cli/text/cells.h"
#include "app/cli/text/script_lines.h"
#include "app/session/explain/memory_chart.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::cli {

using namespace session;

namespace {

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
    return join(transformed(numbers, [&](const std::int64_t number) { return cat(number); }), ", ");
}

// "[0:64, 128:192]"
std::string hull_text(const BlockOperand& operand) {
    std::vector<std::string> parts;
    for (std::size_t d = 0; d < operand.low.size(); ++d)
        parts.push_back(operand.low[d] == operand.high[d] ? cat(operand.low[d])
                                                          : cat(operand.low[d], ":", operand.high[d] + 1));
    return cat("[", join(parts, ", "), "]");
}

double share_at(const std::vector<std::vector<double>>& shares, std::size_t row, std::size_t column) {
    return shares.empty() ? 0 : shares[row][column];
}

// Capitals where all elements of the cell are touched.
char mark_of(double read, double written) {
    if (written > 0)
        return read > 0 ? 'B' : written >= 1 ? 'W' : 'w';
    return read >= 1 ? 'R' : read > 0 ? 'r' : '.';
}

std::string picture_text(const BlockOperand& operand) {
    const auto& rows = operand.read_share.empty() ? operand.written_share : operand.read_share;
    std::string out;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        out += "    ";
        for (std::size_t c = 0; c < rows[r].size(); ++c)
            out += mark_of(share_at(operand.read_share, r, c), share_at(operand.written_share, r, c));
        out += "\n";
    }
    return out;
}

std::string operand_text(const BlockOperand& operand) {
    std::string out = cat("  ", operand.tensor, " ", operand.dtype, "[", numbers_text(operand.shape), "]: ");
    std::vector<std::string> does;
    if (operand.read > 0)
        does.push_back(cat("reads ", operand.read));
    if (operand.written > 0)
        does.push_back(cat("writes ", operand.written));
    std::int64_t count = 1;
    for (const std::int64_t extent : operand.shape)
        count *= extent;
    out += cat(join(does, " and "), " of ", count, " elements", operand.is_at_most ? " at most" : "");
    if (!operand.low.empty())
        out += cat(", within ", hull_text(operand));
    if (operand.outside > 0)
        out += cat("; ", operand.outside, " bytes outside of it");
    out += cat("; a mark is ", operand.cell_rows, " x ", operand.cell_columns, " elements\n");
    return out + picture_text(operand);
}

std::string block_text(const BlockView& block) {
    std::string out = cat("block (", numbers_text(block.block), ") of a grid of ", numbers_text(block.grid), ":");
    if (!block.unknown.empty())
        return cat(out, " not known, as ", block.unknown, "\n");
    out += " R read, W written, B both; small: some of the elements\n";
    for (const BlockOperand& operand : block.operands)
        out += operand_text(operand);
    if (!block.left_out.empty())
        out += cat("  not followed: ", join(block.left_out, ", "), "\n");
    return out;
}

std::string verdict_text(const BoundsAccess& view, const BoundsView& bounds) {
    const bool says_any_size = view.for_any_size && !bounds.sizes.empty();
    return says_any_size ? cat(view.verdict, " for any sizes") : view.verdict;
}

std::string reason_text(const BoundsAccess& view) {
    if (view.why.empty())
        return view.example;
    return view.example.empty() ? view.why : cat(view.why, "; if so: ", view.example);
}

std::string bounds_text(const BoundsView& bounds, const std::string& script) {
    std::string out = cat("bounds: ", bounds.sentence, "\n");
    std::vector<Cells> rows = transformed(bounds.accesses, [&](const BoundsAccess& view) {
        return cells(right(place_text(script, view.place)),
                     cat(view.kind, view.tensor.empty() ? "" : " " + view.tensor), view.memory,
                     verdict_text(view, bounds), reason_text(view));
    });
    return rows.empty() ? out : out + columns_text(rows);
}

// Loops as text: what limits each, and what would raise that.

std::string at_text(const Place& place, const std::string& script) {
    return place.file == script ? cat("line ", place.line) : cat(place.file, ":", place.line);
}

std::string flops_text(const LoopView& loop) {
    if (!loop.flops_unknown.empty())
        return cat("operations not known: ", loop.flops_unknown);
    std::vector<std::string> parts;
    if (loop.flops > 0 || loop.matrix_flops == 0)
        parts.push_back(si_text(loop.flops, "FLOP"));
    if (loop.matrix_flops > 0)
        parts.push_back(cat(si_text(loop.matrix_flops, "FLOP"), " by matrix units"));
    return cat(loop.flops_at_most ? "at most " : "", join(parts, " and "));
}

std::string loop_text(const LoopView& loop, const std::string& script) {
    std::string out =
        cat(loop.is_inner ? "inner loop" : "loop", " over '", loop.variable, "', ", at_text(loop.place, script), ": ",
            loop.trips > 0 ? cat(loop.trips, loop.trips == 1 ? " turn" : " turns") : "turns not known", "\n");
    if (!loop.unknown.empty())
        return cat(out, "  nothing more is known: ", loop.unknown, "\n");
    out += cat("  a block in a turn: ", flops_text(loop), "; ", bytes_text(loop.global_bytes), " of global memory, ",
               bytes_text(loop.sector_bytes), " in sectors; ", bytes_text(loop.shared_bytes), " of shared memory\n");
    std::vector<std::string> pipes =
        transformed(loop.pipes, [&](const Pipe& pipe) { return cat(pipe.name, " ", three_digits(pipe.cycles)); });
    if (pipes.empty())
        return out;
    out += cat("  lower bound, SM cycles per iteration: ", join(pipes, ", "), "\n");
    if (loop.advice.empty())
        return cat(out, "  ", loop.limiter, " limits it, and no rule knows better\n");
    out += cat("  ", loop.limiter, " limits it\n");
    for (const LoopAdvice& advice : loop.advice) {
        std::vector<std::string> lines =
            transformed(advice.evidence, [&](const Place& place) { return at_text(place, script); });
        out += cat("  ", three_digits(advice.gain), " times as high a limit, then of ", advice.limit, ": ", advice.edit,
                   " (", join(lines, ", "), ")\n");
    }
    return out;
}

std::string loops_text(const KernelExplained& kernel, const std::string& script) {
    std::string out;
    for (const LoopView& loop : kernel.loops)
        out += loop_text(loop, script);
    return out;
}

// What passes between the levels of memory, from the device's to registers.
std::string memory_text(const MemoryChart& chart) {
    std::vector<Cells> rows = {
        {{"from"}, {"to"}, {"read", Align::Right}, {"written", Align::Right}, {"bytes", Align::Right}, {""}}};
    const auto bytes = [](double count) { return count > 0 ? bytes_text(count) : std::string(); };
    for (const MemoryFlow& flow : chart.flows)
        rows.push_back(cells(memory_level_name(flow.from), memory_level_name(flow.to), right(bytes(flow.read)),
                             right(bytes(flow.written)), right(cat(flow.is_least ? ">= " : "", bytes_text(flow.bytes))),
                             flow.says));
    if (rows.size() == 1)
        return "memory: nothing moves\n";
    const std::string unknown = chart.unknown.empty() ? "" : cat("; ", chart.unknown);
    return cat("memory: what a launch moves between its levels", unknown, "\n", columns_text(rows));
}

constexpr int bar_columns = 48;

std::string line_if_known(const Place& place, const std::string& script) {
    return place.known() ? place_text(script, place) : "";
}

std::string tensor_type(const SharedTensor& tensor) {
    return cat(tensor.dtype, "[",
               join(transformed(tensor.shape, [&](const std::int64_t extent) { return cat(extent); }), ", "), "]");
}

// Program order from left to right.
std::string bar_text(const SharedTensor& tensor, int statements) {
    std::string out(bar_columns, '.');
    if (!tensor.first.known() || statements <= 0)
        return out;
    const int begin = tensor.begin * bar_columns / statements, end = tensor.end * bar_columns / statements;
    for (int i = begin; i <= end && i < bar_columns; ++i)
        out[static_cast<std::size_t>(i)] = '#';
    return out;
}

std::string shared_text(const SharedView& shared, const std::string& script) {
    if (shared.tensors.empty())
        return shared.bytes > 0 ? cat("shared memory: ", bytes_text(static_cast<double>(shared.bytes)),
                                      ", of which the script names no tensor\n")
                                : std::string("shared memory: none\n");
    std::string out = cat("shared memory: ", shared.bytes, " bytes, at most ", shared.peak, " in use at a time");
    if (shared.peak_at.known())
        out += cat(" (first in line ", line_if_known(shared.peak_at, script), ")");
    out += shared.unused > 0 ? cat(", ", shared.unused, " that no tensor lies in\n") : std::string("\n");
    std::vector<Cells> rows = {titles({"offset>", "bytes>", "tensor", "type", "stages>", "declared>", "first>", "last>",
                                       "in use, in program order"})};
    for (const SharedTensor& tensor : shared.tensors)
        rows.push_back(cells(right(cat(tensor.offset)), right(cat(tensor.bytes)), tensor.name, tensor_type(tensor),
                             right(tensor.stages > 1 ? cat(tensor.stages) : ""),
                             right(line_if_known(tensor.place, script)), right(line_if_known(tensor.first, script)),
                             right(line_if_known(tensor.last, script)), bar_text(tensor, shared.statements)));
    out += columns_text(rows);
    return shared.advice.empty() ? out : cat(out, "  ", shared.advice, "\n");
}

std::string grid_text(const WavesView& waves) {
    const std::string what = waves.rounds_of.empty() ? "wave" : cat("turn of '", waves.rounds_of, "'");
    const bool is_part = waves.rows > static_cast<std::int64_t>(waves.grid.size()) ||
                         waves.columns > static_cast<std::int64_t>(waves.grid.empty() ? 0 : waves.grid.front().size());
    std::string out = cat(
        "  ",
        waves.grid_of.empty() ? "blocks, blockIdx.y down and blockIdx.x across" : cat("tiles of '", waves.grid_of, "'"),
        " by their ", what, is_part ? cat("; the first of ", waves.rows, " x ", waves.columns) : "", "\n");
    std::vector<Cells> rows;
    for (const std::vector<std::int64_t>& row : waves.grid) {
        Cells& cells = rows.emplace_back();
        for (const std::int64_t wave : row)
            cells.push_back({wave ? cat(wave) : ".", Align::Right});
    }
    return out + columns_text(rows);
}

std::string share_text(double requested, double distinct) {
    return distinct > 0 ? cat(three_digits(requested / distinct), " times") : "";
}

std::string table_text(const WavesView& waves) {
    std::vector<Cells> rows = {titles({waves.rounds_of.empty() ? "wave>" : "turn>", "blocks>", "tensor", "",
                                       "asked for>", "distinct>", "shared>", "from L2>"})};
    for (const WaveView& wave : waves.waves) {
        rows.push_back(cells(right(cat(wave.number)), right(cat(wave.blocks)), "all", "",
                             right(bytes_text(wave.requested)), right(bytes_text(wave.distinct)),
                             right(share_text(wave.requested, wave.distinct)), right(percent_text(wave.hits))));
        for (const WaveOperand& operand : wave.operands)
            rows.push_back(cells("", "", operand.tensor, cat(operand.direction, operand.is_at_most ? ", at most" : ""),
                                 right(bytes_text(operand.requested)), right(bytes_text(operand.distinct)),
                                 right(share_text(operand.requested, operand.distinct))));
    }
    return columns_text(rows);
}

// The waves of a kernel: a picture of tiles by the wave that computes them, and a table of what waves read.
std::string waves_text(const WavesView& waves) {
    if (!waves.unknown.empty())
        return cat("waves: not known, as ", waves.unknown, "\n");
    std::string out = cat("waves: ", waves.blocks, " blocks, of which ", waves.resident, " run together (",
                          waves.multiprocessors, " multiprocessors with ", waves.of_each, " each): ", waves.count,
                          waves.rounds_of.empty() ? (waves.count == 1 ? " wave" : " waves")
                                                  : cat(" turns of the loop over '", waves.rounds_of, "'"),
                          "\n");
    out += cat("  the last one has work for ", percent_text(waves.last), ": ", percent_text(waves.lost),
               " of the slots' time is lost",
               waves.lost_seconds ? cat(", ", time_text(*waves.lost_seconds), " of what is predicted") : "",
               ", if all blocks take equally long\n");
    out += grid_text(waves);
    if (waves.requested > 0)
        out += table_text(waves) +
               cat("  of what these read ", percent_text(waves.hits), " can come from the second-level cache (",
                   bytes_text(static_cast<double>(waves.l2_bytes)), "), if the blocks of a wave keep step\n");
    if (!waves.left_out.empty())
        out += cat("  not followed: ", join(waves.left_out, ", "), "\n");
    return out;
}

std::string vector_text(const AccessView& view) {
    if (view.lane_bytes == 0)
        return "";
    return view.vector > 1 ? cat(view.lane_bytes, " B, ", view.vector, " elements") : cat(view.lane_bytes, " B");
}

std::string traffic_text(const AccessView& view) {
    if (view.units == 0)
        return view.counted == "unknown" ? "not known" : "none";
    return view.units == view.least ? count_text(view.units)
                                    : cat(count_text(view.units), " for ", count_text(view.least));
}

// How it is known, and what is left of it in machine code.
std::string known_text(const AccessView& view) {
    std::vector<std::string> out;
    if (view.counted != "exact")
        out.push_back(cat(view.counted, ": ", view.why));
    if (view.held)
        out.push_back(cat(count_text(view.held->units), " if held in registers over ", join(view.held->over, ", ")));
    if (!view.note.empty())
        out.push_back(view.note);
    return join(out, "; ");
}

Cells row_of(const AccessView& view, const std::string& script) {
    return cells(right(place_text(script, view.place)), cat(view.kind, view.tensor.empty() ? "" : " " + view.tensor),
                 view.memory, right(vector_text(view)), right(traffic_text(view)), view.units > 0 ? view.unit : "",
                 known_text(view), view.address);
}

std::string finding_text(const KernelFinding& finding, const std::string& script) {
    std::string out = cat(finding.place.known() ? cat(script, ":", finding.place.line, ": ") : "", finding.sentence,
                          finding.seconds > 0 ? cat(" (~", time_text(finding.seconds), ")") : "", "\n");
    if (!finding.cure.empty())
        out += cat("  cure: ", finding.cure, "\n");
    if (!finding.fixes.empty())
        out += cat("  fix: ", finding.fixes.back().title, ", which '--fix' does\n");
    return out;
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
    std::vector<std::string> parts;
    for (std::size_t d = 0; d < extents.size(); ++d)
        if (d == 0 || extents[d] != 1 || (d == 1 && extents[2] != 1))
            parts.push_back(cat(extents[d]));
    return join(parts, " x ");
}

bool is_known(const std::vector<std::int64_t>& extents) {
    return std::ranges::all_of(extents, [](std::int64_t extent) { return extent > 0; });
}

std::string cost_text(const CostView& cost) {
    std::vector<Cells> rows;
    const auto row = [&](const char* what, const std::string& value) { rows.push_back({{what}, {value}}); };
    row("operations", flops_text(cost));
    row("global memory", cat(bytes_text(cost.requested_bytes), " requested, ", bytes_text(cost.sector_bytes),
                             " in sectors, ", bytes_text(cost.unique_bytes), " of arguments",
                             cost.bytes_unknown.empty() ? "" : cat("; ", cost.bytes_unknown)));
    row("shared memory", cat(bytes_text(cost.shared_bytes), " requested; a block has ",
                             bytes_text(static_cast<double>(cost.static_shared + cost.dynamic_shared))));
    row("registers", cost.facts ? registers_text(*cost.facts) : cat("not known: ", cost.facts_unknown));
    if (cost.occupancy && cost.occupancy->impossible.empty()) {
        row("occupancy", cat(cost.facts ? "" : "at most ", occupancy_text(*cost.occupancy)));
        if (cost.occupancy->waves > 0)
            row("waves", cat(waves_text(*cost.occupancy), ", of the last one ", percent_text(cost.tail), " idle"));
    } else if (cost.occupancy) {
        row("occupancy", "none: " + cost.occupancy->impossible);
    }
    row("predicted", predicted_text(cost));
    if (!cost.pipes.empty())
        row("busiest unit",
            cat(cost.pipes.front().name, ", ", three_digits(cost.pipes.front().cycles), " cycles a block"));
    if (cost.roofline.point)
        row("roofline",
            cat(three_digits(cost.roofline.point->intensity), " FLOP/B, predicted ",
                si_text(cost.roofline.point->flops_per_second, "FLOP/s"), " of ",
                si_text(attainable(cost.roofline.roofs, cost.roofline.point->intensity).value_or(0), "FLOP/s")));
    else
        row("roofline", "no point: " + cost.roofline.unknown);
    return columns_text(rows);
}

} // namespace

std::string kernel_text(const KernelExplained& kernel, const std::string& script, bool with_memory) {
    std::string out = cat("kernel '", kernel.name, "' for ", kernel.target);
    if (kernel.cost)
        out += cat(": grid ", is_known(kernel.cost->grid) ? extents_text(kernel.cost->grid) : "not known", ", block ",
                   extents_text(kernel.cost->block));
    out += kernel.sizes.empty() ? "\n" : cat("; ", kernel.sizes, " by the script's first call\n");
    std::vector<Cells> rows =
        transformed(kernel.accesses, [&](const AccessView& view) { return row_of(view, script); });
    if (!rows.empty()) {
        rows.insert(rows.begin(),
                    titles({"line>", "access", "memory", "a lane>", "moves>", "", "counted", "address in bytes"}));
        out += columns_text(rows);
    }
    for (const KernelFinding& finding : kernel.findings)
        out += finding_text(finding, script);
    if (kernel.cost)
        out += cost_text(*kernel.cost);
    if (with_memory)
        out += memory_text(memory_chart(kernel));
    out += loops_text(kernel, script);
    if (kernel.shared)
        out += shared_text(*kernel.shared, script);
    if (kernel.block)
        out += block_text(*kernel.block);
    if (kernel.bounds)
        out += bounds_text(*kernel.bounds, script);
    return kernel.waves ? out + waves_text(*kernel.waves) : out;
}

} // namespace hidet::cli
