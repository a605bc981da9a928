// SPDX-License-Identifier: Apache-2.0
// C++ for the CPU without any header, for g++ and clang++.
#include "compiler/codegen/cpp/dialect.h"

#include "compiler/codegen/text/shared_dialect.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/packing.h"
#include "compiler/ir/vector_lanes.h"
#include "compiler/ir/wide_access.h"
#include "lang/base/text.h"

namespace hidet::compiler {

extern const std::string_view text_types_inl, text_floats_inl, text_vectors_inl;
extern const std::string_view artifact_host_table_h, base_elementary_inl, cpp_host_inl, cpp_floats_inl, cpp_math_inl,
    cpp_vectors_inl;

using ir::DType;
using ir::IntrinsicId;

namespace {

SnippetTable make_cpp_snippets() {
    SnippetTable snippets("");
    for (std::string_view file : {text_types_inl, text_floats_inl, cpp_floats_inl, text_vectors_inl, cpp_math_inl,
                                  cpp_vectors_inl, base_elementary_inl, artifact_host_table_h, cpp_host_inl})
        snippets.add_file(file);
    return snippets;
}

// Those of lang/base/elementary.inl.
constexpr std::pair<IntrinsicId, const char*> fast_functions[] = {
    {IntrinsicId::Sin, "float_sin"}, {IntrinsicId::Cos, "float_cos"},  {IntrinsicId::Tanh, "fast_tanh"},
    {IntrinsicId::Exp, "float_exp"}, {IntrinsicId::Exp2, "fast_exp2"}, {IntrinsicId::Erf, "fast_erf"},
    {IntrinsicId::Log, "fast_log"},  {IntrinsicId::Log2, "fast_log2"}, {IntrinsicId::Log10, "fast_log10"},
};

struct VectorRow {
    IntrinsicId id;
    const char* function; // behind "avx_"
    const char* op;       // of C++, that it is made with; null: none
    bool says_type;       // of the result
};
constexpr VectorRow vector_rows[] = {
    {IntrinsicId::AvxLoad4, "load", nullptr, true},
    {IntrinsicId::AvxLoadAligned4, "load", nullptr, true},
    {IntrinsicId::AvxStore4, "store", nullptr, false},
    {IntrinsicId::AvxStoreAligned4, "store", nullptr, false},
    {IntrinsicId::AvxAdd4, "add", "+", false},
    {IntrinsicId::AvxFma4, "fmadd", nullptr, false},
    {IntrinsicId::AvxFirst4, "first", nullptr, false},
    {IntrinsicId::AvxLoad8, "load", nullptr, true},
    {IntrinsicId::AvxLoadAligned8, "load", nullptr, true},
    {IntrinsicId::AvxStore8, "store", nullptr, false},
    {IntrinsicId::AvxStoreAligned8, "store", nullptr, false},
    {IntrinsicId::AvxAdd8, "add", "+", false},
    {IntrinsicId::AvxFma8, "fmadd", nullptr, false},
    {IntrinsicId::AvxSet8, "all", nullptr, true},
    {IntrinsicId::AvxSub8, "sub", "-", false},
    {IntrinsicId::AvxMul8, "mul", "*", false},
    {IntrinsicId::AvxDiv8, "div", "/", false},
    {IntrinsicId::AvxMax8, "max", nullptr, false},
    {IntrinsicId::AvxSqrt8, "sqrt", nullptr, false},
    {IntrinsicId::AvxSum8, "sum", nullptr, false},
    {IntrinsicId::AvxGreatest8, "greatest", nullptr, false},
    {IntrinsicId::AvxFirst8, "first", nullptr, false},
    {IntrinsicId::AvxLoad16, "load", nullptr, true},
    {IntrinsicId::AvxLoadAligned16, "load", nullptr, true},
    {IntrinsicId::AvxStore16, "store", nullptr, false},
    {IntrinsicId::AvxStoreAligned16, "store", nullptr, false},
    {IntrinsicId::AvxAdd16, "add", "+", false},
    {IntrinsicId::AvxFma16, "fmadd", nullptr, false},
    {IntrinsicId::AvxSet16, "all", nullptr, true},
    {IntrinsicId::AvxSub16, "sub", "-", false},
    {IntrinsicId::AvxMul16, "mul", "*", false},
    {IntrinsicId::AvxDiv16, "div", "/", false},
    {IntrinsicId::AvxMax16, "max", nullptr, false},
    {IntrinsicId::AvxSqrt16, "sqrt", nullptr, false},
    {IntrinsicId::AvxSum16, "sum", nullptr, false},
    {IntrinsicId::AvxGreatest16, "greatest", nullptr, false},
    {IntrinsicId::AvxFirst16, "first", nullptr, false},
    {IntrinsicId::AvxPairSums4, "hadd", nullptr, false},
};

class CppDialect final : public SharedDialect {
public:
    CppDialect() : SharedDialect(make_cpp_snippets()) {}
    std::optional<TargetSyntax> builtin(ir::Builtin) const override { return std::nullopt; }
    bool mixes_signs() const override { return false; }
    bool traps_on_division() const override { return true; }

private:
    std::string remainder(DType dtype) const override {
        return dtype == DType::F64 ? "__builtin_fmod" : "__builtin_fmodf";
    }
    // float functions are those of double, rounded once, as the emulator has it; those that are exact are their own.
    std::optional<TargetSyntax> real_math(IntrinsicId id, DType dtype) const override {
        if (id == IntrinsicId::Min || id == IntrinsicId::Max)
            return extreme(id);
        bool is_single = dtype == DType::F32;
        if (id == IntrinsicId::Pow)
            return plain(is_single ? "float(power({0}, {1}))" : "power({0}, {1})", {"power"});
        if (id == IntrinsicId::Rsqrt)
            return plain(is_single ? "float(1.0 / __builtin_sqrt({0}))" : "(1.0 / __builtin_sqrt({0}))");
        std::string text =
            call_text(cat("__builtin_", c_function(id)), static_cast<std::size_t>(ir::info(id).max_args));
        if (!is_single || ir::info(id).result.kind == ir::IntrinsicResult::Kind::Fixed)
            return plain(std::move(text));
        if (is_exact(id))
            return plain(text.insert(text.find('('), "f"));
        for (const auto& [fast_id, function] : fast_functions)
            if (fast_id == id)
                return plain(cat("float(", function, "({0}))"), {function});
        return plain(cat("float(", text, ")"));
    }
    static bool is_exact(IntrinsicId id) {
        switch (id) {
        case IntrinsicId::Sqrt:
        case IntrinsicId::Round:
        case IntrinsicId::Abs:
        case IntrinsicId::Ceil:
        case IntrinsicId::Floor:
        case IntrinsicId::Trunc:
        case IntrinsicId::Fma: return true;
        default: return false;
        }
    }
    static TargetSyntax extreme(IntrinsicId id) {
        return id == IntrinsicId::Min ? plain("min({0}, {1})", {"min"}) : plain("max({0}, {1})", {"max"});
    }
    std::string float_to_int(DType from, DType to, Snippets& needs) const override {
        if (from == DType::F32 && to == DType::I32) {
            needs.insert("float_to_int32");
            return "float_to_int32";
        }
        needs.insert("float_to_int");
        return cat("float_to_int<", type(to)->text, ">");
    }
    std::optional<TargetSyntax> integer_math(IntrinsicId id, DType dtype) const override {
        if (id == IntrinsicId::Min || id == IntrinsicId::Max)
            return extreme(id);
        if (id == IntrinsicId::Abs)
            return ir::is_signed(dtype) ? plain("magnitude({0})", {"magnitude"}) : plain("({0})");
        return std::nullopt;
    }
    // What calls the host is the emitter's, which knows how a function reaches it.
    std::optional<TargetSyntax> target_intrinsic(const ir::Intrinsic& call, DType) const override {
        if (call.id == IntrinsicId::Assume)
            return plain("assume({0})", {"assume"});
        if (ir::info(call.id).category == ir::IntrinsicCategory::Vectors)
            return vector_syntax(call);
        if (ir::info(call.id).category == ir::IntrinsicCategory::Atomic)
            return atomic_syntax(call);
        if (const auto wide = ir::wide_access(call.id))
            return wide_syntax(*wide);
        if (auto syntax = bits_syntax(call))
            return syntax;
        return memory_syntax(call);
    }

