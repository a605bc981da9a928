// SPDX-License-Identifier: Apache-2.0
// Lines as words: what comparisons within lines and across renames are made of.
#pragma once

#include <string_view>
#include <vector>

#include "app/session/view/links.h"

namespace hidet::session {

enum class WordKind : std::uint8_t { Name, Number, Space, Other };

struct Word {
    WordKind kind = WordKind::Other;
    TextRange range;
};

// The whole line, without gaps: names, numbers, stretches of space, and every other character for itself.
std::vector<Word> words_of(std::string_view line);

// Names that mean the same in every program, so that nothing is renamed to them: 'for', 'float', 'if'.
bool is_reserved(std::string_view name);

// The stretches in which two lines differ; stretches that only a space keeps apart are one.
struct WordChanges {
    std::vector<TextRange> left;
    std::vector<TextRange> right;
};
WordChanges word_changes(std::string_view left, std::string_view right, bool ignore_whitespace);

// 0: nothing in common, 1: the same, by the words that are no space.
double likeness(std::string_view left, std::string_view right);

} // namespace hidet::session
