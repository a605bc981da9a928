// SPDX-License-Identifier: Apache-2.0
// Small text helpers that the standard library of C++20 in g++ 12 lacks.
#pragma once

#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace hidet {

// cat("shape ", 3, " x ", 4): every argument as an ostream prints it.
template <class... Args>
std::string cat(const Args&... args) {
    std::ostringstream out;
    (out << ... << args);
    return std::move(out).str();
}

std::string join(const std::vector<std::string>& parts, std::string_view separator);
// Replaces each "{}" by the next argument.
std::string substitute(std::string_view format, const std::vector<std::string>& args);
// The candidate that `word` is probably a misspelling of (Damerau-Levenshtein, at most a third of the word), or "".
std::string closest(std::string_view word, const std::vector<std::string>& candidates);
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