    static std::optional<TargetSyntax> bits_syntax(const ir::Intrinsic& call) {
        const auto dtype = call.args.empty() ? std::nullopt : ir::scalar_of(call.args[0]->type);
        const auto of_word = [&](const char* name) {
            return dtype && ir::is_register_integer(*dtype) ? std::optional(plain(cat(name, "({0})"), {name}))
                                                            : std::nullopt;
        };
        const auto of_three = [](const char* name, const char* snippet) {
            return plain(cat(name, "({0}, {1}, {2})"), {snippet});
        };
        switch (call.id) {
        case IntrinsicId::Popc: return of_word("popc");
        case IntrinsicId::Clz: return of_word("clz");
        case IntrinsicId::Ffs: return of_word("ffs");
        case IntrinsicId::Brev: return of_word("brev");
        case IntrinsicId::FunnelShiftL: return of_three("funnelshift_l", "funnelshift_l");
        case IntrinsicId::FunnelShiftLc: return of_three("funnelshift_lc", "funnelshift_lc");
        case IntrinsicId::FunnelShiftR: return of_three("funnelshift_r", "funnelshift_r");
        case IntrinsicId::FunnelShiftRc: return of_three("funnelshift_rc", "funnelshift_rc");
        case IntrinsicId::Dp4a: return of_three("dp4a<signed char>", "dp4a");
        case IntrinsicId::Dp4aU32: return of_three("dp4a<unsigned char>", "dp4a");
        default: return std::nullopt;
        }
    }

