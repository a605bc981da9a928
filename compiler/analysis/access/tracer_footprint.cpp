// SPDX-License-Identifier: Apache-2.0
// Notes which bytes blocks touch, while the tracer goes over a kernel.
#include <algorithm>

#include "compiler/analysis/access/tracer.h"
#include "compiler/analysis/underlying_object.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::access {

using namespace ir;

namespace {

constexpr std::size_t patterns_kept = 8; // of an access that are kept

// What the threads touch, counted from the lowest place.
std::shared_ptr<const ByteSet> set_of(const Value& address, const std::array<int, 1024>& bytes, std::size_t threads,
                                      std::int64_t& lowest) {
    auto set = std::make_shared<ByteSet>();
    for (std::size_t t = 0; t < threads; ++t)
        if (const std::int64_t at = address.lanes ? (*address.lanes)[t].i : 0; bytes[t] > 0)
            set->push_back({at, at + bytes[t]});
    unite(*set);
    lowest = set->empty() ? 0 : set->front().begin;
    for (Bytes& each : *set)
        each.begin -= lowest, each.end -= lowest;
    return set;
}

std::uint64_t shape_of(const ByteSet& set) {
    std::uint64_t hash = 2;
    for (const Bytes& bytes : set)
        hash = mixed(mixed(hash, static_cast<std::uint64_t>(bytes.begin)), static_cast<std::uint64_t>(bytes.end));
    return hash;
}

} // namespace

Footprint FootprintTracer::footprint() {
    trace();
    m_footprint.is_cut_short = m_again || m_samples || !m_knows_grid;
    if (m_footprint.is_cut_short)
        m_footprint.parts.clear();
    return std::move(m_footprint);
}

// Blocks of a row that is not cut lie side by side; of others one is looked at.
bool FootprintTracer::is_wanted() const {
    const Atom &x = m_domain.atom(m_axes[0]), &y = m_domain.atom(m_axes[1]), &z = m_domain.atom(m_axes[2]);
    if (y.count > 1 || z.count > 1)
        return true;
    const std::int64_t first = x.begin + m_grid[0] * (y.begin + m_grid[1] * z.begin);
    const auto next = std::ranges::lower_bound(m_wanted.blocks, first);
    return next != m_wanted.blocks.end() && *next < first + x.count;
}

FootprintPart FootprintTracer::open_part() const {
    FootprintPart part;
    for (std::size_t d = 0; d < 3; ++d) {
        const Atom& axis = m_domain.atom(m_axes[d]);
        part.first[d] = axis.begin, part.blocks[d] = axis.count;
    }
    for (const Loop& loop : m_loops)
        if (loop.atom >= 0)
            part.loops.push_back({loop.variable, m_domain.atom(loop.atom).begin, m_domain.atom(loop.atom).count});
    part.is_guarded = m_guards > 0;
    return part;
}

// False: it depends on something else.
bool FootprintTracer::place_in(Place& out, const FootprintPart& part, const Value& value) const {
    out.constant = value.constant;
    out.by_of_loop.assign(part.loops.size(), 0);
    for (const Term& term : value.terms) {
        bool is_found = false;
        for (std::size_t d = 0; d < 3; ++d)
            if (m_axes[d] == term.atom)
                out.by[d] = term.by, is_found = true;
        std::size_t at = 0;
        for (const Loop& loop : m_loops) {
            if (loop.atom < 0)
                continue;
            if (loop.atom == term.atom)
                out.by_of_loop[at] = term.by, is_found = true;
            ++at;
        }
        if (!is_found)
            return false;
    }
    return true;
}

void FootprintTracer::note_part(FootprintPart part, const Value* address, std::span<const Value> coordinates) {
    part.place.by_of_loop.assign(part.loops.size(), 0);
    bool is_known = !address || (address->known && place_in(part.place, part, *address));
    for (const Value& coordinate : coordinates) {
        Place place;
        is_known = is_known && coordinate.known && !coordinate.lanes && place_in(place, part, coordinate);
        part.coordinates.push_back(std::move(place));
    }
    if (is_known)
        m_footprint.parts.push_back(std::move(part));
    else
        m_footprint.unknown.insert(part.tensor);
}

// Kept, because loops come by again and again. Where threads take part in sizes of their own (`has_sizes`), it is looked at anew.
const FootprintTracer::Pattern& FootprintTracer::pattern_of(const Node& at, const Value& address,
                                                            const std::array<int, 1024>& sizes, const Mask& mask,
                                                            bool has_sizes) {
    std::vector<Pattern>& known = m_patterns[&at];
    const auto is_same = [&](const Lanes& a, const Lanes& b) {
        return &a == &b || std::ranges::equal(a, b, [](ScalarValue x, ScalarValue y) { return x.i == y.i; });
    };
    for (const Pattern& each : known)
        if (!has_sizes && each.mask.warps == mask.warps && !each.lanes == !address.lanes &&
            (!each.lanes || is_same(*each.lanes, *address.lanes)))
            return each;
    if (known.size() >= patterns_kept)
        known.erase(known.begin());
    m_work += static_cast<std::int64_t>(m_domain.threads() / 8);
    Pattern& next = known.emplace_back();
    next.lanes = address.lanes, next.mask = has_sizes ? Mask{} : mask;
    next.set = set_of(address, sizes, m_domain.threads(), next.lowest);
    next.shape = shape_of(*next.set);
    return next;
}

