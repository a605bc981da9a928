// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/item_icons.h"

#include "app/ui/core/icons.h"

namespace hidet::ui {

namespace assist = session::assist;

QIcon iconOf(assist::ItemKind kind, const Theme& theme) {
    using Kind = assist::ItemKind;
    auto of = [&](const char* name, SyntaxColor color) { return icon(name, theme.color(color)); };
    switch (kind) {
    case Kind::Keyword: return of("keyword", SyntaxColor::Keyword);
    case Kind::Variable: return of("variable", SyntaxColor::HostValue);
    case Kind::Parameter:
    case Kind::Argument: return of("variable", SyntaxColor::Parameter);
    case Kind::LoopVariable: return of("variable", SyntaxColor::Primitive);
    case Kind::Function:
    case Kind::Method: return of("function", SyntaxColor::Function);
    case Kind::Builtin:
    case Kind::Primitive: return of("function", SyntaxColor::Primitive);
    case Kind::Kernel: return of("kernel", SyntaxColor::Function);
    case Kind::Class:
    case Kind::Exception:
    case Kind::Type: return of("type", SyntaxColor::Type);
    case Kind::Module: return of("module", SyntaxColor::Decorator);
    case Kind::Attribute: return of("attribute", SyntaxColor::Decorator);
    case Kind::Tensor: return of("tensor", SyntaxColor::GlobalTensor);
    case Kind::Constant: return of("constant", SyntaxColor::Number);
    case Kind::Snippet: return of("block", SyntaxColor::Keyword);
    }
    return {};
}

QIcon iconOf(assist::OutlineKind kind, const Theme& theme) {
    using Kind = assist::OutlineKind;
    auto of = [&](const char* name, SyntaxColor color) { return icon(name, theme.color(color)); };
    switch (kind) {
    case Kind::Imports: return of("module", SyntaxColor::Decorator);
    case Kind::Function: return of("function", SyntaxColor::Function);
    case Kind::Kernel: return of("kernel", SyntaxColor::Function);
    case Kind::Class: return of("type", SyntaxColor::Type);
    case Kind::Variable: return of("variable", SyntaxColor::HostValue);
    case Kind::Tensor: return of("tensor", SyntaxColor::SharedTensor);
    case Kind::Loop: return of("loop", SyntaxColor::Keyword);
    case Kind::With: return of("block", SyntaxColor::Keyword);
    }
    return {};
}

SyntaxColor colorOf(assist::SemanticKind kind) {
    using Kind = assist::SemanticKind;
    switch (kind) {
    case Kind::HostValue: return SyntaxColor::HostValue;
    case Kind::ScriptValue: return SyntaxColor::ScriptValue;
    case Kind::Parameter: return SyntaxColor::Parameter;
    case Kind::Function:
    case Kind::Kernel: return SyntaxColor::Function;
    case Kind::Type: return SyntaxColor::Type;
    case Kind::Module: return SyntaxColor::Text;
    case Kind::Primitive:
    case Kind::Builtin: return SyntaxColor::Primitive;
    case Kind::GlobalTensor: return SyntaxColor::GlobalTensor;
    case Kind::SharedTensor: return SyntaxColor::SharedTensor;
    case Kind::RegisterTensor: return SyntaxColor::RegisterTensor;
    case Kind::Attribute: return SyntaxColor::Text;
    case Kind::Decorator: return SyntaxColor::Decorator;
    case Kind::Constant: return SyntaxColor::HostValue;
    case Kind::Unresolved: return SyntaxColor::Unresolved;
    }
    return SyntaxColor::Text;
}

} // namespace hidet::ui
