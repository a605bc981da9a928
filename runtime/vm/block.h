// SPDX-License-Identifier: Apache-2.0
// One block of a kernel while it runs.
//
// Its threads are lanes of the registers. A group is a set of warps that run together: it has the program counter, the
// running threads, the open frames and the u registers. A block begins as one group (or as some, when its registers
// would not fit the cache), and a group splits where its warps part ways and one side holds a barrier. Groups run one at
// a time until they wait, so a block needs no locks, and whatever the order, what ordered threads compute is the same.
//
// A group has a number for what a register holds for it. Integer arithmetic makes it out of the operation and the numbers of
// the operands, so equal computations have equal numbers: in every turn of a loop, every copy of an unrolled body, every
// block. What comes from memory gets a new number. The lanes' part of an address is looked at once for each combination
// of numbers and running threads; after that, checking and moving need no look at single lanes.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "lang/base/finding_words.h"
#include "runtime/vm/async/async_copy.h"
#include "runtime/vm/async/copies.h"
#include "runtime/vm/barriers.h"
#include "runtime/vm/checks/access_findings.h"
#include "runtime/vm/checks/global_checker.h"
#include "runtime/vm/checks/global_notes.h"
#include "runtime/vm/checks/init_checker.h"
#include "runtime/vm/checks/race_checker.h"
#include "runtime/vm/checks/shadow.h"
#include "runtime/vm/code.h"
#include "runtime/vm/core/block_view.h"
#include "runtime/vm/core/target.h"
#include "runtime/vm/group.h"
#include "runtime/vm/lane_offsets.h"
#include "runtime/vm/launch_context.h"
#include "runtime/vm/machine.h"
#include "runtime/vm/mask.h"
#include "runtime/vm/matrix/fused_products.h"
#include "runtime/vm/matrix/wgmma.h"
#include "runtime/vm/memory.h"
#include "runtime/vm/observe/counters.h"
#include "runtime/vm/observe/observer.h"

namespace hidet::artifact {
struct TensorMap;
}

namespace hidet::vm {

class Timeline;
enum class BlockStatus : std::uint8_t { Finished, Waiting };

class Block : public BlockState, public BlockView {
public:
    explicit Block(const LaunchContext& context);
    void begin_launch();                                                   // another one than the last
    void start(std::int64_t linear);                                       // the number of the block in its grid
    void join(const std::vector<Block*>& cluster, int rank, Order* order); // no order: it is not checked
    // Runs until all threads ended, or nothing can go on before other blocks do.
    BlockStatus run();
    std::string take_output() { return std::exchange(m_output, {}); } // no longer than may be printed
    [[noreturn]] void fail_waiting(std::int64_t outside);             // nobody will come; blocks that have not begun
    void stopped(Finding& finding);                                   // by it

    Observer observer{*this};
    AccessFindings findings{*this};
    RaceChecker races{*this};
    GlobalChecker globals{*this};
    InitChecker init{*this};
    void add_flops(const Group& group, std::uint64_t flops) {
        statistics.flops += flops;
        if (m_counts)
            observer.add_flops(group, flops);
    }

    // What is not a unit yet.
    friend struct BlockParties; // block_notes.h
    friend struct BlockTiles;
    friend struct BlockOwners;
    void run_group(Group& group);
    void run_vector(Group& group, const Step& step);
    void execute(Group& group, const Step& step);
    void count_more(const Group& group, std::uint64_t instructions); // that were dispatched
    void change_sums(Group& group, const Step& step);
    void muladd_all(Group& group, const Step& step);
    void check_divisor(Group& group, const Step& step);
    void check_budget(Group& group);
    void stop_in_time(Group& group);
    std::uint64_t computed_version(const Group& group, const Step& step) const;

    // special.cpp
    void number_threads();
    void special(Group& group, const Step& step);

