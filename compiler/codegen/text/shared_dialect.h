// SPDX-License-Identifier: Apache-2.0
// What CUDA C++ and C++ spell the same: types, conversions, literals, and mathematics of short floats and vectors through
// float. A language adds its own intrinsics and the pieces that implement the types.
#pragma once

#include "compiler/codegen/text/pieces.h"

namespace hidet::compiler {

class SharedDialect : public Dialect {
public:
    std::optional<Spelling> type(ir::DType dtype) const override;
    std::optional<Spelling> intrinsic(const ir::Intrinsic& call) const override;
    std::optional<Spelling> cast(ir::DType from, ir::DType to) const override;
    std::optional<Spelling> binary(ir::BinOp op, ir::DType dtype) const override;
    std::optional<Spelling> literal(double value, ir::DType dtype) const override;
    std::string prelude(const Pieces& pieces) const override { return m_pieces.print(pieces); }
    const std::set<std::string, std::less<>>& reserved_names() const override { return m_reserved; }
    const PieceTable& pieces() const { return m_pieces; }

protected:
    // `c_prefix` stands before the names of C's functions.
    SharedDialect(PieceTable pieces, std::string c_prefix);
    void reserve(std::string_view words); // separated by blanks

    // A function of C for a float or a double.
    virtual std::optional<Spelling> real_math(ir::IntrinsicId id, ir::DType dtype) const = 0;
    virtual std::optional<Spelling> integer_math(ir::IntrinsicId id, ir::DType dtype) const = 0;
    virtual std::optional<Spelling> target_intrinsic(const ir::Intrinsic& call, ir::DType dtype) const = 0;

private:
    std::optional<Spelling> math(ir::IntrinsicId id, ir::DType dtype) const;
    void reserve_declared();

    PieceTable m_pieces;
    std::string m_c_prefix;
    std::set<std::string, std::less<>> m_reserved;
};

// The name of the function in C: "sinf" for float, "sin" for double; empty: none.
std::string_view c_function(ir::IntrinsicId id);
// "f({0}, {1})"
std::string call_text(std::string_view function, std::size_t arguments);

} // namespace hidet::compiler
