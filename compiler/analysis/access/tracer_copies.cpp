// SPDX-License-Identifier: Apache-2.0
// Counts what the copy unit moves: rows of bytes, and boxes of tensors as their tensor maps describe them. Where a row begins
// in its sector and what lies outside of the tensor decides what a copy costs, so every copy is looked at, and equal ones once.
#include <algorithm>
#include <map>

#include "compiler/analysis/access/tracer.h"
#include "compiler/analysis/underlying_object.h"
#include "compiler/ir/intrinsic.h"
#include "lang/base/text.h"

namespace hidet::compiler::access {

using namespace ir;
using artifact::sector_bytes;

namespace {

constexpr double most_instances = 200'000; // of one copy in the kernel
constexpr std::int64_t bank_row = std::int64_t{artifact::bank_count} * artifact::bank_bytes;

void add_rows(Sums& sums, std::int64_t place, std::int64_t bytes, double rows) {
    artifact::Piece piece{floor_mod(place, sector_bytes), bytes};
    artifact::Traffic traffic = artifact::sectors_of({&piece, 1});
    traffic.requests = 0;
    sums.add(traffic, rows);
}

// Of the rows of a box at `at`, those inside of the tensor.
Sums sums_of(const Box& box, std::span<const std::int64_t> at) {
    Sums out;
    out.requests = 1;
    const Bytes row = box.inside(0, at[0]);
    if (row.begin == row.end)
        return out;
    std::array<double, sector_bytes> begins{}; // how many rows begin there in a sector
    begins[static_cast<std::size_t>(floor_mod(row.begin * box.element_bytes, sector_bytes))] = 1;
    for (std::size_t d = 1; d < box.box.size(); ++d) {
        const Bytes range = box.inside(d, at[d]);
        std::array<double, sector_bytes> next{};
        const std::int64_t count = range.end - range.begin, by = box.strides[d];
        for (std::int64_t place = 0; place < sector_bytes; ++place)
            for (std::int64_t i = 0; i < std::min<std::int64_t>(count, sector_bytes); ++i)
                next[static_cast<std::size_t>(floor_mod(place + by * (range.begin + i), sector_bytes))] +=
                    begins[static_cast<std::size_t>(place)] *
                    static_cast<double>((count - i + sector_bytes - 1) / sector_bytes);
        begins = next;
    }
    for (std::int64_t place = 0; place < sector_bytes; ++place)
        if (const double rows = begins[static_cast<std::size_t>(place)]; rows > 0)
            add_rows(out, place, (row.end - row.begin) * box.element_bytes, rows);
    return out;
}

// Boxes are alike that have as many elements inside, and begin at the same place of a sector.
std::vector<std::int64_t> kind_of(const Box& box, std::span<const std::int64_t> at) {
    std::vector<std::int64_t> out;
    for (std::size_t d = 0; d < box.box.size(); ++d) {
        const bool is_inside = at[d] >= 0 && at[d] + box.box[d] <= box.extents[d];
        out.push_back(is_inside ? floor_mod(at[d] * box.strides[d], sector_bytes) - sector_bytes : at[d]);
        out.push_back(is_inside);
    }
    return out;
}

Sums times(Sums sums, double by) {
    sums.requests *= by, sums.bytes *= by, sums.units *= by, sums.least *= by;
    return sums;
}

Sums to_shared(std::int64_t bytes, double copies) {
    const auto wavefronts = static_cast<double>((bytes + bank_row - 1) / bank_row);
    return times({1, static_cast<double>(bytes), wavefronts, wavefronts, 1}, copies);
}

// To how many blocks of a cluster a copy goes; 0 in the mask: to that of the thread alone.
int blocks_of(std::int64_t mask) {
    return std::max(__builtin_popcountll(static_cast<std::uint64_t>(mask) & 0xFFFF), 1);
}

// One read serves all of them, and each of them gets the bytes.
struct Landed {
    Sums shared;
    int most = 1;
    void add(std::int64_t bytes, std::int64_t mask, double copies) {
        const int blocks = blocks_of(mask);
        Sums each = to_shared(bytes, copies);
        const double requests = each.requests;
        each = times(each, blocks);
        each.requests = requests;
        shared.add(each);
        most = std::max(most, blocks);
    }
    void say(Access& access) const {
        if (most > 1)
            access.note = access.is_shared ? cat("lands in ", most, " blocks of the cluster")
                                           : cat("one read for ", most, " blocks of the cluster");
    }
};

} // namespace

// Null where the box is not known.
const std::shared_ptr<const Box>& Tracer::box_behind(const ExprRef& map) {
    static const std::shared_ptr<const Box> none;
    const auto* parameter = as<Var>(underlying_object(map));
    if (!parameter)
        return none;
    const auto [known, is_new] = m_boxes.try_emplace(parameter);
    if (is_new)
        known->second = box_of(m_module, m_kernel, *parameter, m_sizes);
    return known->second;
}

// The site of one of the two memories.
Access& Tracer::copied(const Intrinsic& expr, bool is_shared, const std::string& tensor, std::int64_t bytes,
                       int element_bytes, std::span<const Value> places) {
    Site& site = site_of(expr, AccessKind::CopyUnit, is_shared);
    Access& access = site.access;
    if (!site.is_seen) {
        site.is_seen = true;
        access.form = Form::Sampled;
        access.tensor = tensor;
        access.lane_bytes = static_cast<int>(bytes), access.element_bytes = element_bytes;
        surround(access);
    }
    note_guards(access);
    for (const Value& place : places)
        note_around(access, place);
    return access;
}

// Of each thread that copies, in each turn of the open variables. False: some value is not known, or there are too many.
bool Tracer::each_instance(std::span<const Value> values, const Mask& mask, const Instance& instance) {
    std::vector<int> atoms;
    double weight = m_weight, count = 1;
    for (const int id : m_open) {
        const auto moves = [&](const Value& value) { return value.terms.of(id) != 0; };
        const Atom& atom = m_domain.atom(id);
        if (std::ranges::any_of(values, moves))
            atoms.push_back(id), count *= static_cast<double>(atom.count);
        else
            weight *= static_cast<double>(atom.count);
    }
    for (const Value& value : values)
        for (const Term& term : value.terms)
            if (!m_domain.atom(term.atom).is_bounded)
                return false;
    if (count > most_instances || std::ranges::any_of(values, [](const Value& value) { return !value.known; }))
        return false;
    m_work += static_cast<std::int64_t>(count / 16);
    std::vector<std::int64_t> at(values.size());
    const std::function<void(std::size_t)> enter = [&](std::size_t depth) {
        if (depth == atoms.size())
            return instance(at, weight);
        const std::vector<std::int64_t> before = at;
        for (std::int64_t i = 0; i < m_domain.atom(atoms[depth]).count; ++i) {
            enter(depth + 1);
            for (std::size_t v = 0; v < values.size(); ++v)
                at[v] += values[v].terms.of(atoms[depth]);
        }
        at = before;
    };
    for (std::size_t t = 0; t < m_domain.threads(); ++t) {
        if (!mask.has(t))
            continue;
        for (std::size_t v = 0; v < values.size(); ++v)
            at[v] = values[v].base(t);
        enter(0);
    }
    return true;
}

void Tracer::count_copy(const Intrinsic& expr, std::span<const Value> args, const Mask& mask) {
    switch (expr.id) {
    case IntrinsicId::CopyTensorG2S: return count_box(expr, args.subspan(4), args[3], mask);
    case IntrinsicId::CopyTensorS2G:
    case IntrinsicId::CopyTensorReduce: return count_box(expr, args.subspan(2), Domain::constant(0), mask);
    case IntrinsicId::CopyBulkG2S: return count_row(expr, args[0], args[2], args[4], mask);
    case IntrinsicId::CopyBulkS2G:
    case IntrinsicId::CopyBulkReduce: return count_row(expr, args[0], args[1], Domain::constant(0), mask);
    case IntrinsicId::CopyBulkS2S:
        return touch_elsewhere(expr, AccessKind::CopyUnit, "copies into another block's shared memory are not counted",
                               true);
    case IntrinsicId::CopyBulkPrefetch:
        return touch_elsewhere(expr, AccessKind::CopyUnit, "prefetches into L2 are not counted", false);
    default: break;
    }
    for (const bool is_shared : {false, true})
        touch_elsewhere(expr, AccessKind::CopyUnit, "the copy unit", is_shared);
}

void Tracer::count_row(const Intrinsic& expr, const Value& bytes, const Value& address, const Value& blocks,
                       const Mask& mask) {
    const std::string tensor = address.object >= 0 ? m_objects[static_cast<std::size_t>(address.object)].name : "";
    const std::array<Value, 3> values{address, bytes, blocks};
    Sums global;
    Landed landed;
    const bool is_known = each_instance(values, mask, [&](std::span<const std::int64_t> at, double copies) {
        Sums row;
        row.requests = 1;
        if (at[1] > 0)
            add_rows(row, at[0], at[1], 1);
        global.add(times(row, copies));
        landed.add(at[1], at[2], copies);
    });
    for (const bool is_shared : {false, true}) {
        if (!is_known) {
            touch_elsewhere(expr, AccessKind::CopyUnit, "where or how much the copy unit copies", is_shared);
            continue;
        }
        const std::int64_t size = bytes.is_constant() ? bytes.constant : 0;
        Access& access = copied(expr, is_shared, is_shared ? "" : tensor, size, static_cast<int>(size), {&address, 1});
        access.sums.add(is_shared ? landed.shared : global);
        landed.say(access);
    }
}

void Tracer::count_box(const Intrinsic& expr, std::span<const Value> coordinates, const Value& blocks,
                       const Mask& mask) {
    const std::shared_ptr<const Box>& box = box_behind(expr.args[1]);
    Sums global;
    Landed landed;
    const std::int64_t bytes = box ? bytes_of(*box) : 0;
    bool is_known = box && coordinates.size() >= box->box.size();
    if (is_known) {
        coordinates = coordinates.first(box->box.size());
        std::vector<Value> values(coordinates.begin(), coordinates.end());
        values.push_back(blocks);
        std::map<std::vector<std::int64_t>, Sums> kinds;
        is_known = each_instance(values, mask, [&](std::span<const std::int64_t> at, double weight) {
            const auto [kind, is_new] = kinds.try_emplace(kind_of(*box, at.first(at.size() - 1)));
            if (is_new)
                kind->second = sums_of(*box, at.first(at.size() - 1));
            global.add(times(kind->second, weight));
            landed.add(bytes, at.back(), weight);
        });
    }
    if (!is_known) {
        for (const bool is_shared : {false, true})
            touch_elsewhere(expr, AccessKind::CopyUnit,
                            box ? "where the copy unit copies" : "the tensor map of the copy unit", is_shared);
        return;
    }
    for (const bool is_shared : {false, true}) {
        Access& access = copied(expr, is_shared, is_shared ? "" : box->tensor, bytes, box->element_bytes, coordinates);
        access.sums.add(is_shared ? landed.shared : global);
        landed.say(access);
    }
}

} // namespace hidet::compiler::access