    // The address and the guard stand before the registers, of which there is any number.
    static TargetSyntax wide_syntax(const ir::WideAccess& wide) {
        const auto count = static_cast<std::size_t>(wide.registers());
        const bool clears = wide.is_load && !wide.is_shared && wide.bits == 16;
        const std::string name = !wide.is_load ? "store_parts" : clears ? "load_part_or_zero" : "load_parts";
        std::string text = cat(name, "<", wide.bytes_of_register(), ">({", count, "}, ",
                               wide.is_shared ? std::string("true") : cat("{", count + 1, "}"));
        for (std::size_t i = 0; i < count; ++i)
            text += cat(", {", i, "}");
        return plain(text + ")", {name});
    }

    // Of threads of different blocks, which may run at the same time.
    std::optional<TargetSyntax> atomic_syntax(const ir::Intrinsic& call) const {
        const auto dtype = ir::scalar_of(call.type);
        if (!dtype || ir::has_lanes(*dtype))
            return std::nullopt;
        const bool is_word = ir::is_integer(*dtype) && *dtype != DType::Bool;
        const auto update = [&](const char* name, std::optional<ir::BinOp> op) {
            TargetSyntax syntax = plain(cat(name, "({0}, {1})"), {name});
            if (op)
                syntax.needs.merge(operators(*op, *dtype));
            return syntax;
        };
        const auto of_word = [&](const char* op) {
            return is_word ? std::optional(plain(cat("__atomic_fetch_", op, "({0}, {1}, __ATOMIC_SEQ_CST)")))
                           : std::nullopt;
        };
        switch (call.id) {
        case IntrinsicId::AtomicAdd: return is_word ? of_word("add") : update("atomic_add", ir::BinOp::Add);
        case IntrinsicId::AtomicSub: return is_word ? of_word("sub") : update("atomic_sub", ir::BinOp::Sub);
        case IntrinsicId::AtomicAnd: return of_word("and");
        case IntrinsicId::AtomicOr: return of_word("or");
        case IntrinsicId::AtomicXor: return of_word("xor");
        case IntrinsicId::AtomicMin: return update("atomic_min", ir::BinOp::Lt);
        case IntrinsicId::AtomicMax: return update("atomic_max", ir::BinOp::Lt);
        case IntrinsicId::AtomicExchange: return update("atomic_exchange", {});
        case IntrinsicId::AtomicCas: return plain("atomic_cas({0}, {1}, {2})", {"atomic_cas"});
        default: return std::nullopt;
        }
    }

