// SPDX-License-Identifier: Apache-2.0
// Small text helpers that the standard library of C++20 in g++ 12 lacks.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace hidet {

// An argument of cat(): text, a character, a number. Text is referred to, not copied. Out of line on purpose: a stream would
// print the same, at twenty milliseconds of compile time for each call.
class TextPart {
public:
    TextPart(std::string_view text) : m_data(text.data()), m_size(text.size()) {}
    TextPart(const std::string& text) : m_data(text.data()), m_size(text.size()) {}
    TextPart(const char* text);
    TextPart(char c);
    TextPart(signed char c) : TextPart(static_cast<char>(c)) {}
    TextPart(unsigned char c) : TextPart(static_cast<char>(c)) {}
    TextPart(bool value) : TextPart(value ? '1' : '0') {}
    template <std::signed_integral T>
    TextPart(T value) : TextPart(static_cast<long long>(value)) {}
    template <std::unsigned_integral T>
    TextPart(T value) : TextPart(static_cast<unsigned long long>(value)) {}
    TextPart(long long value);
    TextPart(unsigned long long value);
    TextPart(double value); // six digits: 0.1, 1e+20
    TextPart(const TextPart&) = delete;
    TextPart& operator=(const TextPart&) = delete;
    std::string_view text() const { return {m_data, m_size}; }

private:
    const char* m_data;
    std::size_t m_size;
    char m_buffer[24];
};
std::string concatenated(std::initializer_list<TextPart> parts);

// cat("shape ", 3, " x ", 4): a bool is 0 or 1.
template <class... Args>
std::string cat(const Args&... args) {
    return concatenated({TextPart(args)...});
}

// Without the white space at its ends, line ends included.
std::string_view trimmed(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
// Replaces each "{}" by the next argument.
std::string substitute(std::string_view format, const std::vector<std::string>& args);
// The candidate that `word` is probably a misspelling of (Damerau-Levenshtein, at most a third of the word), or "".
std::string closest(std::string_view word, const std::vector<std::string>& candidates);
// The text, or the beginning of one of more bytes than that, and how many characters it has.
std::string in_brief(std::string text, std::size_t longest);
// Python's repr() of a string, single-quoted.
std::string quote(std::string_view text);
// The shortest decimal text that reads back as the same double; always with a '.', an exponent, 'inf' or 'nan'.
std::string shortest(double value);
std::string shortest_float(float value);
bool is_valid_utf8(std::string_view text);
// Where the first byte stands that is not UTF-8, or npos.
std::size_t first_invalid_utf8(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);

} // namespace hidet
