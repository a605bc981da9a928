// SPDX-License-Identifier: Apache-2.0
// Editing what a user decided about a model: pure functions from the text of a choices file to the next one.
//
// A text that comes out of an edit is in one form: each kind of choice in the order of its keys, nothing twice, and empty
// when nothing is decided. The same decisions are the same text, whichever way they were made.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/snapshot/snapshot.h"

namespace hidet::session {

enum class ChoiceKind : std::uint8_t { Precision, Fusion, Rewrite, Template, Placement, Switch };

struct ModelChoice {
    ChoiceKind kind = ChoiceKind::Fusion;
    std::string node;     // key; of a fusion the producer; empty: the whole model
    std::string consumer; // key, of a fusion
    std::string what;     // a rule, a dtype, a template, "split along 1"; of a switch the pass or rule
    bool is_on = false;   // Fusion: shares a kernel. Switch: runs. Rewrite: applies, as it would anyway. Else true

    static ModelChoice fusion(std::string producer, std::string consumer, bool fuse);
    static ModelChoice without_rule(std::string node, std::string rule);
    static ModelChoice precision(std::string node, std::string dtype);    // no node: of the whole model
    static ModelChoice scheduled(std::string node, std::string schedule); // by a template, or "rules"
    static ModelChoice switched(std::string pass_or_rule, bool is_on);
    friend bool operator==(const ModelChoice&, const ModelChoice&) = default;
};
// Whether the two decide the same thing, so that one takes the place of the other.
bool same_subject(const ModelChoice& a, const ModelChoice& b);
bool comes_before(const ModelChoice& a, const ModelChoice& b); // in a text
std::string words_of(const ModelChoice& choice);               // "don't fuse 'conv1' and 'relu1'"

std::vector<ModelChoice> choices_in(std::string_view text); // of a text that is broken: none
std::string text_of_choices(std::vector<ModelChoice> choices);
std::optional<ModelChoice> choice_about(std::string_view text, const ModelChoice& subject);
std::string with_choice(std::string_view text,
                        const ModelChoice& choice); // in the place of another on the same subject
std::string without_choice(std::string_view text, const ModelChoice& subject);

// The choices of a text, and what a model that heeded them says of each.
struct ListedChoice {
    ModelChoice choice;
    std::string problem;     // why it changes nothing; empty: nothing is wrong
    bool is_mistake = false; // it names what no model has
};
std::vector<ListedChoice> listed_choices(std::string_view text, const std::vector<DiagnosticView>& diagnostics);

// A choices file as it was read: its text in the form of this program, or what is wrong with it.
struct ChoicesFile {
    std::string text;
    std::optional<DiagnosticView> mistake;
};
ChoicesFile read_choices_file(const std::string& name, const std::string& text);

} // namespace hidet::session
