// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/block.h"

#include <algorithm>

#include "lang/base/check.h"
#include "lang/base/text.h"
#include "runtime/vm/checks/block_notes.h"

namespace hidet::vm {

using artifact::is_u;
using artifact::register_of;

namespace {

constexpr int red_zone = 256;             // between shared arrays in the 32-bit window
constexpr std::int64_t tile_bytes = 1024; // what holds as much begins at a multiple of it, as swizzled tiles have to
constexpr int check_interval = 512;       // instructions between looks at the budget
constexpr std::uint64_t steps_of_start = 256; // of the budget of a launch, which the start of a block takes

// The narrowest access to shared memory, by elements, copies and tiles, or by what its addresses that are taken point at.
int shared_granule(const Function& kernel) {
    bool has_addresses = false;
    for (const Instr& i : kernel.code) {
        const bool is_address =
            i.op == Op::Address && kernel.accesses[static_cast<std::size_t>(i.x)].space == artifact::Space::Shared;
        has_addresses = has_addresses || is_address || i.op == Op::SharedPointer || i.op == Op::FromShared;
    }
    int bytes = 16;
    for (const Instr& i : kernel.code) {
        if (i.op == Op::CpAsync)
            bytes = std::min(bytes, i.x);
        else if (i.op == Op::MbarInit)
            bytes = std::min(bytes, 8);
        if (i.op != Op::Load && i.op != Op::Store && (i.op < Op::AtomicAdd || i.op > Op::AtomicBits))
            continue;
        const artifact::Access& access = kernel.accesses[static_cast<std::size_t>(i.x)];
        const bool is_parameter =
            is_u(access.base) && register_of(access.base) < static_cast<int>(kernel.params.size());
        if (access.space == artifact::Space::Shared ||
            (access.space == artifact::Space::Pointer && has_addresses && !is_parameter))
            bytes = std::min(bytes, artifact::scalar_bytes(access.element));
    }
    return bytes;
}

// Whether something runs beside the threads that sees memory through another proxy.
bool has_units(const Function& kernel) {
    return std::ranges::any_of(kernel.code, [](const Instr& i) {
        switch (i.op) {
        case Op::TensorLoad:
        case Op::PixelLoad:
        case Op::TensorStore:
        case Op::TensorReduce:
        case Op::BulkLoad:
        case Op::BulkMove:
        case Op::BulkStore:
        case Op::BulkReduce:
        case Op::Wgmma: return true;
        default: return false;
        }
    });
}

std::byte* align_to(std::byte* p, std::size_t alignment) {
    auto value = reinterpret_cast<std::uintptr_t>(p);
    return p + (alignment - value % alignment) % alignment;
}

} // namespace

Block::Block(const LaunchContext& context) : m_context(context), m_function(*context.kernel), m_table(*context.table) {
    m_threads = static_cast<int>(context.shape.threads());
    m_warps = (m_threads + 31) / 32;
    m_lanes = m_warps * 32;
    m_chunks = m_lanes / chunk_lanes;
    m_stride = context.code->stride;
    auto registers = static_cast<std::size_t>(m_function.v_count);
    m_register_memory = std::make_unique<std::byte[]>((registers + 3) * m_stride + 128);
    m_registers = align_to(m_register_memory.get(), 64);
    m_scratch = m_registers + registers * m_stride;
    m_words_memory = std::make_unique<std::byte[]>(static_cast<std::size_t>(m_lanes) * 4 + 64);
    m_words = reinterpret_cast<std::uint32_t*>(align_to(m_words_memory.get(), 64));
    if (context.log) {
        m_ranges.resize(registers + 2);
        m_undefined.resize(registers + 2);
        m_undefined_by.resize(registers + 2);
        m_held.resize(registers + 2);
        m_unfenced.resize(registers + 2);
        m_held_by.resize(registers + 2);
    }
    number_threads();
    m_commits.resize(static_cast<std::size_t>(m_lanes));
    m_bulk_groups.resize(static_cast<std::size_t>(m_lanes));
    std::int64_t total = 0;
    for (const artifact::SharedArray& array : m_function.shared) {
        std::int64_t bytes = array.bytes < 0 ? context.shape.dynamic_shared : array.bytes;
        if (bytes >= tile_bytes)
            total = (total + tile_bytes - 1) / tile_bytes * tile_bytes;
        m_shared.push_back({nullptr, bytes});
        m_shared_place.push_back(total);
        total += (bytes + 127) / 128 * 128 + red_zone;
    }
    m_shared_memory.resize(static_cast<std::size_t>(total) + 128);
    if (context.log)
        m_swizzled.resize(static_cast<std::size_t>(total) / 16 + 1);
    std::byte* base = align_to(m_shared_memory.data(), 128);
    if (context.counts)
        m_counters.resize(m_function.code.size());
    if (context.log)
        m_shadow = std::make_unique<Shadow>(total, shared_granule(m_function));
    if (m_shadow && !has_units(m_function))
        m_shadow->expect_threads_only();
    for (std::size_t i = 0; i < m_shared.size(); ++i) {
        m_shared[i].data = base + m_shared_place[i];
        m_shared[i].shadow = m_shadow.get();
        m_shared[i].place = m_shared_place[i];
        m_shared[i].is_shared = true;
    }
}

void Block::start(std::int64_t linear) {
    m_dispatched = 0;
    m_number = linear;
    const LaunchShape::Extents& grid = m_context.shape.grid;
    m_block[0] = linear % grid[0];
    m_block[1] = linear / grid[0] % grid[1];
    m_block[2] = linear / grid[0] / grid[1];
    std::memset(m_registers, 0, static_cast<std::size_t>(m_function.v_count) * m_stride);
    std::memset(m_shared_memory.data(), 0, m_shared_memory.size());
    for (Barrier& barrier : m_barriers)
        barrier = {};
    m_splits = 0;
    std::fill(m_undefined_by.begin(), m_undefined_by.end(), 0u);
    m_undefined_count = 0;
    std::fill(m_held.begin(), m_held.end(), std::uint8_t{0});
    std::fill(m_unfenced.begin(), m_unfenced.end(), std::uint8_t{0});
    m_mbarriers.clear();
    m_exits.clear();
    m_units.clear();
    m_remote_uses.clear();
    for (auto& [key, page] : m_global_pages) {
        page->open_again();
        m_spare_pages.at(static_cast<std::size_t>(page->granule_bytes())).push_back(std::move(page));
    }
    m_global_pages.clear();
    m_global_notes.all().clear();
    m_last_page = nullptr;
    m_store_units.clear();
    m_product_units.clear();
    m_products.clear();
    m_chain.count = 0;
    m_waiting_run = nullptr;
    if (m_shadow)
        m_shadow->clear();
    m_loads.clear();
    m_stores.clear();
    std::fill(m_bulk_groups.begin(), m_bulk_groups.end(), 0);
    m_copies.clear();
    m_copy_arrivals.clear();
    std::fill(m_commits.begin(), m_commits.end(), 0);
    m_commits_alike = true;
    m_random = m_context.seed * 0x9E3779B97F4A7C15ull + static_cast<std::uint64_t>(linear);
    m_words_owner = nullptr;
    if (!m_old_parts.empty()) {
        for (auto* groups : {&m_groups, &m_spare_groups})
            for (const auto& group : *groups)
                for (Site& site : group->sites)
                    site.part = nullptr;
        m_old_parts.clear();
    }
    while (!m_groups.empty()) {
        m_spare_groups.push_back(std::move(m_groups.front()));
        m_groups.pop_front();
    }
    for (int first = 0; first < m_threads; first += m_context.group_lanes) {
        Group& group = add_group();
        Mask mask;
        for (int lane = first; lane < std::min(first + m_context.group_lanes, m_threads); ++lane)
            mask.set(lane);
        std::copy(m_context.args.begin(), m_context.args.end(), group.u.begin());
        std::copy(m_function.constants.begin(), m_function.constants.end(),
                  group.u.begin() + m_function.first_constant);
        for (std::uint64_t& version : group.versions)
            version = ++m_clock | fresh_bit;
        group.alive = mask;
        set_active(group, mask);
    }
    BlockTiles::begin(*this);
    ++m_statistics.blocks;
    stop_in_time(*m_groups.front()); // a block may be too short to be asked again
}

// As new, but for what it knows about accesses and the memory it holds.
void Block::clear(Group& group) const {
    auto sites = std::move(group.sites);
    std::vector<std::uint64_t> u = std::move(group.u), versions = std::move(group.versions);
    int number = group.number;
    group = Group{};
    group.number = number;
    group.sites = std::move(sites);
    group.sites.resize(m_function.accesses.size());
    group.u = std::move(u);
    group.u.assign(static_cast<std::size_t>(m_function.u_count) + 1, 0);
    group.versions = std::move(versions);
    group.versions.resize(static_cast<std::size_t>(m_function.v_count) + 2);
}

Group& Block::add_group() {
    if (m_spare_groups.empty()) {
        m_groups.push_back(std::make_unique<Group>());
    } else {
        m_groups.push_back(std::move(m_spare_groups.front()));
        m_spare_groups.pop_front();
    }
    Group& group = *m_groups.back();
    group.number = static_cast<int>(m_groups.size()) - 1;
    clear(group);
    return group;
}

Group& Block::fresh_group() {
    for (const auto& group : m_groups)
        if (group->state == GroupState::Finished) {
            clear(*group);
            return *group;
        }
    return add_group();
}

BlockStatus Block::run() {
    m_progress = false;
    while (Group* group = next_group())
        run_group(*group);
    for (const auto& group : m_groups)
        if (group->state != GroupState::Finished) {
            for (const auto& other : m_groups)
                other->yielded = false;
            return BlockStatus::Waiting;
        }
    check_stores();
    return BlockStatus::Finished;
}

void Block::run_group(Group& group) {
    const Step* steps = m_context.code->steps.data();
    std::uint64_t* u = group.u.data();
    const bool counts = !m_counters.empty();
    int until_check = check_interval;
    std::uint64_t dispatched = 0;
    const int began = group.running; // none are left of a group that ends
    while (group.state == GroupState::Ready && !group.yielded) {
        const Step& step = steps[group.pc++];
        ++dispatched;
        if (--until_check == 0) {
            dispatched = 0;
            until_check = check_interval;
            check_budget(group);
        }
        if (counts)
            observe(group, step);
        if (step.is_vector) {
            run_vector(group, step);
        } else if (step.is_scalar) {
            if (step.is_tracked)
                track(group, step);
            if (step.divides && u[step.b] == 0)
                fail(group, FindingKind::DivisionByZero, group.active.first(m_chunks), divides_by_zero);
            step.scalar(u + step.dst, u + step.a, u + step.b, u + step.c);
        } else {
            execute(group, step);
        }
    }
    const std::uint64_t of_threads = dispatched * static_cast<std::uint64_t>(std::max(group.running, began));
    m_statistics.instructions += dispatched;
    m_statistics.thread_instructions += of_threads;
    m_steps += of_threads;
}

void Block::check_budget(Group& group) {
    count_more(group, check_interval);
    stop_in_time(group);
}

void Block::count_more(const Group& group, std::uint64_t instructions) {
    const std::uint64_t of_threads = instructions * static_cast<std::uint64_t>(group.running);
    m_dispatched += instructions;
    m_statistics.instructions += instructions;
    m_statistics.thread_instructions += of_threads;
    m_steps += of_threads;
}

void Block::stop_in_time(Group& group) {
    if (m_context.cancelled && m_context.cancelled->load(std::memory_order_relaxed))
        fail(group, FindingKind::Cancelled, -1, "was cancelled");
    if (m_steps > m_context.max_steps || m_dispatched > m_context.max_block_instructions)
        fail(group, FindingKind::StepBudget, group.active.first(m_chunks),
             "exceeded the step limit, which --max-steps raises; is this loop infinite?");
    if (m_statistics.blocks > m_context.max_steps / steps_of_start)
        fail(group, FindingKind::StepBudget, -1,
             cat("exceeded the step limit with the number of its blocks, ", m_context.shape.blocks(),
                 "; --max-steps raises it"));
}

const void* Block::operand(const Group& group, std::uint32_t at, std::uint8_t bytes) const {
    if (bytes == 0)
        return group.u.data() + at;
    return m_registers + at + static_cast<std::size_t>(group.lo) * chunk_lanes * bytes;
}

template <class T>
T Block::lane_value(const Group& group, std::int32_t operand, int lane) const {
    T value{};
    if (is_u(operand))
        std::memcpy(&value, &group.u[static_cast<std::size_t>(register_of(operand))], sizeof value);
    else
        std::memcpy(&value,
                    m_registers + static_cast<std::size_t>(operand) * m_stride +
                        static_cast<std::size_t>(lane) * sizeof value,
                    sizeof value);
    return value;
}
template std::int32_t Block::lane_value<std::int32_t>(const Group&, std::int32_t, int) const;
template std::uint32_t Block::lane_value<std::uint32_t>(const Group&, std::int32_t, int) const;
template std::int64_t Block::lane_value<std::int64_t>(const Group&, std::int32_t, int) const;
template std::uint64_t Block::lane_value<std::uint64_t>(const Group&, std::int32_t, int) const;

const std::uint32_t* Block::mask_words(Group& group) {
    if (m_words_owner != &group || !group.words_valid) {
        m_table.to_words(group.active.bits, m_words, m_chunks);
        m_words_owner = &group;
        group.words_valid = true;
    }
    return m_words;
}

void Block::run_vector(Group& group, const Step& step) {
    if (step.divides)
        check_divisor(group, step);
    if (step.is_tracked)
        track(group, step);
    VectorArgs args;
    std::size_t first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    args.lanes = (group.hi - group.lo) * chunk_lanes;
    args.a =
        step.a_bytes ? static_cast<const void*>(m_registers + step.a + first * step.a_bytes) : group.u.data() + step.a;
    args.b =
        step.b_bytes ? static_cast<const void*>(m_registers + step.b + first * step.b_bytes) : group.u.data() + step.b;
    args.c =
        step.c_bytes ? static_cast<const void*>(m_registers + step.c + first * step.c_bytes) : group.u.data() + step.c;
    std::byte* dst = m_registers + step.dst + first * step.dst_bytes;
    group.versions[static_cast<std::size_t>(step.dst_register)] =
        step.is_index ? computed_version(group, step) : ++m_clock | fresh_bit;
    add_flops(group, static_cast<std::uint64_t>(step.flops) * static_cast<std::uint64_t>(group.running));
    if ((step.flags & artifact::flag_blend) && !group.full) {
        args.dst = m_scratch;
        step.vector(args);
        m_table.blend(dst, m_scratch, mask_words(group) + first, args.lanes, step.dst_bytes);
        return;
    }
    args.dst = dst;
    step.vector(args);
}

// The sums of a MulAddAll get new contents.
void Block::change_sums(Group& group, const Step& step) {
    const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(step.instr.x)];
    for (std::size_t i = 0; i < row.items.size(); i += 3)
        written(group, row.items[i]);
    add_flops(group, 2 * (row.items.size() / 3) * static_cast<std::uint64_t>(group.running));
}

