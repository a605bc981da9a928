// SPDX-License-Identifier: Apache-2.0
#include "lang/service/fuzzy.h"

#include <algorithm>
#include <string>

#include "lang/base/ascii.h"

namespace hidet::lang::service {

namespace {

constexpr std::size_t longest = 200; // characters that are looked at

// A text as characters, so that no match ends inside of one.
struct Letters {
    explicit Letters(std::string_view text) : text(text) {
        for (std::size_t i = 0; i < text.size() && starts.size() < longest; ++i)
            if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
                starts.push_back(static_cast<std::uint32_t>(i));
        end = starts.size() < longest ? static_cast<std::uint32_t>(text.size()) : starts.back();
        if (starts.size() == longest)
            starts.pop_back();
    }
    std::size_t size() const { return starts.size(); }
    Range range(std::size_t i) const { return {starts[i], i + 1 < starts.size() ? starts[i + 1] : end}; }
    std::string_view at(std::size_t i) const {
        Range r = range(i);
        return text.substr(r.begin, r.end - r.begin);
    }
    char first(std::size_t i) const { return text[starts[i]]; }

    std::string_view text;
    std::vector<std::uint32_t> starts;
    std::uint32_t end = 0;
};

bool is_separator(char c) {
    return c == '_' || c == '.' || c == '/' || c == '-' || c == ' ' || c == ':' || c == '\\';
}

bool same(std::string_view a, std::string_view b) {
    return a.size() == 1 && b.size() == 1 ? to_lower(a[0]) == to_lower(b[0]) : a == b;
}

bool begins_word(const Letters& text, std::size_t i) {
    if (i == 0)
        return true;
    char before = text.first(i - 1), here = text.first(i);
    if (is_separator(before))
        return !is_separator(here);
    return (is_upper(here) && !is_upper(before)) || (is_digit(here) && !is_digit(before)) ||
           (is_upper(here) && i + 1 < text.size() && is_lower(text.first(i + 1)));
}

using Places = std::vector<std::size_t>; // one index of the candidate for each character of the pattern

// Every character stands at the start of a word or directly behind the one before it.
std::optional<Places> by_words(const Letters& pattern, const Letters& text) {
    std::size_t m = text.size();
    std::vector<bool> starts(m);
    for (std::size_t j = 0; j < m; ++j)
        starts[j] = begins_word(text, j);
    // fits[i][j]: the pattern from i on can be placed with its first character at j
    std::vector<std::vector<bool>> fits(pattern.size() + 1, std::vector<bool>(m + 1));
    for (std::size_t i = pattern.size(); i-- > 0;) {
        bool later = false; // a start of a word behind j fits the rest
        for (std::size_t j = m; j-- > 0;) {
            bool rest = i + 1 == pattern.size() || fits[i + 1][j + 1] || later;
            fits[i][j] = rest && same(pattern.at(i), text.at(j));
            later = later || (i + 1 < pattern.size() && starts[j] && fits[i + 1][j]);
        }
    }
    Places places;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        std::size_t j = places.empty() ? 0 : places.back() + 1;
        if (places.empty() || !fits[i][j]) // the nearest start of a word
            while (j < m && !(starts[j] && fits[i][j]))
                ++j;
        if (j >= m)
            return std::nullopt;
        places.push_back(j);
    }
    return places;
}

std::optional<Places> as_part(const Letters& pattern, const Letters& text) {
    for (std::size_t at = 0; at + pattern.size() <= text.size(); ++at) {
        std::size_t i = 0;
        while (i < pattern.size() && same(pattern.at(i), text.at(at + i)))
            ++i;
        if (i < pattern.size())
            continue;
        Places places(pattern.size());
        for (std::size_t k = 0; k < places.size(); ++k)
            places[k] = at + k;
        return places;
    }
    return std::nullopt;
}

// Anywhere in this order, but from the start of a word on: else nearly everything fits short patterns.
std::optional<Places> scattered(const Letters& pattern, const Letters& text) {
    Places places;
    std::size_t j = 0;
    while (j < text.size() && !(begins_word(text, j) && same(pattern.at(0), text.at(j))))
        ++j;
    for (std::size_t i = 0; i < pattern.size(); ++i, ++j) {
        while (j < text.size() && !same(pattern.at(i), text.at(j)))
            ++j;
        if (j == text.size())
            return std::nullopt;
        places.push_back(j);
    }
    return places;
}

enum class Tier { Scattered = 1, Part, Words, Prefix, Exact };

FuzzyMatch rate(Tier tier, const Letters& pattern, const Letters& text, const Places& places) {
    FuzzyMatch out;
    int gaps = 0, runs = 0, same_case = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        Range range = text.range(places[i]);
        if (!out.matches.empty() && out.matches.back().end == range.begin) {
            out.matches.back().end = range.end;
        } else {
            gaps += i == 0 ? 0 : static_cast<int>(places[i] - places[i - 1]);
            ++runs;
            out.matches.push_back(range);
        }
        same_case += pattern.at(i) == text.at(places[i]) ? 1 : 0;
    }
    int first = places.empty() ? 0 : static_cast<int>(places.front());
    out.score = static_cast<int>(tier) * 10000 +
                same_case * 20 * 10 / static_cast<int>(std::max<std::size_t>(1, places.size())) - runs * 60 -
                std::min(gaps, 60) * 10 - std::min(first, 60) * 10 - static_cast<int>(text.size());
    return out;
}

} // namespace

std::optional<FuzzyMatch> fuzzy_score(std::string_view typed, std::string_view candidate) {
    std::string solid;
    for (char c : typed)
        if (c != ' ')
            solid += c;
    if (solid.empty())
        return FuzzyMatch{};
    Letters pattern(solid), text(candidate);
    if (pattern.size() > text.size())
        return std::nullopt;
    if (auto part = as_part(pattern, text)) {
        if (part->front() == 0)
            return rate(pattern.size() == text.size() ? Tier::Exact : Tier::Prefix, pattern, text, *part);
        if (!begins_word(text, part->front())) {
            if (auto words = by_words(pattern, text))
                return rate(Tier::Words, pattern, text, *words);
            return rate(Tier::Part, pattern, text, *part);
        }
    }
    if (auto words = by_words(pattern, text))
        return rate(Tier::Words, pattern, text, *words);
    if (auto places = scattered(pattern, text))
        return rate(Tier::Scattered, pattern, text, *places);
    return std::nullopt;
}

} // namespace hidet::lang::service
