// SPDX-License-Identifier: Apache-2.0
// A copy moves its data as late as is legal, when the issuing thread waits for it, and fills its destination with NaNs when it is
// issued; so a kernel that reads too early computes what nobody takes for a result.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "runtime/vm/checks/block_notes.h"
#include "runtime/vm/observe/timeline.h"

namespace hidet::vm {

namespace {

constexpr std::size_t most_patterns = 1024; // that are kept

// The most that cp.async copies, which nearly all copy.
constexpr int whole_bytes = 16;

void learn_places(CopyPlaces& places, const std::vector<int>& rows) {
    places.lowest = places.highest = 0;
    places.low_bits = 0;
    for (int row : rows) {
        const std::int64_t at = places.of_lanes[static_cast<std::size_t>(row)];
        places.lowest = std::min(places.lowest, at);
        places.highest = std::max(places.highest, at);
        places.low_bits |= static_cast<std::uint64_t>(at);
    }
}

// Four threads' pieces as one line, if they read such.
std::optional<LineMove> line_move_of(std::span<const CopyPattern::Move, LineMove::pieces> moves) {
    const std::int64_t from = moves.front().from, to = std::ranges::min(moves, {}, &CopyPattern::Move::to).to;
    if (!std::in_range<std::int32_t>(from) || !std::in_range<std::int32_t>(to))
        return std::nullopt;
    LineMove line{static_cast<std::int32_t>(to), static_cast<std::int32_t>(from)};
    unsigned filled = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const auto at = static_cast<std::size_t>(moves[i].to - to), piece = at / whole_bytes;
        const bool is_next = moves[i].from == from + static_cast<std::int64_t>(i) * whole_bytes;
        if (!is_next || at % whole_bytes || piece >= moves.size())
            return std::nullopt;
        filled |= 1u << piece;
        for (std::size_t half = 0; half < 2; ++half)
            line.order[2 * piece + half] = static_cast<std::uint8_t>(2 * i + half);
    }
    return filled == (1u << LineMove::pieces) - 1 ? std::optional(line) : std::nullopt;
}

void learn_moves(CopyPattern& pattern, int bytes) {
    for (int row : pattern.rows)
        pattern.moves.push_back(
            {pattern.to.of_lanes[static_cast<std::size_t>(row)], pattern.from.of_lanes[static_cast<std::size_t>(row)]});
    const std::span<const CopyPattern::Move> all = pattern.moves;
    for (std::size_t i = 0; bytes == whole_bytes && i + LineMove::pieces <= all.size(); i += LineMove::pieces) {
        const std::optional<LineMove> line = line_move_of(all.subspan(i).first<LineMove::pieces>());
        if (!line)
            break;
        pattern.lines.push_back(*line);
    }
    const auto add = [&](std::vector<CopyPattern::Run>& runs, std::int64_t at) {
        const bool goes_on = !runs.empty() && at >= runs.back().at && at <= runs.back().at + runs.back().bytes;
        if (goes_on)
            runs.back().bytes = std::max(runs.back().bytes, at + bytes - runs.back().at);
        else
            runs.push_back({at, bytes});
    };
    std::vector<std::int64_t> places;
    for (const CopyPattern::Move& move : pattern.moves) {
        places.push_back(move.to);
        add(pattern.read, move.from);
    }
    std::ranges::sort(places);
    for (std::int64_t place : places)
        add(pattern.written, place);
}

} // namespace

void AsyncCopies::tell_debugger(Group& group, const Step& step) {
    for (int lane : running(group))
        if (const std::uint64_t to = m_block.memory.pointer_of(group, step.instr.a, lane);
            is_own_shared(to) && shared_row(to) < m_shared.size())
            BlockOwners::note_shared(m_block, group,
                                     {m_shared[shared_row(to)].data + offset_of(to), step.instr.x, lane, true});
}

