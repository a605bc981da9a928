// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/diff_words.h"

#include <algorithm>
#include <unordered_map>

#include "app/session/view/edit_script.h"
#include "lang/base/ascii.h"

namespace hidet::session {

namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
// Bytes of letters beyond ASCII belong to names.
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

WordKind kind_of(char c) {
    return is_blank(c)    ? WordKind::Space
           : is_digit(c)  ? WordKind::Number
           : is_letter(c) ? WordKind::Name
                          : WordKind::Other;
}

bool goes_on(WordKind kind, char c) {
    switch (kind) {
    case WordKind::Name: return is_letter(c) || is_digit(c);
    case WordKind::Number: return is_letter(c) || is_digit(c) || c == '.';
    case WordKind::Space: return is_blank(c);
    case WordKind::Other: return false;
    }
    return false;
}

std::string_view text_of(std::string_view line, const Word& word) {
    return line.substr(word.range.begin, word.range.end - word.range.begin);
}

using Numbers = std::unordered_map<std::string_view, int>;

std::vector<int> numbered(std::string_view line, const std::vector<Word>& words, Numbers& numbers) {
    std::vector<int> out;
    for (const Word& word : words)
        out.push_back(numbers.emplace(text_of(line, word), static_cast<int>(numbers.size())).first->second);
    return out;
}

std::vector<Word> without_space(std::vector<Word> words) {
    std::erase_if(words, [](const Word& word) { return word.kind == WordKind::Space; });
    return words;
}

// Neighbours become one, also across a space that both sides have.
std::vector<TextRange> stretches(std::string_view line, const std::vector<Word>& words,
                                 const std::vector<bool>& changed) {
    std::vector<TextRange> out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!changed[i])
            continue;
        const TextRange& range = words[i].range;
        bool joins = !out.empty() && std::all_of(line.begin() + out.back().end, line.begin() + range.begin, is_blank);
        if (joins)
            out.back().end = range.end;
        else
            out.push_back(range);
    }
    return out;
}

} // namespace

std::vector<Word> words_of(std::string_view line) {
    std::vector<Word> words;
    for (std::size_t at = 0; at < line.size();) {
        WordKind kind = kind_of(line[at]);
        std::size_t end = at + 1;
        while (end < line.size() && goes_on(kind, line[end]))
            ++end;
        words.push_back({kind, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)}});
        at = end;
    }
    return words;
}

bool is_reserved(std::string_view name) {
    static constexpr std::string_view names[] = {
        "and",    "bool",   "break",  "char",     "const", "continue", "declare", "def",    "do",    "double",
        "elif",   "else",   "extern", "false",    "float", "for",      "func",    "global", "if",    "in",
        "int",    "let",    "long",   "not",      "or",    "range",    "return",  "shared", "short", "signed",
        "static", "struct", "true",   "unsigned", "void",  "volatile", "while",   "with"};
    return std::binary_search(std::begin(names), std::end(names), name);
}

WordChanges word_changes(std::string_view left, std::string_view right, bool ignore_whitespace) {
    std::vector<Word> a = words_of(left), b = words_of(right);
    if (ignore_whitespace)
        a = without_space(std::move(a)), b = without_space(std::move(b));
    Numbers numbers;
    std::vector<int> x = numbered(left, a, numbers), y = numbered(right, b, numbers);
    EditScript script = edit_script(x, y);
    return {stretches(left, a, script.removed), stretches(right, b, script.added)};
}

double likeness(std::string_view left, std::string_view right) {
    std::vector<Word> a = without_space(words_of(left)), b = without_space(words_of(right));
    if (a.empty() || b.empty())
        return a.empty() && b.empty() ? 1 : 0;
    std::unordered_map<std::string_view, int> counts;
    for (const Word& word : a)
        ++counts[text_of(left, word)];
    int common = 0;
    for (const Word& word : b)
        if (int& count = counts[text_of(right, word)]; count > 0)
            --count, ++common;
    return 2.0 * common / static_cast<double>(a.size() + b.size());
}

} // namespace hidet::session
