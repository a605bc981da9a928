// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/access/footprint.h"

#include <algorithm>
#include <functional>

#include "compiler/analysis/access/tracer.h"
#include "compiler/artifact/warp_traffic.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"

namespace hidet::compiler::access {

using namespace ir;

namespace {

// The tensor map that a host function makes of a variable, and hands to the kernel as its parameter; null: there is none.
const Intrinsic* map_handed_over(const Function& host, const Function& kernel, std::size_t parameter) {
    const Var* handed = nullptr;
    std::unordered_map<const Var*, const Intrinsic*> made;
    each_node(
        host.body,
        [&](const Intrinsic& call) {
            const auto* address = call.id == IntrinsicId::CreateTensorMap ? as<Address>(call.args[0]) : nullptr;
            if (const auto* var = address ? as<Var>(address->place) : nullptr)
                made[var] = &call;
        },
        [&](const LaunchStmt& stmt) {
            if (stmt.kernel == kernel.name && parameter < stmt.args.size() && !handed)
                handed = as<Var>(stmt.args[parameter]);
        });
    const auto found = made.find(handed);
    return found == made.end() ? nullptr : found->second;
}

const Var* tensor_behind(ExprRef expr) {
    while (const auto* cast = as<Cast>(expr))
        expr = cast->a;
    return as<Var>(expr);
}

std::shared_ptr<const Box> box_made_by(const Intrinsic& call, const SymbolValues& sizes) {
    auto box = std::make_shared<Box>();
    const Var* tensor = tensor_behind(call.args[1]);
    const auto rank = static_cast<std::size_t>(number_attribute(call.attr, "rank"));
    if (!tensor || call.args.size() < 2 + 3 * rank - 1)
        return nullptr;
    box->tensor = tensor->name;
    static constexpr int widths[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4};
    box->element_bytes = widths[static_cast<std::size_t>(attribute<TensorMapType>(call.attr))];
    std::size_t next = 2;
    const auto read = [&](std::vector<std::int64_t>& out, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const auto value = known_size(call.args[next++], sizes);
            if (!value)
                return false;
            out.push_back(*value);
        }
        return true;
    };
    box->strides.push_back(box->element_bytes);
    if (!read(box->extents, rank) || !read(box->strides, rank - 1) || !read(box->box, rank))
        return nullptr;
    for (; next < call.args.size(); ++next)
        if (known_size(call.args[next], sizes) != 1)
            return nullptr; // it leaves elements out
    return box;
}

std::int64_t at_block(const Place& place, const FootprintPart& part, const std::array<std::int64_t, 3>& block) {
    std::int64_t at = place.constant;
    for (std::size_t d = 0; d < 3; ++d)
        at += place.by[d] * (block[d] - part.first[d]);
    return at;
}

// Iterations of a loop, as offsets from its first one: all, or those of one round.
FootprintLoop taken(const FootprintLoop& loop, bool is_outermost, std::int64_t round) {
    if (!is_outermost || round < 0)
        return {loop.variable, 0, loop.count};
    const bool has = round >= loop.begin && round < loop.begin + loop.count;
    return {loop.variable, round - loop.begin, has ? 1 : 0};
}

void add_rows(const Box& box, std::span<const std::int64_t> at, ByteSet& out) {
    const std::function<void(std::size_t, std::int64_t)> add = [&](std::size_t d, std::int64_t base) {
        const Bytes range = box.inside(d, at[d]);
        if (d == 0) {
            if (range.end > range.begin)
                out.push_back({base + range.begin * box.element_bytes, base + range.end * box.element_bytes});
            return;
        }
        for (std::int64_t i = range.begin; i < range.end; ++i)
            add(d - 1, base + i * box.strides[d]);
    };
    add(box.box.size() - 1, 0);
}

void add_boxes(const FootprintPart& part, const std::array<std::int64_t, 3>& block, std::int64_t round, ByteSet& out) {
    std::vector<std::int64_t> at;
    for (const Place& coordinate : part.coordinates)
        at.push_back(at_block(coordinate, part, block));
    const std::function<void(std::size_t)> iterate = [&](std::size_t loop) {
        if (loop == part.loops.size())
            return add_rows(*part.box, at, out);
        const FootprintLoop range = taken(part.loops[loop], loop == 0, round);
        const bool matters = std::ranges::any_of(
            part.coordinates, [&](const Place& coordinate) { return coordinate.by_of_loop[loop] != 0; });
        for (std::int64_t i = range.begin;
             i < range.begin + (matters ? range.count : std::min<std::int64_t>(range.count, 1)); ++i) {
            const std::vector<std::int64_t> before = at;
            for (std::size_t d = 0; d < at.size(); ++d)
                at[d] += i * part.coordinates[d].by_of_loop[loop];
            iterate(loop + 1);
            at = before;
        }
    };
    iterate(0);
}

void add_lanes(const FootprintPart& part, const std::array<std::int64_t, 3>& block, std::int64_t round, ByteSet& out) {
    ByteSet all = *part.lanes;
    const std::int64_t base = at_block(part.place, part, block);
    for (Bytes& bytes : all)
        bytes.begin += base, bytes.end += base;
    for (std::size_t loop = part.loops.size(); loop-- > 0;) {
        const FootprintLoop range = taken(part.loops[loop], loop == 0, round);
        if (range.count == 0)
            return;
        const std::int64_t by = part.place.by_of_loop[loop];
        for (Bytes& bytes : all)
            bytes.begin += range.begin * by, bytes.end += range.begin * by;
        if (by == 0 || range.count == 1)
            continue;
        // Iterations side by side are one stretch.
        const bool is_dense =
            std::ranges::all_of(all, [&](const Bytes& bytes) { return std::abs(by) <= bytes.end - bytes.begin; });
        const std::size_t count = all.size();
        for (std::size_t i = 0; is_dense && i < count; ++i)
            (by > 0 ? all[i].end : all[i].begin) += by * (range.count - 1);
        for (std::int64_t turn = 1; !is_dense && turn < range.count; ++turn)
            for (std::size_t i = 0; i < count; ++i)
                all.push_back({all[i].begin + turn * by, all[i].end + turn * by});
        unite(all);
    }
    out.insert(out.end(), all.begin(), all.end());
}

} // namespace

