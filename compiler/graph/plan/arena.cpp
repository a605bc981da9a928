// SPDX-License-Identifier: Apache-2.0
// Where all sizes are constants, the layout that memory.h finds is taken as it is. Where they depend on symbols, it is found
// for one value of each and says only which buffers lie below which: an offset is then the greatest end of those below that
// are alive at the same time. Two buffers alive together are always ordered, so they share no byte whatever the symbols are.
#include "compiler/graph/plan/arena.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "compiler/graph/plan/extent.h"
#include "compiler/ir/ops.h"
#include "compiler/schedule/kernel.h"
#include "lang/base/text.h"

namespace hidet::graph {

namespace {

using artifact::ExprOp;
using artifact::most_addressable;
using artifact::Row;

constexpr std::int64_t usual_extent = 64;
constexpr std::size_t max_pairs = 200'000; // of buffers alive together, before they are stacked

std::int64_t usual_size(const Dim& bytes) {
    SymbolValues symbols;
    for (const std::string& name : symbols_of({bytes}))
        symbols[name] = usual_extent;
    const auto size = evaluate(bytes, symbols);
    return size && *size >= 0 && *size <= most_addressable ? *size : usual_extent * usual_extent;
}

class Placing {
public:
    Placing(artifact::PlanBody& body, Expressions& expressions, const std::vector<PlannedBuffer>& buffers)
        : m_body(body), m_expressions(expressions), m_buffers(buffers) {}

    Row run() {
        m_offsets.resize(m_buffers.size());
        std::vector<BufferLife> lives;
        for (const PlannedBuffer& buffer : m_buffers)
            lives.push_back({usual_size(buffer.bytes), buffer.first, buffer.last});
        const auto neighbours = neighbours_of(lives, max_pairs);
        if (!neighbours)
            return stack();
        find_order(lives);
        find_below(*neighbours);
        Row end = m_expressions.constant(0);
        for (const std::uint32_t i : m_order) {
            m_offsets[i] = m_expressions.constant(0);
            for (const std::uint32_t other : highest(m_below[i]))
                m_offsets[i] = m_expressions.combined(ExprOp::Max, m_offsets[i], end_of(other));
            m_body.values[m_buffers[i].value].offset = m_offsets[i];
            end = m_expressions.combined(ExprOp::Max, end, end_of(i));
        }
        return end;
    }

private:
    void find_order(const std::vector<BufferLife>& lives) {
        const std::vector<std::int64_t> offsets = lay_out(lives).offsets;
        m_order.resize(m_buffers.size());
        std::iota(m_order.begin(), m_order.end(), 0);
        std::ranges::stable_sort(m_order, {}, [&](std::uint32_t i) { return offsets[i]; });
        m_rank.resize(m_order.size());
        for (std::uint32_t rank = 0; rank < m_order.size(); ++rank)
            m_rank[m_order[rank]] = rank;
    }
    void find_below(const std::vector<std::vector<std::uint32_t>>& neighbours) {
        m_below.resize(m_buffers.size());
        for (std::uint32_t i = 0; i < m_buffers.size(); ++i)
            std::ranges::copy_if(neighbours[i], std::back_inserter(m_below[i]),
                                 [&](std::uint32_t other) { return m_rank[other] < m_rank[i]; });
    }
    // Those of the buffers that none of the others lies on.
    std::vector<std::uint32_t> highest(std::vector<std::uint32_t> below) const {
        std::ranges::sort(below, std::greater<>(), [&](std::uint32_t i) { return m_rank[i]; });
        std::vector<std::uint32_t> out;
        std::vector<bool> is_covered(m_buffers.size());
        for (const std::uint32_t each : below) {
            if (!is_covered[each])
                out.push_back(each);
            for (const std::uint32_t lower : m_below[each])
                is_covered[lower] = true;
        }
        return out;
    }
    Row end_of(std::uint32_t i) {
        const Dim rounded = simplified(ir::mul(ceil_div(m_buffers[i].bytes, arena_alignment), dim(arena_alignment)));
        return m_expressions.combined(ExprOp::Add, m_offsets[i], m_expressions.of(rounded));
    }
    Row stack() {
        Row end = m_expressions.constant(0);
        for (std::uint32_t i = 0; i < m_buffers.size(); ++i) {
            m_body.values[m_buffers[i].value].offset = m_offsets[i] = end;
            end = end_of(i);
        }
        return end;
    }

    artifact::PlanBody& m_body;
    Expressions& m_expressions;
    const std::vector<PlannedBuffer>& m_buffers;
    std::vector<std::uint32_t> m_order; // from the lowest to the highest
    std::vector<std::uint32_t> m_rank;  // in it
    std::vector<std::vector<std::uint32_t>> m_below;
    std::vector<Row> m_offsets;
};

} // namespace

void place_buffers(artifact::PlanBody& body, artifact::PlanSection& section, Expressions& expressions,
                   const std::vector<PlannedBuffer>& buffers) {
    std::vector<BufferLife> lives;
    for (const PlannedBuffer& buffer : buffers)
        if (const auto bytes = constant_of(buffer.bytes)) {
            if (*bytes < 0 || *bytes > most_addressable)
                throw OpError(cat("a tensor of ", *bytes, " bytes is too large"));
            lives.push_back({*bytes, buffer.first, buffer.last});
        }
    if (lives.size() < buffers.size()) {
        section.arena_bytes = Placing(body, expressions, buffers).run();
        return;
    }
    const ArenaLayout layout = lay_out(lives);
    section.arena_bytes = expressions.constant(layout.bytes);
    section.liveness_bound = expressions.constant(layout.bound);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        body.values[buffers[i].value].offset = expressions.constant(layout.offsets[i]);
}

} // namespace hidet::graph
