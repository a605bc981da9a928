// SPDX-License-Identifier: Apache-2.0
// Addresses of elements, as values. What differs between lanes is kept for as long as the numbers of its registers stay: then an
// address is one sum, or what the register holds already.
#include "runtime/vm/block.h"

namespace hidet::vm {

namespace {

constexpr std::uint64_t put_off_mark =
    0x5bd1e995; // sets such versions apart from those of registers that hold the address

} // namespace

void MemoryUnit::address(Group& group, const Step& step) {
    const artifact::Access& access = access_of(step);
    std::uint64_t base = 0;
    if (access.space == artifact::Space::Shared)
        base = make_pointer(first_shared_id + static_cast<std::uint32_t>(access.base), 0);
    else if (access.space == artifact::Space::Local)
        base = make_pointer(first_local_id + static_cast<std::uint32_t>(access.base), 0);
    else if (!is_v(access.base))
        base = group.u[static_cast<std::size_t>(register_of(access.base))];
    base += static_cast<std::uint64_t>(access_offset(access, group.u));
    if (artifact::is_u(step.instr.dst)) {
        u_slot(group, step.instr.dst) = base;
        return;
    }
    const std::uint64_t parts = parts_version(group, access);
    const std::uint64_t version = (mix(parts, base) & ~fresh_bit) | (parts & fresh_bit);
    const bool blends = (step.flags & artifact::flag_blend) != 0;
    std::uint64_t& known = group.versions[static_cast<std::size_t>(step.instr.dst)];
    if (!blends && known == version)
        return;
    const std::vector<std::int64_t>& distances = lane_distances(group, step, access, parts);
    if (step.is_put_off && !m_counts && !(parts & fresh_bit)) {
        m_deferred.resize(group.versions.size());
        known = mix(version, put_off_mark) & ~fresh_bit;
        m_deferred[static_cast<std::size_t>(step.instr.dst)] = {known, base, parts, distances.data(),
                                                                static_cast<int>(distances.size())};
        return;
    }
    const auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    const auto count = static_cast<int>(distances.size());
    std::byte* const dst = lanes(step.instr.dst) + first * 8;
    if (blends && !group.full) {
        m_table.place_at(reinterpret_cast<std::uint64_t*>(m_scratch), base, distances.data(), count);
        m_table.blend(dst, m_scratch, mask_words(group) + first, count, 8);
    } else {
        m_table.place_at(reinterpret_cast<std::uint64_t*>(dst), base, distances.data(), count);
    }
    if (blends)
        return written(group, step.instr.dst);
    known = version;
}

bool MemoryUnit::is_put_off(const Group& group, std::int32_t operand) const {
    const auto row = static_cast<std::size_t>(operand);
    return is_v(operand) && row < m_deferred.size() && m_deferred[row].distances &&
           m_deferred[row].version == group.versions[row];
}

// The register gets it, for who looks at single lanes.
void MemoryUnit::settle_address(const Group& group, std::int32_t operand) {
    if (!is_put_off(group, operand))
        return;
    PutOffAddress& address = m_deferred[static_cast<std::size_t>(operand)];
    std::byte* const dst = lanes(operand) + static_cast<std::size_t>(group.lo) * chunk_lanes * 8;
    m_table.place_at(reinterpret_cast<std::uint64_t*>(dst), address.base, address.distances, address.count);
    address.distances = nullptr;
}

std::uint64_t MemoryUnit::pointer_of(const Group& group, std::int32_t operand, int lane) const {
    if (!is_put_off(group, operand))
        return lane_value<std::uint64_t>(group, operand, lane);
    const PutOffAddress& address = m_deferred[static_cast<std::size_t>(operand)];
    return address.base + static_cast<std::uint64_t>(address.distances[lane - group.lo * chunk_lanes]);
}

// Of all lanes of the group.
const std::vector<std::int64_t>& MemoryUnit::lane_distances(Group& group, const Step& step,
                                                            const artifact::Access& access, std::uint64_t version) {
    m_addresses.resize(m_function.accesses.size());
    LaneDistances& site =
        m_addresses[static_cast<std::size_t>(step.instr.x)].at(static_cast<std::size_t>(group.number) % groups_apart);
    if (site.version == version)
        return site.of_lanes;
    const auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    const int count = (group.hi - group.lo) * chunk_lanes;
    site.version = version;
    site.of_lanes.assign(static_cast<std::size_t>(count), 0);
    auto* out = reinterpret_cast<std::int64_t*>(m_scratch);
    bool is_first = true;
    const auto add = [&](std::int32_t reg, bool is_wide, std::int64_t stride) {
        m_table.add_scaled(out, lanes(reg) + first * (is_wide ? 8 : 4), is_wide, stride, count, is_first);
        is_first = false;
    };
    if (access.space == artifact::Space::Pointer && is_v(access.base))
        add(access.base, true, 1);
    for (const artifact::AccessDim& dim : access.dims)
        if (dim.v >= 0)
            add(dim.v, dim.wide, stride_of(dim, group.u.data()));
    if (!is_first)
        std::copy_n(out, count, site.of_lanes.begin());
    return site.of_lanes;
}

// Of what differs between lanes, as computed_version().
std::uint64_t MemoryUnit::parts_version(const Group& group, const artifact::Access& access) const {
    std::uint64_t hash = mix(static_cast<std::uint64_t>(Op::Address),
                             static_cast<std::uint64_t>(group.lo) << 8 | static_cast<std::uint64_t>(group.hi));
    std::uint64_t fresh = 0;
    const auto add = [&](std::int32_t reg, std::int64_t stride) {
        const std::uint64_t version = group.versions[static_cast<std::size_t>(register_of(reg))];
        fresh |= version;
        hash = mix(mix(hash, version), static_cast<std::uint64_t>(stride));
    };
    if (access.space == artifact::Space::Pointer && is_v(access.base))
        add(access.base, 1);
    for (const artifact::AccessDim& dim : access.dims)
        if (dim.v >= 0)
            add(dim.v, stride_of(dim, group.u.data()));
    return (hash & ~fresh_bit) | (fresh & fresh_bit);
}

} // namespace hidet::vm
