// SPDX-License-Identifier: Apache-2.0
// The words of the textual form, and unique names for the variables of a function.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/expr.h"

namespace hidet::ir {

bool is_reserved(std::string_view word); // not to be used as the name of a variable
bool is_identifier(std::string_view text);

// Names that generated code has as they are.
bool is_opaque_name(std::string_view text);         // of a type: an identifier of C
bool is_opaque_modifier(std::string_view text);     // "const", "__grid_constant__"
const std::vector<std::string>& extern_functions(); // extern_functions.def
bool is_extern_function(std::string_view name);

// How tightly an expression binds in the textual form; a child that binds less tightly than its place is parenthesised.
enum class Precedence : std::uint8_t {
    Or,
    And,
    Not,
    Comparison,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Unary,
    Primary
};
Precedence precedence_of(BinOp op);

// Gives each Var the name it hints at, made an identifier and unique by a number. Names of the module (globals) are kept
// for all functions; those of a function are forgotten when the next one begins. Who reads names back in their order finds the
// hints again, so that a variable goes on as if it had never been a text.
class NameTable {
public:
    const std::string& name_of(const Var& var);
    void add_global(const Var& var);
    void begin_function();

    std::string hint_behind(std::string_view name); // of the next variable of a function
    std::string global_hint_behind(std::string_view name);

private:
    std::string unique_name(std::string_view hint);
    std::string hint_of(std::string_view name);

    std::unordered_map<const Var*, std::string> m_globals;
    std::unordered_set<std::string> m_global_names;
    std::unordered_map<const Var*, std::string> m_locals;
    std::unordered_set<std::string> m_local_names;
    std::unordered_map<std::string, int> m_next_number;
};

} // namespace hidet::ir
