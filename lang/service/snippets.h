// SPDX-License-Identifier: Apache-2.0
// Pieces of scripts that an editor offers by name.
#pragma once

#include <vector>

#include "lang/service/document.h"

namespace hidet::lang::service {

struct Snippet {
    const char* name;
    const char* what;
    bool in_kernel;
    bool anywhere;
    const char* text;
};
const std::vector<Snippet>& all_snippets();

// Its text with the line ends of the document, indented as the line at the offset.
std::string snippet_text(const Snippet& snippet, const Document& document, std::uint32_t offset);

} // namespace hidet::lang::service
