// SPDX-License-Identifier: Apache-2.0
// A run does nothing before all its accesses are known to be fine. Where one is not, its steps are executed one by one, and
// the one that is wrong says so.
#include "runtime/vm/core/fused_loads.h"

#include <algorithm>
#include <unordered_map>

#include "runtime/vm/block.h"

namespace hidet::vm {

namespace {

constexpr std::size_t most_families = 8;
constexpr std::uint32_t fewest_steps = 2;

bool is_same(const ReadyTerm& a, const ReadyTerm& b) {
    const bool is_same_stride = a.stride == b.stride && a.stride_u == b.stride_u;
    return a.u == b.u && a.v == b.v && is_same_stride && a.extent == b.extent && a.extent_u == b.extent_u &&
           a.checked == b.checked && a.wide == b.wide && (a.stride_u < 0 || a.constant == b.constant);
}

class Finder {
public:
    Finder(Code& code, const Function& function) : m_code(code), m_function(function) {}

    void run() {
        m_code.load_runs.clear();
        for (std::uint32_t pc = 0; pc < m_code.steps.size(); ++pc) {
            m_code.steps[pc].run = -1;
            if (!take(pc)) {
                close(pc);
                take(pc);
            }
        }
        close(static_cast<std::uint32_t>(m_code.steps.size()));
        for (std::uint32_t pc = 0; pc < m_code.steps.size(); ++pc)
            if (m_code.steps[pc].run >= 0)
                find_terms(m_code.load_runs[static_cast<std::size_t>(m_code.steps[pc].run)], pc);
    }

private:
    const ReadyAccess& ready(std::int32_t row) const { return m_code.accesses[static_cast<std::size_t>(row)]; }

    bool fits(const Step& step) const {
        if (step.op != Op::Load || (step.flags & ~artifact::flag_factor) || step.is_tracked || !is_v(step.instr.dst))
            return false;
        const Access& access = m_function.accesses[static_cast<std::size_t>(step.instr.x)];
        const ReadyAccess& own = ready(step.instr.x);
        const bool is_plain = own.differs && !own.lane_base && !own.always_outside;
        return access.space != Space::Local && is_plain && own.lane_terms < Site::most_terms;
    }

    bool is_kin(const LoadFamily& family, std::int32_t row) const {
        const Access& a = m_function.accesses[static_cast<std::size_t>(family.access)];
        const Access& b = m_function.accesses[static_cast<std::size_t>(row)];
        return a.space == b.space && a.base == b.base && a.element == b.element && a.align == b.align &&
               std::ranges::equal(ready(family.access).terms, ready(row).terms, is_same);
    }

    bool take(std::uint32_t pc) {
        const Step& step = m_code.steps[pc];
        if (!fits(step))
            return false;
        // An address may be made of what has just been loaded.
        for (const ReadyTerm& term : ready(step.instr.x).terms)
            if (std::ranges::count(m_written, term.v))
                return false;
        if (std::ranges::count(m_written, step.instr.dst))
            return false;
        auto family = std::ranges::find_if(m_families, [&](const auto& each) { return is_kin(each, step.instr.x); });
        if (family == m_families.end()) {
            if (m_families.size() == most_families)
                return false;
            family = m_families.emplace(m_families.end());
            family->access = step.instr.x;
            family->indices.resize(ready(step.instr.x).terms.size());
        }
        add(*family, step.instr.x, pc);
        m_written.push_back(step.instr.dst);
        return true;
    }

    void add(LoadFamily& family, std::int32_t row, std::uint32_t pc) {
        const std::int64_t further = ready(row).offset - ready(family.access).offset;
        family.members.push_back({further, pc});
        family.lowest = std::min(family.lowest, further), family.highest = std::max(family.highest, further);
        family.low_bits |= static_cast<std::uint64_t>(further);
        for (std::size_t t = 0; t < family.indices.size(); ++t) {
            const std::int64_t constant = ready(row).terms[t].constant - ready(family.access).terms[t].constant;
            family.indices[t].lowest = std::min(family.indices[t].lowest, constant);
            family.indices[t].highest = std::max(family.indices[t].highest, constant);
        }
    }