// Lanes with as many bytes to read copy together.
void AsyncCopies::issue_copy(Group& group, const Step& step) {
    const int bytes = step.instr.x;
    if (m_context.replay)
        tell_debugger(group, step);
    Mask rest = group.active;
    for (int first = rest.first(m_chunks); first >= 0; first = rest.first(m_chunks)) {
        const int source = step.instr.c < 0 ? bytes : lane_value<std::int32_t>(group, step.instr.c, first);
        Mask lanes = rest;
        if (step.instr.c >= 0 && !is_u(step.instr.c)) {
            lanes = {};
            for_each_lane(rest, m_warps, [&](int lane) {
                if (lane_value<std::int32_t>(group, step.instr.c, lane) == source)
                    lanes.set(lane);
            });
        }
        if (!issue_together(group, step, lanes, source)) {
            m_block.memory.settle_address(group, step.instr.a);
            m_block.memory.settle_address(group, step.instr.b);
            for_each_lane(lanes, m_warps, [&](int lane) { issue_alone(group, step, lane, source); });
        }
        rest.remove(lanes, m_chunks);
    }
    ++m_issued;
    if (m_counts)
        m_block.observer.count_copies(group, step);
}

std::shared_ptr<const CopyPattern> AsyncCopies::copy_pattern(Group& group, const Step& step, const Mask& lanes) {
    std::uint64_t key = mix(group.pc, static_cast<std::uint64_t>(step.instr.x));
    for (int w = 0; w < m_warps; ++w)
        key = mix(key, lanes.warp(w));
    if (m_copy_patterns.size() >= most_patterns && !m_copy_patterns.contains(key))
        m_copy_patterns.clear();
    std::shared_ptr<CopyPattern>& known = m_copy_patterns[key];
    const bool is_kept = known && known->lanes.equals(lanes, m_chunks) &&
                         has_places(group, step.instr.a, *known, known->to) &&
                         has_places(group, step.instr.b, *known, known->from);
    if (!is_kept) {
        m_block.memory.settle_address(group, step.instr.a);
        m_block.memory.settle_address(group, step.instr.b);
        known = learn_copies(group, step, lanes);
    }
    return known;
}

// Distances that have a number are looked at once.
bool AsyncCopies::has_places(const Group& group, std::int32_t operand, const CopyPattern& pattern, CopyPlaces& places) {
    if (is_u(operand))
        return places.lowest == 0 && places.highest == 0;
    if (m_block.memory.is_put_off(group, operand)) {
        const std::uint64_t parts = m_block.memory.put_off_parts(operand);
        if (places.parts == parts)
            return true;
        m_block.memory.settle_address(group, operand);
        places.parts = 0;
        const bool is_same = has_places(group, operand, pattern, places);
        places.parts = is_same ? parts : 0;
        return is_same;
    }
    const auto* pointers =
        reinterpret_cast<const std::uint64_t*>(m_registers + static_cast<std::size_t>(operand) * m_stride) +
        pattern.first;
    const bool is_dense = pattern.rows.size() == places.of_lanes.size();
    if (is_dense)
        return m_table.has_distances(pointers, places.of_lanes.data(), static_cast<int>(places.of_lanes.size()));
    return std::ranges::all_of(pattern.rows, [&](int row) {
        return static_cast<std::int64_t>(pointers[row] - pointers[0]) == places.of_lanes[static_cast<std::size_t>(row)];
    });
}

std::shared_ptr<CopyPattern> AsyncCopies::learn_copies(Group& group, const Step& step, const Mask& lanes) {
    auto pattern = std::make_shared<CopyPattern>();
    pattern->lanes = lanes;
    pattern->first = lanes.first(m_chunks);
    for_each_lane(lanes, m_warps, [&](int lane) { pattern->rows.push_back(lane - pattern->first); });
    const auto count = static_cast<std::size_t>(pattern->rows.back()) + 1;
    const auto learn = [&](std::int32_t operand, CopyPlaces& places) {
        const auto first = lane_value<std::uint64_t>(group, operand, pattern->first);
        places.of_lanes.assign(count, 0);
        for (int row : pattern->rows)
            places.of_lanes[static_cast<std::size_t>(row)] =
                static_cast<std::int64_t>(lane_value<std::uint64_t>(group, operand, pattern->first + row) - first);
        learn_places(places, pattern->rows);
    };
    learn(step.instr.a, pattern->to);
    learn(step.instr.b, pattern->from);
    learn_moves(*pattern, step.instr.x);
    if (!m_order || pattern->to.low_bits % static_cast<std::uint64_t>(step.instr.x))
        return pattern;
    const int granule = m_shadow->granule_bytes();
    for (int row : pattern->rows)
        for (int at = 0; at < step.instr.x; at += granule)
            pattern->touches.push_back(
                {static_cast<std::int32_t>((pattern->to.of_lanes[static_cast<std::size_t>(row)] + at) / granule),
                 m_order->thread_actor(m_rank, pattern->first + row)});
    std::ranges::sort(pattern->touches, {}, [](const Touch& touch) { return std::pair(touch.granule, touch.who); });
    for (const Touch& touch : pattern->touches)
        pattern->tags.push_back(Cell{touch.who} << actor_shift);
    const auto is_same = [](const Touch& a, const Touch& b) { return a.granule == b.granule; };
    if (std::ranges::adjacent_find(pattern->touches, is_same) != pattern->touches.end())
        pattern->touches.clear(); // one by one, so that they meet
    return pattern;
}

