// SPDX-License-Identifier: Apache-2.0
// C++ for the CPU without any header, for g++ and clang++.
#include "compiler/codegen/cpp/dialect.h"

#include "compiler/codegen/text/shared_dialect.h"
#include "compiler/ir/intrinsic.h"
#include "lang/base/text.h"

namespace hidet::compiler {

extern const std::string_view text_types_inl, text_floats_inl, text_vectors_inl;
extern const std::string_view artifact_host_table_h, base_elementary_inl, cpp_host_inl, cpp_floats_inl, cpp_math_inl;

using ir::DType;
using ir::IntrinsicId;

namespace {

SnippetTable make_cpp_snippets() {
    SnippetTable snippets("");
    for (std::string_view file : {text_types_inl, text_floats_inl, cpp_floats_inl, text_vectors_inl, cpp_math_inl,
                                  base_elementary_inl, artifact_host_table_h, cpp_host_inl})
        snippets.add_file(file);
    return snippets;
}

// Those of lang/base/elementary.inl.
constexpr std::pair<IntrinsicId, const char*> fast_functions[] = {
    {IntrinsicId::Sin, "float_sin"}, {IntrinsicId::Cos, "float_cos"},  {IntrinsicId::Tanh, "fast_tanh"},
    {IntrinsicId::Exp, "fast_exp"},  {IntrinsicId::Exp2, "fast_exp2"}, {IntrinsicId::Erf, "fast_erf"},
    {IntrinsicId::Log, "fast_log"},  {IntrinsicId::Log2, "fast_log2"}, {IntrinsicId::Log10, "fast_log10"},
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
    std::string float_to_int(DType, DType to, Snippets& needs) const override {
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
        return std::nullopt;
    }
};

} // namespace

const Dialect& cpp_dialect() {
    static const CppDialect dialect;
    return dialect;
}

} // namespace hidet::compiler
