// SPDX-License-Identifier: Apache-2.0
// What the units of a block share, and what each of them sees of it.
//
// A block is made of units (block.h), of which each has a topic and owns what it remembers. BlockState has what several
// of them look at: the registers, shared memory, the groups of threads, the order of accesses. A unit is a BlockView: what
// stays as it is while the block lives is copied into it, so that a look at a lane's register costs no indirection, and
// the rest it refers to; const says what units only look at.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "lang/base/finding_words.h"
#include "lang/base/text.h"
#include "runtime/vm/checks/shadow.h"
#include "runtime/vm/group.h"
#include "runtime/vm/launch_context.h"

namespace hidet::vm {

class Block;
class Timeline;

struct MemoryArea {
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
    Shadow* shadow = nullptr; // of shared memory, where the order of accesses is checked
    std::int64_t place = 0;   // in it, or in the allocation
    GlobalShadow* global = nullptr;
    bool is_shared = false;
    std::uint32_t id = 0;          // of the allocation
    InitBitmap* written = nullptr; // of memory of which some may be undefined
    std::int64_t written_at = 0;   // in it
};

AccessVerb verb_of(Purpose purpose);

struct BlockState {
    explicit BlockState(const LaunchContext& launch);
    void start(std::int64_t linear);

    const LaunchContext& context;
    const Function& function;
    const VectorTable& table;
    const int threads, warps, lane_count, chunks;
    const std::size_t stride;
    std::int64_t number = 0, index[3] = {0, 0, 0};
    std::unique_ptr<std::byte[]> register_memory, words_memory;
    std::byte* registers = nullptr;
    std::byte* scratch = nullptr;   // a register (pair) for results that are blended
    std::uint32_t* words = nullptr; // the active mask of the group that asked last, a word a lane
    const Group* words_owner = nullptr;
    std::vector<std::byte> shared_storage;
    std::vector<MemoryArea> shared;
    std::vector<std::int64_t> shared_place; // of each array in the 32-bit shared window
    std::uint64_t clock = 0;
    std::deque<std::unique_ptr<Group>> groups;
    bool progress = false;
    Statistics statistics;
    std::uint64_t thread_steps = 0; // of the launch
    std::vector<Block*> cluster;    // by rank, with itself
    int rank = 0;                   // its own
    Order* order = nullptr;         // null: not checked
    std::unique_ptr<Shadow> shadow;
    Timeline* timeline = nullptr; // null: it is not timed; else it counts too
};

inline std::int64_t stride_of(const artifact::AccessDim& dim, const std::uint64_t* u) {
    return dim.stride_u >= 0 ? dim.stride * static_cast<std::int64_t>(u[artifact::register_of(dim.stride_u)])
                             : dim.stride;
}

class BlockView {
public:
    BlockView(Block& block, BlockState& state);

    Mask all_lanes() const;
    Mask alive_lanes() const;
    int alive_threads() const;
    Finding finding_of(std::uint32_t pc, int lane) const;
    std::string where(int lane) const;
    void note(Finding finding); // it goes on

    std::byte* lanes(std::int32_t v_register) const {
        return m_registers + static_cast<std::size_t>(v_register) * m_stride;
    }

protected:
    void note_in_replay(Finding finding);
    const void* operand(const Group& group, std::uint32_t at, std::uint8_t bytes) const;
    template <class T>
    T lane_value(const Group& group, std::int32_t operand, int lane) const {
        T value{};
        if (artifact::is_u(operand))
            std::memcpy(&value, &group.u[static_cast<std::size_t>(artifact::register_of(operand))], sizeof value);
        else
            std::memcpy(&value, lanes(operand) + static_cast<std::size_t>(lane) * sizeof value, sizeof value);
        return value;
    }
    std::uint64_t lane_bits(const Group& group, std::int32_t operand, int lane, bool is_wide) const {
        return is_wide ? lane_value<std::uint64_t>(group, operand, lane)
                       : lane_value<std::uint32_t>(group, operand, lane);
    }
    LaneRange running(const Group& group) const { return {group.active, m_warps}; }
    std::uint32_t warp_bits(const Mask& lanes) const; // warps of which there are some
    BitRange running_warps(const Group& group) const { return {warp_bits(group.active)}; }
    std::uint64_t& u_slot(Group& group, std::int32_t operand) const {
        return group.u[static_cast<std::size_t>(artifact::register_of(operand))];
    }
    void written(Group& group, std::int32_t v_register) {
        group.versions[static_cast<std::size_t>(v_register)] = ++m_clock | fresh_bit;
    }
    const std::uint32_t* mask_words(Group& group);
    const artifact::Operands& operands_of(const Step& step) const {
        return m_function.operands[static_cast<std::size_t>(step.instr.x)];
    }
    const artifact::Access& access_of(const Step& step) const {
        return m_function.accesses[static_cast<std::size_t>(step.instr.x)];
    }
    const ReadyAccess& ready_access(const Step& step) const {
        return m_context.code->accesses[static_cast<std::size_t>(step.instr.x)];
    }
    const std::string& string_at(std::int32_t row) const {
        return m_context.program->strings[static_cast<std::size_t>(row)];
    }
    template <class... Parts> // what the kernel does
    std::string sentence(int lane, const Parts&... parts) const {
        return cat("kernel '", m_function.name, "' ", parts..., where(lane));
    }
    Finding finding_at(const Group& group, int lane) const { return finding_of(group.pc - 1, lane); }
    template <class... Parts>
    Finding finding_at(const Group& group, FindingKind kind, int lane, const Parts&... parts) const {
        Finding finding = finding_at(group, lane);
        finding.kind = kind;
        finding.message = sentence(lane, parts...);
        return finding;
    }
    [[noreturn]] void fail(Group& group, FindingKind kind, int lane, const std::string& text);
    std::string thread_text(int lane) const;
    std::string actor_text(Actor actor) const;

    Block& m_block;
    const LaunchContext& m_context;
    const Function& m_function;
    const VectorTable& m_table;
    const int m_threads, m_warps, m_lanes, m_chunks;
    const std::size_t m_stride;
    std::byte* const m_registers;
    std::byte* const m_scratch;
    std::uint32_t* const m_words;
    const Group*& m_words_owner;
    const std::vector<MemoryArea>& m_shared;
    const std::vector<std::int64_t>& m_shared_place;
    Shadow* const m_shadow;
    const bool m_counts; // what each instruction does
    const std::int64_t& m_number;
    const std::int64_t (&m_index)[3];
    std::uint64_t& m_clock;
    std::deque<std::unique_ptr<Group>>& m_groups;
    bool& m_progress;
    const std::vector<Block*>& m_cluster;
    const int& m_rank;
    Order* const& m_order;
    Timeline* const& m_timeline;
};

} // namespace hidet::vm
