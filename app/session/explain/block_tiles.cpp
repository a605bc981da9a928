// SPDX-License-Identifier: Apache-2.0
// Which elements of its operands one block touches.
#include <algorithm>
#include <map>

#include "app/session/explain/explained_source.h"
#include "app/session/work/work.h"
#include "compiler/analysis/access/access_map.h"
#include "compiler/analysis/access/footprint.h"
#include "compiler/artifact/marks.h"
#include "compiler/ir/layout.h"
#include "compiler/ir/type.h"

namespace hidet::session {

namespace {

namespace access = compiler::access;

struct OperandShape {
    std::string dtype;
    std::int64_t element_bytes = 1;
    std::vector<std::int64_t> shape; // empty: not known
};

OperandShape shape_in(const ir::Function& function, const std::string& tensor, const SymbolValues& sizes) {
    OperandShape out;
    for (const ir::VarRef& param : function.params) {
        if (param->name != tensor)
            continue;
        const ir::TypeRef element = ir::element_of(param->type);
        const auto dtype = element ? ir::scalar_of(element) : std::nullopt;
        if (!dtype || ir::is_subbyte(*dtype))
            return out;
        out.dtype = ir::info(*dtype).short_name;
        out.element_bytes = ir::info(*dtype).bits / 8;
        const ir::TensorType* type = ir::tensor_of(param->type);
        if (!type || (type->layout && !ir::is_row_major(type->layout)))
            return out;
        for (const ir::ExprRef& extent : type->shape) {
            const auto known = access::known_size(extent, sizes);
            if (!known || *known <= 0) {
                out.shape.clear();
                return out;
            }
            out.shape.push_back(*known);
        }
        return out;
    }
    return out;
}

// The kernel's own parameter says it, else that of a function of the same name for the tensor.
OperandShape shape_of_operand(const ExplainedSource& source, const std::string& tensor) {
    OperandShape out;
    for (const bool is_kernel : {true, false})
        for (const ir::FunctionRef& function : source.script->functions) {
            if ((function->name == source.kernel->name) != is_kernel || !out.shape.empty())
                continue;
            if (OperandShape next = shape_in(*function, tensor, source.sizes); !next.shape.empty() || out.dtype.empty())
                out = std::move(next);
        }
    return out;
}

// Elements, from stretches of bytes.
access::ByteSet elements_of(const access::ByteSet& bytes, std::int64_t width, std::int64_t count) {
    access::ByteSet out;
    for (const access::Bytes& each : bytes) {
        const std::int64_t begin = std::max<std::int64_t>(each.begin / width, 0);
        const std::int64_t end = std::min((each.end + width - 1) / width, count);
        if (begin < end)
            out.push_back({begin, end});
    }
    access::unite(out);
    return out;
}

std::vector<std::int64_t> index_in(const std::vector<std::int64_t>& shape, std::int64_t element) {
    std::vector<std::int64_t> out(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; element /= shape[d])
        out[d] = element % shape[d];
    return out;
}

// Elements behind each other are a box of their own where they stay in a row, else whole rows.
void widen_hull(BlockOperand& operand, const access::ByteSet& elements) {
    for (const access::Bytes& each : elements) {
        std::vector<std::int64_t> first = index_in(operand.shape, each.begin),
                                  last = index_in(operand.shape, each.end - 1);
        const auto apart = std::ranges::mismatch(first, last).in1 - first.begin();
        for (auto d = static_cast<std::size_t>(apart) + 1; d < first.size(); ++d)
            first[d] = 0, last[d] = operand.shape[d] - 1;
        if (operand.low.empty())
            operand.low = first, operand.high = last;
        for (std::size_t d = 0; d < first.size(); ++d) {
            operand.low[d] = std::min(operand.low[d], first[d]);
            operand.high[d] = std::max(operand.high[d], last[d]);
        }
    }
}

// The share of each cell.
std::vector<std::vector<double>> picture_of_elements(const BlockOperand& operand, const access::ByteSet& elements) {
    const auto cells = [](std::int64_t count, std::int64_t of_cell) {
        return static_cast<std::size_t>((count + of_cell - 1) / of_cell);
    };
    if (elements.empty())
        return {};
    std::vector<std::vector<double>> out(cells(operand.rows, operand.cell_rows),
                                         std::vector<double>(cells(operand.columns, operand.cell_columns), 0));
    for (const access::Bytes& each : elements)
        for (std::int64_t at = each.begin; at < each.end;) {
            const std::int64_t row = at / operand.columns, column = at % operand.columns;
            const std::int64_t cell = column / operand.cell_columns;
            const std::int64_t end =
                std::min({each.end - at, (cell + 1) * operand.cell_columns - column, operand.columns - column});
            out[static_cast<std::size_t>(row / operand.cell_rows)][static_cast<std::size_t>(cell)] +=
                static_cast<double>(end);
            at += end;
        }
    for (std::size_t r = 0; r < out.size(); ++r)
        for (std::size_t c = 0; c < out[r].size(); ++c) {
            const auto left = [](std::int64_t count, std::int64_t of_cell, std::size_t cell) {
                return static_cast<double>(std::min(of_cell, count - static_cast<std::int64_t>(cell) * of_cell));
            };
            out[r][c] /= left(operand.rows, operand.cell_rows, r) * left(operand.columns, operand.cell_columns, c);
        }
    return out;
}

class BlockReader {
public:
    BlockReader(const ExplainedSource& source, const BlockRequest& request, const access::Footprint& footprint)
        : m_source(source), m_request(request), m_footprint(footprint) {}