void Block::muladd_all(Group& group, const Step& step) {
    const std::vector<std::uint32_t>& triples = m_context.code->triples[static_cast<std::size_t>(step.instr.x)];
    auto count = static_cast<int>(triples.size() / 3);
    std::size_t first = static_cast<std::size_t>(group.lo) * chunk_lanes * 4;
    int chunks = group.hi - group.lo;
    change_sums(group, step);
    if (!(step.flags & artifact::flag_blend) || group.full) {
        m_table.muladd_all(m_registers + first, triples.data(), count, chunks);
        return;
    }
    // One by one, so that threads that are switched off keep their sums.
    VectorFn muladd = m_table.find(Op::MulAdd, Scalar::F32, 0, 0);
    for (std::size_t t = 0; t < triples.size(); t += 3) {
        std::byte* sum = m_registers + triples[t] + first;
        VectorArgs args{.dst = m_scratch,
                        .a = m_registers + triples[t + 1] + first,
                        .b = m_registers + triples[t + 2] + first,
                        .c = sum,
                        .lanes = chunks * chunk_lanes};
        muladd(args);
        m_table.blend(sum, m_scratch, mask_words(group) + static_cast<std::size_t>(group.lo) * chunk_lanes, args.lanes,
                      4);
    }
}

std::uint64_t Block::computed_version(const Group& group, const Step& step) const {
    std::uint64_t hash =
        mix(step.hash, static_cast<std::uint64_t>(group.lo) << 8 | static_cast<std::uint64_t>(group.hi));
    std::uint64_t fresh = 0;
    auto add = [&](std::int32_t operand) {
        if (operand < 0)
            return;
        auto index = static_cast<std::size_t>(register_of(operand));
        std::uint64_t value = is_u(operand) ? group.u[index] : group.versions[index];
        fresh |= is_u(operand) ? 0 : value;
        hash = mix(hash, value);
    };
    add(step.instr.a);
    add(step.instr.b);
    add(step.instr.c);
    return (hash & ~fresh_bit) | (fresh & fresh_bit);
}

