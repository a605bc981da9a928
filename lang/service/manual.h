// SPDX-License-Identifier: Apache-2.0
// The language manual, lang/manual: its pages are part of the program, and its index says which section explains a word.
// Words are those of the language (`for`, `f16`, `syncthreads`), names of modules (`torch.cat`), and ids of diagnostics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/service/service.h"

namespace hidet::lang::service {

struct ManualPage {
    std::string name;      // "types"
    std::string title;     // its first heading
    std::string_view text; // Markdown
};
// In the order of reading; the last one is the index.
const std::vector<ManualPage>& manual_pages();
const ManualPage* manual_page(std::string_view name);

struct ManualPlace {
    std::string word;   // as the index has it
    std::string page;   // "types"; empty: the manual does not have the word
    std::string anchor; // of the section's heading: "vectors"
    std::string title;  // the heading
    bool known() const { return !page.empty(); }
};

// The places that explain a word, the nearest first: the word itself, then names that end with it (`cat` for `torch.cat`).
std::vector<ManualPlace> manual_places(std::string_view word);
// Of a name by its path in the catalog: "hidet.lang.cuda.syncthreads", "torch.nn.functional.relu".
ManualPlace manual_place_of(std::string_view path);
// Of the word at an offset: what the name means there, else the word as it stands. Unknown for a user's own names.
ManualPlace manual_at(const Document& document, std::uint32_t offset);
// The word that a misspelt one may mean; empty: none is close.
std::string manual_suggestion(std::string_view word);

// A section's text, Markdown from its heading on, or that of the page if there is no anchor. Of generated tables it has the
// rows of the place's word alone, where one has it, and else at most so many: large tables take a window seconds.
std::string manual_section(const ManualPlace& place, std::size_t most_rows = ~std::size_t{0});

// Of a section about a finding: a script that has just that, and one that is cured of it.
struct ManualTrial {
    std::string title;       // the heading: "Bank conflicts"
    std::string explanation; // the first paragraph, in one line
    std::string example, cure;
    bool known() const { return !example.empty() && !cure.empty(); }
};
// Of the finding that has this word or this id of a message; not known: no section has both scripts.
ManualTrial manual_trial(std::string_view word);

// What a heading is called in links: "Task mappings" is "task-mappings".
std::string manual_anchor(std::string_view heading);

} // namespace hidet::lang::service