    std::vector<BlockOperand> read() {
        struct Touched {
            access::ByteSet read, written;
            bool is_at_most = false;
        };
        std::map<std::string, Touched> all;
        for (const access::FootprintPart& part : m_footprint.parts) {
            if (!part.has(m_request.block))
                continue;
            Touched& of = all[part.tensor];
            access::add_touched(part, m_request.block, -1, part.writes ? of.written : of.read);
            of.is_at_most = of.is_at_most || part.is_guarded;
        }
        std::vector<BlockOperand> out;
        for (auto& [tensor, of] : all) {
            access::unite(of.read), access::unite(of.written);
            if (of.read.empty() && of.written.empty())
                continue;
            out.push_back(operand_of(tensor, of.read, of.written));
            out.back().is_at_most = of.is_at_most;
        }
        return out;
    }

private:
    BlockOperand operand_of(const std::string& tensor, const access::ByteSet& read,
                            const access::ByteSet& written) const {
        const OperandShape known = shape_of_operand(m_source, tensor);
        BlockOperand out;
        out.tensor = tensor;
        out.direction = read.empty() ? "written" : written.empty() ? "read" : "read and written";
        out.dtype = known.dtype;
        out.shape = known.shape;
        std::int64_t end = 0;
        for (const access::ByteSet* set : {&read, &written})
            if (!set->empty())
                end = std::max(end, set->back().end);
        if (out.shape.empty())
            out.shape = {std::max<std::int64_t>((end + known.element_bytes - 1) / known.element_bytes, 1)};
        std::int64_t count = 1;
        for (const std::int64_t extent : out.shape)
            count *= extent;
        for (const access::ByteSet* set : {&read, &written})
            for (const access::Bytes& each : *set) {
                const std::int64_t inside_begin = std::clamp<std::int64_t>(each.begin, 0, count * known.element_bytes);
                const std::int64_t inside_end = std::clamp<std::int64_t>(each.end, 0, count * known.element_bytes);
                out.outside += each.end - each.begin - (inside_end - inside_begin);
            }
        const access::ByteSet reads = elements_of(read, known.element_bytes, count),
                              writes = elements_of(written, known.element_bytes, count);
        out.read = access::bytes_of(reads), out.written = access::bytes_of(writes);
        widen_hull(out, reads), widen_hull(out, writes);
        out.columns = out.shape.back(), out.rows = count / out.columns;
        out.cell_rows = (out.rows + m_request.most_rows - 1) / m_request.most_rows;
        out.cell_columns = (out.columns + m_request.most_columns - 1) / m_request.most_columns;
        out.read_share = picture_of_elements(out, reads), out.written_share = picture_of_elements(out, writes);
        return out;
    }

    const ExplainedSource& m_source;
    const BlockRequest& m_request;
    const access::Footprint& m_footprint;
};

void follow_block(const ExplainedSource& source, const BlockRequest& request, const std::atomic<bool>* cancelled,
                  BlockView& out) {
    access::FootprintRequest asked;
    asked.blocks = {request.block[0] + request.grid[0] * (request.block[1] + request.grid[1] * request.block[2])};
    asked.cancelled = cancelled;
    const access::Footprint footprint = access::footprint_of(*source.module, *source.kernel, source.sizes, asked);
    for (const std::string& tensor : footprint.unknown)
        out.left_out.push_back(tensor.empty() ? "memory that has no name" : tensor);
    if (footprint.is_cut_short)
        out.unknown = "its blocks take too long to follow";
    else
        out.operands = BlockReader(source, request, footprint).read();
    if (out.operands.empty() && out.unknown.empty())
        out.unknown =
            out.left_out.empty() ? "it touches no tensor" : "the places of all that it touches depend on data";
}

} // namespace

BlockView block_of(const ExplainedSource& source, const BlockRequest& request, const std::atomic<bool>* cancelled) {
    BlockView out;
    for (const std::int64_t at : request.block)
        out.block.push_back(std::max<std::int64_t>(0, at));
    out.grid = request.grid;
    artifact::LaunchShape shape;
    for (std::size_t d = 0; d < 3; ++d)
        if (d >= request.grid.size() || request.grid[d] <= 0)
            out.unknown = "the grid is not known";
        else
            shape.grid.at(d) = request.grid[d];
    if (!out.unknown.empty())
        return out;
    const auto number = artifact::block_number(shape, request.block);
    if (!number) {
        out.unknown = "the grid has no such block";
        return out;
    }
    BlockRequest asked = request;
    asked.block = {*number % shape.grid[0], *number / shape.grid[0] % shape.grid[1],
                   *number / shape.grid[0] / shape.grid[1]};
    out.block.assign(asked.block.begin(), asked.block.end());
    Work work = work_for("a block of " + source.kernel->name, cancelled);
    work.enter("following a block");
    guarded(work, [&] { follow_block(source, asked, cancelled, out); });
    if (work.sink.has_errors())
        out.unknown = work.sink.all().front().message;
    return out;
}

} // namespace hidet::session
