// SPDX-License-Identifier: Apache-2.0
// What CUDA C++ and C++ spell the same: types, conversions, literals, and mathematics of short floats and vectors through
// float. A language adds its own intrinsics and the snippets that implement the types.
#pragma once

#include "compiler/codegen/text/snippets.h"

namespace hidet::compiler {

class SharedDialect : public Dialect {
public:
    std::optional<TargetSyntax> type(ir::DType dtype) const override;
    std::optional<TargetSyntax> intrinsic(const ir::Intrinsic& call) const override;
    std::optional<TargetSyntax> cast(ir::DType from, ir::DType to) const override;
    std::optional<TargetSyntax> binary(ir::BinOp op, ir::DType dtype) const override;
    Snippets operators(ir::BinOp op, ir::DType dtype) const override;
    Snippets operators(ir::UnOp op, ir::DType dtype) const override;
    std::optional<TargetSyntax> literal(double value, ir::DType dtype) const override;
    std::string prelude(const Snippets& snippets) const override { return m_snippets.print(snippets); }
    const std::set<std::string, std::less<>>& reserved_names() const override { return m_reserved; }
    const std::set<std::string, std::less<>>& library_names() const override { return m_library; }
    const SnippetTable& snippets() const { return m_snippets; }

protected:
    explicit SharedDialect(SnippetTable snippets);
    void reserve(std::string_view words); // separated by blanks
    void reserve_outermost(std::string_view words);

    // A function of C for a float or a double.
    virtual std::optional<TargetSyntax> real_math(ir::IntrinsicId id, ir::DType dtype) const = 0;
    // The function that makes an integer of a float, toward zero; `to` has at least 32 bits.
    virtual std::string float_to_int(ir::DType from, ir::DType to, Snippets& needs) const = 0;
    virtual std::optional<TargetSyntax> integer_math(ir::IntrinsicId id, ir::DType dtype) const = 0;
    virtual std::string remainder(ir::DType dtype) const = 0; // fmod or fmodf
    // What a language has for short floats and vectors; nothing: as for float.
    virtual std::string own_operator(ir::BinOp, ir::DType) const { return {}; } // a snippet
    virtual std::optional<TargetSyntax> own_math(ir::IntrinsicId, ir::DType) const { return std::nullopt; }
    virtual std::optional<TargetSyntax> target_intrinsic(const ir::Intrinsic& call, ir::DType dtype) const = 0;

private:
    std::optional<TargetSyntax> math(ir::IntrinsicId id, ir::DType dtype) const;
    std::optional<TargetSyntax> short_math(ir::IntrinsicId id, ir::DType dtype) const;
    std::optional<TargetSyntax> vector_math(ir::IntrinsicId id, ir::DType dtype) const;
    std::optional<TargetSyntax> make_vector(const ir::Intrinsic& call) const;
    std::optional<TargetSyntax> bit_cast(const ir::Intrinsic& call) const;
    std::optional<TargetSyntax> cast_number(ir::DType from, ir::DType to) const;
    std::string lane_text(ir::DType vector, std::string_view value, int lane) const;
    std::optional<TargetSyntax> cast_to_complex(ir::DType from, ir::DType to) const;
    std::string lanes_text(ir::DType dtype, std::string_view op) const;
    std::string conversion_text(ir::DType to, ir::DType from) const;
    bool has_type(const ir::TypeRef& type) const;
    void reserve_declared();

    SnippetTable m_snippets;
    std::set<std::string, std::less<>> m_reserved;
    std::set<std::string, std::less<>> m_library;
};

// The name of the function in C: "sinf" for float, "sin" for double; empty: none.
std::string_view c_function(ir::IntrinsicId id);
// "f({0}, {1})"
std::string call_text(std::string_view function, std::size_t arguments);

} // namespace hidet::compiler
