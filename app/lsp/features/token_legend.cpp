// SPDX-License-Identifier: Apache-2.0
#include "app/lsp/features/token_legend.h"

#include <nlohmann/json.hpp>

namespace hidet::lsp {

namespace {

// Themes know these names; the modifiers from `kernel` on are ours, for whoever wants to colour them.
enum Type { Namespace, TypeName, Function, Variable, Parameter, Property, Decorator, type_count };
constexpr const char* type_names[type_count] = {"namespace", "type",     "function", "variable",
                                                "parameter", "property", "decorator"};
enum Modifier { Readonly, DefaultLibrary, Kernel, Device, Global, Shared, Register, Unresolved, modifier_count };
constexpr const char* modifier_names[modifier_count] = {"readonly", "defaultLibrary", "kernel",   "device",
                                                        "global",   "shared",         "register", "unresolved"};

TokenStyle with(Type type, Modifier modifier) {
    return {type, 1 << modifier};
}

} // namespace

Json token_legend() {
    return {{"tokenTypes", type_names}, {"tokenModifiers", modifier_names}};
}

TokenStyle style_of(assist::SemanticKind kind) {
    using assist::SemanticKind;
    switch (kind) {
    case SemanticKind::HostValue: return {Variable, 0};
    case SemanticKind::ScriptValue: return with(Variable, Device);
    case SemanticKind::Parameter: return {Parameter, 0};
    case SemanticKind::Function: return {Function, 0};
    case SemanticKind::Kernel: return with(Function, Kernel);
    case SemanticKind::Type: return {TypeName, 0};
    case SemanticKind::Module: return {Namespace, 0};
    case SemanticKind::Primitive:
    case SemanticKind::Builtin: return with(Function, DefaultLibrary);
    case SemanticKind::GlobalTensor: return with(Variable, Global);
    case SemanticKind::SharedTensor: return with(Variable, Shared);
    case SemanticKind::RegisterTensor: return with(Variable, Register);
    case SemanticKind::Attribute: return {Property, 0};
    case SemanticKind::Decorator: return {Decorator, 0};
    case SemanticKind::Constant: return with(Variable, Readonly);
    case SemanticKind::Unresolved: return with(Variable, Unresolved);
    }
    return {Variable, 0};
}

} // namespace hidet::lsp
