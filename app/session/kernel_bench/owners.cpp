// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/owners.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// A number of 53 bits, which a double has: launch, block, thread.
constexpr int owner_thread_bits = 10, owner_block_bits = 31;
constexpr std::size_t most_owner_rows = 8;
constexpr std::size_t most_lane_ranges = 4;
constexpr int warp_lanes = 32;

using Block3 = std::array<std::int64_t, 3>;

Block3 coordinates(std::int64_t block, const Block3& grid) {
    return {block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]};
}

// Dimensions of a grid that say something.
std::size_t rank_of(const Block3& grid) {
    return grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1;
}

std::string block_text(const Block3& block, const Block3& grid) {
    std::vector<std::string> parts;
    for (std::size_t d = 0; d < rank_of(grid); ++d)
        parts.push_back(cat(block[d]));
    return cat("block ", rank_of(grid) > 1 ? cat("(", join(parts, ", "), ")") : parts.front());
}

// "(0, *)": a row or a column of the grid; empty: it is none.
std::string stripe_text(const std::set<std::int64_t>& blocks, const Block3& grid) {
    std::array<std::set<std::int64_t>, 3> seen;
    for (const std::int64_t block : blocks)
        for (std::size_t d = 0; d < 3; ++d)
            seen.at(d).insert(coordinates(block, grid)[d]);
    std::size_t would_be = 1;
    std::vector<std::string> parts;
    for (std::size_t d = 0; d < rank_of(grid); ++d) {
        const bool is_whole = std::cmp_equal(seen.at(d).size(), grid[d]);
        if (!is_whole && seen.at(d).size() > 1)
            return "";
        would_be *= seen.at(d).size();
        parts.push_back(is_whole ? "*" : cat(*seen.at(d).begin()));
    }
    return would_be == blocks.size() && parts.size() > 1 ? cat("blocks (", join(parts, ", "), ")") : "";
}

std::string blocks_text(const std::set<std::int64_t>& blocks, const Block3& grid) {
    if (blocks.size() == 1)
        return block_text(coordinates(*blocks.begin(), grid), grid);
    if (std::cmp_equal(blocks.size(), grid[0] * grid[1] * grid[2]))
        return "every block";
    const std::string stripe = stripe_text(blocks, grid);
    return stripe.empty()
               ? cat(blocks.size(), " blocks from ", block_text(coordinates(*blocks.begin(), grid), grid), " on")
               : stripe;
}

std::vector<std::string> ranges_of(const std::vector<int>& numbers) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        out.push_back(last == i ? cat(numbers[i]) : cat(numbers[i], "-", numbers[last]));
        i = last + 1;
    }
    return out;
}

std::string numbers_text(const char* one, const char* several, const std::vector<int>& numbers) {
    std::vector<std::string> ranges = ranges_of(numbers);
    if (ranges.size() > most_lane_ranges) {
        ranges.resize(most_lane_ranges);
        return cat(numbers.size(), " ", several, ", ", join(ranges, ", "), ", ...");
    }
    return cat(numbers.size() == 1 ? one : several, " ", join(ranges, ", "));
}

std::vector<int> lanes_of(std::uint32_t mask) {
    std::vector<int> out;
    for (int lane = 0; lane < warp_lanes; ++lane)
        if (mask >> lane & 1)
            out.push_back(lane);
    return out;
}

struct Threads { // of one launch, that have the same lanes in the same warps of each of its blocks
    std::size_t launch = 0;
    std::vector<int> warps;
    std::uint32_t lanes = 0;
    auto operator<=>(const Threads&) const = default;
};

struct OfThread {
    std::int64_t wrong = 0, written = 0;
    std::int64_t first = -1; // element
};

class OwnerGroups {
public:
    OwnerGroups(const vm::OwnerMap& map, const std::vector<std::int64_t>& shape) : m_map(map), m_shape(shape) {}

    std::vector<WrongOwner> find(const std::function<bool(std::int64_t)>& is_wrong) {
        for (std::int64_t i = 0; i < m_map.count(); ++i)
            take(i, is_wrong(i));
        group();
        std::vector<WrongOwner> out =
            transformed(m_groups, [&](const auto& group) { return row_of(group.first, group.second); });
        if (m_nobody.wrong > 0)
            out.push_back({"", "nobody", m_nobody.wrong, m_nobody.written, index_of(m_nobody.first)});
        std::ranges::stable_sort(out, std::greater<>(), &WrongOwner::wrong);
        return shortened(std::move(out));
    }

private:
    using BlockKey = std::pair<std::size_t, std::int64_t>; // launch, block

    void take(std::int64_t element, bool is_wrong) {
        const auto owner = m_map.owner_of(element);
        OfThread& of = owner ? m_threads[{owner->launch, owner->block}][owner->thread] : m_nobody;
        of.written += 1, of.wrong += is_wrong;
        if (is_wrong && of.first < 0)
            of.first = element;
    }

    void group() {
        for (const auto& [block, threads] : m_threads) {
            std::map<int, std::uint32_t> warps;
            for (const auto& [thread, of] : threads)
                if (of.wrong > 0)
                    warps[thread / warp_lanes] |= 1u << (thread % warp_lanes);
            std::map<std::uint32_t, std::vector<int>> alike;
            for (const auto& [warp, lanes] : warps)
                alike[lanes].push_back(warp);
            for (const auto& [lanes, of_warps] : alike)
                m_groups[{block.first, of_warps, lanes}].insert(block.second);
        }
    }