// False, and nothing is done: something is not as usual, and each lane has to be looked at.
bool AsyncCopies::issue_together(Group& group, const Step& step, const Mask& lanes, int source) {
    const int bytes = step.instr.x;
    if (source < 0 || source > bytes)
        return false;
    const std::shared_ptr<const CopyPattern> pattern = copy_pattern(group, step, lanes);
    const std::uint64_t to = m_block.memory.pointer_of(group, step.instr.a, pattern->first);
    const std::uint64_t from = m_block.memory.pointer_of(group, step.instr.b, pattern->first);
    const std::size_t row = id_of(to) - first_shared_id;
    const auto is_inside = [&](std::uint64_t pointer, const CopyPlaces& places, std::int64_t count, std::int64_t size) {
        const std::uint64_t low_bits = static_cast<std::uint64_t>(offset_of(pointer)) | places.low_bits;
        return offset_of(pointer) + places.lowest >= 0 && offset_of(pointer) + places.highest + count <= size &&
               low_bits % static_cast<std::uint64_t>(bytes) == 0;
    };
    if (!is_own_shared(to) || row >= m_shared.size() || !is_inside(to, pattern->to, bytes, m_shared[row].bytes) ||
        (m_order && pattern->touches.empty()))
        return false;
    PendingCopies copies;
    if (source) {
        const Allocation* allocation = m_context.memory->find(id_of(from));
        const bool is_plain = allocation && (allocation->info.device != Device::Cpu || allocation->info.is_mapped) &&
                              is_inside(from, pattern->from, source, allocation->bytes);
        if (!is_plain)
            return false;
        copies.from = allocation->data + offset_of(from);
    }
    copies.pattern = pattern;
    copies.lanes = lanes;
    copies.number = m_issued, copies.bytes = bytes, copies.source_bytes = source, copies.pc = group.pc - 1;
    copies.to = m_shared[row].data + offset_of(to);
    copies.place = m_shared_place[row] + offset_of(to);
    if (m_order) {
        Visit now = m_block.races.visit(group);
        now.is_reserved = true;
        m_block.races.look(group, *m_shadow, Purpose::Store, [&](std::vector<Conflict>& found) {
            m_shadow->write({pattern->touches.data(), pattern->tags.data(), pattern->touches.size()},
                            m_shadow->granule_of(copies.place), now, found);
        });
        if (source && m_block.globals.is_watched(from))
            for (int each : pattern->rows)
                check_source(group,
                             from + static_cast<std::uint64_t>(pattern->from.of_lanes[static_cast<std::size_t>(each)]),
                             source, pattern->first + each);
    }
    for (const CopyPattern::Run& run :
         m_context.fills ? std::span(pattern->written) : std::span<const CopyPattern::Run>())
        std::memset(copies.to + run.at, 0xFF, static_cast<std::size_t>(run.bytes));
    m_copies.push_back(std::move(copies));
    return true;
}

// Whether anything is remembered of reads of the allocation.
bool GlobalChecker::is_watched(std::uint64_t pointer) {
    const Allocation* allocation = m_context.memory->find(id_of(pointer));
    const InitBitmap* written = allocation->info.written.get();
    return (written && !written->is_complete()) || global_shadow(id_of(pointer), allocation->bytes);
}

