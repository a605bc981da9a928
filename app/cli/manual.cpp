// SPDX-License-Identifier: Apache-2.0
// The language manual: the section that explains a word, which the studio opens by F1.
#include <algorithm>

#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "app/session/live/manual.h"

namespace hidet::cli {

namespace {

namespace assist = session::assist;

struct ManualOptions {
    std::string word;
    bool example = false, cure = false; // the script alone
};

void print_contents() {
    for (const assist::ManualPage& page : assist::manual_pages())
        print_text(
            cat(page.name, std::string(14 - std::min<std::size_t>(13, page.name.size()), ' '), page.title, "\n"));
    print_note("'hidetc manual WORD' shows the section that explains a word, or a page by its name");
}

// Where else the word is explained: `max` is a builtin, an intrinsic, and a function of torch.
void print_others(const std::vector<assist::ManualPlace>& places) {
    std::string words;
    for (std::size_t i = 1; i < places.size() && i < 12; ++i)
        if (words.find(cat("'", places[i].word, "'")) == std::string::npos && places[i].word != places[0].word)
            words += cat(words.empty() ? "" : ", ", "'", places[i].word, "'");
    if (!words.empty())
        print_note(cat("see also ", words));
}

int print_script(const ManualOptions& options) {
    const assist::ManualTrial trial = assist::manual_trial(options.word);
    if (!trial.known()) {
        print_note(cat("error: the manual has no script of a finding '", options.word,
                       "'; its pages 'mistakes' and 'speed' have those that there are"));
        return exit_usage;
    }
    print_text(options.cure ? trial.cure : trial.example);
    return exit_fine;
}

int manual(const ManualOptions& options, const Cancelled&) {
    if (options.example || options.cure)
        return print_script(options);
    if (options.word.empty()) {
        print_contents();
        return exit_fine;
    }
    const std::vector<assist::ManualPlace> places = assist::manual_places(options.word);
    if (!places.empty()) {
        print_text(assist::manual_section(places.front()));
        print_others(places);
        return exit_fine;
    }
    if (const assist::ManualPage* page = assist::manual_page(options.word)) {
        assist::ManualPlace whole;
        whole.page = page->name;
        print_text(assist::manual_section(whole));
        return exit_fine;
    }
    const std::string close = assist::manual_suggestion(options.word);
    print_note(cat("error: the manual does not explain '", options.word, "'",
                   close.empty() ? "" : cat("; did you mean '", close, "'?")));
    return exit_usage;
}

} // namespace

void add_manual(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("manual", "the language manual: what a word of the language means, with an example");
    ManualOptions& options = options_for(verb, chosen, manual);
    verb.text("WORD", options.word, "",
              "a keyword, a type, a function, the id of a message, a page; without it: the contents");
    const Argument example =
        verb.flag("--example", options.example, "of a finding, 'race' or 'bank-conflict': a script that has it");
    verb.flag("--cure", options.cure, "of a finding: that script, cured").excludes(example);
}

} // namespace hidet::cli
