// SPDX-License-Identifier: Apache-2.0
// The names of what answers consist of.
#include "lang/service/service.h"

namespace hidet::lang::service {

const char* item_kind_name(ItemKind kind) {
    switch (kind) {
    case ItemKind::Keyword: return "keyword";
    case ItemKind::Variable: return "variable";
    case ItemKind::Parameter: return "parameter";
    case ItemKind::LoopVariable: return "loop variable";
    case ItemKind::Function: return "function";
    case ItemKind::Kernel: return "script function";
    case ItemKind::Class: return "class";
    case ItemKind::Module: return "module";
    case ItemKind::Type: return "type";
    case ItemKind::Primitive: return "primitive";
    case ItemKind::Builtin: return "builtin";
    case ItemKind::Attribute: return "attribute";
    case ItemKind::Method: return "method";
    case ItemKind::Tensor: return "tensor";
    case ItemKind::Argument: return "argument";
    case ItemKind::Constant: return "constant";
    case ItemKind::Exception: return "exception";
    case ItemKind::Snippet: return "snippet";
    }
    return "";
}

const char* outline_kind_name(OutlineKind kind) {
    switch (kind) {
    case OutlineKind::Imports: return "imports";
    case OutlineKind::Function: return "function";
    case OutlineKind::Kernel: return "script function";
    case OutlineKind::Class: return "class";
    case OutlineKind::Variable: return "variable";
    case OutlineKind::Tensor: return "tensor";
    case OutlineKind::Loop: return "loop";
    case OutlineKind::With: return "with";
    }
    return "";
}

const char* semantic_kind_name(SemanticKind kind) {
    switch (kind) {
    case SemanticKind::HostValue: return "host value";
    case SemanticKind::ScriptValue: return "script value";
    case SemanticKind::Parameter: return "parameter";
    case SemanticKind::Function: return "function";
    case SemanticKind::Kernel: return "script function";
    case SemanticKind::Type: return "type";
    case SemanticKind::Module: return "module";
    case SemanticKind::Primitive: return "primitive";
    case SemanticKind::Builtin: return "builtin";
    case SemanticKind::GlobalTensor: return "global tensor";
    case SemanticKind::SharedTensor: return "shared tensor";
    case SemanticKind::RegisterTensor: return "register tensor";
    case SemanticKind::Attribute: return "attribute";
    case SemanticKind::Decorator: return "decorator";
    case SemanticKind::Constant: return "constant";
    case SemanticKind::Unresolved: return "unresolved";
    }
    return "";
}

} // namespace hidet::lang::service
