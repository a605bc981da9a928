// SPDX-License-Identifier: Apache-2.0
// Where a caret stands, read from tokens alone: it works in lines that do not parse.
#pragma once

#include <string>
#include <vector>

#include "lang/service/document.h"

namespace hidet::lang::service {

// Names joined by dots before a place. `is_whole` is false when something else stands in front: f(x).name
struct DottedName {
    std::vector<std::string> parts;
    Range range;
    bool is_whole = true;
};

struct CallAt {
    DottedName callee;
    int argument = 0;                  // commas before the caret
    std::string keyword;               // of the argument that the caret is in
    std::vector<std::string> keywords; // that the call has already
    std::uint32_t open = 0;            // the bracket
};

struct Caret {
    enum class Where : std::uint8_t {
        Code,
        Nowhere,    // in comments, strings, numbers, where a name is made up
        Member,     // behind a dot
        ImportName, // import |, from |
        ImportMember,
        Annotation,
    } where = Where::Code;
    Range word;
    std::string typed;
    DottedName object; // Member, ImportName: before the dot; ImportMember: the module
    bool starts_statement = false;
};

Caret caret_at(const Document& document, std::uint32_t offset);
// The innermost call whose arguments the offset stands in.
std::optional<CallAt> call_at(const Document& document, std::uint32_t offset);

} // namespace hidet::lang::service