    // avx_load<float8>({0}), avx_lanes<float8, 0, 8, 1, 9, ...>({0}, {1}): the type where no argument has it.
    std::optional<TargetSyntax> vector_syntax(const ir::Intrinsic& call) const {
        const auto result = ir::scalar_of(call.type);
        TargetSyntax syntax = result ? *type(*result) : plain("");
        const auto made = [&](const std::string& function, const std::string& snippet, std::size_t arguments) {
            syntax.text = call_text(function, arguments);
            syntax.needs.insert(snippet);
            return syntax;
        };
        if (const auto lanes = ir::chosen_lanes(call)) {
            std::string list;
            for (int lane : *lanes)
                list += cat(", ", lane);
            const bool has_two = call.args.size() > 1 && call.args[1]->kind != ir::Kind::Constant;
            return made(cat("avx_lanes<", syntax.text, list, ">"), "avx_lanes", has_two ? 2 : 1);
        }
        if (call.id == IntrinsicId::DotBytes)
            return made(cat("dot_bytes<", ir::number_attribute(call.attr, "columns_at_once"), ">"), "dot_bytes", 3);
        for (const VectorRow& row : vector_rows)
            if (row.id == call.id && row.op)
                return made(cat("avx_", row.function), cat("avx_arithmetic(", row.function, ", ", row.op, ")"), 2);
            else if (row.id == call.id)
                return made(cat("avx_", row.function, row.says_type ? cat("<", syntax.text, ">") : ""),
                            cat("avx_", row.function), call.args.size());
        for (IntrinsicId zero : {IntrinsicId::AvxSetZero4, IntrinsicId::AvxSetZero8, IntrinsicId::AvxSetZero16})
            if (zero == call.id) {
                syntax = made(cat("avx_all<", syntax.text, ">"), "avx_all", 0);
                syntax.text.insert(syntax.text.size() - 1, "0.0f");
                return syntax;
            }
        for (IntrinsicId spread : {IntrinsicId::AvxBroadcast4, IntrinsicId::AvxBroadcast8, IntrinsicId::AvxBroadcast16})
            if (spread == call.id) {
                syntax = made(cat("avx_all<", syntax.text, ">"), "avx_all", 1);
                syntax.text.replace(syntax.text.find("{0}"), 3, "*({0})");
                return syntax;
            }
        return std::nullopt;
    }
    static std::optional<TargetSyntax> memory_syntax(const ir::Intrinsic& call) {
        switch (call.id) { // what threads of a kernel say to each other
        case IntrinsicId::ThreadFence: return plain("__atomic_thread_fence(__ATOMIC_SEQ_CST)");
        case IntrinsicId::NanoSleep: return plain("static_cast<void>({0})");
        case IntrinsicId::LoadAcquire: return plain("atomic_load({0})", {"atomic_load"});
        case IntrinsicId::StoreRelease: return plain("atomic_store({0}, {1})", {"atomic_store"});
        default: break;
        }
        const auto dtype = ir::scalar_of(call.type);
        const bool is_word = dtype && ir::is_integer(*dtype) && ir::bytes_of(*dtype) >= 4;
        if (ir::info(call.id).result.kind == ir::IntrinsicResult::Kind::Pointee && !is_word)
            return std::nullopt;
        const auto order = call.id == IntrinsicId::CpuAtomicLoad ? ir::constant_int(call.args.at(1)) : std::nullopt;
        if (order && !ir::is_order_of_read(*order))
            return std::nullopt;
        switch (call.id) {
        case IntrinsicId::CpuAtomicLoad: return plain("__atomic_load_n({0}, {1})");
        case IntrinsicId::CpuAtomicAdd: return plain("__atomic_add_fetch({0}, {1}, {2})");
        case IntrinsicId::CpuAtomicXor: return plain("__atomic_fetch_xor({0}, {1}, {2})");
        case IntrinsicId::CpuPrefetch: return plain("__builtin_prefetch({0})");
        case IntrinsicId::CpuFree: return plain("__builtin_free({0})");
        case IntrinsicId::CpuFill: return plain("__builtin_memset({0}, {1}, {2})");
        default: return std::nullopt;
        }
    }
};

} // namespace

const Dialect& cpp_dialect() {
    static const CppDialect dialect;
    return dialect;
}

} // namespace hidet::compiler
