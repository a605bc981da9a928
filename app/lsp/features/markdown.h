// SPDX-License-Identifier: Apache-2.0
// Sections of the manual as an editor shows them in a small window.
#pragma once

#include <cstddef>
#include <string>

namespace hidet::lsp {

// With plain words where links lead to other pages, and cut between paragraphs where it is longer than that.
std::string shortened_section(const std::string& section, std::size_t most_bytes);

} // namespace hidet::lsp
