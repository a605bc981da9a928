// SPDX-License-Identifier: Apache-2.0
// Registers that hold nothing: a variable or a local array, from its declaration until a thread gives it a value.
//
// Most code gives values first, which a look at the instructions shows: as a thread runs them, which registers may still
// hold nothing where. Only the instructions that name one of those are asked about at run time, thread by thread.
//
// Copies are no uses: a copy of nothing holds nothing, and shared memory that gets one counts as not written. A use is
// arithmetic, a branch, an address, an operand of a product, or a store to global memory.
#include <algorithm>

#include "lang/base/text.h"
#include "runtime/vm/block.h"

namespace hidet::vm {

using artifact::Access;
using artifact::is_v;
using artifact::Space;

namespace {} // namespace

void for_each_register(const Function& function, const Instr& i, const std::function<void(std::int32_t, Role)>& f) {
    const char* kinds = artifact::info(i.op).operands;
    const bool is_copy = i.op == Op::Move || i.op == Op::Pack64 || i.op == Op::Unpack64 || i.op == Op::Select;
    const auto use = [&](std::int32_t r, Role role) {
        if (is_v(r))
            f(r, role);
    };
    const auto has_register = [&](int field) { return kinds[2 * field] == 'r' || kinds[2 * field] == 'v'; };
    if (has_register(1))
        use(i.a, is_copy || i.op == Op::Store ? Role::Copy : Role::Use);
    if (has_register(2))
        use(i.b, is_copy ? Role::Copy : Role::Use);
    if (has_register(3))
        use(i.c, Role::Use);
    if (kinds[8] == 'A') {
        const Access& access = function.accesses[static_cast<std::size_t>(i.x)];
        if (access.space == Space::Pointer)
            use(access.base, Role::Use);
        for (const artifact::AccessDim& dim : access.dims)
            use(dim.v, Role::Use);
    }
    if (kinds[8] == 'O') {
        const artifact::Operands& row = function.operands[static_cast<std::size_t>(i.x)];
        const auto definitions = static_cast<std::size_t>(row.definitions);
        const bool adds = i.op == Op::Mma || i.op == Op::Wgmma || i.op == Op::MulAddAll;
        for (std::size_t k = 0; k < row.items.size(); ++k)
            if (k >= definitions || adds)
                use(row.items[k], i.op == Op::Shuffle && k == 1 ? Role::Copy : Role::Use);
        for (std::size_t k = 0; k < row.items.size(); ++k)
            if (k < definitions || (i.op == Op::MulAddAll && k % 3 == 0))
                use(row.items[k], Role::Definition);
    }
    if (has_register(0) && i.op != Op::Undefine)
        use(i.dst, Role::Definition);
}

namespace {

// The registers of the local array of an access.
bool local_registers(const Function& function, const Instr& i, std::int32_t& first, std::int32_t& count) {
    if (i.op != Op::Load && i.op != Op::Store)
        return false;
    const Access& access = function.accesses[static_cast<std::size_t>(i.x)];
    if (access.space != Space::Local)
        return false;
    const artifact::LocalArray& array = function.locals[static_cast<std::size_t>(access.base)];
    first = array.first;
    const std::int64_t bytes = array.count * artifact::scalar_bytes(array.element);
    count =
        static_cast<std::int32_t>(array.packed ? (bytes + 3) / 4 : array.count * artifact::scalar_words(array.element));
    return true;
}

using Bits = std::vector<bool>;

// What an instruction leaves undefined; true: it names something that was.
bool pass_over(const Function& function, const Instr& i, Bits& undefined) {
    bool names = false;
    const auto at = [&](std::int32_t r) { return undefined[static_cast<std::size_t>(r)]; };
    bool copies = false;
    if (i.op == Op::Undefine) {
        for (std::int32_t r = i.dst; r < i.dst + i.c; ++r)
            undefined[static_cast<std::size_t>(r)] = true;
        return true;
    }
    std::int32_t first = 0, count = 0;
    if (local_registers(function, i, first, count))
        for (std::int32_t r = first; r < first + count; ++r)
            if (at(r))
                names = true, copies = copies || i.op == Op::Load;
    for_each_register(function, i, [&](std::int32_t r, Role role) {
        if (role == Role::Definition) {
            names = names || at(r);
            undefined[static_cast<std::size_t>(r)] = copies;
            return;
        }
        names = names || at(r);
        copies = copies || (role == Role::Copy && i.op == Op::Move && at(r));
    });
    return names;
}

// Registers of arrays that pointers lead to are written by ways that are not followed, and so are parts of registers.
std::vector<bool> pointed_at(const Function& function) {
    std::vector<bool> out(static_cast<std::size_t>(function.v_count) + 2);
    for (const artifact::LocalArray& array : function.locals)
        if (array.packed && array.first >= 0)
            out[static_cast<std::size_t>(array.first)] = true;
    for (const Instr& i : function.code) {
        std::int32_t row = i.op == Op::LocalPointer ? i.x : -1;
        if (i.op == Op::Address) {
            const Access& access = function.accesses[static_cast<std::size_t>(i.x)];
            row = access.space == Space::Local ? access.base : -1;
        }
        if (row >= 0 && function.locals[static_cast<std::size_t>(row)].first >= 0)
            out[static_cast<std::size_t>(function.locals[static_cast<std::size_t>(row)].first)] = true;
    }
    return out;
}

} // namespace

void find_undefined(Code& code, const Function& function) {
    const std::size_t count = function.code.size();
    const bool has_any =
        std::any_of(function.code.begin(), function.code.end(), [](const Instr& i) { return i.op == Op::Undefine; });
    if (!has_any)
        return;
    const auto registers = static_cast<std::size_t>(function.v_count) + 2;
    const std::vector<bool> pointed = pointed_at(function);
    std::vector<Bits> before(count);
    std::vector<std::size_t> work = {0};
    before[0].assign(registers, false);
    while (!work.empty()) {
        std::size_t pc = work.back();
        work.pop_back();
        Bits now = before[pc];
        for (bool goes_on = true; goes_on && pc < count;) {
            const Instr& i = function.code[pc];
            const bool is_pointed_at = i.op == Op::Undefine && pointed[static_cast<std::size_t>(i.dst)];
            if (!is_pointed_at && pass_over(function, i, now))
                code.steps[pc].is_tracked = true;
            const auto join = [&](std::size_t to) {
                if (to >= count)
                    return false;
                if (before[to].empty()) {
                    before[to] = now;
                    return true;
                }
                bool changes = false;
                for (std::size_t r = 0; r < registers; ++r)
                    if (now[r] && !before[to][r])
                        before[to][r] = changes = true;
                return changes;
            };
            if (artifact::info(i.op).operands[8] == 't' && join(static_cast<std::size_t>(i.x)))
                work.push_back(static_cast<std::size_t>(i.x));
            goes_on = i.op != Op::Jump && i.op != Op::Return && join(pc + 1);
            ++pc;
            if (goes_on)
                now = before[pc];
        }
    }
}

void Block::undefine(Group& group, const Step& step) {
    for (std::int32_t r = step.instr.dst; r < step.instr.dst + step.instr.c; ++r) {
        auto& lanes = m_undefined[static_cast<std::size_t>(r)];
        if (!m_undefined_by[static_cast<std::size_t>(r)])
            lanes = {};
        lanes.add(group.active, m_chunks);
        m_undefined_by[static_cast<std::size_t>(r)] = group.pc;
    }
}

void Block::tell_undefined(Group& group, std::int32_t reg, const Mask& lanes) {
    const std::uint32_t declared = m_undefined_by[static_cast<std::size_t>(reg)] - 1;
    const int lane = lanes.first(m_chunks);
    const int threads = lanes.count(m_chunks);
    Finding finding = finding_at(group, lane);
    finding.kind = FindingKind::Unwritten;
    finding.threads = threads;
    const Instr& by = m_context.code->steps[declared].instr;
    finding.tensor = m_context.program->strings[static_cast<std::size_t>(by.x)];
    const std::string name = by.c > 1 ? "an element of '" + finding.tensor + "'" : "'" + finding.tensor + "'";
    finding.message = cat("kernel '", m_function.name, "' uses ", name,
                          ", which has no value yet: registers begin undefined", where(lane),
                          threads == 1   ? ""
                          : threads == 2 ? ", like 1 other thread"
                                         : cat(", like ", threads - 1, " other threads"));
    finding.related.push_back({m_function.origins[declared], "declared here"});
    m_context.log->add(std::move(finding));
}

void Block::track(Group& group, const Step& step) {
    if (m_undefined.empty())
        return;
    m_stores_nothing = false;
    if (step.names_product)
        touch_products(group, step);
    if (step.op == Op::Undefine)
        return undefine(group, step);
    const Instr& i = step.instr;
    Mask copied; // threads that copy nothing
    std::uint32_t copied_by = 0;
    const auto missing = [&](std::int32_t r) {
        Mask lanes;
        if (m_undefined_by[static_cast<std::size_t>(r)]) {
            lanes = m_undefined[static_cast<std::size_t>(r)];
            lanes.keep(group.active, m_chunks);
        }
        return lanes;
    };
    const auto copy = [&](std::int32_t r) {
        const Mask lanes = missing(r);
        if (lanes.any(m_chunks)) {
            copied.add(lanes, m_chunks);
            copied_by = m_undefined_by[static_cast<std::size_t>(r)];
        }
    };
    const bool keeps_sums = i.op == Op::Wgmma; // whose scale may say that the sums are not read
    std::int32_t first = 0, count = 0;
    const auto is_undefined = [&](std::int32_t r) { return m_undefined_by[static_cast<std::size_t>(r)] != 0; };
    bool has_undefined = false;
    if (local_registers(m_function, i, first, count))
        for (std::int32_t r = first; r < first + count && !has_undefined; ++r)
            has_undefined = is_undefined(r);
    if (has_undefined) {
        const Access& access = m_function.accesses[static_cast<std::size_t>(i.x)];
        const artifact::LocalArray& array = m_function.locals[static_cast<std::size_t>(access.base)];
        const int bytes = artifact::scalar_bytes(access.element);
        for (int lane = 0; lane < m_lanes; ++lane) {
            if (!group.active.test(lane))
                continue;
            std::int64_t at = access.offset;
            for (const artifact::AccessDim& dim : access.dims) {
                const std::int64_t stride =
                    dim.stride_u >= 0
                        ? dim.stride * static_cast<std::int64_t>(
                                           group.u[static_cast<std::size_t>(artifact::register_of(dim.stride_u))])
                        : dim.stride;
                at += term_index(group, dim, lane) * stride;
            }
            const std::int64_t word =
                array.packed ? at / 4
                             : at / artifact::scalar_bytes(array.element) * artifact::scalar_words(array.element);
            if (word < 0 || word >= count)
                continue; // a finding of its own
            const std::int64_t last = array.packed ? (at + bytes - 1) / 4 : word;
            for (std::int64_t w = word; w <= std::min<std::int64_t>(last, count - 1); ++w) {
                const auto r = static_cast<std::size_t>(first + w);
                const bool is_missing = m_undefined_by[r] && m_undefined[r].test(lane);
                if (i.op == Op::Load && is_missing)
                    copied.set(lane), copied_by = m_undefined_by[r];
                if (i.op == Op::Store && is_missing) {
                    Mask one;
                    one.set(lane);
                    m_undefined[r].remove(one, m_chunks);
                }
            }
        }
        for (std::int32_t r = first; r < first + count; ++r)
            if (is_undefined(r) && !m_undefined[static_cast<std::size_t>(r)].any(m_chunks))
                m_undefined_by[static_cast<std::size_t>(r)] = 0;
    }
    for_each_register(m_function, i, [&](std::int32_t r, Role role) {
        const auto row = static_cast<std::size_t>(r);
        switch (role) {
        case Role::Copy: return copy(r);
        case Role::Use: {
            const bool is_sum =
                keeps_sums && std::count(m_function.operands[static_cast<std::size_t>(i.x)].items.begin(),
                                         m_function.operands[static_cast<std::size_t>(i.x)].items.begin() +
                                             m_function.operands[static_cast<std::size_t>(i.x)].definitions,
                                         r) > 0;
            const Mask lanes = is_sum ? Mask{} : missing(r);
            if (!lanes.any(m_chunks))
                return;
            tell_undefined(group, r, lanes);
            m_undefined[row].remove(lanes, m_chunks); // once is enough
            return;
        }
        case Role::Definition:
            if (!m_undefined_by[row]) {
                if (!copied_by)
                    return;
                m_undefined[row] = {};
            }
            m_undefined[row].remove(group.active, m_chunks);
            if (!m_undefined[row].any(m_chunks))
                m_undefined_by[row] = 0;
            if (copied_by && (i.op == Op::Move || i.op == Op::Load)) {
                m_undefined[row].add(copied, m_chunks);
                m_undefined_by[row] = copied_by;
            }
            return;
        }
    });
    if (i.op != Op::Store || !copied_by)
        return;
    const Access& access = m_function.accesses[static_cast<std::size_t>(i.x)];
    const bool by_pointer = access.space == Space::Pointer;
    const std::uint32_t id =
        by_pointer ? id_of(lane_value<std::uint64_t>(group, access.base, copied.first(m_chunks))) : first_shared_id;
    if (id < first_shared_id) { // it leaves the kernel
        tell_undefined(group, i.a, copied);
        m_undefined[static_cast<std::size_t>(i.a)].remove(copied, m_chunks);
    } else {
        m_stored_nothing = copied;
        m_stores_nothing = true;
    }
}

// After a store to shared memory: what has got nothing was not written.
void Block::forget_stored(const Target& target, int bytes) {
    m_stores_nothing = false;
    for (int lane = 0; lane < m_lanes; ++lane) {
        if (!m_stored_nothing.test(lane))
            continue;
        const std::int64_t offset =
            target.part ? target.part->offsets[static_cast<std::size_t>(lane - 16 * target.part->first_chunk)] : 0;
        target.shadow->forget(target.shadow->granule_of(target.place + offset),
                              static_cast<std::size_t>(std::max(bytes / target.shadow->granule_bytes(), 1)));
    }
}

} // namespace hidet::vm