void AsyncCopies::check_source(Group& group, std::uint64_t from, int bytes, int lane) {
    m_block.races.check_bytes(group, from, bytes, lane, Purpose::Load, false);
    m_block.globals.check_global_bytes(group, from, bytes, lane, Purpose::Load);
    m_block.globals.check_within_bytes(group, from, bytes, lane, Purpose::Load);
}

void AsyncCopies::issue_alone(Group& group, const Step& step, int lane, int source) {
    const int bytes = step.instr.x;
    const auto to = lane_value<std::uint64_t>(group, step.instr.a, lane);
    const auto from = lane_value<std::uint64_t>(group, step.instr.b, lane);
    if (source < 0 || source > bytes)
        fail(group, FindingKind::AsyncCopy, lane,
             "copies " + std::to_string(source) + " of " + std::to_string(bytes) + " bytes asynchronously");
    if (!is_own_shared(to))
        fail(group, FindingKind::AsyncCopy, lane, "copies asynchronously to memory that is not shared memory");
    PendingCopies copies;
    copies.place = m_block.memory.shared_memory(to).place;
    copies.to =
        m_block.memory.checked_pointer(group, to, bytes, bytes, lane, Purpose::Store, "copies asynchronously to");
    if (source)
        copies.from = m_block.memory.checked_pointer(group, from, source, bytes, lane, Purpose::Load,
                                                     "copies asynchronously from");
    if (m_order) {
        m_block.races.check_bytes(group, to, bytes, lane, Purpose::Store, true);
        check_source(group, from, source, lane);
    }
    copies.lanes.set(lane);
    copies.pattern = learn_copies(group, step, copies.lanes);
    copies.number = m_issued, copies.bytes = bytes, copies.source_bytes = source, copies.pc = group.pc - 1;
    if (m_context.fills)
        std::memset(copies.to, 0xFF, static_cast<std::size_t>(bytes));
    m_copies.push_back(std::move(copies));
}

// Those of the lanes whose commits say so.
template <class F>
Mask AsyncCopies::lanes_where(const Mask& lanes, F&& f) const {
    Mask out;
    for (int w = 0; w < m_warps; ++w) {
        const std::uint32_t all = lanes.warp(w);
        if (m_commits_alike) {
            out.set_warp(w, all && f(32 * w + __builtin_ctz(all)) ? all : 0u);
            continue;
        }
        for (std::uint32_t rest = all; rest; rest &= rest - 1)
            if (f(32 * w + __builtin_ctz(rest)))
                out.set(32 * w + __builtin_ctz(rest));
    }
    return out;
}

// Those of some lanes become a record of their own, before the rest.
std::size_t AsyncCopies::part_copies(std::size_t at, const Mask& lanes) {
    PendingCopies& all = m_copies[at];
    PendingCopies part = all;
    part.lanes = lanes;
    part.is_whole = all.is_whole && part.lanes.equals(all.lanes, m_chunks);
    all.lanes.remove(lanes, m_chunks);
    all.is_whole = false;
    if (!all.lanes.any(m_chunks)) {
        all = std::move(part);
        return at + 1;
    }
    m_copies.insert(m_copies.begin() + static_cast<std::ptrdiff_t>(at), std::move(part));
    return at + 1;
}