void FootprintTracer::touched(const Node& at, AccessKind kind, const Value& address, int bytes, const ExprRef& base,
                              const Mask& mask, const Value* lane_bytes, const CopySource*) {
    if (address.memory == Memory::Shared)
        return;
    std::string tensor = name_of(address, base);
    if (!address.known) {
        m_footprint.unknown.insert(tensor);
        return;
    }
    FootprintPart part = open_part();
    part.tensor = std::move(tensor);
    part.writes = kind == AccessKind::Store || kind == AccessKind::Atomic;
    const bool has_sizes = lane_bytes && !lane_bytes->is_constant();
    const std::array<int, 1024> sizes = sizes_of(bytes, mask, lane_bytes);
    if (lane_bytes && !has_sizes && lane_bytes->constant == 0)
        return;
    const Pattern& pattern = pattern_of(at, address, sizes, mask, has_sizes);
    if (pattern.set->empty())
        return;
    part.lanes = pattern.set, part.shape = pattern.shape;
    Value from = address;
    from.constant += pattern.lowest;
    note_part(std::move(part), &from, {});
}

// The values in each thread of the mask that has others than those before it.
std::vector<std::vector<Value>> FootprintTracer::by_thread(std::span<const Value> values, const Mask& mask) const {
    std::vector<std::vector<Value>> out;
    std::set<std::vector<std::int64_t>> seen;
    for (std::size_t t = 0; t < m_domain.threads(); ++t) {
        if (!mask.has(t))
            continue;
        std::vector<std::int64_t> here;
        std::vector<Value> of_thread;
        for (const Value& value : values) {
            here.push_back(value.known ? value.base(t) : 0);
            of_thread.push_back(value);
            of_thread.back().constant = here.back(), of_thread.back().lanes = nullptr;
        }
        if (seen.insert(here).second)
            out.push_back(std::move(of_thread));
    }
    return out;
}

void FootprintTracer::copy_by_unit(const Intrinsic& expr, std::span<const Value> args, const Mask& mask) {
    switch (expr.id) {
    case IntrinsicId::CopyTensorG2S: return note_box(expr, args.subspan(4), false, mask);
    case IntrinsicId::CopyTensorS2G:
    case IntrinsicId::CopyTensorReduce: return note_box(expr, args.subspan(2), true, mask);
    case IntrinsicId::CopyBulkS2S:
    case IntrinsicId::CopyBulkPrefetch: return;
    case IntrinsicId::CopyBulkG2S:
    case IntrinsicId::CopyBulkS2G:
    case IntrinsicId::CopyBulkReduce: break;
    default: m_footprint.unknown.insert(""); return;
    }
    const bool reads = expr.id == IntrinsicId::CopyBulkG2S;
    const Value& address = args[reads ? 2 : 1];
    std::string tensor = address.object >= 0 ? m_objects[static_cast<std::size_t>(address.object)].name : "";
    if (!args[0].is_constant() || !address.known) {
        m_footprint.unknown.insert(tensor);
        return;
    }
    const auto bytes = std::make_shared<ByteSet>(ByteSet{{0, args[0].constant}});
    for (const std::vector<Value>& from : by_thread({&address, 1}, mask)) {
        FootprintPart part = open_part();
        part.tensor = tensor, part.writes = !reads;
        part.lanes = bytes, part.shape = shape_of(*bytes);
        note_part(std::move(part), &from.front(), {});
    }
}

void FootprintTracer::note_box(const Intrinsic& expr, std::span<const Value> coordinates, bool writes,
                               const Mask& mask) {
    const std::shared_ptr<const Box>& box = box_behind(expr.args[1]);
    if (!box || coordinates.size() < box->box.size()) {
        const auto* parameter = as<Var>(underlying_object(expr.args[1]));
        m_footprint.unknown.insert(box ? box->tensor : parameter ? parameter->name : "");
        return;
    }
    for (const std::vector<Value>& at : by_thread(coordinates.first(box->box.size()), mask)) {
        FootprintPart part = open_part();
        part.writes = writes, part.box = box, part.tensor = box->tensor;
        part.shape = mixed(3, std::hash<std::string>{}(box->tensor) + static_cast<std::uint64_t>(box->box[0]));
        note_part(std::move(part), nullptr, at);
    }
}

} // namespace hidet::compiler::access
