// SPDX-License-Identifier: Apache-2.0
// Counts what the lanes of warps read and write, and what the copy unit moves: rows of bytes, and boxes of tensors as their
// tensor maps describe them. Where a row begins in its sector and what lies outside of the tensor decides what a copy costs, so
// every copy is looked at, and equal ones once.
#include <algorithm>
#include <map>

#include "compiler/analysis/access/loop_invariant_loads.h"
#include "compiler/analysis/access/tracer.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/packing.h"
#include "lang/base/text.h"

namespace hidet::compiler::access {

using namespace ir;
using artifact::sector_bytes;

namespace {

constexpr int most_followed_atoms = 64;    // of which values say whether they depend on them
constexpr std::size_t most_patterns = 8;   // of an access that are kept
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

std::vector<Access> AccessTracer::accesses() {
    if (!trace())
        return {};
    std::vector<Access> out;
    for (Site& site : m_sites) {
        if (m_again && site.access.counted == Counted::Exact)
            site.access.counted = Counted::Sampled, site.access.why = "guards that differ from block to block";
        out.push_back(std::move(site.access));
    }
    note_held(out);
    return out;
}

void AccessTracer::note_held(std::vector<Access>& accesses) const {
    if (m_domain.atom_count() > most_followed_atoms)
        return;
    const LoopInvariantLoads loads = held_loads(m_kernel);
    for (const auto& [node, sites] : m_sites_of)
        for (const std::size_t site : sites) {
            const auto& known = accesses[site].is_shared ? loads.of_shared : loads.of_global;
            if (const auto over = known.find(node); over != known.end())
                hold(accesses[site], over->second);
        }
}

AccessTracer::Site& AccessTracer::site_of(const Node& at, AccessKind kind, bool is_shared) {
    for (std::size_t index : m_sites_of[&at])
        if (m_sites[index].access.kind == kind && m_sites[index].access.is_shared == is_shared)
            return m_sites[index];
    m_sites_of[&at].push_back(m_sites.size());
    Site& site = m_sites.emplace_back();
    site.access.kernel = m_kernel.name;
    site.access.origin = at.origin;
    site.access.kind = kind;
    site.access.is_shared = is_shared;
    return site;
}

void AccessTracer::touch_elsewhere(const Node& at, AccessKind kind, const char* why, bool is_shared) {
    Access& access = site_of(at, kind, is_shared).access;
    access.counted = Counted::Unknown, access.form = Form::Unknown;
    access.why = why;
}

void AccessTracer::touched(const Node& at, AccessKind kind, const Value& address, int bytes, const ExprRef& base,
                           const Mask& mask, const Value* lane_bytes, const CopySource* from) {
    Site& site = site_of(at, kind, address.memory == Memory::Shared);
    Access& access = site.access;
    if (!site.is_seen) {
        site.is_seen = true;
        access.tensor = name_of(address, base);
        access.lane_bytes = bytes;
        const TypeRef element = element_of(base->type);
        const auto dtype = element ? scalar_of(element) : std::nullopt;
        access.dtype = dtype ? info(*dtype).short_name : "";
        access.element_bytes = dtype && has_lanes(*dtype) ? bytes_of(info(*dtype).lane) : bytes;
        surround(access);
    }
    if (!address.known) {
        access.counted = Counted::Unknown, access.form = Form::Unknown;
        access.why = address.why;
        return;
    }
    note_guards(access);
    note_around(access, address);
    if (from && !from->address.known)
        access.counted = Counted::Unknown, access.why = from->address.why;
    count(site, address, bytes, mask, lane_bytes, from && from->address.known ? from : nullptr);
}

// The grid and the loops that an access stands in.
void AccessTracer::surround(Access& access) const {
    for (std::size_t d = 3; d-- > 0;)
        if (m_grid[d] > 1 || !m_knows_grid)
            access.around.push_back({m_domain.atom(m_axes[d]).name, m_knows_grid ? m_grid[d] : 0, false, {}});
    for (const Loop& loop : m_loops)
        access.around.push_back({loop.variable, loop.trips, false, {}});
}

// How good the counts can be here.
void AccessTracer::note_guards(Access& access) const {
    if (m_guards > 0)
        access.counted = Counted::Unknown, access.why = m_guard;
    else if (access.counted == Counted::Exact && !m_knows_grid)
        access.counted = Counted::Sampled, access.why = "the grid is not known";
    else if (access.counted == Counted::Exact && m_cut_short > 0)
        access.counted = Counted::Sampled, access.why = "of some blocks and iterations";
}

// Which of what is around matters to the place.
void AccessTracer::note_around(Access& access, const Value& value) const {
    access.is_of_data = access.is_of_data || (value.deps & m_unknown) != 0;
    std::size_t at_around = 0;
    const auto mark = [&](int atom) {
        Around& around = access.around[at_around++];
        around.matters = around.matters || (atom >= 0 && (value.deps & Domain::bit(atom)) != 0);
        if (atom >= 0 && !m_domain.atom(atom).all && m_domain.atom(atom).count > 1)
            around.by = value.terms.of(atom);
    };
    for (std::size_t d = 3; d-- > 0;)
        if (m_grid[d] > 1 || !m_knows_grid)
            mark(m_axes[d]);
    for (const Loop& loop : m_loops)
        if (at_around < access.around.size())
            mark(loop.atom);
}

void AccessTracer::count(Site& site, const Value& address, int bytes, const Mask& mask, const Value* lane_bytes,
                         const CopySource* from) {
    const std::array<int, 1024> sizes = sizes_of(bytes, mask, lane_bytes);
    for (std::size_t w = 0; w < 32; ++w) {
        const std::size_t lanes = std::min<std::size_t>(m_domain.threads() - std::min(m_domain.threads(), 32 * w), 32);
        const std::uint32_t full = lanes == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << lanes) - 1;
        site.access.is_guarded = site.access.is_guarded || (mask.warps[w] && mask.warps[w] != full);
    }
    const Places places = places_of(m_domain, m_open, address, site.access.is_shared);
    if (places.guesses && site.access.counted == Counted::Exact)
        site.access.counted = Counted::Sampled,
        site.access.why = "where it begins depends on a number that is not known";
    Requests& requests = requests_of(site, address, sizes, from);
    for (std::int64_t place = 0; place < places.unit; ++place) {
        const double times = m_weight * places.times[static_cast<std::size_t>(place)];
        if (times <= 0)
            continue;
        Sums sums = requests.at(place);
        sums.requests *= times, sums.bytes *= times, sums.units *= times, sums.least *= times;
        site.access.sums.add(sums);
    }
    picture(site, address, mask, sizes);
}

Requests& AccessTracer::requests_of(Site& site, const Value& address, const std::array<int, 1024>& bytes,
                                    const CopySource* from) {
    for (Requests& known : site.requests)
        if (known.is_of(address, bytes, from))
            return known;
    m_work += static_cast<std::int64_t>(m_domain.threads() / 8);
    if (site.requests.size() >= most_patterns)
        site.requests.erase(site.requests.begin());
    return site.requests.emplace_back(address, bytes, m_domain.threads(), site.access.is_shared,
                                      site.access.kind == AccessKind::Atomic, from);
}

void AccessTracer::picture(Site& site, const Value& address, const Mask& mask, const std::array<int, 1024>& bytes) {
    Picture best = site.access.picture;
    for (std::size_t w = 0; w < 32; ++w) {
        if (__builtin_popcount(mask.warps[w]) <= best.lanes())
            continue;
        Picture next;
        next.warp = static_cast<int>(w);
        for (std::size_t lane = 0; lane < 32; ++lane)
            if (const std::size_t t = 32 * w + lane; mask.has(t) && bytes[t] > 0)
                next.offsets[lane] = address.base(t), next.bytes[lane] = bytes[t];
        if (next.lanes() > best.lanes())
            best = next;
    }
    if (best.lanes() == site.access.picture.lanes())
        return;
    best.traffic = traffic_of(best, site.access.is_shared, site.access.kind == AccessKind::Atomic);
    site.access.picture = best;
    const auto strides = strides_of(address, m_block, m_domain.threads(), mask);
    site.access.form = strides ? Form::Affine : Form::Sampled;
    site.access.strides = strides.value_or(std::array<std::int64_t, 3>{});
}

// ---- the copy unit ----------------------------------------------------------------------------------------------------

// The site of one of the two memories.
Access& AccessTracer::copied(const Intrinsic& expr, bool is_shared, const std::string& tensor, std::int64_t bytes,
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
bool AccessTracer::each_instance(std::span<const Value> values, const Mask& mask, const Instance& instance) {
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

void AccessTracer::copy_by_unit(const Intrinsic& expr, std::span<const Value> args, const Mask& mask) {
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

void AccessTracer::count_row(const Intrinsic& expr, const Value& bytes, const Value& address, const Value& blocks,
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

void AccessTracer::count_box(const Intrinsic& expr, std::span<const Value> coordinates, const Value& blocks,
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