void AsyncCopies::commit_copies(Group& group) {
    // Of warps that commit as one, one lane tells for all.
    for (int w = 0; w < m_warps; ++w) {
        const int threads = std::min(m_threads - 32 * w, 32);
        const std::uint32_t all = threads == 32 ? ~0u : (1u << threads) - 1;
        m_commits_alike = m_commits_alike && (!group.active.warp(w) || group.active.warp(w) == all);
    }
    for (std::size_t i = 0; i < m_copies.size(); ++i) {
        if (m_copies[i].group >= 0)
            continue;
        if (const int number = common_commits(m_copies[i].lanes, group.active); number >= 0) {
            m_copies[i].group = number;
            continue;
        }
        // Lanes may have committed another number of groups so far.
        Mask rest = m_copies[i].lanes;
        rest.keep(group.active, m_chunks);
        for (int first = rest.first(m_chunks); first >= 0; first = rest.first(m_chunks)) {
            const int number = m_commits[static_cast<std::size_t>(first)];
            const Mask lanes =
                lanes_where(rest, [&](int lane) { return m_commits[static_cast<std::size_t>(lane)] == number; });
            const bool is_all = lanes.equals(m_copies[i].lanes, m_chunks);
            if (!is_all)
                part_copies(i, lanes);
            m_copies[i].group = number;
            if (is_all)
                break;
            ++i;
            rest.remove(lanes, m_chunks);
        }
    }
    for (int w = 0; w < m_warps; ++w) {
        int* const counts = m_commits.data() + std::ptrdiff_t{32} * w;
        const std::uint32_t on = group.active.warp(w);
        for (int lane = 0; !~on && lane < 32; ++lane)
            ++counts[lane];
        for (std::uint32_t rest = ~on ? on : 0; rest; rest &= rest - 1)
            ++counts[__builtin_ctz(rest)];
    }
}

// How many groups all of these lanes have committed, if they are active, and warps commit as one; -1: it is not so.
int AsyncCopies::common_commits(const Mask& lanes, const Mask& active) const {
    int common = -1;
    for (int w = 0; w < m_warps; ++w) {
        if (!lanes.warp(w))
            continue;
        const int own = m_commits[std::size_t{32} * static_cast<std::size_t>(w)];
        if (!m_commits_alike || lanes.warp(w) & ~active.warp(w) || (common >= 0 && common != own))
            return -1;
        common = own;
    }
    return common;
}

// `at`: when its thread knows of it, if the order of accesses is checked.
void AsyncCopies::complete(const PendingCopies& copies, const Mask& lanes, Epoch at) {
    const CopyPattern& pattern = *copies.pattern;
    const bool is_whole = copies.is_whole && lanes.equals(pattern.lanes, m_chunks);
    const auto count = static_cast<std::size_t>(copies.bytes), read = static_cast<std::size_t>(copies.source_bytes);
    const bool is_usual = is_whole && read == whole_bytes;
    if (is_usual) {
        m_table.move_lines(copies.to, copies.from, pattern.lines.data(), pattern.lines.size());
        for (const CopyPattern::Move& move : std::span(pattern.moves).subspan(pattern.lines.size() * LineMove::pieces))
            std::memcpy(copies.to + move.to, copies.from + move.from, whole_bytes);
    }
    for (std::size_t i = 0; !is_usual && i < pattern.rows.size(); ++i) {
        if (!is_whole && !lanes.test(pattern.first + pattern.rows[i]))
            continue;
        std::byte* const to = copies.to + pattern.moves[i].to;
        if (read)
            std::memcpy(to, copies.from + pattern.moves[i].from, read);
        if (read < count)
            std::memset(to + read, 0, count - read);
    }
    if (!m_order)
        return;
    if (is_whole && !pattern.touches.empty())
        return m_shadow->arrive({pattern.touches.data(), pattern.tags.data(), pattern.touches.size()},
                                m_shadow->granule_of(copies.place), at, copies.pc, *m_order);
    for (int row : pattern.rows)
        if (lanes.test(pattern.first + row))
            m_shadow->arrive(m_shadow->granule_of(copies.place + pattern.to.of_lanes[static_cast<std::size_t>(row)]),
                             m_shadow->granules_of(copies.bytes),
                             cell_of(at, m_order->thread_actor(m_rank, pattern.first + row), copies.pc), *m_order);
}

// A quick look: false is certain.
bool AsyncCopies::are_some_done(const PendingCopies& copies, const Mask& active, int pending) const {
    if (pending >= 0 && copies.group < 0)
        return false;
    for (int w = 0; w < m_warps; ++w) {
        const std::uint32_t on = copies.lanes.warp(w) & active.warp(w);
        const int count = m_commits[std::size_t{32} * static_cast<std::size_t>(w)];
        if (on && (pending < 0 || !m_commits_alike || copies.group < count - pending))
            return true;
    }
    return false;
}