    void close(std::uint32_t end) {
        const auto count = static_cast<std::uint32_t>(m_written.size());
        if (count >= fewest_steps && m_families.size() < count) {
            m_code.steps[end - count].run = static_cast<std::int32_t>(m_code.load_runs.size());
            FusedLoads& run = m_code.load_runs.emplace_back();
            run.steps = count, run.families = std::move(m_families);
        }
        m_families.clear();
        m_written.clear();
    }

    struct Loaded { // to a register
        std::size_t family = 0, member = 0;
    };

    void find_terms(FusedLoads& run, std::uint32_t pc) {
        const std::uint32_t at = pc + run.steps;
        if (at >= m_code.steps.size() || m_code.steps[at].op != Op::MulAddAll || m_code.steps[at].is_tracked)
            return;
        std::unordered_map<std::int32_t, Loaded> loaded;
        for (std::size_t f = 0; f < run.families.size(); ++f) {
            const auto& members = run.families[f].members;
            const Access& access = m_function.accesses[static_cast<std::size_t>(run.families[f].access)];
            if (access.element != Scalar::F32)
                return;
            for (std::size_t k = 0; k < members.size(); ++k)
                if (const Step& load = m_code.steps[members[k].pc]; load.flags & artifact::flag_factor)
                    loaded[load.instr.dst] = {f, k};
                else
                    return;
        }
        const Instr& product = m_code.steps[at].instr;
        const auto& items = m_function.operands[static_cast<std::size_t>(product.x)].items;
        std::vector<MulAddTerm> terms;
        for (std::size_t i = 0; i < items.size(); i += 3) {
            const auto a = loaded.find(items[i + 1]), b = loaded.find(items[i + 2]);
            if (a == loaded.end() || b == loaded.end())
                return;
            if (i == 0)
                run.a = a->second.family, run.b = b->second.family;
            if (a->second.family != run.a || b->second.family != run.b)
                return;
            terms.push_back({static_cast<std::uint32_t>(static_cast<std::size_t>(items[i]) * m_code.stride),
                             static_cast<std::uint16_t>(a->second.member),
                             static_cast<std::uint16_t>(b->second.member)});
        }
        // Those of one sum behind each other, as they were: it is read and written once.
        std::ranges::stable_sort(terms, {}, &MulAddTerm::sum);
        run.terms = std::move(terms);
    }