    // control.cpp
    void set_active(Group& group, const Mask& mask);
    void open_if(Group& group, const Step& step);
    void other_side(Group& group, const Step& step);
    void close_frame(Group& group, const Step& step);
    void open_loop(Group& group);
    void test_loop(Group& group, const Step& step);
    void next_turn(Group& group, const Step& step);
    void leave(Group& group, const Step& step);
    void exit_threads(Group& group, const Step& step);
    Mask condition_mask(Group& group, const Step& step);
    bool split(Group& group, const Mask& stay, const Mask& go, const Step& step);
    Group& part(Group& group, const Mask& leaving, std::uint32_t pc);
    void part_from_idle(Group& group);
    std::uint32_t end_of_open(std::uint32_t pc) const;
    Group& add_group();
    Group& fresh_group(); // a new one, or one that ended
    void clear(Group& group) const;
    void finish(Group& group);
    void merge_into(Group& to, Group& from);
    int split_parties(int split) const;
    Group* ready_group();
    std::size_t chosen(std::size_t count); // one of so many
    Group* next_group();
    void arrive(Group& group, const Step& step);
    void order_barrier(int id, Barrier& done);
    void check_meeting(Group& group, int id, const Barrier& barrier);
    void check_turn(Group& group, int id, std::int64_t expected);
    void check_barrier(int id);
    void check_whole_warps(Group& group, const char* what);
    void check_complete_warps(Group& group, const char* what);

    // access.cpp
    static std::optional<std::int64_t> offset_within(const Group& group, const ReadyAccess& ready, const LanePart* part,
                                                     const LoadFamily::Bounds* further);
    Target resolve(Group& group, const Step& step, Purpose purpose);
    const LanePart& lane_offsets(Group& group, std::int32_t row, const ReadyAccess& ready);
    void learn(Group& group, const ReadyAccess& ready, LanePart& part);
    std::optional<MemoryArea> plain_memory(std::uint32_t id, Purpose purpose);
    MemoryArea memory_of(Group& group, const artifact::Access& access, std::uint32_t id, Purpose purpose);
    void load(Group& group, const Step& step);
    void check_load(Group& group, const Step& step, const Target& target);
    void store(Group& group, const Step& step);
    void atomic(Group& group, const Step& step);
    void load_local(Group& group, const Step& step, const Target& target);
    void store_local(Group& group, const Step& step, const Target& target);
    static std::optional<std::int64_t> same_offset(const Target& target);
    void load_part(Group& group, const Step& step, const artifact::LocalArray& array, std::int64_t at);
    void store_part(Group& group, const Step& step, const artifact::LocalArray& array, std::int64_t at);
    void copy_local(Group& group, const artifact::LocalArray& array, std::int64_t byte, int lane, void* value,
                    int bytes, bool to_array);
    std::byte* lane_address(Group& group, const Step& step, const Target& target, int lane, std::uint64_t& scratch,
                            Purpose purpose);
    std::byte* checked_pointer(Group& group, std::uint64_t pointer, std::int64_t bytes, int align, int lane,
                               Purpose purpose, const char* what);
    void to_shared(Group& group, const Step& step);
    void check_space(Group& group, const Step& step);
    void check_tile(Group& group, const Step& step);

    // address.cpp
    void address(Group& group, const Step& step);
    std::uint64_t parts_version(const Group& group, const artifact::Access& access) const;
    const std::vector<std::int64_t>& lane_distances(Group& group, const Step& step, const artifact::Access& access,
                                                    std::uint64_t version);

    bool is_put_off(const Group& group, std::int32_t operand) const;
    void settle_address(const Group& group, std::int32_t operand);
    std::uint64_t pointer_of(const Group& group, std::int32_t operand, int lane) const;

    // fused_loads.cpp
    bool aim(Group& group, const LoadFamily& family, Target& target);
    void check_family(Group& group, const LoadFamily& family, const Target& target);
    bool find_factors(const LoadFamily& family, const Target& target, FactorPlaces& out);
    bool add_terms(Group& group, const FusedLoads& run, const Target& a, const Target& b);
    bool fused_loads(Group& group, const Step& step); // false: nothing is done, one of them may not be fine

    // race.cpp
    void check_swizzle(Group& group, std::int64_t place, std::int64_t row_bytes, const char* how);
    MemoryArea shared_memory(std::uint64_t pointer) const;
    void sync_lanes(Group& group, std::int32_t mask_operand);

    // warp.cpp
    void check_mask(Group& group, std::int32_t operand, int w, const char* what);
    void shuffle(Group& group, const Step& step);
    void vote(Group& group, const Step& step);
    void elect(Group& group, const Step& step);
    void match(Group& group, const Step& step);
    void combine_lanes(Group& group, const Step& step);
    void active_mask(Group& group, const Step& step);
    void read_clock(Group& group, const Step& step);
    void sync_warp(Group& group, const Step& step);
    void print(Group& group, const Step& step);
    void check_assert(Group& group, const Step& step);

