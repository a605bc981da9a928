// SPDX-License-Identifier: Apache-2.0
// Counting what instructions do. What the lanes' part of an access costs depends on nothing but the part, the running
// threads and, for sectors, where in a sector it begins; so it is computed once for each and kept beside the part.
#include "runtime/vm/observe/counters.h"

#include <array>
#include <bit>
#include <functional>
#include <span>

#include "runtime/vm/block.h"

namespace hidet::vm {

using artifact::bank_bytes;
using artifact::bank_count;
using artifact::Piece;
using artifact::sector_bytes;

const char* word_of(WorkKind kind) {
    static constexpr const char* words[] = {
#define HIDET_WORK_KIND(name, word) word,
#include "runtime/vm/observe/work_kinds.def"
    };
    return words[static_cast<std::size_t>(kind)];
}

// What opens and closes frames is no work of a GPU.
std::optional<WorkKind> work_kind(const Instr& i) {
    if (i.op >= Op::Sin && i.op <= Op::Log1p)
        return WorkKind::Function;
    switch (i.op) {
    case Op::Undefine:
    case Op::Else:
    case Op::EndIf:
    case Op::LoopBegin:
    case Op::LoopEnd:
    case Op::RegionBegin:
    case Op::RegionEnd:
    case Op::Spin: return std::nullopt;
    case Op::Pow:
    case Op::Atan2: return WorkKind::Function;
    case Op::Convert: return WorkKind::Convert;
    case Op::Move:
    case Op::Select:
    case Op::Wrap:
    case Op::Pack64:
    case Op::Unpack64:
    case Op::ThreadIdx:
    case Op::LaneIdx:
    case Op::Special:
    case Op::Symbol:
    case Op::SharedPointer:
    case Op::LocalPointer:
    case Op::GlobalPointer: return WorkKind::Move;
    case Op::MulAddAll: return WorkKind::Floating;
    case Op::Jump:
    case Op::JumpIf:
    case Op::If:
    case Op::LoopTest:
    case Op::LoopNext:
    case Op::Break:
    case Op::Continue:
    case Op::Leave:
    case Op::Exit:
    case Op::Return: return WorkKind::Control;
    case Op::Load: return WorkKind::Load;
    case Op::Store: return WorkKind::Store;
    case Op::Address:
    case Op::ToShared:
    case Op::FromShared:
    case Op::MapShared:
    case Op::PeerAddress: return WorkKind::Integer;
    case Op::AtomicAdd:
    case Op::AtomicSub:
    case Op::AtomicMin:
    case Op::AtomicMax:
    case Op::AtomicExchange:
    case Op::AtomicCas:
    case Op::AtomicAnd:
    case Op::AtomicOr:
    case Op::AtomicXor:
    case Op::AtomicBits: return WorkKind::Atomic;
    case Op::CpAsync:
    case Op::TensorLoad:
    case Op::PixelLoad:
    case Op::TensorStore:
    case Op::TensorReduce:
    case Op::BulkLoad:
    case Op::BulkMove:
    case Op::BulkStore:
    case Op::BulkReduce:
    case Op::BulkPrefetch: return WorkKind::Copy;
    case Op::Shuffle:
    case Op::Ballot:
    case Op::Any:
    case Op::All:
    case Op::Elect:
    case Op::MatchAny:
    case Op::MatchAll:
    case Op::Redux:
    case Op::ActiveMask:
    case Op::Clock: return WorkKind::Warp;
    case Op::LdMatrix:
    case Op::StMatrix:
    case Op::Mma:
    case Op::Wgmma: return WorkKind::Matrix;
    case Op::Fence:
    case Op::Barrier:
    case Op::BarrierArrive:
    case Op::BarrierReduce:
    case Op::SyncWarp:
    case Op::ClusterBarrier:
    case Op::MbarInit:
    case Op::MbarEnd:
    case Op::MbarArrive:
    case Op::MbarExpect:
    case Op::MbarComplete:
    case Op::MbarWait:
    case Op::MbarTest:
    case Op::CpCommit:
    case Op::CpArrive:
    case Op::CpWait:
    case Op::BulkCommit:
    case Op::BulkWait:
    case Op::WarpGroup:
    case Op::Registers: return WorkKind::Synchronise;
    case Op::Print:
    case Op::Assert: return WorkKind::Other;
    default: return i.type < Scalar::F8E4M3 ? WorkKind::Integer : WorkKind::Floating;
    }
}

// A vector is loaded element by element, the first of which knows how many bytes there are: what a GPU asks for at once.
void find_requests(Code& code, const Function& function) {
    int rest = 0; // elements of the vector that follow
    for (Step& step : code.steps) {
        const bool is_element = step.op == Op::Load || step.op == Op::Store;
        const bool is_update = step.op >= Op::AtomicAdd && step.op <= Op::AtomicBits;
        if (!is_element && !is_update)
            continue;
        const artifact::Access& access = function.accesses[static_cast<std::size_t>(step.instr.x)];
        const int bytes = artifact::scalar_bytes(access.element);
        step.request_bytes = static_cast<std::uint8_t>(bytes);
        if (rest > 0 && access.align == 1) {
            step.request_bytes = 0;
            --rest;
        } else if (access.align > bytes) {
            step.request_bytes = access.align;
            rest = access.align / bytes - 1;
        }
    }
}

void Observer::count(Group& group, const Step& step) {
    if (!group.running || !work_kind(step.instr))
        return;
    const std::uint64_t times =
        step.op == Op::MulAddAll ? m_context.code->triples[static_cast<std::size_t>(step.instr.x)].size() / 3 : 1;
    Counters& counters = m_counters[group.pc - 1];
    const auto warps = static_cast<std::uint64_t>(std::popcount(warp_bits(group.active)));
    counters.warps += times * warps;
    counters.threads += times * static_cast<std::uint64_t>(group.running);
    if (step.op == Op::JumpIf)
        counters.branches += warps;
}

void Observer::count_branch(Group& group, const Mask& some, const Mask& others) {
    if (!m_counts)
        return;
    Counters& counters = m_counters[group.pc - 1];
    for (int w = 0; w < m_warps; ++w) {
        counters.branches += some.warp(w) || others.warp(w);
        counters.divergent += some.warp(w) && others.warp(w);
    }
}

void Observer::add_flops(const Group& group, std::uint64_t flops) {
    m_counters[group.pc - 1].flops += flops;
    if (m_timeline)
        note_flops(group, flops);
}

// `piece_of`: what a running lane touches, in its memory; nothing where it has no bytes. `read_of`: what a copy of it reads.
template <class PieceOf>
Traffic Observer::traffic_of(const Group& group, bool is_shared, bool updates, PieceOf piece_of,
                             const std::function<Piece(int lane)>& read_of) const {
    Traffic sum;
    std::array<Piece, 32> pieces, read;
    std::array<int, 32> lanes;
    for (int w : running_warps(group)) {
        std::size_t count = 0;
        for (int lane : BitRange{group.active.warp(w)}) {
            lanes[count] = lane;
            pieces[count] = piece_of(32 * w + lane);
            if (read_of)
                read[count] = read_of(32 * w + lane);
            count += pieces[count].size > 0;
        }
        if (count && !is_shared)
            sum.add(artifact::sectors_of(std::span(pieces).first(count)));
        else if (count)
            sum.add(artifact::banks_of(std::span(pieces).first(count), std::span(lanes).first(count), updates,
                                       std::span(read).first(read_of ? count : 0)));
    }
    return sum;
}

// Of an access that `target` says the place of.
void Observer::count_access(Group& group, const Step& step, const Target& target, Purpose purpose) {
    if (target.local || !step.request_bytes)
        return;
    Counters& counters = m_counters[group.pc - 1];
    const int bytes = step.request_bytes;
    const LanePart* part = target.part;
    if (target.lane_by_lane) {
        counters.global.add(traffic_of(group, false, purpose == Purpose::Atomic, [&](int lane) {
            return Piece{static_cast<std::int64_t>(part->lane_pointer) + target.offset_of(lane) + target.local_offset,
                         bytes};
        }));
        return;
    }
    // Places are counted from one that has none below it.
    const std::int64_t base = target.place % (target.is_shared ? bank_bytes : sector_bytes);
    const std::int64_t lowest = part ? std::min<std::int64_t>(part->pattern.lowest, 0) : 0;
    const std::int64_t start =
        base + (bank_count * bank_bytes - lowest - 1) / (bank_count * bank_bytes) * (bank_count * bank_bytes);
    const auto compute = [&] {
        return traffic_of(group, target.is_shared, purpose == Purpose::Atomic, [&](int lane) {
            return Piece{start + target.offset_of(lane), bytes};
        });
    };
    Traffic& sum = target.is_shared ? counters.shared : counters.global;
    if (!part)
        return sum.add(compute());
    const LanePart::Known key{static_cast<int>(base), bytes, target.is_shared, purpose == Purpose::Atomic};
    for (const auto& [known, traffic] : part->traffic)
        if (known == key)
            return sum.add(traffic);
    part->traffic.emplace_back(key, compute());
    sum.add(part->traffic.back().second);
}

// cp_async: from global to shared memory.
void Observer::count_copies(Group& group, const Step& step) {
    Counters& counters = m_counters[group.pc - 1];
    const int bytes = step.instr.x;
    const auto to = [&](int lane) {
        return Piece{m_block.memory.shared_memory(lane_value<std::uint64_t>(group, step.instr.a, lane)).place, bytes};
    };
    const auto from = [&](int lane) {
        const int read = step.instr.c < 0 ? bytes : lane_value<std::int32_t>(group, step.instr.c, lane);
        return Piece{static_cast<std::int64_t>(lane_value<std::uint64_t>(group, step.instr.b, lane)), read};
    };
    counters.global.add(traffic_of(group, false, false, from));
    counters.shared.add(traffic_of(group, true, false, to, from));
}

// ldmatrix and stmatrix: eight lanes give the rows of a tile.
void Observer::count_tiles(Group& group, const artifact::Operands& row, int tiles) {
    m_counters[group.pc - 1].shared.add(traffic_of(group, true, false, [&](int lane) {
        if (lane % 32 >= 8 * tiles)
            return Piece{};
        return Piece{m_block.memory.shared_memory(lane_value<std::uint64_t>(group, row.items.back(), lane)).place, 16};
    }));
}

// A copy of the copy unit, which has no bank conflicts. What it takes of a row is one piece, in however many runs.
// What several blocks get is read once, and written in each of them.
void Observer::count_bulk(Group& group, const BulkCopy& copy, int blocks) {
    Counters& counters = m_counters[group.pc - 1];
    Traffic global{.requests = 1}, shared{.requests = 1, .worst = 1};
    Piece open{};
    const auto close = [&] {
        if (open.size == 0)
            return;
        const Traffic sectors = artifact::sectors_of({&open, 1});
        global.bytes += sectors.bytes, global.units += sectors.units, global.least += sectors.least;
        global.worst = std::max(global.worst, sectors.worst);
        open = {};
    };
    std::int64_t in_row = 0;
    for (const CopyRun& run : copy.runs) {
        shared.bytes += static_cast<std::uint64_t>(run.bytes) * static_cast<std::uint64_t>(run.rows);
        for (std::int32_t row = 0; row < run.rows; ++row) {
            const std::int64_t begin = run.copied ? run.global - copy.memory + row * run.pitch : 0;
            if (run.copied && open.size && begin == open.begin + open.size)
                open.size += run.copied;
            else if (run.copied)
                close(), open = {begin, run.copied};
            in_row += run.bytes;
            if (in_row >= copy.row_bytes)
                close(), in_row = 0;
        }
    }
    close();
    shared.units = shared.least = (shared.bytes + bank_count * bank_bytes - 1) / (bank_count * bank_bytes);
    for (std::uint64_t* each : {&shared.bytes, &shared.units, &shared.least})
        *each *= static_cast<std::uint64_t>(blocks);
    counters.global.add(global), counters.shared.add(shared);
}

void Observer::add_counters(std::vector<Counters>& sums) const {
    sums.resize(std::max(sums.size(), m_counters.size()));
    for (std::size_t pc = 0; pc < m_counters.size(); ++pc)
        sums[pc].add(m_counters[pc]);
}

} // namespace hidet::vm