// Lanes whose copies a wait for all groups but the `pending` newest, or for all (-1), is about.
Mask AsyncCopies::done_lanes(const PendingCopies& copies, const Mask& active, int pending) const {
    if (pending >= 0 && copies.group < 0)
        return {};
    Mask done = copies.lanes;
    done.keep(active, m_chunks);
    if (pending < 0)
        return done;
    return lanes_where(done,
                       [&](int lane) { return copies.group < m_commits[static_cast<std::size_t>(lane)] - pending; });
}

void AsyncCopies::wait_copies(Group& group, const Step& step) {
    const int pending = step.instr.x;
    const Epoch now = m_order ? m_order->now() : 0;
    // Mostly warps commit as one, and wait together.
    const auto are_all_done = [&](const PendingCopies& copies) {
        bool all = m_commits_alike && copies.is_whole && (pending < 0 || copies.group >= 0);
        for (int w = 0; all && w < m_warps; ++w) {
            const std::uint32_t on = copies.lanes.warp(w);
            const int count = m_commits[std::size_t{32} * static_cast<std::size_t>(w)];
            all = !(on & ~group.active.warp(w)) && (!on || pending < 0 || copies.group < count - pending);
        }
        return all;
    };
    std::erase_if(m_copies, [&](PendingCopies& copies) {
        if (are_all_done(copies)) {
            complete(copies, copies.lanes, now);
            return true;
        }
        if (!are_some_done(copies, group.active, pending))
            return false;
        const Mask done = done_lanes(copies, group.active, pending);
        if (!done.any(m_chunks))
            return false;
        complete(copies, done, now);
        copies.lanes.remove(done, m_chunks);
        copies.is_whole = false;
        return !copies.lanes.any(m_chunks);
    });
}

void AsyncCopies::arrive_with_copies(Group& group, const Step& step) {
    for (int lane : running(group)) {
        const auto pointer = lane_value<std::uint64_t>(group, step.instr.a, lane);
        Mbarrier& barrier = m_block.mbarriers.at(group, m_block, pointer, lane, "arrives at");
        barrier.pending += step.instr.x;
        CopyArrival arrival;
        arrival.barrier = m_block.mbarriers.place_of(group, pointer, lane, "arrives at");
        arrival.lane = lane, arrival.before = m_issued;
        if (m_timeline)
            m_timeline->arrive(barrier, m_timeline->copies_of(lane / 32));
        if (m_order) {
            m_block.mbarriers.check_made(group, barrier, pointer, lane, BarrierUse::Own);
            arrival.at = m_order->now();
            arrival.knows = m_order->release(m_rank, Mask::of(lane), alive_lanes());
        }
        m_copy_arrivals.push_back(std::move(arrival));
    }
    if (m_order)
        m_order->step();
}

// The copies end that the oldest arrival waits for. False: there is none.
bool AsyncCopies::finish_copies() {
    if (m_copy_arrivals.empty())
        return false;
    const CopyArrival arrival = std::move(m_copy_arrivals.front());
    m_copy_arrivals.pop_front();
    std::erase_if(m_copies, [&](PendingCopies& copies) {
        if (!copies.lanes.test(arrival.lane) || copies.number >= arrival.before)
            return false;
        const Mask one = Mask::of(arrival.lane);
        complete(copies, one, arrival.at);
        copies.lanes.remove(one, m_chunks);
        copies.is_whole = false;
        return !copies.lanes.any(m_chunks);
    });
    if (Mbarrier* const barrier = m_block.mbarriers.find(arrival.barrier); barrier && barrier->pending > 0) {
        --barrier->pending;
        barrier->arrived.join(arrival.knows);
        m_block.mbarriers.settle(*barrier);
    }
    return true;
}

void AsyncCopies::begin() {
    m_copies.clear();
    m_copy_arrivals.clear();
    std::ranges::fill(m_commits, 0);
    m_commits_alike = true;
}

void AsyncCopies::ask_ahead(int lines) {
    for (PendingCopies& copies : m_copies) {
        const std::vector<CopyPattern::Run>& runs = copies.pattern->read;
        for (; copies.source_bytes && copies.asked < runs.size(); ++copies.asked) {
            if (lines <= 0)
                return;
            lines -= ask_for(copies.from + runs[copies.asked].at, runs[copies.asked].bytes);
        }
    }
}

} // namespace hidet::vm
