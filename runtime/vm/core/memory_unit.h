// SPDX-License-Identifier: Apache-2.0
// Accesses to memory and addresses of it: of all threads together (access.cpp, fused_loads.cpp), of each (lane_access.cpp,
// atomic.cpp), as values (address.cpp), and in other blocks of the cluster (cluster.cpp).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/vm/core/block_view.h"
#include "runtime/vm/core/target.h"

namespace hidet::vm {

inline constexpr int own_block = -1; // where a rank in the cluster is given

class MemoryUnit : BlockView {
public:
    explicit MemoryUnit(const BlockView& view) : BlockView(view) {}
    bool drop_old_parts() { // there were some
        const bool has_any = !m_old_parts.empty();
        m_old_parts.clear();
        return has_any;
    }
    std::uint64_t put_off_parts(std::int32_t operand) const {
        return m_deferred[static_cast<std::size_t>(operand)].parts;
    }
    void load(Group& group, const Step& step);
    void store(Group& group, const Step& step);
    void atomic(Group& group, const Step& step);
    std::byte* checked_pointer(Group& group, std::uint64_t pointer, std::int64_t bytes, int align, int lane,
                               Purpose purpose, const char* what);
    void to_shared(Group& group, const Step& step);
    void check_space(Group& group, const Step& step);
    void check_tile(Group& group, const Step& step);
    void address(Group& group, const Step& step);
    bool is_put_off(const Group& group, std::int32_t operand) const;
    void settle_address(const Group& group, std::int32_t operand);
    std::uint64_t pointer_of(const Group& group, std::int32_t operand, int lane) const;
    bool fused_loads(Group& group, const Step& step); // false: nothing is done, one of them may not be fine
    MemoryArea shared_memory(std::uint64_t pointer) const;
    Block& peer(Group& group, int rank, int lane);
    void map_shared(Group& group, const Step& step);
    void map_peer(Group& group, const Step& step);

private:
    static std::optional<std::int64_t> offset_within(const Group& group, const ReadyAccess& ready, const LanePart* part,
                                                     const LoadFamily::Bounds* further);
    Target resolve(Group& group, const Step& step, Purpose purpose);
    Target target_of(Group& group, const Step& step, Purpose purpose);
    const LanePart& lane_offsets(Group& group, std::int32_t row, const ReadyAccess& ready);
    void learn(Group& group, const ReadyAccess& ready, LanePart& part);
    std::optional<MemoryArea> plain_memory(std::uint32_t id, Purpose purpose);
    MemoryArea memory_of(Group& group, const artifact::Access& access, std::uint32_t id, Purpose purpose);
    void check_load(Group& group, const Step& step, const Target& target);
    void load_local(Group& group, const Step& step, const Target& target);
    void store_local(Group& group, const Step& step, const Target& target);
    static std::optional<std::int64_t> same_offset(const Target& target);
    void load_part(Group& group, const Step& step, const artifact::LocalArray& array, std::int64_t at);
    void store_part(Group& group, const Step& step, const artifact::LocalArray& array, std::int64_t at);
    void copy_local(Group& group, const artifact::LocalArray& array, std::int64_t byte, int lane, void* value,
                    int bytes, bool to_array);
    std::byte* lane_address(Group& group, const Step& step, const Target& target, int lane, std::uint64_t& scratch,
                            Purpose purpose);
    std::uint64_t parts_version(const Group& group, const artifact::Access& access) const;
    const std::vector<std::int64_t>& lane_distances(Group& group, const Step& step, const artifact::Access& access,
                                                    std::uint64_t version);
    bool aim(Group& group, const LoadFamily& family, Target& target);
    void check_family(Group& group, const LoadFamily& family, const Target& target);
    bool find_factors(const LoadFamily& family, const Target& target, FactorPlaces& out);
    bool add_terms(Group& group, const FusedLoads& run, const Target& a, const Target& b);
    template <class F>
    void map_lanes(Group& group, const Step& step, F&& map);
    std::uint64_t peer_pointer(Group& group, std::uint64_t pointer, int rank, int lane);
    std::uint32_t window_of_rank() const { return static_cast<std::uint32_t>(m_rank) << 24; }
    MemoryArea remote_memory(Group& group, std::uint32_t id, int lane);

    static constexpr std::size_t groups_apart = 4;
    std::vector<std::array<LaneDistances, groups_apart>> m_addresses; // by access
    std::vector<PutOffAddress> m_deferred;                            // by register
    std::unordered_map<std::uint64_t, std::unique_ptr<LanePart>> m_parts;
    std::vector<std::unique_ptr<LanePart>> m_old_parts; // that sites may still point to, until the next block
};

// Indices that are far off wrap; they are found out by the check of the index or of the address.
inline std::int64_t plus_product(std::int64_t sum, std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                     static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t access_offset(const artifact::Access& access, const std::vector<std::uint64_t>& u);

} // namespace hidet::vm
