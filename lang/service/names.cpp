// SPDX-License-Identifier: Apache-2.0
// The names of what answers consist of, in the order of the kinds.
#include <iterator>

#include "lang/service/service.h"

namespace hidet::lang::service {

static constexpr const char* item_kinds[] = {"keyword",         "variable",  "parameter", "loop variable", "function",
                                             "script function", "class",     "module",    "type",          "primitive",
                                             "builtin",         "attribute", "method",    "tensor",        "argument",
                                             "constant",        "exception", "snippet"};
static constexpr const char* outline_kinds[] = {"imports", "function", "script function", "class", "variable", "tensor",
                                                "loop",    "with"};
static constexpr const char* semantic_kinds[] = {"host value",      "script value",  "parameter",     "function",
                                                 "script function", "type",          "module",        "primitive",
                                                 "builtin",         "global tensor", "shared tensor", "register tensor",
                                                 "attribute",       "decorator",     "constant",      "unresolved"};
static_assert(std::size(item_kinds) == static_cast<std::size_t>(ItemKind::Snippet) + 1);
static_assert(std::size(outline_kinds) == static_cast<std::size_t>(OutlineKind::With) + 1);
static_assert(std::size(semantic_kinds) == static_cast<std::size_t>(SemanticKind::Unresolved) + 1);

const char* item_kind_name(ItemKind kind) {
    return item_kinds[static_cast<std::size_t>(kind)];
}

const char* outline_kind_name(OutlineKind kind) {
    return outline_kinds[static_cast<std::size_t>(kind)];
}

const char* semantic_kind_name(SemanticKind kind) {
    return semantic_kinds[static_cast<std::size_t>(kind)];
}

} // namespace hidet::lang::service