    WrongOwner row_of(const Threads& threads, const std::set<std::int64_t>& blocks) const {
        const vm::OwnerMap::Launch& launch = m_map.launches()[threads.launch];
        WrongOwner out;
        out.kernel = launch.kernel;
        std::int64_t first = -1;
        for (const std::int64_t block : blocks)
            for (const auto& [thread, of] : m_threads.at({threads.launch, block})) {
                const bool is_one = (threads.lanes >> (thread % warp_lanes) & 1) != 0 &&
                                    std::ranges::count(threads.warps, thread / warp_lanes) > 0;
                if (!is_one)
                    continue;
                out.wrong += of.wrong, out.written += of.written;
                if (of.first >= 0 && (first < 0 || of.first < first))
                    first = of.first;
            }
        out.at = index_of(first);
        out.threads = cat(blocks_text(blocks, launch.shape.grid), threads_text(threads, launch.shape));
        return out;
    }

    static std::string threads_text(const Threads& threads, const artifact::LaunchShape& shape) {
        const std::int64_t count = shape.threads(), warps = (count + warp_lanes - 1) / warp_lanes;
        const std::int64_t lanes = std::min<std::int64_t>(count, warp_lanes);
        const bool has_all_warps = std::cmp_equal(threads.warps.size(), warps);
        const bool has_all_lanes = std::cmp_equal(__builtin_popcount(threads.lanes), lanes);
        if (has_all_warps && has_all_lanes)
            return ", all threads";
        std::string out;
        if (warps > 1)
            out += has_all_warps ? ", every warp" : ", " + numbers_text("warp", "warps", threads.warps);
        if (!has_all_lanes)
            out += ", " + numbers_text("lane", "lanes", lanes_of(threads.lanes));
        return out;
    }

    std::vector<std::int64_t> index_of(std::int64_t element) const {
        std::vector<std::int64_t> out(m_shape.size(), 0);
        for (std::size_t d = m_shape.size(); d-- > 0; element /= std::max<std::int64_t>(m_shape[d], 1))
            out[d] = element % std::max<std::int64_t>(m_shape[d], 1);
        return out;
    }

    static std::vector<WrongOwner> shortened(std::vector<WrongOwner> rows) {
        if (rows.size() <= most_owner_rows)
            return rows;
        WrongOwner rest = rows[most_owner_rows - 1];
        rest.threads = cat(rows.size() - most_owner_rows + 1, " other groups of threads");
        for (std::size_t i = most_owner_rows; i < rows.size(); ++i)
            rest.wrong += rows[i].wrong, rest.written += rows[i].written;
        rows.resize(most_owner_rows - 1);
        rows.push_back(std::move(rest));
        return rows;
    }

    const vm::OwnerMap& m_map;
    const std::vector<std::int64_t>& m_shape;
    std::map<BlockKey, std::map<int, OfThread>> m_threads;
    OfThread m_nobody;
    std::map<Threads, std::set<std::int64_t>> m_groups;
};

} // namespace

std::optional<TensorOwner> owner_of(double number, const std::vector<OwnerLaunch>& launches) {
    if (!(number >= 0))
        return std::nullopt;
    const auto word = static_cast<std::uint64_t>(number);
    TensorOwner out;
    out.thread = static_cast<int>(word & ((1u << owner_thread_bits) - 1));
    out.block_number =
        static_cast<std::int64_t>(word >> owner_thread_bits & ((std::uint64_t{1} << owner_block_bits) - 1));
    out.launch = static_cast<std::size_t>(word >> (owner_thread_bits + owner_block_bits));
    if (out.launch >= launches.size())
        return std::nullopt;
    out.block = coordinates(out.block_number, launches[out.launch].shape.grid);
    out.warp = out.thread / warp_lanes, out.lane = out.thread % warp_lanes;
    return out;
}

std::string owner_text(const TensorOwner& owner, const std::vector<OwnerLaunch>& launches) {
    return cat(block_text(owner.block, launches[owner.launch].shape.grid), ", warp ", owner.warp, ", lane ",
               owner.lane);
}

std::vector<OwnerLaunch> launches_of(const vm::OwnerMap& map) {
    return transformed(map.launches(), [](const vm::OwnerMap::Launch& launch) {
        return OwnerLaunch{launch.kernel, launch.shape};
    });
}

lang::TensorRef owner_tensor(const vm::OwnerMap& map, const std::vector<std::int64_t>& shape) {
    lang::TensorRef out(new lang::Tensor);
    out->dtype = ir::DType::I64;
    out->shape = shape;
    out->storage = std::make_shared<lang::Storage>(static_cast<std::size_t>(map.count()) * sizeof(std::int64_t));
    for (std::int64_t i = 0; i < map.count(); ++i) {
        const auto owner = map.owner_of(i);
        std::int64_t number = -1;
        if (owner && owner->block < std::int64_t{1} << owner_block_bits && owner->launch < 4096)
            number =
                ((static_cast<std::int64_t>(owner->launch) << owner_block_bits | owner->block) << owner_thread_bits) |
                owner->thread;
        std::memcpy(out->data() + static_cast<std::size_t>(i) * sizeof number, &number, sizeof number);
    }
    return out;
}

std::vector<WrongOwner> wrong_owners(const vm::OwnerMap& map, const std::vector<std::int64_t>& shape,
                                     const std::function<bool(std::int64_t)>& is_wrong) {
    return OwnerGroups(map, shape).find(is_wrong);
}

std::string wrong_text(const WrongOwner& owner) {
    return cat(owner.kernel.empty() ? "written by nobody" : owner.threads, ": ", owner.wrong, " of ", owner.written,
               owner.written == 1 ? " element wrong" : " elements wrong");
}

} // namespace hidet::session