void Block::check_divisor(Group& group, const Step& step) {
    bool wide = artifact::scalar_bytes(step.type) == 8;
    for (int lane = 0; lane < m_lanes; ++lane) {
        bool zero = wide ? lane_value<std::uint64_t>(group, step.instr.b, lane) == 0
                         : lane_value<std::uint32_t>(group, step.instr.b, lane) == 0;
        if (zero && group.active.test(lane))
            fail(group, FindingKind::DivisionByZero, lane, divides_by_zero);
    }
}

void Block::execute(Group& group, const Step& step) {
    const Instr& i = step.instr;
    if (step.is_tracked)
        track(group, step);
    switch (step.op) {
    case Op::Undefine: return;
    case Op::Jump: group.pc = static_cast<std::uint32_t>(i.x); return;
    case Op::JumpIf:
        if ((group.u[step.a] != 0) != ((i.flags & artifact::flag_negate) != 0))
            group.pc = static_cast<std::uint32_t>(i.x);
        return;
    case Op::If: return open_if(group, step);
    case Op::Else: return other_side(group, step);
    case Op::EndIf:
    case Op::LoopEnd:
    case Op::RegionEnd: return close_frame(group, step);
    case Op::LoopBegin:
    case Op::RegionBegin: return open_loop(group);
    case Op::LoopTest: return test_loop(group, step);
    case Op::LoopNext: return next_turn(group, step);
    case Op::Break:
    case Op::Continue:
    case Op::Leave: return leave(group, step);
    case Op::Exit: return exit_threads(group, step);
    case Op::Return: return finish(group);
    case Op::MulAddAll: return muladd_all(group, step);
    case Op::Load:
        if (step.run >= 0 && m_counters.empty() && fused_loads(group, step))
            return;
        return load(group, step);
    case Op::Store: return store(group, step);
    case Op::Address: return address(group, step);
    case Op::ThreadIdx:
    case Op::LaneIdx:
    case Op::Special: return special(group, step);
    case Op::Symbol: {
        auto it = m_context.symbols->find(m_context.program->strings[static_cast<std::size_t>(i.x)]);
        if (it == m_context.symbols->end())
            fail(group, FindingKind::BadCall, -1,
                 "needs the dimension '" + m_context.program->strings[static_cast<std::size_t>(i.x)] +
                     "', which has no value");
        u_slot(group, i.dst) = static_cast<std::uint64_t>(it->second);
        return;
    }
    case Op::SharedPointer:
        u_slot(group, i.dst) = make_pointer(first_shared_id + static_cast<std::uint32_t>(i.x), 0);
        return;
    case Op::LocalPointer:
        u_slot(group, i.dst) = make_pointer(first_local_id + static_cast<std::uint32_t>(i.x), 0);
        return;
    case Op::GlobalPointer: u_slot(group, i.dst) = m_context.globals->at(static_cast<std::size_t>(i.x)); return;
    case Op::ToShared:
    case Op::FromShared: return to_shared(group, step);
    case Op::PointsInto: return check_space(group, step);
    case Op::WarpTile: return check_tile(group, step);
    case Op::AtomicAdd:
    case Op::AtomicSub:
    case Op::AtomicMin:
    case Op::AtomicMax:
    case Op::AtomicExchange:
    case Op::AtomicCas:
    case Op::AtomicAnd:
    case Op::AtomicOr:
    case Op::AtomicXor:
    case Op::AtomicBits: return atomic(group, step);
    case Op::Fence: return fence(group, step);
    case Op::Spin:
        if (++group.spins % 8 == 0) {
            group.yielded = true;
            part_from_idle(group);
        }
        return;
    case Op::Barrier:
    case Op::BarrierArrive:
    case Op::BarrierReduce: return arrive(group, step);
    case Op::MapShared: return map_shared(group, step);
    case Op::ClusterBarrier: return sync_cluster(group);
    case Op::MbarInit: return make_mbarrier(group, step);
    case Op::MbarEnd: return end_mbarrier(group, step);
    case Op::MbarArrive:
    case Op::MbarExpect:
    case Op::MbarComplete: return signal_mbarrier(group, step);
    case Op::MbarWait: return await_mbarrier(group, step);
    case Op::MbarTest: return test_mbarrier(group, step);
    case Op::SyncWarp: return sync_warp(group, step);
    case Op::Shuffle: return shuffle(group, step);
    case Op::Ballot:
    case Op::Any:
    case Op::All: return vote(group, step);
    case Op::Elect: return elect(group, step);
    case Op::MatchAny:
    case Op::MatchAll: return match(group, step);
    case Op::Redux: return combine_lanes(group, step);
    case Op::ActiveMask: return active_mask(group, step);
    case Op::Clock: return read_clock(group, step);
    case Op::CpAsync: return issue_copy(group, step);
    case Op::CpCommit: return commit_copies(group);
    case Op::CpArrive: return arrive_with_copies(group, step);
    case Op::CpWait: return wait_copies(group, step);
    case Op::TensorLoad:
    case Op::PixelLoad:
    case Op::TensorReduce:
    case Op::TensorStore: return copy_box(group, step);
    case Op::BulkLoad:
    case Op::BulkMove:
    case Op::BulkReduce:
    case Op::BulkStore: return copy_bytes(group, step);
    case Op::BulkPrefetch: return prefetch_bytes(group, step);
    case Op::BulkCommit: return commit_bulk(group);
    case Op::BulkWait: return await_bulk(group, step);
    case Op::LdMatrix: return load_matrix(group, step);
    case Op::StMatrix: return store_matrix(group, step);
    case Op::Mma: return multiply(group, step);
    case Op::Wgmma: return multiply_group(group, step);
    case Op::WarpGroup: return sync_products(group, step);
    case Op::Registers: return change_registers(group, step);
    case Op::Print: return print(group, step);
    case Op::Assert: return check_assert(group, step);
#define HIDET_VALUE_OP(Name, ...) case Op::Name:
#include "compiler/artifact/opcodes.def"
        break; // they have been computed
#define HIDET_HOST_OP(Name, ...) case Op::Name:
#include "compiler/artifact/opcodes.def"
        break; // of the host
    }
    internal_failure(__FILE__, __LINE__, "opcode in a kernel", artifact::info(step.op).name);
}

} // namespace hidet::vm
