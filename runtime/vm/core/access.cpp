// SPDX-License-Identifier: Apache-2.0
// Addresses of a Load, a Store or an atomic, and the checks of them.
//
// The address of a lane is a sum: what all lanes share (computed each time, a few scalar operations) and what differs.
// The second part is looked at once and remembered in a Site, with its lowest and highest value for every index, so that
// the check of an index against the tensor's shape, and of the address against the allocation, is one comparison for all
// lanes.
#include "runtime/vm/checks/block_notes.h"

namespace hidet::vm {

namespace {

constexpr std::int64_t zero_offset = 0;
constexpr ChunkKind same_kind = ChunkKind::Same;
constexpr Pattern one_place_pattern{.lowest = 0,
                                    .highest = 0,
                                    .low_bits = 0,
                                    .one_run = false,
                                    .all_same = true,
                                    .first = 0,
                                    .all_chunks_same = true,
                                    .all_chunks_run = false};
constexpr LaneOffsets one_place{
    .lanes = nullptr, .chunks = &zero_offset, .kinds = &same_kind, .pattern = &one_place_pattern, .count = 1};

constexpr std::size_t most_parts = 4096;                  // that are kept
constexpr std::int64_t far_apart = std::int64_t(1) << 45; // further than any two places of one allocation

std::int64_t shared_part(const AccessDim& dim, const std::uint64_t* u) {
    return dim.constant + (dim.u >= 0 ? static_cast<std::int64_t>(u[register_of(dim.u)]) : 0);
}

} // namespace

std::int64_t access_offset(const Access& access, const std::vector<std::uint64_t>& u) {
    std::int64_t offset = access.offset;
    for (const AccessDim& dim : access.dims)
        offset = plus_product(offset, shared_part(dim, u.data()), stride_of(dim, u.data()));
    return offset;
}

static ChunkShape shape_of(const LanePart& part) {
    bool ones = true, neighbours = true, as_first = part.kinds[0] != ChunkKind::Off;
    ChunkKind kind = ChunkKind::Off; // of the chunk, or of the one that it is a copy of
    for (std::size_t c = 0; c < part.kinds.size(); ++c) {
        kind = part.kinds[c] == ChunkKind::Copy ? kind : part.kinds[c];
        ones = ones && kind == ChunkKind::Same;
        neighbours = neighbours && kind == ChunkKind::Run;
        as_first = as_first && (c == 0 || part.kinds[c] == ChunkKind::Copy);
    }
    return ones         ? ChunkShape::One
           : neighbours ? ChunkShape::Neighbours
           : as_first   ? ChunkShape::AsFirst
                        : ChunkShape::Mixed;
}

const LanePart& MemoryUnit::lane_offsets(Group& group, std::int32_t row, const ReadyAccess& ready) {
    Site& site = group.sites[static_cast<std::size_t>(row)];
    bool known = site.part && site.mask_version == group.mask_version;
    Site::Seen now[Site::most_terms];
    int count = 0;
    if (ready.lane_base)
        now[count++].version = group.versions[static_cast<std::size_t>(ready.base)];
    for (const ReadyTerm& term : ready.terms) {
        if (term.v < 0)
            continue;
        Site::Seen& seen = now[count];
        seen.version = group.versions[static_cast<std::size_t>(term.v)];
        seen.stride = term.stride;
        if (term.stride_u >= 0)
            seen.stride *= static_cast<std::int64_t>(group.u[static_cast<std::size_t>(term.stride_u)]);
        known = known && seen == site.seen[count];
        if (++count == Site::most_terms)
            break;
    }
    if (ready.lane_base)
        known = known && now[0] == site.seen[0];
    if (known && ready.lane_terms < Site::most_terms)
        return *site.part;
    // Memory of each kind is watched in granules of its own, and a part knows the granules of one.
    const auto space = static_cast<std::uint64_t>(m_function.accesses[static_cast<std::size_t>(row)].space);
    std::uint64_t key = mix(group.mask_version, static_cast<std::uint64_t>(ready.bytes) << 8 | space);
    std::uint64_t fresh = ready.lane_terms < Site::most_terms ? 0 : fresh_bit;
    std::size_t place = 0;
    for (const ReadyTerm& term : ready.terms)
        key = mix(key, term.v >= 0 ? ++place : (++place, 0));
    for (int i = 0; i < count; ++i) {
        site.seen[i] = now[i];
        fresh |= now[i].version;
        key = mix(mix(key, now[i].version), static_cast<std::uint64_t>(now[i].stride));
    }
    site.mask_version = group.mask_version;
    if (fresh & fresh_bit) {
        if (!site.own)
            site.own = std::make_unique<LanePart>();
        site.part = site.own.get();
        learn(group, ready, *site.part);
        return *site.part;
    }
    if (m_parts.size() >= most_parts) {
        for (auto& [old_key, part] : m_parts)
            m_old_parts.push_back(std::move(part));
        m_parts.clear();
    }
    std::unique_ptr<LanePart>& part = m_parts[key];
    if (!part) {
        part = std::make_unique<LanePart>();
        part->is_kept = true;
        learn(group, ready, *part);
    }
    site.part = part.get();
    return *part;
}

void MemoryUnit::learn(Group& group, const ReadyAccess& ready, LanePart& part) {
    int chunks = group.hi - group.lo;
    int count = chunks * chunk_lanes;
    auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    part.ranges.assign(ready.terms.size(), {});
    part.offsets.resize(static_cast<std::size_t>(count));
    part.kinds.resize(static_cast<std::size_t>(chunks));
    part.chunk_offsets.resize(static_cast<std::size_t>(chunks));
    part.first_chunk = group.lo;
    std::int64_t* offsets = part.offsets.data();
    part.touches.clear();
    part.runs.clear();
    part.traffic.clear();
    bool first_term = true;
    const std::uint32_t* mask = mask_words(group) + first;
    if (ready.lane_base) {
        // Differences of pointers; those into other allocations are further apart than any allocation is long.
        int lane = group.active.first(m_chunks);
        part.lane_pointer = lane_value<std::uint64_t>(group, ready.base, lane);
        m_table.add_scaled(offsets, lanes(ready.base) + first * 8, true, 1, count, true);
        for (int i = 0; i < count; ++i)
            offsets[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(offsets[i]) - part.lane_pointer);
        first_term = false;
    }
    for (std::size_t t = 0; t < ready.terms.size(); ++t) {
        const ReadyTerm& term = ready.terms[t];
        if (term.v < 0)
            continue;
        std::int64_t stride = term.stride;
        if (term.stride_u >= 0)
            stride *= static_cast<std::int64_t>(group.u[static_cast<std::size_t>(term.stride_u)]);
        const std::byte* words = lanes(term.v) + first * (term.wide ? 8 : 4);
        m_table.range(words, term.wide, mask, count, &part.ranges[t].lowest, &part.ranges[t].highest);
        m_table.add_scaled(offsets, words, term.wide, stride, count, first_term);
        first_term = false;
    }
    m_table.classify(offsets, part.chunk_offsets.data(), group.active.bits + group.lo, chunks, ready.bytes,
                     part.kinds.data(), &part.pattern);
    part.shape = shape_of(part);
}

// Memory that there is, and that may be accessed so.
std::optional<MemoryArea> MemoryUnit::plain_memory(std::uint32_t id, Purpose purpose) {
    if (id >= first_shared_id && id < first_local_id && id - first_shared_id < m_shared.size())
        return m_shared[id - first_shared_id];
    const Allocation* allocation = id < first_remote_id ? m_context.memory->find(id) : nullptr;
    if (!allocation || (allocation->info.device == Device::Cpu && !allocation->info.is_mapped) ||
        (purpose != Purpose::Load && allocation->info.read_only))
        return {};
    MemoryArea memory{allocation->data, allocation->bytes};
    if (m_order)
        memory.global = m_block.globals.global_shadow(id, allocation->bytes), memory.id = id;
    if (m_order && allocation->info.written && !allocation->info.written->is_complete())
        memory.written = allocation->info.written.get(), memory.written_at = allocation->info.written_at;
    return memory;
}

MemoryArea MemoryUnit::memory_of(Group& group, const Access& access, std::uint32_t id, Purpose purpose) {
    if (id >= first_remote_id)
        return remote_memory(group, id, group.active.first(m_chunks));
    if (const std::optional<MemoryArea> memory = plain_memory(id, purpose))
        return *memory;
    const Allocation* allocation = m_context.memory->find(id);
    int bytes = artifact::scalar_bytes(access.element);
    if (!allocation) {
        const Allocation* was = m_context.memory->was(id);
        m_block.findings.fail_access(group, access, purpose, FindingKind::InvalidPointer, bytes,
                                     id == 0 ? "through a null pointer"
                                     : was   ? "memory that was given back"
                                             : "through a pointer that is not an address");
    }
    if (allocation->info.device == Device::Cpu && !allocation->info.is_mapped)
        m_block.findings.fail_access(group, access, purpose, FindingKind::WrongDevice, bytes,
                                     "memory of the CPU; the tensor must be on the GPU");
    m_block.findings.fail_access(group, access, purpose, FindingKind::ReadOnly, bytes, "memory that is read-only");
}

// What all lanes share of an address; nothing where an index is outside of its extent. `further`: by how much the constants of
// each term vary among accesses that are looked at together; null: it is one access.
std::optional<std::int64_t> MemoryUnit::offset_within(const Group& group, const ReadyAccess& ready,
                                                      const LanePart* part, const LoadFamily::Bounds* further) {
    const std::uint64_t* u = group.u.data();
    std::int64_t offset = ready.offset;
    for (std::size_t t = 0; t < ready.terms.size(); ++t) {
        const ReadyTerm& term = ready.terms[t];
        const std::int64_t shared = term.u >= 0 ? static_cast<std::int64_t>(u[term.u]) : 0;
        offset = term.stride_u < 0 ? plus_product(offset, shared, term.stride)
                                   : plus_product(offset, shared + term.constant,
                                                  term.stride * static_cast<std::int64_t>(u[term.stride_u]));
        if (!term.checked)
            continue;
        const std::int64_t extent = term.extent_u >= 0 ? static_cast<std::int64_t>(u[term.extent_u]) : term.extent;
        std::int64_t low = shared + term.constant, high = low;
        if (term.v >= 0)
            low += part->ranges[t].lowest, high += part->ranges[t].highest;
        if (further)
            low += further[t].lowest, high += further[t].highest;
        if (low < 0 || high >= extent)
            return std::nullopt;
    }
    return offset;
}

Target MemoryUnit::resolve(Group& group, const Step& step, Purpose purpose) {
    std::int32_t row = step.instr.x;
    const Access& access = m_function.accesses[static_cast<std::size_t>(row)];
    const ReadyAccess& ready = m_context.code->accesses[static_cast<std::size_t>(row)];
    const std::uint64_t* u = group.u.data();
    Target target;
    bool lane_base = ready.lane_base;
    const LanePart* part = ready.differs ? &lane_offsets(group, row, ready) : nullptr;
    if (ready.always_outside)
        m_block.findings.fail_bounds(group, access, purpose);
    const std::optional<std::int64_t> within = offset_within(group, ready, part, nullptr);
    if (!within)
        m_block.findings.fail_bounds(group, access, purpose);
    const std::int64_t offset = *within;
    target.part = part;
    std::int64_t lowest = part ? part->pattern.lowest : 0, highest = part ? part->pattern.highest : 0;
    int bytes = ready.bytes;
    MemoryArea memory;
    std::int64_t at = 0;
    switch (access.space) {
    case Space::Shared:
        memory = m_shared[static_cast<std::size_t>(access.base)];
        at = offset;
        break;
    case Space::Local: {
        const artifact::LocalArray& array = m_function.locals[static_cast<std::size_t>(access.base)];
        target.local = true;
        target.array = &array;
        target.local_offset = offset;
        std::int64_t size = array.count * artifact::scalar_bytes(array.element);
        if (offset + lowest < 0 || offset + highest + bytes > size)
            m_block.findings.fail_allocation(group, access, purpose, 0, size);
        return target;
    }
    case Space::Pointer: {
        std::uint64_t pointer = lane_base ? part->lane_pointer : u[register_of(access.base)];
        if (lane_base && (highest - lowest >= far_apart)) {
            target.lane_by_lane = true;
            target.local_offset = offset;
            return target;
        }
        std::uint32_t id = id_of(pointer);
        if (id >= first_local_id && id < first_remote_id) {
            target.local = true;
            std::size_t local_row = id - first_local_id;
            if (local_row >= m_function.locals.size())
                m_block.findings.fail_access(group, access, purpose, FindingKind::InvalidPointer, bytes,
                                             "through a pointer that is not an address");
            target.array = &m_function.locals[local_row];
            target.local_offset = offset_of(pointer) + offset;
            std::int64_t size = target.array->count * artifact::scalar_bytes(target.array->element);
            if (target.local_offset + lowest < 0 || target.local_offset + highest + bytes > size)
                m_block.findings.fail_allocation(group, access, purpose, offset_of(pointer), size);
            return target;
        }
        memory = memory_of(group, access, id, purpose);
        at = offset_of(pointer) + offset;
        break;
    }
    }
    if (at + lowest < 0 || at + highest + bytes > memory.bytes)
        m_block.findings.fail_allocation(group, access, purpose, at - offset, memory.bytes);
    std::uint64_t low_bits = static_cast<std::uint64_t>(at) | (part ? part->pattern.low_bits : 0);
    if (low_bits & static_cast<std::uint64_t>(access.align - 1))
        m_block.findings.fail_access(group, access, purpose, FindingKind::Misaligned, access.align,
                                     "an address that is not a multiple of " + std::to_string(access.align) + " bytes");
    target.set_memory(memory, at);
    return target;
}

std::byte* MemoryUnit::checked_pointer(Group& group, std::uint64_t pointer, std::int64_t bytes, int align, int lane,
                                       Purpose purpose, const char* what) {
    std::uint32_t id = id_of(pointer);
    std::int64_t at = offset_of(pointer);
    MemoryArea memory;
    if (id >= first_shared_id && id - first_shared_id < m_shared.size()) {
        memory = m_shared[id - first_shared_id];
    } else if (id >= first_remote_id) {
        memory = remote_memory(group, id, lane);
    } else if (const Allocation* allocation = m_context.memory->find(id)) {
        if (purpose != Purpose::Load && allocation->info.read_only)
            fail(group, FindingKind::ReadOnly, lane, std::string(what) + " memory that is read-only");
        if (allocation->info.device == Device::Cpu && !allocation->info.is_mapped)
            fail(group, FindingKind::WrongDevice, lane, std::string(what) + " memory of the CPU");
        memory = {allocation->data, allocation->bytes};
    } else {
        fail(group, FindingKind::InvalidPointer, lane,
             std::string(what) + (id ? " through a pointer that is not an address" : " through a null pointer"));
    }
    if (at < 0 || at + bytes > memory.bytes)
        fail(group, FindingKind::OutOfBounds, lane,
             std::string(what) + " bytes " + std::to_string(at) + " to " + std::to_string(at + bytes - 1) +
                 " of an allocation of " + std::to_string(memory.bytes) + " bytes");
    if (at % align)
        fail(group, FindingKind::Misaligned, lane,
             std::string(what) + " an address that is not a multiple of " + std::to_string(align) + " bytes");
    return memory.data + at;
}

// And whoever asks for it hears of the access.
Target MemoryUnit::target_of(Group& group, const Step& step, Purpose purpose) {
    Target target = resolve(group, step, purpose);
    if (m_counts)
        m_block.observer.count_access(group, step, target, purpose);
    if (purpose != Purpose::Load && m_context.is_told_of_writes())
        BlockOwners::note_access(m_block, group, step, target);
    return target;
}

void MemoryUnit::check_load(Group& group, const Step& step, const Target& target) {
    if (target.shadow)
        m_block.races.watch(group, step, target, Purpose::Load);
    if (target.global)
        m_block.globals.check_global(group, step, target, Purpose::Load);
    if (target.written)
        m_block.globals.check_unwritten(group, step, target, Purpose::Load);
}

void MemoryUnit::load(Group& group, const Step& step) {
    const Access& access = access_of(step);
    const Target target = target_of(group, step, Purpose::Load);
    if (target.local || target.lane_by_lane)
        return load_local(group, step, target);
    check_load(group, step, target);
    if (is_u(step.instr.dst)) {
        alignas(64) std::uint64_t words[chunk_lanes];
        m_table.load(access.element, words, target.base, one_place);
        std::uint64_t& slot = u_slot(group, step.instr.dst);
        std::uint32_t low = 0;
        std::memcpy(&low, words, sizeof low);
        if (artifact::scalar_bytes(access.element) == 8)
            slot = words[0];
        else if (access.element == Scalar::I8 || access.element == Scalar::I16 || access.element == Scalar::I32)
            slot = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(low)));
        else
            slot = low;
        return;
    }
    auto first = static_cast<std::size_t>(group.lo) * chunk_lanes;
    std::byte* dst = lanes(step.instr.dst) + first * step.dst_bytes;
    bool blends = (step.flags & artifact::flag_blend) && !group.full;
    std::byte* out = blends ? m_scratch : dst;
    written(group, step.instr.dst);
    int chunks = group.hi - group.lo;
    if (!target.part) { // one address, but a result for each lane
        for (int c = 0; c < chunks; ++c) {
            m_table.load(access.element, out + static_cast<std::size_t>(c) * chunk_lanes * step.dst_bytes, target.base,
                         one_place);
        }
    } else if (target.part->pattern.one_run && artifact::scalar_bytes(access.element) == step.dst_bytes) {
        std::memcpy(out, target.base + target.part->pattern.first,
                    static_cast<std::size_t>(chunks) * chunk_lanes * step.dst_bytes);
    } else {
        m_table.load(access.element, out, target.base, target.part->view());
    }
    if (blends)
        m_table.blend(dst, m_scratch, mask_words(group) + first, chunks * chunk_lanes, step.dst_bytes);
}

