// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/waves_text.h"

#include "lang/base/columns.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

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
    std::vector<Cells> rows = {{{waves.rounds_of.empty() ? "wave" : "turn", Align::Right},
                                {"blocks", Align::Right},
                                {"tensor"},
                                {""},
                                {"asked for", Align::Right},
                                {"distinct", Align::Right},
                                {"shared", Align::Right},
                                {"from L2", Align::Right}}};
    for (const WaveView& wave : waves.waves) {
        rows.push_back({{cat(wave.number), Align::Right},
                        {cat(wave.blocks), Align::Right},
                        {"all"},
                        {""},
                        {bytes_text(wave.requested), Align::Right},
                        {bytes_text(wave.distinct), Align::Right},
                        {share_text(wave.requested, wave.distinct), Align::Right},
                        {percent_text(wave.hits), Align::Right}});
        for (const WaveOperand& operand : wave.operands)
            rows.push_back({{""},
                            {""},
                            {operand.tensor},
                            {cat(operand.direction, operand.is_at_most ? ", at most" : "")},
                            {bytes_text(operand.requested), Align::Right},
                            {bytes_text(operand.distinct), Align::Right},
                            {share_text(operand.requested, operand.distinct), Align::Right}});
    }
    return columns_text(rows);
}

} // namespace

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

} // namespace hidet::cli
