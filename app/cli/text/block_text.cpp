// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/block_text.h"

#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> parts;
    for (const std::int64_t number : numbers)
        parts.push_back(cat(number));
    return join(parts, ", ");
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

} // namespace

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

} // namespace hidet::cli