void MemoryUnit::store(Group& group, const Step& step) {
    const Access& access = access_of(step);
    const Target target = target_of(group, step, Purpose::Store);
    m_progress = true;
    if (target.local || target.lane_by_lane)
        return store_local(group, step, target);
    if (target.shadow) {
        m_block.races.watch(group, step, target, Purpose::Store);
        m_block.init.after_store(target, artifact::scalar_bytes(access.element));
    }
    if (target.global)
        m_block.globals.check_global(group, step, target, Purpose::Store);
    if (target.written)
        m_block.globals.check_unwritten(group, step, target, Purpose::Store);
    int bytes = artifact::scalar_bytes(access.element);
    if (!target.part) { // all lanes write one place: the last one wins
        int last = 0;
        for (int c = 0; c < m_chunks; ++c)
            if (group.active.bits[c])
                last = 16 * c + 31 - __builtin_clz(group.active.bits[c]);
        const std::uint64_t value = lane_bits(group, step.instr.a, last, bytes == 8);
        std::memcpy(target.base, &value, static_cast<std::size_t>(bytes));
        return;
    }
    m_table.store(access.element, operand(group, step.a, step.a_bytes), step.a_bytes == 0, target.base,
                  target.part->view(), group.active.bits + group.lo);
}

MemoryArea MemoryUnit::shared_memory(std::uint64_t pointer) const {
    const Block& owner = is_own_shared(pointer) ? m_block : *m_cluster[remote_rank(pointer)];
    const std::size_t row = shared_row(pointer);
    return {owner.shared[row].data + offset_of(pointer), owner.shared[row].bytes - offset_of(pointer),
            owner.shadow.get(), owner.shared_place[row] + offset_of(pointer)};
}

} // namespace hidet::vm
