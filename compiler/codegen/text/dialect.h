// SPDX-License-Identifier: Apache-2.0
// What the emitter of C-like text asks about its language: how a data type and an intrinsic are spelled, which snippets of
// the prelude a syntax needs, and what hardware. The emitter (emitter.h) knows statements, precedence, names and spans;
// each backend (codegen/cuda, codegen/cpp) has the one of its language.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "compiler/ir/expr.h"
#include "lang/base/architecture.h"

namespace hidet::compiler {

// Snippets of a prelude, by the names of their rows; a snippet names the snippets that it needs itself.
using Snippets = std::set<std::string, std::less<>>;

// What a GPU needs for a syntax to compile.
struct Capability {
    Architecture arch;
    std::string instruction; // for the diagnostic: "mma.m16n8k16", "cp.async"
};

struct TargetSyntax {
    std::string text; // of a type: "half"; of others: "cp_async<16>({0}, {1})", {i} is the i-th argument as printed
    Snippets needs{};
    Capability capability{};
};
inline TargetSyntax plain(std::string text, Snippets needs = {}) {
    return {.text = std::move(text), .needs = std::move(needs), .capability = {}};
}

// Of one snippet.
inline Snippets snippets_of(std::string name) {
    return name.empty() ? Snippets{} : Snippets{std::move(name)};
}

// A snippet over one instruction; by default every GPU that the intrinsic is for has it.
inline TargetSyntax over_instruction(std::string text, std::string snippet, std::string instruction,
                                     Architecture arch = {}) {
    return {.text = std::move(text),
            .needs = snippets_of(std::move(snippet)),
            .capability = {arch, std::move(instruction)}};
}

// Every text is a postfix expression (a call, as a rule), and `{i}` stands in it only as a whole argument or in parentheses
// of its own: neither side needs parentheses. The emitter puts local arrays whose address is taken at multiples of 16 bytes:
// matrix instructions read them as words.
class Dialect {
public:
    virtual ~Dialect() = default;
    virtual std::optional<TargetSyntax> type(ir::DType dtype) const = 0; // nothing: the language has no such type
    // By id, dtypes of the arguments and attr. Nothing: the target has no such thing, and the emitter says so.
    virtual std::optional<TargetSyntax> intrinsic(const ir::Intrinsic& call) const = 0;
    // A conversion that is no plain C++ cast: {0} is the value. Nothing: `static_cast` will do.
    virtual std::optional<TargetSyntax> cast(ir::DType from, ir::DType to) const = 0;
    // An operator that is no plain operator of the language: {0} and {1} are the operands, of this type. Nothing: it is.
    virtual std::optional<TargetSyntax> binary(ir::BinOp op, ir::DType dtype) const = 0;
    // The snippets that declare a plain operator for a type of the prelude. None: the language has it.
    virtual Snippets operators(ir::BinOp op, ir::DType dtype) const = 0;
    virtual Snippets operators(ir::UnOp op, ir::DType dtype) const = 0;
    // threadIdx.x and its like, also those that need a snippet. Nothing: the target has no threads.
    virtual std::optional<TargetSyntax> builtin(ir::Builtin which) const = 0;
    // The type of a tensor map: of one that a kernel takes by value, or behind a pointer. Nothing: the target has none.
    virtual std::optional<TargetSyntax> tensor_map(bool /*is_parameter*/) const { return std::nullopt; }
    // A literal of a type that C++ has no literals for, from its exact value. Nothing: the emitter's own number will do.
    virtual std::optional<TargetSyntax> literal(double value, ir::DType dtype) const = 0;
    // The text of the snippets, in the order of the table, each after what it needs; ends with an empty line unless empty.
    virtual std::string prelude(const Snippets& snippets) const = 0;
    // Integers may be unsigned where signed ones are meant and neither is negative: without a warning of the compiler.
    virtual bool mixes_signs() const = 0;
    // A division by zero, and of the lowest number by -1, ends the program.
    virtual bool traps_on_division() const = 0;
    // Names that generated names must keep clear of: keywords, what the compiler predefines, what the prelude declares.
    virtual const std::set<std::string, std::less<>>& reserved_names() const = 0;
    // Functions that the compiler declares besides: nothing at the outermost level may be called so. Variables may.
    virtual const std::set<std::string, std::less<>>& library_names() const = 0;
};

} // namespace hidet::compiler
