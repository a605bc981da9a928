// SPDX-License-Identifier: Apache-2.0
// Finds a text in many stages at once.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/view/links.h"

namespace hidet::session {

struct SearchText {
    std::string stage; // for the hit: "PTX", "IR after simplify"
    std::shared_ptr<const TextSnapshot> text;
};

// All matches in one line, in order, without overlap. The user interface brings its own for regular expressions.
using Matcher = std::function<std::vector<TextRange>(std::string_view line)>;

struct SearchQuery {
    std::string text;
    bool match_case = false; // ASCII letters; others are compared as they are
    bool whole_word = false;
    Matcher matcher = {}; // instead of the text
    std::size_t limit = 10'000;
    const std::atomic<bool>* cancelled = nullptr;
};

struct SearchHit {
    std::size_t source = 0; // index into the texts
    std::string stage;
    int line = 0;    // 1-based
    TextRange range; // bytes within the line
    std::string line_text;
    Place origin; // in the script; may be unknown
};

struct SearchResult {
    std::vector<SearchHit> hits; // by stage, then line
    bool cut = false;            // there are more than the limit
};

SearchResult search_stages(const std::vector<SearchText>& texts, const SearchQuery& query);

// The matcher of a query without one of its own.
Matcher plain_matcher(const SearchQuery& query);

} // namespace hidet::session
