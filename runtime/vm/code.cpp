// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/code.h"

#include "lang/base/check.h"

namespace hidet::vm {

namespace {

bool is_computation(Op op) {
    return op == Op::Move || (op >= Op::Add && op <= Op::Atan2);
}

bool is_integer_division(const Instr& i) {
    bool divides = i.op == Op::Div || i.op == Op::Mod || i.op == Op::FloorDiv || i.op == Op::FloorMod;
    return divides && i.type < Scalar::F8E4M3 && !(i.flags & artifact::flag_safe);
}

std::uint8_t flops_of(const Instr& i) {
    if (i.type != Scalar::F32 && i.type != Scalar::F64)
        return 0;
    switch (i.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div: return 1;
    case Op::MulAdd:
    case Op::Fma: return 2;
    default: return 0;
    }
}

Scalar type_of_a(const Instr& i) {
    switch (i.op) {
    case Op::Convert: return static_cast<Scalar>(i.x);
    case Op::Pack64: return Scalar::U32;
    default: return i.type;
    }
}

Scalar result_type(const Instr& i) {
    switch (i.op) {
    case Op::Lt:
    case Op::Le:
    case Op::Eq:
    case Op::Ne:
    case Op::Not:
    case Op::IsFinite:
    case Op::IsInf:
    case Op::IsNan: return Scalar::Bool;
    case Op::Unpack64:
    case Op::ToShared: return Scalar::U32;
    default: return i.type;
    }
}

std::uint8_t lane_bytes(Scalar type) {
    return artifact::scalar_bytes(type) == 8 ? 8 : 4;
}

struct Place {
    std::uint32_t at = 0;
    std::uint8_t bytes = 0;
};

Place place(std::int32_t operand, Scalar type, std::size_t stride) {
    if (operand < 0)
        return {};
    if (is_u(operand))
        return {static_cast<std::uint32_t>(register_of(operand)), 0};
    return {static_cast<std::uint32_t>(static_cast<std::size_t>(operand) * stride), lane_bytes(type)};
}

Step prepare_step(const Instr& i, std::size_t stride, const VectorTable* table) {
    Step step;
    step.op = i.op, step.type = i.type, step.flags = i.flags, step.instr = i;
    Scalar from = type_of_a(i);
    Place dst = place(i.dst, result_type(i), stride), a = place(i.a, from, stride);
    Place b = place(i.b, i.op == Op::Pack64 ? Scalar::U32 : i.type, stride);
    Place c = place(i.c, i.op == Op::Select ? Scalar::Bool : i.type, stride);
    const char* kinds = artifact::info(i.op).operands;
    step.dst = dst.at, step.dst_bytes = dst.bytes;
    step.a = a.at, step.a_bytes = a.bytes;
    step.b = b.at, step.b_bytes = b.bytes;
    if (kinds[6] == 'r')
        step.c = c.at, step.c_bytes = c.bytes;
    step.dst_register = artifact::is_v(i.dst) ? i.dst : -1;
    step.divides = is_integer_division(i);
    if (!is_computation(i.op))
        return step;
    if (is_u(i.dst)) {
        step.is_scalar = true;
        step.scalar = find_scalar(i.op, i.type, i.x);
        HIDET_CHECK(step.scalar,
                    std::string("no scalar ") + artifact::info(i.op).name + "." + artifact::scalar_name(i.type));
        return step;
    }
    HIDET_CHECK(table, "a v register in a host function");
    unsigned shared = (is_u(i.a) ? shared_a : 0u) | (is_u(i.b) ? shared_b : 0u) | (is_u(i.c) ? shared_c : 0u);
    step.is_vector = true;
    step.vector = table->find(i.op, i.type, i.x, shared);
    step.flops = flops_of(i);
    step.is_index = i.type < Scalar::F8E4M3 && !(i.flags & artifact::flag_blend);
    step.hash =
        ((static_cast<std::uint64_t>(i.op) << 16 | static_cast<std::uint64_t>(i.type)) * 0x2545F4914F6CDD1Dull) ^
        static_cast<std::uint64_t>(i.x);
    HIDET_CHECK(step.vector,
                std::string("no vector ") + artifact::info(i.op).name + "." + artifact::scalar_name(i.type));
    return step;
}

int slot_of(std::int32_t operand) {
    return operand < 0 ? -1 : register_of(operand);
}

ReadyAccess prepare_access(const artifact::Access& access) {
    ReadyAccess ready;
    ready.bytes = artifact::scalar_bytes(access.element);
    ready.offset = access.offset;
    ready.lane_base = access.space == artifact::Space::Pointer && artifact::is_v(access.base);
    ready.base = access.space == artifact::Space::Pointer ? register_of(access.base) : access.base;
    ready.differs = ready.lane_base;
    ready.lane_terms = ready.lane_base;
    for (const artifact::AccessDim& dim : access.dims) {
        ReadyTerm term;
        term.u = slot_of(dim.u), term.stride_u = slot_of(dim.stride_u), term.extent_u = slot_of(dim.extent_u);
        term.v = dim.v < 0 ? -1 : dim.v;
        term.wide = dim.wide;
        term.constant = dim.constant, term.stride = dim.stride, term.extent = dim.extent;
        term.checked = dim.is_index && (dim.extent >= 0 || dim.extent_u >= 0);
        ready.differs = ready.differs || dim.v >= 0;
        ready.lane_terms += dim.v >= 0;
        if (term.stride_u < 0)
            ready.offset += dim.constant * dim.stride;
        bool varies = term.u >= 0 || term.v >= 0 || term.stride_u >= 0 || (term.checked && term.extent_u >= 0);
        if (varies)
            ready.terms.push_back(term);
        else if (term.checked && (dim.constant < 0 || dim.constant >= dim.extent))
            ready.always_outside = true;
    }
    return ready;
}

Code prepare_steps(const Function& function, std::size_t stride, const VectorTable* table) {
    Code code;
    code.function = &function;
    code.stride = stride;
    code.steps.reserve(function.code.size());
    for (const Instr& i : function.code)
        code.steps.push_back(prepare_step(i, stride, table));
    code.triples.resize(function.operands.size());
    for (const Instr& i : function.code)
        if (i.op == Op::MulAddAll)
            for (std::int32_t r : function.operands[static_cast<std::size_t>(i.x)].items)
                code.triples[static_cast<std::size_t>(i.x)].push_back(
                    static_cast<std::uint32_t>(static_cast<std::size_t>(r) * stride));
    for (const artifact::Access& access : function.accesses)
        code.accesses.push_back(prepare_access(access));
    find_requests(code, function);
    return code;
}

} // namespace

Code prepare(const Function& function, int lanes, const VectorTable& table) {
    return prepare_steps(function, static_cast<std::size_t>(lanes) * 4 + 64, &table);
}

Code prepare_host(const Function& function) {
    return prepare_steps(function, 0, nullptr);
}

bool has_isa(VectorIsa isa) {
    switch (isa) {
    case VectorIsa::V4: return __builtin_cpu_supports("x86-64-v4");
    case VectorIsa::V3: return __builtin_cpu_supports("x86-64-v3");
    case VectorIsa::V2:
    case VectorIsa::Best: return true;
    }
    return true;
}

const VectorTable& best_table(VectorIsa isa) {
    if ((isa == VectorIsa::Best || isa == VectorIsa::V4) && has_isa(VectorIsa::V4))
        return v4::table();
    if (isa != VectorIsa::V2 && has_isa(VectorIsa::V3))
        return v3::table();
    return v2::table();
}

} // namespace hidet::vm
