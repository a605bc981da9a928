// SPDX-License-Identifier: Apache-2.0
// Which names a text binds, where they are seen, and every place that means one of them: Python's rules of scopes.
//
// Where the parser gave up, the tokens are read instead: a line that is half typed still uses, and sometimes binds, names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ast/ast.h"
#include "lang/parse/token.h"
#include "lang/service/service.h"

namespace hidet::lang::service {

enum class BindingKind : std::uint8_t { Variable, Parameter, LoopVariable, Function, Kernel, Class, Module, Imported };

struct Binding {
    std::string name;
    BindingKind kind{};
    int scope = 0;
    Range definition;
    std::vector<Use> uses;   // the definition among them, in the order of the text
    std::string module;      // Module and Imported: "hidet.lang"
    std::string member;      // Imported: "attrs"
    bool is_renamed = false; // import ... as
    const ast::FunctionDef* function = nullptr;
    const ast::ClassDef* type = nullptr;
    const ast::Param* param = nullptr;
    const ast::FunctionDef* owner = nullptr; // of a parameter
};

enum class ScopeKind : std::uint8_t { Module, Function, Kernel, Class, Lambda, Comprehension };
struct NameScope {
    ScopeKind kind{};
    int parent = -1;
    Range range;            // where its names are seen
    std::uint32_t head = 0; // where its statement begins
    std::string name;
    std::map<std::string, int, std::less<>> names;  // to bindings
    std::map<std::string, bool, std::less<>> outer; // declared global (true) or nonlocal
    std::vector<std::string> star_modules;          // from m import *
};

struct Occurrence {
    Range range;
    int scope = 0;
    int binding = -1; // -1: not bound in this text
    bool is_write = false;
};

// object.name
struct AttributeUse {
    Range range; // of the name
    Range object;
    const ast::Attribute* node = nullptr; // null where only tokens were read
    int scope = 0;
    bool is_write = false;
};

// f(name=value)
struct ArgumentUse {
    Range range;                       // of the name
    const ast::Expr* callee = nullptr; // null where only tokens were read
    int scope = 0;
};

// The dotted name of a module, or a name imported from one, as it stands in an import.
struct ImportUse {
    Range range;
    std::string module;
    std::string member; // empty: the module itself
};

struct Bindings {
    std::vector<Binding> bindings;
    std::vector<NameScope> scopes;        // [0] is the module
    std::vector<Occurrence> occurrences;  // sorted
    std::vector<AttributeUse> attributes; // sorted
    std::vector<ImportUse> imports;       // sorted
    std::vector<ArgumentUse> arguments;   // sorted
    std::vector<Range> decorators;        // the name of each

    // The binding that a name means when it is used in the scope; -1: none in this text.
    int find(int scope, std::string_view name) const;
    const Occurrence* occurrence_at(std::uint32_t offset) const;
    const AttributeUse* attribute_at(std::uint32_t offset) const;
    const ImportUse* import_at(std::uint32_t offset) const;
    const ArgumentUse* argument_at(std::uint32_t offset) const;
    // The innermost scope whose code stands at the offset. A line that holds nothing yet belongs to the scopes that its
    // indentation allows.
    int scope_at(std::string_view text, std::uint32_t offset) const;
    bool is_in_kernel(int scope) const;
};

Bindings bind_names(const ast::Module& tree, std::string_view text, const Tokens& tokens);

} // namespace hidet::lang::service
