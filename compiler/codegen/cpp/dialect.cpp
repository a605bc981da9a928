// SPDX-License-Identifier: Apache-2.0
// C++ for the CPU without any header, for g++ and clang++.
#include "compiler/codegen/text/shared_dialect.h"
#include "lang/base/text.h"

namespace hidet::compiler {

extern const std::string_view cpp_host_inl, text_types_inl;

using ir::DType;
using ir::IntrinsicId;

namespace {

Spelling plain(std::string text, Pieces needs = {}) {
    return {.text = std::move(text), .needs = std::move(needs), .capability = {}};
}

PieceTable make_pieces() {
    PieceTable pieces("");
    for (std::string_view file : {cpp_host_inl, text_types_inl})
        pieces.add_file(file);
    return pieces;
}

class CppDialect final : public SharedDialect {
public:
    CppDialect() : SharedDialect(make_pieces(), "__builtin_") {}
    std::optional<Spelling> builtin(ir::Builtin) const override { return std::nullopt; }

private:
    std::optional<Spelling> real_math(IntrinsicId id, DType dtype) const override {
        std::size_t arguments = static_cast<std::size_t>(ir::info(id).max_args);
        bool is_test = ir::info(id).result == ir::IntrinsicResult::Bool;
        if (id == IntrinsicId::Rsqrt)
            return plain(dtype == DType::F32 ? "float(1.0 / __builtin_sqrt({0}))" : "(1.0 / __builtin_sqrt({0}))");
        const char* suffix = dtype == DType::F32 && !is_test ? "f" : "";
        return plain(call_text(cat("__builtin_", c_function(id), suffix), arguments));
    }
    std::optional<Spelling> integer_math(IntrinsicId id, DType dtype) const override {
        if (id == IntrinsicId::Min || id == IntrinsicId::Max)
            return id == IntrinsicId::Min ? plain("min({0}, {1})", {"min"}) : plain("max({0}, {1})", {"max"});
        if (id == IntrinsicId::Abs)
            return plain(!ir::is_signed(dtype) ? "({0})"
                         : dtype == DType::I64 ? "__builtin_llabs({0})"
                                               : "__builtin_abs({0})");
        return std::nullopt;
    }
    std::optional<Spelling> target_intrinsic(const ir::Intrinsic& call, DType) const override {
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
