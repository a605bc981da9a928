// SPDX-License-Identifier: Apache-2.0
// Products of warp groups run beside the threads: they read their tiles of shared memory and own their registers until the
// warp group has waited for the group that they were committed in. Registers are known when code is made ready, so only
// instructions that name one of those are looked at.
#include <algorithm>
#include <cstring>

#include "lang/base/text.h"
#include "runtime/vm/block.h"
#include "runtime/vm/matrix/wgmma.h"

namespace hidet::vm {

namespace {

std::uint8_t bit_of(int first_lane) { // of a warp group
    return static_cast<std::uint8_t>(1u << (first_lane / (32 * warps_of_group)));
}

constexpr std::size_t at_once = sizeof(std::uint64_t);
constexpr std::uint64_t in_each_byte = 0x0101010101010101;

// The registers of a product are sorted and mostly lie together: eight at once.
template <class F>
void change_all(std::vector<std::uint8_t>& groups, const std::vector<std::int32_t>& registers, F&& change) {
    std::size_t i = 0;
    for (; i + at_once <= registers.size(); i += at_once) {
        if (registers[i + at_once - 1] - registers[i] != static_cast<std::int32_t>(at_once) - 1)
            break;
        std::uint64_t eight = 0;
        std::uint8_t* const at = groups.data() + registers[i];
        std::memcpy(&eight, at, sizeof eight);
        eight = change(eight);
        std::memcpy(at, &eight, sizeof eight);
    }
    for (; i < registers.size(); ++i) {
        std::uint8_t& one = groups[static_cast<std::size_t>(registers[i])];
        one = static_cast<std::uint8_t>(change(one));
    }
}

void hold(std::vector<std::uint8_t>& groups, const std::vector<std::int32_t>& registers, std::uint8_t bit) {
    change_all(groups, registers, [&](std::uint64_t each) { return each | bit * in_each_byte; });
}

void release(std::vector<std::uint8_t>& groups, const std::vector<std::int32_t>& registers, std::uint8_t bit) {
    change_all(groups, registers, [&](std::uint64_t each) { return each & ~(bit * in_each_byte); });
}

bool has_any(std::vector<std::uint8_t>& groups, const std::vector<std::int32_t>& registers, std::uint8_t bit) {
    std::uint64_t any = 0;
    change_all(groups, registers, [&](std::uint64_t each) {
        any |= each & bit * in_each_byte;
        return each;
    });
    return any != 0;
}

} // namespace

std::vector<std::int32_t> product_registers(const Function& function, const Instr& i, bool with_sums) {
    const artifact::Operands& row = function.operands[static_cast<std::size_t>(i.x)];
    std::vector<std::int32_t> out;
    for (std::size_t k = 0; k < row.items.size(); ++k) {
        const bool is_sum = k < static_cast<std::size_t>(row.definitions);
        const bool is_copied = (i.c & (is_sum ? artifact::wgmma_copies_sums : artifact::wgmma_copies_a)) != 0;
        if (artifact::is_v(row.items[k]) && row.types[k] == Scalar::U32 && !is_copied && (!is_sum || with_sums))
            out.push_back(row.items[k]);
    }
    return out;
}

void find_products(Code& code, const Function& function) {
    std::vector<bool> names(static_cast<std::size_t>(function.v_count) + 2);
    bool has_any = false;
    for (const Instr& i : function.code)
        if (i.op == Op::Wgmma)
            for (std::int32_t r : product_registers(function, i, true))
                has_any = names[static_cast<std::size_t>(r)] = true;
    for (std::size_t pc = 0; has_any && pc < function.code.size(); ++pc) {
        const Instr& i = function.code[pc];
        Step& step = code.steps[pc];
        if (i.op == Op::Undefine)
            continue;
        for_each_register(function, i, [&](std::int32_t r, Role) {
            step.names_product = step.names_product || (artifact::is_v(r) && names[static_cast<std::size_t>(r)]);
        });
        // Which element of an array it is shows when it runs.
        const bool accesses = i.op == Op::Load || i.op == Op::Store;
        const artifact::Access* access = accesses ? &function.accesses[static_cast<std::size_t>(i.x)] : nullptr;
        const bool is_local = access && access->space == artifact::Space::Local;
        const bool is_parameter = access && artifact::is_u(access->base) &&
                                  artifact::register_of(access->base) < static_cast<int>(function.params.size());
        if (is_local || (access && access->space == artifact::Space::Pointer && !is_parameter))
            step.names_product = true;
        step.is_tracked = step.is_tracked || step.names_product;
    }
}

WarpGroupProducts::WarpGroupProducts(const BlockView& view) : BlockView(view) {
    if (!m_context.log)
        return;
    const auto registers = static_cast<std::size_t>(m_function.v_count) + 2;
    m_held.resize(registers);
    m_unfenced.resize(registers);
    m_held_by.resize(registers);
}

void WarpGroupProducts::begin() {
    std::ranges::fill(m_held, std::uint8_t{0});
    std::ranges::fill(m_unfenced, std::uint8_t{0});
    m_product_units.clear();
    m_products.clear();
    m_chain.count = 0;
}

void WarpGroupProducts::report_product(Group& group, FindingKind kind, std::int32_t reg, int lane,
                                       const std::string& text) {
    Finding finding = finding_at(group, lane);
    finding.kind = kind;
    for (const artifact::LocalArray& array : m_function.locals)
        if (reg >= array.first && reg < array.first + array.count)
            finding.tensor = string_at(array.name);
    const std::string name = finding.tensor.empty() ? "a register" : "an element of '" + finding.tensor + "'";
    finding.message = sentence(lane, "", text.substr(0, text.find('@')), name, text.substr(text.find('@') + 1));
    const std::uint32_t first = m_held_by[static_cast<std::size_t>(reg)];
    finding.related.push_back(
        {m_function.origins[first], kind == FindingKind::MissingFence ? "written here" : "the product begins here"});
    note(std::move(finding));
}

// Threads that name a register which a product has.
void WarpGroupProducts::touch_products(Group& group, const Step& step) {
    if (step.op == Op::Wgmma)
        return;
    const Named* const named = m_context.code->named.data() + step.first_named;
    for (const Named* each = named; each != named + step.named_count; ++each)
        if (artifact::is_v(each->reg))
            touch_product(group, each->reg, group.active, each->role == Role::Definition);
    for (const auto& [r, lanes] : m_block.init.find_local_words(group, step))
        touch_product(group, r, lanes, step.op == Op::Store);
}

void WarpGroupProducts::touch_product(Group& group, std::int32_t reg, const Mask& lanes, bool writes) {
    const auto row = static_cast<std::size_t>(reg);
    if (!writes && !m_held[row])
        return;
    for (int w = 0; w < m_warps; w += warps_of_group) {
        const std::uint8_t bit = bit_of(32 * w);
        int lane = -1; // the first of the warp group
        for (int other = w; lane < 0 && other < std::min(w + warps_of_group, m_warps); ++other)
            lane = lanes.warp(other) ? 32 * other + __builtin_ctz(lanes.warp(other)) : -1;
        if (lane < 0)
            continue;
        if (m_held[row] & bit) {
            report_product(
                group, FindingKind::MissingWait, reg, lane,
                cat(writes ? "writes" : "reads",
                    " @ while a product of the warp group has it: wgmma_wait_group(0) before it makes sure"));
            m_held[row] &= static_cast<std::uint8_t>(~bit);
        }
        if (writes && !m_held[row]) {
            m_unfenced[row] |= bit;
            m_held_by[row] = group.pc - 1;
        }
    }
}

void WarpGroupProducts::hold_registers(Group& group, const WgmmaPlan& plan, bool starts, int first_lane) {
    const std::uint8_t bit = bit_of(first_lane);
    const std::vector<std::int32_t>& all = plan.all;
    const std::vector<std::int32_t>& fenced = starts ? plan.without_sums : all;
    if (has_any(m_unfenced, fenced, bit)) {
        const auto first = std::ranges::find_if(
            fenced, [&](std::int32_t r) { return (m_unfenced[static_cast<std::size_t>(r)] & bit) != 0; });
        report_product(group, FindingKind::MissingFence, *first, first_lane,
                       "multiplies with @, which threads wrote after the last wgmma_fence(): one before the first "
                       "product makes sure");
    }
    hold(m_held, all, bit);
    release(m_unfenced, all, bit);
    for (std::int32_t r : all)
        m_held_by[static_cast<std::size_t>(r)] = group.pc - 1;
    std::vector<const WgmmaPlan*>& open = m_products[first_lane].open.plans;
    // Products that follow each other mostly add to the same sums.
    if (open.empty() || open.back()->all != plan.all)
        open.push_back(&plan);
}

// The running threads of four warps.
Actor WarpGroupProducts::warp_group_set(const Group& group, int w) {
    Mask lanes;
    bool is_whole = true;
    for (int other = w; other < w + warps_of_group; ++other) {
        lanes.set_warp(other, group.active.warp(other));
        is_whole = is_whole && !~group.active.warp(other);
    }
    if (!is_whole)
        return m_order->set_of(m_rank, lanes);
    Actor& known = m_warp_group_sets.at(static_cast<std::size_t>(w));
    if (!known)
        known = m_order->set_of(m_rank, lanes);
    return known;
}

void WarpGroupProducts::check_operand(Group& group, TilePlan& plan, const Visit& now, Actor readers,
                                      std::vector<Conflict>& found) {
    if (!m_shadow->note_tile(plan.runs, readers, now))
        m_shadow->read_runs(plan.runs, readers, now, found);
    if (plan.swizzles == m_block.bulk.swizzle_changes())
        return;
    const auto is_plain = [&](std::int64_t place) {
        const std::int64_t was = m_block.bulk.swizzle_at(place).row_bytes;
        return was < 0 || was == plan.row_bytes;
    };
    if (std::ranges::all_of(plan.places, is_plain))
        plan.swizzles = m_block.bulk.swizzle_changes();
    else
        for (std::int64_t place : plan.places)
            m_block.bulk.check_swizzle(group, place, plan.row_bytes, "multiplies");
}

// A product reads its tiles until the warp group has waited for it, by a unit of the warp group. Those that are committed together
// may have one epoch: nothing waits for one of them.
void WarpGroupProducts::check_products(Group& group, ProductChain::Product& product) {
    const WgmmaPlan& plan = *product.plan;
    const WgmmaForm& form = plan.form;
    for (int w = 0; w < m_warps; w += warps_of_group) {
        if (!group.active.warp(w))
            continue;
        const auto [it, is_new] = m_product_units.try_emplace(32 * w);
        if (is_new)
            it->second = m_block.races.new_unit(UnitKind::Products, {}, 32 * w);
        Visit now = m_block.races.visit(group);
        now.by_unit = true, now.unit = it->second;
        const Actor readers = warp_group_set(group, w);
        m_block.races.look(group, *m_shadow, Purpose::Load, [&](std::vector<Conflict>& found) {
            if (!form.a_in_registers)
                check_operand(group, plan_of_a(group, product, w), now, readers, found);
            check_operand(group, plan_of_b(group, product, w), now, readers, found);
        });
        m_products[32 * w].open.began = m_order->epoch_now(it->second);
        // Nothing names the registers between those of a chain.
        const bool is_within = m_chain.count > 0 && m_chain.behind > 0 && !form.a_in_registers;
        if (!is_within)
            hold_registers(group, plan, starts_at(group, product, w), 32 * w);
    }
}

void WarpGroupProducts::sync_products(Group& group, const Step& step) {
    if (!m_block.warp_groups.gathers(group, step))
        return;
    const std::int32_t pending = step.instr.x;
    if (m_timeline)
        m_block.observer.note_warp_group(group, pending);
    if (!m_order)
        return;
    for (int w = 0; w < m_warps; w += warps_of_group) {
        if (pending == artifact::wgmma_fence && group.active.warp(w))
            for (std::uint8_t& groups : m_unfenced)
                groups = static_cast<std::uint8_t>(groups & ~bit_of(32 * w));
        if (pending == artifact::wgmma_fence)
            continue;
        const auto found = m_products.find(32 * w);
        if (!group.active.warp(w) || found == m_products.end())
            continue;
        Products& products = found->second;
        if (pending == artifact::wgmma_commit) {
            products.closed.push_back(std::exchange(products.open, {products.open.began, {}}));
            m_order->step();
            continue;
        }
        const auto over = static_cast<std::ptrdiff_t>(products.closed.size()) - pending;
        if (over <= 0)
            continue;
        Clock read;
        read.seen.add(m_product_units.at(32 * w), products.closed[static_cast<std::size_t>(over - 1)].began);
        for (auto done = products.closed.begin(); done != products.closed.begin() + over; ++done)
            for (const WgmmaPlan* plan : done->plans)
                release(m_held, plan->all, bit_of(32 * w));
        products.closed.erase(products.closed.begin(), products.closed.begin() + over);
        for (const ProductGroup& busy : products.closed) // those under way keep what they have
            for (const WgmmaPlan* plan : busy.plans)
                hold(m_held, plan->all, bit_of(32 * w));
        for (const WgmmaPlan* plan : products.open.plans)
            hold(m_held, plan->all, bit_of(32 * w));
        Mask lanes;
        for (int other = w; other < w + warps_of_group; ++other)
            lanes.set_warp(other, group.active.warp(other));
        m_order->acquire(m_rank, lanes, read);
    }
}

} // namespace hidet::vm
