// SPDX-License-Identifier: Apache-2.0
// Lists between brackets, as a script writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hidet::session {

struct BracketText {
    std::size_t open = 0, close = 0;     // the brackets
    std::vector<std::string_view> parts; // between commas of its own, without blanks around them
};
// From the bracket at `open` to its partner; nothing: it has none.
std::optional<BracketText> bracket_at(std::string_view text, std::size_t open);
// The innermost one that is open at an offset.
std::optional<BracketText> bracket_around(std::string_view text, std::size_t offset);

// Between commas that are in no bracket.
std::vector<std::string_view> parts_of(std::string_view list);
std::string joined_parts(const std::vector<std::string_view>& parts);

std::size_t offset_in(std::string_view text, std::string_view part);
bool is_word_letter(char c);
// Of the name that ends before the offset, or at blanks before it; the offset itself where there is none.
std::size_t begin_of_word(std::string_view text, std::size_t end);

} // namespace hidet::session
