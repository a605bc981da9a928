// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/cuda/memory.h"

#include <algorithm>

#include "compiler/codegen/text/shared_dialect.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/packing.h"
#include "lang/base/text.h"

namespace hidet::compiler {

using ir::DType;
using ir::IntrinsicId;

namespace {

// The space is not said: generic addresses reach all.
struct Order {
    explicit Order(const ir::IntrinsicAttr& attr)
        : order(ir::attribute<ir::MemoryOrder>(attr)), extent(ir::attribute<ir::MemoryScope>(attr)),
          sem(ir::word(order)), scope(ir::word(extent)) {}
    bool is_plain() const { return order == ir::MemoryOrder::relaxed && extent == ir::MemoryScope::gpu; }
    // Of what has the order: "fence.acq_rel", "ld.acquire".
    Capability capability(std::string_view instruction) const {
        bool is_cluster = extent == ir::MemoryScope::cluster;
        return {{is_cluster ? 90 : 70}, cat(instruction, ".", sem, is_cluster ? ".cluster" : "")};
    }

    ir::MemoryOrder order;
    ir::MemoryScope extent;
    std::string_view sem, scope;
};

struct AtomicRow {
    IntrinsicId id;
    const char* op;   // of PTX
    const char* name; // atomicAdd
    const char* snippet;
    enum class Kind { Sum, Extreme, Exchange, Compare, Bitwise } kind;
};
constexpr AtomicRow atomic_rows[] = {
    {IntrinsicId::AtomicAdd, "add", "Add", "atomic_add", AtomicRow::Kind::Sum},
    {IntrinsicId::AtomicSub, "sub", "Sub", "atomic_sub", AtomicRow::Kind::Sum},
    {IntrinsicId::AtomicMin, "min", "Min", "atomic_min", AtomicRow::Kind::Extreme},
    {IntrinsicId::AtomicMax, "max", "Max", "atomic_max", AtomicRow::Kind::Extreme},
    {IntrinsicId::AtomicExchange, "exch", "Exch", "atomic_exchange", AtomicRow::Kind::Exchange},
    {IntrinsicId::AtomicCas, "cas", "CAS", "atomic_cas", AtomicRow::Kind::Compare},
    {IntrinsicId::AtomicAnd, "and", "And", "atomic_and", AtomicRow::Kind::Bitwise},
    {IntrinsicId::AtomicOr, "or", "Or", "atomic_or", AtomicRow::Kind::Bitwise},
    {IntrinsicId::AtomicXor, "xor", "Xor", "atomic_xor", AtomicRow::Kind::Bitwise},
};

bool is_one_of(DType dtype, std::initializer_list<DType> list) {
    return std::find(list.begin(), list.end(), dtype) != list.end();
}

// What NVRTC declares by itself.
bool is_declared(IntrinsicId id, DType dtype) {
    bool is_word = is_one_of(dtype, {DType::I32, DType::U32});
    switch (id) {
    case IntrinsicId::AtomicSub: return is_word;
    case IntrinsicId::AtomicAdd: return is_word || is_one_of(dtype, {DType::U64, DType::F32, DType::F64});
    case IntrinsicId::AtomicMin:
    case IntrinsicId::AtomicMax: return is_word || is_one_of(dtype, {DType::I64, DType::U64});
    case IntrinsicId::AtomicExchange: return is_word || is_one_of(dtype, {DType::U64, DType::F32});
    default: return is_word || dtype == DType::U64;
    }
}

std::string word_of(DType dtype) {
    return cat("uint", ir::info(dtype).bits, "_t");
}

// What a value is computed with.
std::string wide_of(DType dtype, const std::string& type) {
    if (ir::info(dtype).bits >= 32 && dtype != DType::TF32)
        return type;
    return ir::is_float(dtype) ? "float" : "int";
}

// The snippet that overloads the function for a type, over another type where that has it, else by compare and swap.
void add_overload(const AtomicRow& row, DType dtype, const std::string& type, Snippets& needs) {
    if (is_declared(row.id, dtype))
        return;
    bool is_wide = is_one_of(dtype, {DType::I64, DType::U64});
    bool has_add = is_wide || is_one_of(dtype, {DType::F32, DType::F64});
    bool has_words = ir::info(dtype).bits >= 32;
    if (row.id == IntrinsicId::AtomicAdd && dtype == DType::F16) {
        needs.insert("atomic_add_half");
    } else if (row.id == IntrinsicId::AtomicSub && has_add) {
        if (dtype == DType::I64)
            needs.insert("atomic_wide(Add)");
        needs.insert(cat("atomic_add_negative(", type, ")"));
    } else if (row.id == IntrinsicId::AtomicCas) {
        needs.insert(cat(has_words ? "atomic_cas_bits(" : "atomic_cas(", type, ", ", word_of(dtype), ")"));
    } else if (is_wide) {
        needs.insert(cat("atomic_wide(", row.name, ")"));
    } else if (row.id == IntrinsicId::AtomicExchange && has_words) {
        needs.insert(cat("atomic_exchange_bits(", type, ", ", word_of(dtype), ")"));
    } else {
        bool computes = row.kind == AtomicRow::Kind::Sum || row.kind == AtomicRow::Kind::Extreme;
        needs.insert(cat(row.snippet, "(", type, computes ? cat(", ", wide_of(dtype, type)) : "", ")"));
    }
}

// The type that PTX gives the operation, empty where it has none for the data type.
std::string ptx_type(IntrinsicId id, DType dtype) {
    bool is_integer = is_one_of(dtype, {DType::I32, DType::U32, DType::I64, DType::U64});
    bool is_real = is_one_of(dtype, {DType::F32, DType::F64});
    std::string_view name = ir::info(dtype).short_name;
    int bits = ir::info(dtype).bits;
    switch (id) {
    case IntrinsicId::AtomicAdd: return is_integer ? cat("u", bits) : is_real ? std::string(name) : "";
    case IntrinsicId::AtomicMin:
    case IntrinsicId::AtomicMax: return is_integer ? cat(ir::is_signed(dtype) ? "s" : "u", bits) : "";
    case IntrinsicId::AtomicExchange: return is_integer || is_real ? cat("b", bits) : "";
    case IntrinsicId::AtomicSub: return "";
    default: return is_integer ? cat("b", bits) : "";
    }
}

std::string constraint(DType dtype) {
    if (ir::is_float(dtype))
        return dtype == DType::F32 ? "f" : "d";
    return ir::info(dtype).bits == 64 ? "l" : "r";
}

} // namespace

std::optional<TargetSyntax> fence_syntax(const ir::Intrinsic& call) {
    Order order(call.attr);
    return TargetSyntax{.text = cat("fence_", order.sem, "_", order.scope, "()"),
                        .needs = {cat("fence(", order.sem, ", ", order.scope, ")")},
                        .capability = order.capability("fence")};
}

std::optional<TargetSyntax> atomic_syntax(const ir::Intrinsic& call, DType dtype, TargetSyntax type) {
    const AtomicRow* row = std::find_if(std::begin(atomic_rows), std::end(atomic_rows),
                                        [&](const AtomicRow& known) { return known.id == call.id; });
    if (ir::has_lanes(dtype) || (row->kind == AtomicRow::Kind::Bitwise && !ir::is_integer(dtype)))
        return std::nullopt;
    Order order(call.attr);
    TargetSyntax out{.text = {}, .needs = type.needs, .capability = {}};
    if (order.is_plain()) {
        if (row->kind == AtomicRow::Kind::Sum && dtype == DType::F64)
            out.capability = {{60}, "atom.add.f64"};
        if (call.id == IntrinsicId::AtomicAdd && dtype == DType::F16)
            out.capability = {{70}, "atom.add.noftz.f16"};
        out.text = call_text(cat("atomic", row->name), call.args.size());
        add_overload(*row, dtype, type.text, out.needs);
        return out;
    }
    out.capability = order.capability("atom");
    out.text = call_text(cat("atom_", row->op, "_", order.sem, "_", order.scope), call.args.size());
    std::string ptx = ptx_type(call.id, dtype);
    std::string tail = cat(order.sem, ", ", order.scope, ", ", ptx, ", ", type.text, ", ", constraint(dtype), ")");
    if (!ptx.empty() && call.id == IntrinsicId::AtomicCas) {
        out.needs.insert(cat("atom_cas(", tail));
    } else if (!ptx.empty()) {
        out.needs.insert(cat("atom(", row->op, ", ", tail));
    } else if (order.extent == ir::MemoryScope::sys) {
        return std::nullopt; // compare and swap is atomic for the device only
    } else {
        add_overload(*row, dtype, type.text, out.needs);
        out.needs.insert(
            cat("atom_fenced(", row->op, ", ", row->name, ", ", order.sem, ", ", order.scope, ", ", type.text, ")"));
    }
    return out;
}

std::optional<TargetSyntax> ordered_access_syntax(const ir::Intrinsic& call) {
    Order order(call.attr);
    bool is_load = call.id == IntrinsicId::LoadAcquire;
    const ir::TypeRef& type = is_load ? call.type : call.args.at(1)->type;
    auto dtype = ir::scalar_of(type);
    if (dtype && ir::info(*dtype).bits > 64)
        return std::nullopt;
    std::string name = is_load ? "load" : "store";
    return TargetSyntax{.text = call_text(cat(name, "_", order.sem, "_", order.scope), call.args.size()),
                        .needs = {cat(name, "(", order.sem, ", ", order.scope, ")")},
                        .capability = order.capability(is_load ? "ld" : "st")};
}

std::optional<TargetSyntax> cp_async_syntax(const ir::Intrinsic& call) {
    bool is_global = ir::attribute<ir::CacheLevel>(call.attr) == ir::CacheLevel::global;
    int ahead = ir::number_attribute(call.attr, "prefetch_bytes"), bytes = ir::number_attribute(call.attr, "cp_size");
    const auto evict = ir::attribute<ir::EvictPolicy>(call.attr);
    const bool has_policy = evict != ir::EvictPolicy::evict_normal;
    const std::string policy(has_policy ? ir::word(evict) : "");
    std::string suffix =
        cat(is_global ? "_global" : "", ahead ? cat("_prefetch_", ahead) : "", has_policy ? "_" : "", policy);
    const std::string words = cat(suffix, ", ", is_global ? ".cg" : ".ca", ", ", ahead ? cat(".L2::", ahead, "B") : "");
    return over_instruction(
        call_text(cat("cp_async", suffix, "<", bytes, ">"), call.args.size()),
        has_policy ? cat("cp_async_policy(", words, ", ", policy, ")") : cat("cp_async(", words, ")"), "cp.async");
}

} // namespace hidet::compiler