    // mbarrier.cpp
    std::string mbarrier_name(std::uint64_t pointer) const;
    const std::byte* mbarrier_place(Group& group, std::uint64_t pointer, int lane, const char* what);
    Mbarrier& mbarrier_at(Group& group, Block& owner, std::uint64_t pointer, int lane, const char* what);
    void make_mbarrier(Group& group, const Step& step);
    void reserve_barrier(std::uint64_t pointer, Actor actor, Epoch epoch, std::uint32_t pc);
    void end_mbarrier(Group& group, const Step& step);
    Mask lanes_that_signal(Group& group, const artifact::Operands& row, int lane) const;
    void settle(Mbarrier& barrier);
    void signal_mbarrier(Group& group, const Step& step);
    bool is_over(Group& group, const Step& step, int lane);
    Mask lanes_that_ask(Group& group, const Step& step, const Mask& lanes) const;
    void observe_phase(Group& group, const Step& step, const Mask& lanes);
    void check_made(Group& group, const Mbarrier& barrier, std::uint64_t pointer, int lane, BarrierUse use);
    void await_mbarrier(Group& group, const Step& step);
    void test_mbarrier(Group& group, const Step& step);
    std::string waiting_text(const Group& group) const;
    void add_waiting(std::string& text, std::vector<RelatedPlace>& places) const;

    // bulk_copy.cpp
    const std::byte* begin_of(std::uint64_t pointer) const; // of the memory that it points into
    artifact::TensorMap tensor_map_at(Group& group, std::uint64_t pointer, int lane);
    void copy_box(Group& group, const Step& step);
    void copy_bytes(Group& group, const Step& step);
    void prefetch_bytes(Group& group, const Step& step);
    void load_bulk(Group& group, BulkCopy copy, std::uint64_t barrier, std::uint32_t mask, int lane);
    void move_bulk(Group& group, BulkCopy copy, std::uint64_t to, std::uint64_t barrier, int lane);
    void store_bulk(Group& group, BulkCopy copy, int lane);
    Actor store_unit(int lane);
    void check_copy(Group& group, const BulkCopy& copy, Block& owner, int lane, Purpose purpose, Actor unit);
    void move_to_shared(const BulkCopy& copy);
    void record_load(const BulkCopy& copy, std::int64_t first, std::int64_t bytes, Actor unit);
    std::optional<Op> update_of(const Step& step) const;
    void move_from_shared(const BulkCopy& copy);
    bool deliver();
    bool deliver_bulk();
    void ask_ahead(int lines);
    void commit_bulk(Group& group);
    void await_bulk(Group& group, const Step& step);
    void check_stores();

    // tensor_copy.cpp
    void add_row(Group& group, const TensorCopy& copy, const std::int64_t* coords, std::int64_t at,
                 std::vector<CopyRun>& runs);
    bool is_plain_box(const TensorCopy& copy, const std::int64_t* coords);
    void add_rows(const TensorCopy& copy, const std::int64_t* coords, std::int64_t at, std::vector<CopyRun>& runs);
    void add_box(Group& group, const TensorCopy& copy, const std::int64_t* coords, std::vector<CopyRun>& runs);
    void add_pixels(Group& group, const TensorCopy& copy, const std::int64_t* coords, std::vector<CopyRun>& runs);

    // wgmma.cpp
    const std::byte* shared_bytes(Group& group, std::int64_t place, int bytes);
    TilePlan& tile_plan(Group& group, std::uint64_t descriptor, const WgmmaForm& form, bool is_a);
    TilePlan& plan_of_a(Group& group, ProductChain::Product& product, int w);
    TilePlan& plan_of_b(Group& group, ProductChain::Product& product, int w);
    bool starts_at(const Group& group, const ProductChain::Product& product, int w) const;
    const WgmmaPlan& wgmma_plan(const Step& step);
    void multiply_group(Group& group, const Step& step);
    void finish_chain(Group& group);
    void spread_chain_b(int first_warp);
    void spread_b(const WgmmaForm& form, const TilePlan& places, std::uint32_t* out);
    void spread_a(const ProductChain::Product& product, int w, std::uint32_t* out);
    void multiply_chain(int first_warp);

