// SPDX-License-Identifier: Apache-2.0
// Registers that hold nothing: a variable or a local array, from its declaration until a thread gives it a value.
//
// Most code gives values first, which a look at the instructions shows: as a thread runs them, which registers may still
// hold nothing where. Only the instructions that name one of those are asked about at run time, thread by thread.
//
// Copies are no uses: a copy of nothing holds nothing, and shared memory that gets one counts as not written. An element
// narrower than a register gives all of it a value. A use is
// arithmetic, a branch, an address, an operand of a product, or a store to global memory.
#include <algorithm>
#include <cstring>
#include <span>

#include "lang/base/text.h"
#include "runtime/vm/block.h"

namespace hidet::vm {

void for_each_register(const Function& function, const Instr& i, const std::function<void(std::int32_t, Role)>& f) {
    const char* kinds = artifact::info(i.op).operands;
    const bool is_copy = i.op == Op::Move || i.op == Op::Pack64 || i.op == Op::Unpack64 || i.op == Op::Select;
    const auto use = [&](std::int32_t r, Role role) {
        if (r >= 0)
            f(r, role);
    };
    const auto has_register = [&](int field) { return std::strchr("ruv", kinds[2 * field]) != nullptr; };
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
            for (std::int32_t r : {dim.u, dim.v, dim.extent_u, dim.stride_u})
                use(r, Role::Use);
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

using Bits = std::vector<bool>;

// v registers, then those that are uniform.
std::size_t bit_of(const Function& function, std::int32_t r) {
    return is_v(r) ? static_cast<std::size_t>(r)
                   : static_cast<std::size_t>(function.v_count) + 2 + static_cast<std::size_t>(register_of(r));
}

// Whether it may touch local memory, and then the registers of the array, if it is known which.
bool reaches_local(const Function& function, const Instr& i, const artifact::LocalArray*& array) {
    if (i.op != Op::Load && i.op != Op::Store)
        return false;
    const Access& access = function.accesses[static_cast<std::size_t>(i.x)];
    if (access.space == Space::Local)
        array = &function.locals[static_cast<std::size_t>(access.base)];
    const bool is_parameter =
        artifact::is_u(access.base) && register_of(access.base) < static_cast<int>(function.params.size());
    return access.space == Space::Local || (access.space == Space::Pointer && !is_parameter);
}

std::int32_t words_of(const artifact::LocalArray& array) {
    const std::int64_t bytes = array.count * artifact::scalar_bytes(array.element);
    return static_cast<std::int32_t>(array.packed ? (bytes + 3) / 4
                                                  : array.count * artifact::scalar_words(array.element));
}

// What an instruction leaves undefined; true: it names something that was.
bool pass_over(const Function& function, const Instr& i, const Bits& arrays, Bits& undefined) {
    bool names = false, copies = false;
    const auto at = [&](std::int32_t r) -> Bits::reference { return undefined[bit_of(function, r)]; };
    if (i.op == Op::Undefine) {
        for (std::int32_t r = i.dst; r < i.dst + i.c; ++r)
            at(r) = true;
        return true;
    }
    const artifact::LocalArray* array = nullptr;
    if (reaches_local(function, i, array))
        for (std::int32_t r = array ? array->first : 0;
             r < (array ? array->first + words_of(*array) : function.v_count); ++r)
            if (r >= 0 && arrays[static_cast<std::size_t>(r)] && at(r))
                names = true, copies = copies || i.op == Op::Load;
    for_each_register(function, i, [&](std::int32_t r, Role role) {
        names = names || at(r);
        if (role == Role::Definition)
            at(r) = copies;
        copies = copies || (role == Role::Copy && i.op == Op::Move && at(r));
    });
    return names;
}

// Registers of local arrays.
Bits arrays_of(const Function& function) {
    Bits out(static_cast<std::size_t>(function.v_count) + 2);
    for (const artifact::LocalArray& array : function.locals)
        for (std::int32_t r = array.first; array.first >= 0 && r < array.first + words_of(array); ++r)
            out[static_cast<std::size_t>(r)] = true;
    return out;
}

// Arrays that instructions write of which only a pointer is known.
Bits written_unseen(const Function& function) {
    Bits out(static_cast<std::size_t>(function.v_count) + 2);
    for (const artifact::LocalArray& array : function.locals)
        if (array.first >= 0 && array.element == Scalar::U8) // an opaque value
            out[static_cast<std::size_t>(array.first)] = true;
    return out;
}

} // namespace

void note_registers(Code& code, const Function& function) {
    const auto is_narrow = [&](std::int32_t r) { // it holds several elements
        return std::ranges::any_of(function.locals, [&](const artifact::LocalArray& array) {
            return array.packed && artifact::scalar_bytes(array.element) < 4 && r >= array.first &&
                   r < array.first + words_of(array);
        });
    };
    for (std::size_t pc = 0; pc < function.code.size(); ++pc) {
        Step& step = code.steps[pc];
        if (!step.is_tracked)
            continue;
        step.first_named = static_cast<std::uint32_t>(code.named.size());
        const Instr& i = function.code[pc];
        // The elements beside one that gets a value are kept so.
        const bool keeps = i.op == Op::BitAnd && artifact::is_u(i.b);
        for_each_register(function, i, [&](std::int32_t r, Role role) {
            const bool is_kept = keeps && role == Role::Use && is_v(r) && is_narrow(r);
            code.named.push_back({r, is_kept ? Role::Copy : role});
        });
        step.named_count = static_cast<std::uint32_t>(code.named.size()) - step.first_named;
    }
}

void find_undefined(Code& code, const Function& function) {
    const std::size_t count = function.code.size();
    const bool has_any = std::ranges::any_of(function.code, [](const Instr& i) { return i.op == Op::Undefine; });
    if (!has_any)
        return;
    const auto registers = static_cast<std::size_t>(function.v_count) + static_cast<std::size_t>(function.u_count) + 4;
    const Bits unseen = written_unseen(function), arrays = arrays_of(function);
    std::vector<Bits> before(count);
    std::vector<std::size_t> work = {0};
    before[0].assign(registers, false);
    while (!work.empty()) {
        std::size_t pc = work.back();
        work.pop_back();
        Bits now = before[pc];
        for (bool goes_on = true; goes_on && pc < count;) {
            const Instr& i = function.code[pc];
            const bool is_unseen = i.op == Op::Undefine && is_v(i.dst) && unseen[static_cast<std::size_t>(i.dst)];
            if (!is_unseen && pass_over(function, i, arrays, now))
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

InitChecker::InitChecker(const BlockView& view) : BlockView(view) {
    if (!m_context.log)
        return;
    const auto registers = static_cast<std::size_t>(m_function.v_count) + 2;
    m_ranges.resize(registers);
    m_undefined.resize(registers);
    m_undefined_by.resize(registers);
}

void InitChecker::begin() {
    std::ranges::fill(m_undefined_by, 0u);
    m_undefined_count = 0;
}

// ---- while it runs -----------------------------------------------------------------------------------------------

// Words of local arrays that an access touches: registers, and the threads that have it so.
const std::vector<InitChecker::LocalWord>& InitChecker::find_local_words(Group& group, const Step& step) {
    m_local_words.clear();
    if (step.op != Op::Load && step.op != Op::Store)
        return m_local_words;
    const Access& access = access_of(step);
    const bool by_pointer = access.space == Space::Pointer;
    const bool is_elsewhere = by_pointer && artifact::is_u(access.base) && !is_local(u_slot(group, access.base));
    if (access.space == Space::Shared || is_elsewhere)
        return m_local_words;
    bool is_same = !by_pointer || artifact::is_u(access.base);
    for (const artifact::AccessDim& dim : access.dims)
        is_same = is_same && dim.v < 0;
    const int bytes = artifact::scalar_bytes(access.element);
    const auto add = [&](int lane, const Mask& lanes) {
        auto row = static_cast<std::size_t>(access.base);
        std::int64_t at = access.offset;
        if (by_pointer) {
            const auto pointer = lane_value<std::uint64_t>(group, access.base, lane);
            if (!is_local(pointer))
                return;
            row = id_of(pointer) - first_local_id;
            at += offset_of(pointer);
        }
        if (row >= m_function.locals.size() || m_function.locals[row].first < 0)
            return;
        const artifact::LocalArray& array = m_function.locals[row];
        at += m_block.findings.terms_offset(group, access, lane);
        const int unit = array.packed ? 4 : artifact::scalar_bytes(array.element);
        const int words = array.packed ? 1 : artifact::scalar_words(array.element);
        for (std::int64_t w = at / unit; w <= (at + bytes - 1) / unit; ++w)
            if (at >= 0 && w * words < words_of(array)) // else it is a finding of its own
                m_local_words.push_back({array.first + static_cast<std::int32_t>(w) * words, lanes});
    };
    if (is_same)
        add(group.active.first(m_chunks), group.active);
    else
        for (int lane : running(group))
            add(lane, Mask::of(lane));
    return m_local_words;
}

void InitChecker::mark_undefined(std::int32_t reg, const Mask& lanes, std::uint32_t by) {
    const auto row = static_cast<std::size_t>(reg);
    if (!m_undefined_by[row]) {
        m_undefined[row] = {};
        ++m_undefined_count;
    }
    m_undefined[row].add(lanes, m_chunks);
    m_undefined_by[row] = by;
}

void InitChecker::mark_defined(std::int32_t reg, const Mask& lanes) {
    const auto row = static_cast<std::size_t>(reg);
    if (!m_undefined_by[row])
        return;
    m_undefined[row].remove(lanes, m_chunks);
    if (m_undefined[row].any(m_chunks))
        return;
    m_undefined_by[row] = 0;
    --m_undefined_count;
}

void InitChecker::undefine(Group& group, const Step& step) {
    if (artifact::is_u(step.instr.dst)) {
        group.undefined_u[register_of(step.instr.dst)] = group.pc;
        return;
    }
    for (std::int32_t r = step.instr.dst; r < step.instr.dst + step.instr.c; ++r)
        mark_undefined(r, group.active, group.pc);
}

void InitChecker::report_undefined(Group& group, std::uint32_t declared, const Mask& lanes) {
    const int lane = lanes.first(m_chunks);
    const int threads = lanes.count(m_chunks);
    Finding finding = finding_at(group, lane);
    finding.kind = FindingKind::Unwritten;
    finding.threads = threads;
    const Instr& by = m_context.code->steps[declared].instr;
    finding.tensor = string_at(by.x);
    const std::string name = by.c > 1 ? "an element of '" + finding.tensor + "'" : "'" + finding.tensor + "'";
    finding.message = cat("kernel '", m_function.name, "' uses ", name,
                          ", which has no value yet: registers begin undefined", where(lane),
                          threads == 1   ? ""
                          : threads == 2 ? ", like 1 other thread"
                                         : cat(", like ", threads - 1, " other threads"));
    finding.related.push_back({m_function.origins[declared], "declared here"});
    note(std::move(finding));
}

Mask InitChecker::missing(const Group& group, std::int32_t reg) const {
    Mask lanes;
    if (artifact::is_u(reg))
        return group.undefined_u.contains(register_of(reg)) ? group.active : lanes;
    const auto row = static_cast<std::size_t>(reg);
    if (m_undefined_by[row]) {
        lanes = m_undefined[row];
        lanes.keep(group.active, m_chunks);
    }
    return lanes;
}

std::uint32_t InitChecker::declared_by(const Group& group, std::int32_t reg) const {
    return (artifact::is_u(reg) ? group.undefined_u.at(register_of(reg))
                                : m_undefined_by[static_cast<std::size_t>(reg)]);
}

void InitChecker::set_defined(Group& group, std::int32_t reg, const Mask& lanes) {
    if (artifact::is_u(reg))
        group.undefined_u.erase(register_of(reg));
    else
        mark_defined(reg, lanes);
}

void InitChecker::track(Group& group, const Step& step) {
    if (m_undefined.empty())
        return;
    m_stores_nothing = false;
    if (step.is_of_index)
        check_overflow(group, step);
    if (step.names_product)
        m_block.products.touch_products(group, step);
    if (step.op == Op::Undefine)
        return undefine(group, step);
    if (m_undefined_count > 0 || !group.undefined_u.empty())
        track_values(group, step);
}

void InitChecker::track_values(Group& group, const Step& step) {
    const Instr& i = step.instr;
    const std::span named(m_context.code->named.data() + step.first_named, step.named_count);
    Mask copied; // threads that copy nothing
    std::uint32_t copied_by = 0;
    const auto is_marked = [&](std::int32_t r) {
        return artifact::is_u(r) ? !group.undefined_u.empty() : m_undefined_by[static_cast<std::size_t>(r)] != 0;
    };
    const auto copy = [&](std::int32_t r, const Mask& of) {
        if (!is_marked(r))
            return;
        Mask lanes = missing(group, r);
        lanes.keep(of, m_chunks);
        if (lanes.any(m_chunks)) {
            copied.add(lanes, m_chunks);
            copied_by = declared_by(group, r);
        }
    };
    // The scale of a product may say that its sums are not read.
    const auto is_sum = [&](std::int32_t r) {
        if (i.op != Op::Wgmma)
            return false;
        const artifact::Operands& row = m_function.operands[static_cast<std::size_t>(i.x)];
        return std::count(row.items.begin(), row.items.begin() + row.definitions, r) > 0;
    };
    for (const auto& [r, role] : named) {
        if (role == Role::Copy)
            copy(r, group.active);
        if (role != Role::Use || !is_marked(r) || is_sum(r))
            continue;
        const Mask lanes = missing(group, r);
        if (!lanes.any(m_chunks))
            continue;
        report_undefined(group, declared_by(group, r) - 1, lanes);
        set_defined(group, r, lanes); // once is enough
    }
    for (const auto& [r, lanes] : find_local_words(group, step)) {
        if (i.op == Op::Load) {
            copy(r, lanes);
            continue;
        }
        mark_defined(r, lanes);
        if (!copied_by)
            continue;
        Mask nothing = copied;
        nothing.keep(lanes, m_chunks);
        if (nothing.any(m_chunks))
            mark_undefined(r, nothing, copied_by);
    }
    const bool is_copy = copied_by && (i.op == Op::Move || i.op == Op::Load);
    for (const auto& [r, role] : named) {
        if (role != Role::Definition)
            continue;
        if (is_marked(r))
            set_defined(group, r, group.active);
        if (is_copy && artifact::is_u(r))
            group.undefined_u[register_of(r)] = copied_by;
        else if (is_copy)
            mark_undefined(r, copied, copied_by);
    }
    if (i.op == Op::Store && copied_by && m_local_words.empty())
        track_store(group, step, copied, copied_by);
}

// Nothing is stored: in global memory that is a use; shared memory counts as not written there.
void InitChecker::track_store(Group& group, const Step& step, const Mask& copied, std::uint32_t copied_by) {
    const Access& access = access_of(step);
    const bool by_pointer = access.space == Space::Pointer;
    const std::uint32_t id =
        by_pointer ? id_of(lane_value<std::uint64_t>(group, access.base, copied.first(m_chunks))) : first_shared_id;
    if (id < first_shared_id) { // it leaves the kernel
        report_undefined(group, copied_by - 1, copied);
        set_defined(group, step.instr.a, copied);
    } else {
        m_stored_nothing = copied;
        m_stores_nothing = true;
    }
}

// After a store to shared memory: what has got nothing was not written.
void InitChecker::forget_stored(const Target& target, int bytes) {
    m_stores_nothing = false;
    for (int lane = 0; lane < m_lanes; ++lane) {
        if (!m_stored_nothing.test(lane))
            continue;
        const std::int64_t offset = target.offset_of(lane);
        target.shadow->forget(target.shadow->granule_of(target.place + offset), target.shadow->granules_of(bytes),
                              *m_order);
    }
}

} // namespace hidet::vm
