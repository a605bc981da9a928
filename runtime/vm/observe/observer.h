// SPDX-License-Identifier: Apache-2.0
// What a block counts, and tells its timeline (counters.cpp, timed.cpp). Nothing of it runs where nobody asks.
#pragma once

#include <functional>
#include <vector>

#include "runtime/vm/core/block_view.h"
#include "runtime/vm/core/target.h"
#include "runtime/vm/observe/counters.h"

namespace hidet::vm {

struct BulkCopy;
struct Mbarrier;

class Observer : BlockView {
public:
    explicit Observer(const BlockView& view) : BlockView(view), m_counters(m_counts ? m_function.code.size() : 0) {}
    void count_branch(Group& group, const Mask& some, const Mask& others);
    void add_flops(const Group& group, std::uint64_t flops);
    void observe(Group& group, const Step& step); // where somebody counts
    void count_access(Group& group, const Step& step, const Target& target, Purpose purpose);
    void count_copies(Group& group, const Step& step);
    void count_tiles(Group& group, const artifact::Operands& row, int tiles);
    void count_bulk(Group& group, const BulkCopy& copy, int blocks);
    void add_counters(std::vector<Counters>& sums) const; // by instruction
    void note_products(const Group& group, std::uint64_t flops_of_warp);
    void note_warp_group(const Group& group, std::int32_t pending);
    void note_phase(Group& group, const Step& step, const Mask& lanes);
    void note_box(const Group& group, Block& to, std::int64_t bytes, std::uint64_t barrier, const Mbarrier& counts,
                  int lane);
    void note_cluster();

private:
    void count(Group& group, const Step& step);
    template <class PieceOf>
    Traffic traffic_of(const Group& group, bool is_shared, bool updates, PieceOf piece_of,
                       const std::function<artifact::Piece(int lane)>& read_of = {}) const;
    void note_step(Group& group, const Step& step);
    void note_copies(const Group& group, const Step& step);
    void note_flops(const Group& group, std::uint64_t flops);

    std::vector<Counters> m_counters; // by instruction; none: not counted
};

} // namespace hidet::vm