Bytes Box::inside(std::size_t d, std::int64_t at) const {
    const std::int64_t begin = std::max<std::int64_t>(at, 0), end = std::min(at + box[d], extents[d]);
    return {begin, std::max(begin, end)};
}

std::int64_t bytes_of(const Box& box) {
    std::int64_t bytes = box.element_bytes;
    for (const std::int64_t extent : box.box)
        bytes *= extent;
    return bytes;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
}

void unite(ByteSet& set) {
    if (!std::ranges::is_sorted(set))
        std::ranges::sort(set);
    std::size_t kept = 0;
    for (const Bytes& next : set)
        if (kept > 0 && next.begin <= set[kept - 1].end)
            set[kept - 1].end = std::max(set[kept - 1].end, next.end);
        else
            set[kept++] = next;
    set.resize(kept);
}

std::int64_t bytes_of(const ByteSet& set) {
    std::int64_t out = 0;
    for (const Bytes& bytes : set)
        out += bytes.end - bytes.begin;
    return out;
}

bool FootprintPart::has(const std::array<std::int64_t, 3>& block) const {
    for (std::size_t d = 0; d < 3; ++d)
        if (block[d] < first[d] || block[d] >= first[d] + blocks[d])
            return false;
    return true;
}

void add_touched(const FootprintPart& part, const std::array<std::int64_t, 3>& block, std::int64_t round,
                 ByteSet& out) {
    if (part.box)
        add_boxes(part, block, round, out);
    else
        add_lanes(part, block, round, out);
}

void add_bytes(const FootprintPart& part, const std::array<std::int64_t, 3>& block, std::int64_t round, ByteSet& out) {
    const auto before = static_cast<std::ptrdiff_t>(out.size());
    add_touched(part, block, round, out);
    constexpr std::int64_t sector = artifact::sector_bytes;
    std::for_each(out.begin() + before, out.end(), [](Bytes& bytes) {
        bytes.begin = bytes.begin / sector * sector, bytes.end = (bytes.end + sector - 1) / sector * sector;
    });
}

std::uint64_t key_of(const FootprintPart& part, const std::array<std::int64_t, 3>& block, std::int64_t round) {
    std::uint64_t hash = part.shape;
    const auto add = [&](const Place& place) {
        std::int64_t at = at_block(place, part, block);
        for (std::size_t loop = 0; loop < part.loops.size(); ++loop) {
            const FootprintLoop range = taken(part.loops[loop], loop == 0, round);
            at += range.begin * place.by_of_loop[loop];
            const bool matters = place.by_of_loop[loop] != 0 && range.count > 1;
            hash = mixed(hash, static_cast<std::uint64_t>(matters ? place.by_of_loop[loop] : 0));
            hash = mixed(hash, static_cast<std::uint64_t>(matters || range.count == 0 ? range.count : 1));
        }
        hash = mixed(hash, static_cast<std::uint64_t>(at));
    };
    add(part.place);
    for (const Place& coordinate : part.coordinates)
        add(coordinate);
    return hash;
}

std::shared_ptr<const Box> box_of(const Module& module, const Function& kernel, const Var& parameter,
                                  const SymbolValues& sizes) {
    for (std::size_t i = 0; i < kernel.params.size(); ++i) {
        if (kernel.params[i].get() != &parameter)
            continue;
        for (const FunctionRef& function : module.functions)
            if (const Intrinsic* call = map_handed_over(*function, kernel, i))
                return box_made_by(*call, sizes);
    }
    return nullptr;
}

Footprint footprint_of(const Module& module, const Function& kernel, const SymbolValues& sizes,
                       const FootprintRequest& request) {
    Limits limits;
    limits.work = request.work, limits.cancelled = request.cancelled;
    return FootprintTracer(module, kernel, sizes, limits, request).footprint();
}

} // namespace hidet::compiler::access