    // warp_group.cpp
    Mask warps_apart(const Group& group) const;
    int missing_warp(const Group& group, const Mask& apart) const;
    const Group* group_of_warp(int w) const; // none: it has ended, or there is none
    bool is_same_turn(const Group& group, const Group& other, std::uint32_t pc);
    void join_waiting(Group& group, Group& other);
    bool gathers(Group& group, const Step& step);
    void change_registers(Group& group, const Step& step);
    void check_registers();
    bool missing_of(const Mask& apart, int w) const;
    [[noreturn]] void fail_apart(Group& group, const Mask& apart);
    void check_gathering();

    // products.cpp
    void check_products(Group& group, ProductChain::Product& product);
    void check_operand(Group& group, TilePlan& plan, const Visit& visit, Actor readers, std::vector<Conflict>& found);
    Actor warp_group_set(const Group& group, int w);
    void sync_products(Group& group, const Step& step);
    void hold_registers(Group& group, const WgmmaPlan& plan, bool starts, int first_lane);
    void touch_products(Group& group, const Step& step);
    void touch_product(Group& group, std::int32_t reg, const Mask& lanes, bool writes);
    void report_product(Group& group, FindingKind kind, std::int32_t reg, int lane, const std::string& text);

    // cluster.cpp
    Block& peer(Group& group, int rank, int lane);
    std::uint32_t window_of_rank() const { return static_cast<std::uint32_t>(m_rank) << 24; }
    MemoryArea remote_memory(Group& group, std::uint32_t id, int lane);
    void map_shared(Group& group, const Step& step);
    void sync_cluster(Group& group);
    void check_cluster();

    // async_copy.cpp
    void issue_copy(Group& group, const Step& step);
    std::shared_ptr<const CopyPattern> copy_pattern(Group& group, const Step& step, const Mask& lanes);
    std::shared_ptr<CopyPattern> learn_copies(Group& group, const Step& step, const Mask& lanes);
    bool has_places(const Group& group, std::int32_t operand, const CopyPattern& pattern, CopyPlaces& places);
    bool issue_together(Group& group, const Step& step, const Mask& lanes, int source);
    void issue_alone(Group& group, const Step& step, int lane, int source);
    void check_source(Group& group, std::uint64_t from, int bytes, int lane);
    template <class F>
    Mask lanes_where(const Mask& lanes, F&& f) const;
    std::size_t part_copies(std::size_t at, const Mask& lanes);
    void commit_copies(Group& group);
    int common_commits(const Mask& lanes, const Mask& active) const;
    bool are_some_done(const PendingCopies& copies, const Mask& active, int pending) const;
    Mask done_lanes(const PendingCopies& copies, const Mask& active, int pending) const;
    void complete(const PendingCopies& copies, const Mask& lanes, Epoch at);
    void wait_copies(Group& group, const Step& step);
    void arrive_with_copies(Group& group, const Step& step);
    bool finish_copies();

