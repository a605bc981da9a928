// SPDX-License-Identifier: Apache-2.0
// What orders memory beside the barriers of the block: mbarriers, named barriers, and copies that the copy unit does.
#include <algorithm>

#include "compiler/ir/intrinsic.h"
#include "compiler/prove/thread_state.h"

namespace hidet::compiler::prove {

using namespace ir;

namespace {

constexpr std::int64_t mbarrier_bytes = 8, row_alignment = 16, box_alignment = 128;
constexpr int widths[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4}; // of elements, by TensorMapType

constexpr const char* other_block = "a cluster of blocks";

bool is_own_block(const ExprRef& rank) {
    return constant_int(rank) == -1;
}

// The variable behind `map`, `&map` and casts of these.
const Var* named_by(ExprRef expr) {
    for (;;) {
        if (const auto* cast = as<Cast>(expr))
            expr = cast->a;
        else if (const auto* address = as<Address>(expr))
            expr = address->place;
        else
            return as<Var>(expr);
    }
}

} // namespace

void ThreadValues::note_sync(SyncEvent event) {
    event.moment = moment();
    event.when = running();
    if (!m_is_silent && !m_is_repeated && !m_is_host && !is_false(event.when))
        m_facts.syncs.push_back(std::move(event));
}

void ThreadValues::meet_warp(const Intrinsic& barrier) {
    note_sync({.at = &barrier, .kind = SyncKind::MeetWarp});
}

// ---- mbarriers ------------------------------------------------------------------------------------------------------------

// Memory where it lies may be used otherwise before and after, and not meanwhile.
void ThreadValues::touch_barrier(const Intrinsic& expr, prove::Does does, const Value& barrier) {
    access(expr, does, as_number(barrier), m_terms.constant(mbarrier_bytes), mbarrier_bytes, mbarrier_bytes);
    if (!m_facts.accesses.empty() && m_facts.accesses.back().at == &expr)
        m_facts.accesses.back().is_of_barrier = true;
}

Value ThreadValues::use_mbarrier(const Intrinsic& expr) {
    std::vector<Value> args;
    for (const ExprRef& arg : expr.args)
        args.push_back(eval(arg));
    const auto number_at = [&](std::size_t i) { return args[i].term ? m_terms.as_number(args[i].term) : nullptr; };
    SyncEvent event{.at = &expr, .object = args[0].object, .offset = args[0].offset};
    const bool ends = expr.id == IntrinsicId::MbarrierInit || expr.id == IntrinsicId::MbarrierInvalidate;
    const auto happens = [&](const ExprRef& rank, Term holds) {
        if (!is_own_block(rank))
            obstacle(expr, {nullptr, other_block, true, true});
        under(holds, [&] {
            touch_barrier(expr, Does::UpdatesAtOnce, args[0]);
            return note_sync(event), 0;
        });
    };
    const auto holds_at = [&](std::size_t i) {
        return args[i].term ? m_terms.as_condition(args[i].term) : m_terms.condition_symbol("pred", Same::InThread, "");
    };
    if (ends)
        touch_barrier(expr, Does::Writes, args[0]);
    switch (expr.id) {
    case IntrinsicId::MbarrierInit:
        event.kind = SyncKind::Init, event.count = number_at(1);
        note_sync(event);
        return {};
    case IntrinsicId::MbarrierInvalidate:
        event.kind = SyncKind::Init; // nobody uses it any more
        note_sync(event);
        return {};
    case IntrinsicId::MbarrierArrive: event.kind = SyncKind::Arrive; return happens(expr.args[1], holds_at(2)), Value{};
    case IntrinsicId::MbarrierArriveAndExpect:
        event.kind = SyncKind::Arrive, event.bytes = number_at(1);
        return happens(expr.args[2], holds_at(3)), Value{};
    case IntrinsicId::MbarrierComplete:
        event.kind = SyncKind::Bytes, event.bytes = number_at(1);
        return happens(expr.args[2], holds_at(3)), Value{};
    case IntrinsicId::MbarrierExpect: event.kind = SyncKind::Expect, event.bytes = number_at(1); break;
    case IntrinsicId::CpAsyncBarrierArrive:
        event.kind = SyncKind::ArriveOfCopies;
        event.adds_one = attribute<CopyArrival>(expr.attr) != CopyArrival::noinc;
        break;
    case IntrinsicId::MbarrierWait: event.kind = SyncKind::Wait, event.parity = number_at(1); break;
    case IntrinsicId::MbarrierTryWait:
    case IntrinsicId::MbarrierTestWait: {
        event.kind = SyncKind::Wait, event.parity = number_at(1);
        touch_barrier(expr, Does::UpdatesAtOnce, args[0]);
        const bool is_asked = expr.id == IntrinsicId::MbarrierTestWait;
        const Term over =
            m_terms.both(is_asked ? holds_at(2) : m_terms.truth(true),
                         m_waits == Waits::AreOver ? m_terms.truth(true)
                                                   : m_terms.condition_symbol("over", Same::InThread, "an mbarrier"));
        if (m_waits != Waits::GoOn)
            under(over, [&] { return note_sync(event), 0; });
        else
            moment();
        return {.term = m_terms.as_number(over)};
    }
    default: return {};
    }
    touch_barrier(expr, Does::UpdatesAtOnce, args[0]);
    note_sync(event);
    return {};
}

// ---- named barriers ---------------------------------------------------------------------------------------------------------

// They lie in no memory; the number of one is as good as an address.
void ThreadValues::use_named_barrier(const Intrinsic& expr) {
    const Term id = number(expr.args[0]);
    SyncEvent event{.at = &expr, .kind = SyncKind::Arrive};
    event.object = object_of(m_named_barriers.get(), Space::Elsewhere, nullptr, "named barriers");
    event.offset = m_terms.scaled(id, mbarrier_bytes);
    event.count = product_of(m_facts.block_dim);
    if (expr.args.size() > 1)
        event.count = number(expr.args[1]);
    if (!is_true(m_terms.less(m_terms.constant(0), id))) // the first one is that of the block
        obstacle(expr, {nullptr, "a named barrier", false, true});
    note_sync(event);
    if (expr.id == IntrinsicId::BarrierArrive)
        return;
    event.kind = SyncKind::Wait, event.is_own_phase = true;
    note_sync(event);
}

// ---- copies in bulk ---------------------------------------------------------------------------------------------------------

// Asynchronous: until its group is waited for, or the barrier's phase is over.
void ThreadValues::access_later(const Intrinsic& expr, prove::Does does, const Value& address, Term bytes,
                                std::int64_t aligned, EndsBy ends_by, int ends_at) {
    const std::size_t begin = m_state.open.size();
    Value row = as_number(address); // over the ends of rows of a tensor
    row.index.clear(), row.shape.clear();
    access(expr, does, row, bytes, 1, aligned);
    for (std::size_t i = begin; i < m_state.open.size(); ++i) {
        OpenAccess& open = m_state.open[i];
        MemoryAccess& access = m_facts.accesses[open.access];
        access.ends_by = ends_by, access.ends_at = ends_at;
        open.is_under_way = true;
        open.group = ends_by == EndsBy::Barrier ? nullptr : groups(ends_by);
    }
}

void ThreadValues::copy_in_bulk(const Intrinsic& expr) {
    switch (expr.id) {
    case IntrinsicId::CopyBulkCommit: return close_group(EndsBy::BulkGroup);
    case IntrinsicId::CopyBulkWait:
        return wait_for_groups(EndsBy::BulkGroup, number(expr.args[0]),
                               attribute<BulkWait>(expr.attr) == BulkWait::read ? Until::ItHasRead : Until::Done);
    case IntrinsicId::PrefetchTensorMap: return;
    case IntrinsicId::CopyBulkPrefetch: {
        access(expr, Does::Reads, as_number(eval(expr.args[1])), number(expr.args[0]), 1, row_alignment);
        if (!m_state.open.empty() && m_facts.accesses[m_state.open.back().access].at == &expr)
            m_state.open.pop_back(); // it gives nobody what is there
        return;
    }
    case IntrinsicId::CopyBulkG2S: {
        const Term bytes = number(expr.args[0]);
        const Value to = eval(expr.args[1]), from = eval(expr.args[2]), barrier = eval(expr.args[3]);
        if (constant_int(expr.args[4]) != 0)
            obstacle(expr, {nullptr, other_block, true, true});
        return copy_to_shared(expr, {to, bytes, row_alignment}, {from, bytes, row_alignment}, barrier);
    }
    case IntrinsicId::CopyBulkS2G:
    case IntrinsicId::CopyBulkReduce: {
        const Term bytes = number(expr.args[0]);
        const Value to = eval(expr.args[1]), from = eval(expr.args[2]);
        const Does does = expr.id == IntrinsicId::CopyBulkReduce ? Does::UpdatesAtOnce : Does::Writes;
        access_later(expr, does, to, bytes, row_alignment, EndsBy::BulkGroup, 0);
        return access_later(expr, Does::Reads, from, bytes, row_alignment, EndsBy::BulkGroup, 0);
    }
    case IntrinsicId::CopyTensorG2S:
    case IntrinsicId::CopyIm2colG2S: {
        const Value to = eval(expr.args[0]), barrier = eval(expr.args[2]);
        for (std::size_t i = 3; i < expr.args.size(); ++i)
            eval(expr.args[i]);
        const MappedTensor* map = map_of(expr.args[1]);
        if (!map || constant_int(expr.args[3]) != 0)
            return obstacle(expr, {nullptr, map ? other_block : "copies in bulk", true, !map ? false : true});
        return copy_to_shared(expr, {to, map->box_bytes, box_alignment}, {tensor_of_map(*map), map->bytes, 1}, barrier);
    }
    case IntrinsicId::CopyTensorS2G:
    case IntrinsicId::CopyTensorReduce: {
        const Value from = eval(expr.args[0]);
        std::vector<Term> corner;
        for (std::size_t i = 2; i < expr.args.size(); ++i)
            corner.push_back(number(expr.args[i]));
        const MappedTensor* map = map_of(expr.args[1]);
        if (!map)
            return obstacle(expr, {nullptr, "copies in bulk", true, false});
        const Does does = expr.id == IntrinsicId::CopyTensorReduce ? Does::UpdatesAtOnce : Does::Writes;
        const std::size_t begin = m_facts.accesses.size();
        access_later(expr, does, tensor_of_map(*map), map->bytes, 1, EndsBy::BulkGroup, 0);
        for (std::size_t i = begin; i < m_facts.accesses.size(); ++i) {
            Place& place = m_facts.accesses[i].place;
            place.map = named_by(expr.args[1]), place.corner = corner, place.box = map->box;
        }
        return access_later(expr, Does::Reads, from, map->box_bytes, box_alignment, EndsBy::BulkGroup, 0);
    }
    default: return obstacle(expr, {nullptr, "copies in bulk", true, false});
    }
}

void ThreadValues::copy_to_shared(const Intrinsic& expr, const Bytes& to, const Bytes& from, const Value& barrier) {
    const int ends_at = m_place;
    note_sync(
        {.at = &expr, .kind = SyncKind::Bytes, .object = barrier.object, .offset = barrier.offset, .bytes = to.count});
    touch_barrier(expr, Does::UpdatesAtOnce, barrier);
    access_later(expr, Does::Writes, to.address, to.count, to.aligned, EndsBy::Barrier, ends_at);
    access_later(expr, Does::Reads, from.address, from.count, from.aligned, EndsBy::Barrier, ends_at);
}

// What the launch function says of a tensor: bytes from the first to the last element, and of a box.
void ThreadValues::make_map(const Intrinsic& expr) {
    const Var* map = named_by(expr.args[0]);
    const Var* tensor = named_by(expr.args[1]);
    const auto rank = static_cast<std::size_t>(number_attribute(expr.attr, "rank"));
    if (!map || !tensor || !is_address(tensor->type) || number_attribute(expr.attr, "interleave") != 0)
        return;
    m_maps.erase(map);
    const bool is_pixels = expr.id == IntrinsicId::CreateIm2colMap;
    const std::size_t box = 2 + rank + rank - 1;
    if (expr.args.size() < box + (is_pixels ? 2 * (rank - 2) + 2 : rank))
        return;
    const std::int64_t element = widths[static_cast<std::size_t>(attribute<TensorMapType>(expr.attr))];
    Term bytes = m_terms.constant(element), in_box = m_terms.constant(element);
    for (std::size_t d = 0; d < rank; ++d) {
        const Term stride = d == 0 ? m_terms.constant(element) : number(expr.args[2 + rank + d - 1]);
        const Term last = m_terms.sub(number(expr.args[2 + d]), m_terms.constant(1));
        bytes = m_terms.add(bytes, m_terms.multiply(last, stride));
    }
    const std::size_t first = is_pixels ? box + 2 * (rank - 2) : box, count = is_pixels ? 2 : rank;
    std::vector<Term> extents;
    for (std::size_t i = first; i < first + count; ++i) {
        extents.push_back(number(expr.args[i]));
        in_box = m_terms.multiply(in_box, extents.back());
    }
    m_maps[map] = {tensor, bytes, in_box, std::move(extents)};
}

const ThreadValues::MappedTensor* ThreadValues::map_of(const ExprRef& expr) const {
    const auto found = m_maps.find(named_by(expr));
    return found == m_maps.end() ? nullptr : &found->second;
}

Value ThreadValues::tensor_of_map(const MappedTensor& map) {
    const auto let = m_lets.find(map.tensor);
    return let != m_lets.end() ? let->second : object_value(*map.tensor, Space::Global);
}

// ---- fences -----------------------------------------------------------------------------------------------------------------

// What the thread wrote to shared memory is seen by asynchronous accesses that are ordered behind it.
void ThreadValues::fence_for_copies() {
    const Term here = running();
    const Moment now = moment();
    for (OpenAccess& open : m_state.open)
        if (open.is_unfenced && !open.fenced_later)
            open.fenced_later = here, open.fenced_later_at = now;
        else if (!open.is_unfenced && !open.fenced)
            open.fenced = here, open.fenced_at = now;
}

} // namespace hidet::compiler::prove
