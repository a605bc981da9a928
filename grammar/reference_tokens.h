// SPDX-License-Identifier: Apache-2.0
// The tokens of a text by the lexer grammar itself, for the test that the scanner makes the same ones.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hidet::lang {

struct ReferenceToken {
    std::size_t kind = 0;
    std::string text;
};

std::vector<ReferenceToken> reference_tokens(const std::string& text);

} // namespace hidet::lang