    // matrix.cpp
    const MatrixRows& matrix_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose);
    MatrixRows& kept_rows(std::uint64_t key);
    const MatrixRows& fresh_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose);
    void learn_rows(Group& group, const artifact::Operands& row, int count, Purpose purpose, MatrixRows& out);
    void add_touches(const std::vector<WarpGranule>& granules, Purpose purpose, MatrixRows& out);
    void check_rows(Group& group, const MatrixRows& rows, Purpose purpose);
    bool has_number(const Group& group, std::int32_t operand) const;
    void load_matrix(Group& group, const Step& step);
    void gather_matrices(const Group& group, const artifact::Operands& row, const MatrixRows& rows, bool turned);
    void store_matrix(Group& group, const Step& step);

    // fused_products.cpp
    void multiply(Group& group, const Step& step);
    void pass_over_run(Group& group, const FusedProducts& run);
    void look_at_operand(const Group& group, FusedProducts::Operand& operand) const;
    bool are_alike(const Group& group, FusedProducts& run, std::uint32_t warps) const;
    void spread_warp(const MmaShape& shape, const FusedProducts::Operand& operand, std::size_t w, std::uint32_t* out);
    std::uint32_t* spread_operand(const FusedProducts& run, FusedProducts::Operand& operand, std::uint32_t warps,
                                  std::uint32_t* next);
    std::uint32_t* spread_run(FusedProducts& run, std::uint32_t warps, std::uint32_t* next);
    void multiply_run(const Group& group, FusedProducts& run, std::uint32_t warps);
    void multiply_spread(const FusedProducts& run, std::uint32_t warps, const MmaParts& parts);
    std::uint32_t* spread_operands();

    std::vector<std::int32_t> m_thread_indices; // x, y and z of each lane, and its number, behind each other
    static constexpr std::size_t groups_apart = 4;
    struct KnownRows {
        std::uint64_t key = 0;
        MatrixRows* rows = nullptr;
    };
    std::vector<std::array<LaneDistances, groups_apart>> m_addresses; // by access
    std::vector<PutOffAddress> m_deferred;                            // by register
    std::unordered_map<std::uint64_t, std::unique_ptr<LanePart>> m_parts;
    std::unordered_map<std::uint64_t, MatrixRows> m_matrix_rows;
    std::unordered_map<std::uint64_t, MatrixRows> m_old_rows;     // that loads may be put off with
    std::array<KnownRows, 256> m_known_rows;                      // that were asked for last
    MatrixRows m_fresh_rows;                                      // that will not be seen again
    std::vector<std::unique_ptr<FusedProducts>> m_fused_products; // by the first instruction
    FusedProducts* m_waiting_run = nullptr;                       // that is spread, and done with its follower
    std::vector<LoadedRegister> m_loaded;                         // by register; what ldmatrix loaded
    std::vector<std::uint32_t> m_spread;
    std::vector<std::unique_ptr<LanePart>> m_old_parts; // that sites may still point to, until the next block
    std::vector<ThreadsEnd> m_exits;                    // of its threads so far
    std::deque<std::unique_ptr<Group>> m_spare_groups;  // with what they know about accesses, for the next block
    Barrier m_barriers[16];
    int m_splits = 0;
    std::uint64_t m_random = 0;
    std::string m_output;
    std::uint64_t m_clocks_read = 0;
    std::uint64_t m_dispatched = 0; // counted at looks at the budget
    std::map<const std::byte*, Mbarrier> m_mbarriers;
    std::deque<BulkCopy> m_loads, m_stores; // to and from shared memory
    std::vector<int> m_bulk_groups;         // of each lane so far
    std::vector<PendingCopies> m_copies;
    std::unordered_map<std::uint64_t, std::shared_ptr<CopyPattern>> m_copy_patterns;
    std::uint64_t m_issued = 0;
    std::deque<CopyArrival> m_copy_arrivals;
    std::vector<int> m_commits;  // commit groups of each lane so far
    bool m_commits_alike = true; // the lanes of a warp have committed together
    std::array<Actor, max_threads / 32> m_warp_group_sets{};
    std::vector<WarpRegisters> m_warp_registers; // empty: no warp has changed them
    std::vector<Swizzled> m_swizzled;
    std::array<KnownLoad, 16> m_known_loads;
    std::uint64_t m_swizzle_changes = 1; // of those
    std::unordered_map<std::uint64_t, TilePlan> m_tile_plans;
    std::array<KnownPlan, 256> m_known_plans;              // that were asked for last
    std::vector<std::unique_ptr<WgmmaPlan>> m_wgmma_plans; // by row of operands
    ProductChain m_chain;
    std::map<std::uint32_t, std::vector<std::size_t>> m_live_scalars; // where warp groups come together
    std::map<int, Actor> m_store_units;                               // by the thread that waits
    std::map<int, Actor> m_product_units;                             // by the first thread of a warp group
    std::vector<std::uint8_t> m_held, m_unfenced; // of each register: warp groups whose products have it, that wrote it
    std::vector<std::uint32_t> m_held_by;         // and the instruction
    std::map<int, Products> m_products;           // by the first lane of a warp group
};

// Indices that are far off wrap; they are found out by the check of the index or of the address.
inline std::int64_t plus_product(std::int64_t sum, std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                     static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t access_offset(const artifact::Access& access, const std::vector<std::uint64_t>& u);
std::string format_text(const std::string& format, const std::vector<Scalar>& types,
                        const std::vector<std::uint64_t>& values);

} // namespace hidet::vm