    Code& m_code;
    const Function& m_function;
    std::vector<LoadFamily> m_families;
    std::vector<std::int32_t> m_written;
};

} // namespace

void find_load_runs(Code& code, const Function& function) {
    Finder(code, function).run();
}

// Where all loads of the family are; false: one of them may not be fine.
bool MemoryUnit::aim(Group& group, const LoadFamily& family, Target& target) {
    const Access& access = m_function.accesses[static_cast<std::size_t>(family.access)];
    const ReadyAccess& ready = m_context.code->accesses[static_cast<std::size_t>(family.access)];
    const LanePart& part = lane_offsets(group, family.access, ready);
    const std::optional<std::int64_t> within = offset_within(group, ready, &part, family.indices.data());
    if (!within)
        return false;
    std::int64_t offset = *within;
    std::optional<MemoryArea> memory;
    if (access.space == Space::Shared) {
        memory = m_shared[static_cast<std::size_t>(access.base)];
    } else {
        const std::uint64_t pointer = u_slot(group, access.base);
        memory = plain_memory(id_of(pointer), Purpose::Load);
        offset += offset_of(pointer);
    }
    if (!memory || offset + part.pattern.lowest + family.lowest < 0 ||
        offset + part.pattern.highest + family.highest + ready.bytes > memory->bytes)
        return false;
    const std::uint64_t low_bits = static_cast<std::uint64_t>(offset) | part.pattern.low_bits | family.low_bits;
    if (low_bits & static_cast<std::uint64_t>(access.align - 1))
        return false;
    target.part = &part;
    target.set_memory(*memory, offset);
    return true;
}

void MemoryUnit::check_family(Group& group, const LoadFamily& family, const Target& target) {
    if (target.shadow && target.shadow == m_shadow && target.part->is_kept) {
        const int bytes = m_context.code->accesses[static_cast<std::size_t>(family.access)].bytes;
        const TouchList& list = m_block.races.touches(group, *target.part, bytes, m_shadow->granule_bytes());
        if (m_shadow->note(list.all(false), m_shadow->granule_of(target.place), family.members,
                           m_block.races.visit(group)))
            return;
    }
    if (!target.shadow && !target.global && !target.written)
        return;
    const std::uint32_t pc = group.pc;
    for (const Repeat& member : family.members) {
        Target own = target;
        own.base += member.bytes, own.place += member.bytes, own.written_at += member.bytes;
        group.pc = member.pc + 1;
        check_load(group, m_context.code->steps[member.pc], own);
    }
    group.pc = pc;
}

// Where the members of a family are for muladd_memory(); null: not in a way that it takes.
bool MemoryUnit::find_factors(const LoadFamily& family, const Target& target, FactorPlaces& out) {
    const std::size_t count = family.members.size();
    const LanePart& part = *target.part;
    if (count > FactorPlaces::most || part.shape == ChunkShape::Mixed)
        return false;
    out.factors = {out.members.data(), part.chunk_offsets.data(), part.shape == ChunkShape::One};
    if (part.shape != ChunkShape::AsFirst) {
        for (std::size_t k = 0; k < count; ++k)
            out.members[k] = target.base + family.members[k].bytes;
        return true;
    }
    LaneOffsets first = part.view();
    first.count = 1;
    const Scalar element = m_function.accesses[static_cast<std::size_t>(family.access)].element;
    for (std::size_t k = 0; k < count; ++k) {
        m_table.load(element, out.values + k * chunk_lanes * sizeof(float), target.base + family.members[k].bytes,
                     first);
        out.members[k] = out.values + k * chunk_lanes * sizeof(float);
    }
    static constexpr std::int64_t nowhere[max_chunks] = {};
    out.factors.chunks = nowhere;
    return true;
}

// The sums that follow a run. False: its loads have to be made.
bool MemoryUnit::add_terms(Group& group, const FusedLoads& run, const Target& a, const Target& b) {
    const Step& step = m_context.code->steps[group.pc - 1 + run.steps];
    if ((step.flags & artifact::flag_blend) && !group.full)
        return false;
    FactorPlaces of_a, of_b;
    if (!find_factors(run.families[run.a], a, of_a) || !find_factors(run.families[run.b], b, of_b))
        return false;
    m_block.change_sums(group, step);
    m_table.muladd_memory(m_registers + static_cast<std::size_t>(group.lo) * chunk_lanes * sizeof(float),
                          run.terms.data(), static_cast<int>(run.terms.size()), of_a.factors, of_b.factors,
                          group.hi - group.lo);
    return true;
}

bool MemoryUnit::fused_loads(Group& group, const Step& step) {
    const FusedLoads& run = m_context.code->load_runs[static_cast<std::size_t>(step.run)];
    Target targets[most_families];
    for (std::size_t f = 0; f < run.families.size(); ++f)
        if (!aim(group, run.families[f], targets[f]))
            return false;
    const auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    for (std::size_t f = 0; m_order && f < run.families.size(); ++f)
        check_family(group, run.families[f], targets[f]);
    std::uint32_t done = run.steps;
    if (!run.terms.empty() && add_terms(group, run, targets[run.a], targets[run.b]))
        ++done;
    for (std::size_t f = 0; done == run.steps && f < run.families.size(); ++f) {
        const LoadFamily& family = run.families[f];
        const Scalar element = m_function.accesses[static_cast<std::size_t>(family.access)].element;
        const LaneOffsets view = targets[f].part->view();
        for (const Repeat& member : family.members) {
            const Step& own = m_context.code->steps[member.pc];
            m_table.load(element, lanes(own.instr.dst) + first * own.dst_bytes, targets[f].base + member.bytes, view);
            written(group, own.instr.dst);
        }
    }
    group.pc += done - 1;
    m_block.count_more(group, done - 1);
    return true;
}

} // namespace hidet::vm
