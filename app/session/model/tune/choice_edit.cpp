// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/tune/choice_edit.h"

#include <algorithm>
#include <tuple>

#include "app/session/view/links.h"
#include "compiler/graph/document/choices.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

using graph::Choices;

namespace {

struct Entry { // a choice, and where it stands in the file
    ModelChoice choice;
    std::string section;
    std::size_t index = 0;
};

std::vector<Entry> entries_of(const Choices& choices) {
    std::vector<Entry> out;
    const auto add = [&](const char* section, std::size_t index, ModelChoice choice) {
        out.push_back({std::move(choice), section, index});
    };
    if (!choices.precision.empty())
        add("precision", 0, ModelChoice::precision({}, choices.precision));
    for (std::size_t i = 0; i < choices.precisions.size(); ++i)
        add("precisions", i, ModelChoice::precision(choices.precisions[i].node, choices.precisions[i].what));
    for (std::size_t i = 0; i < choices.fusion.size(); ++i)
        add("fusion", i,
            ModelChoice::fusion(choices.fusion[i].producer, choices.fusion[i].consumer, choices.fusion[i].fuse));
    for (std::size_t i = 0; i < choices.rewrites.size(); ++i)
        add("rewrites", i,
            {ChoiceKind::Rewrite, choices.rewrites[i].node, {}, choices.rewrites[i].what, choices.rewrites[i].is_on});
    for (std::size_t i = 0; i < choices.templates.size(); ++i)
        add("templates", i, {ChoiceKind::Template, choices.templates[i].node, {}, choices.templates[i].what, true});
    for (std::size_t i = 0; i < choices.placements.size(); ++i)
        add("placements", i, {ChoiceKind::Placement, choices.placements[i].node, {}, choices.placements[i].what, true});
    for (std::size_t i = 0; i < choices.off.size(); ++i)
        add("off", i, ModelChoice::switched(choices.off[i], false));
    for (std::size_t i = 0; i < choices.on.size(); ++i)
        add("on", i, ModelChoice::switched(choices.on[i], true));
    return out;
}

std::vector<Entry> entries_in(std::string_view text) {
    if (text.empty())
        return {};
    const auto read = graph::read_choices(text);
    return read ? entries_of(read.value()) : std::vector<Entry>{};
}

void put(Choices& choices, const ModelChoice& choice) {
    switch (choice.kind) {
    case ChoiceKind::Precision:
        if (choice.node.empty())
            choices.precision = choice.what;
        else
            choices.precisions.push_back({choice.node, choice.what, true});
        break;
    case ChoiceKind::Fusion: choices.fusion.push_back({choice.node, choice.consumer, choice.is_on}); break;
    case ChoiceKind::Rewrite: choices.rewrites.push_back({choice.node, choice.what, choice.is_on}); break;
    case ChoiceKind::Template: choices.templates.push_back({choice.node, choice.what, true}); break;
    case ChoiceKind::Placement: choices.placements.push_back({choice.node, choice.what, true}); break;
    case ChoiceKind::Switch: (choice.is_on ? choices.on : choices.off).push_back(choice.what); break;
    }
}

// Where in the text it stands; a name in a list for itself, all else with its line.
bool stands_at(std::string_view text, const LineTable& lines, const Entry& entry, const Place& place) {
    std::vector<graph::JsonStep> path = {entry.section};
    if (entry.section != "precision")
        path.emplace_back(entry.index);
    const auto range = graph::place_in_json(text, path);
    if (!range || !place.known() || place.line > lines.count())
        return false;
    const std::uint32_t at = lines.range(place.line).begin + static_cast<std::uint32_t>(place.column - 1);
    return range->first <= at && at < range->second;
}

} // namespace

ModelChoice ModelChoice::fusion(std::string producer, std::string consumer, bool fuse) {
    return {ChoiceKind::Fusion, std::move(producer), std::move(consumer), {}, fuse};
}
ModelChoice ModelChoice::without_rule(std::string node, std::string rule) {
    return {ChoiceKind::Rewrite, std::move(node), {}, std::move(rule), false};
}
ModelChoice ModelChoice::precision(std::string node, std::string dtype) {
    return {ChoiceKind::Precision, std::move(node), {}, std::move(dtype), true};
}
ModelChoice ModelChoice::scheduled(std::string node, std::string schedule) {
    return {ChoiceKind::Template, std::move(node), {}, std::move(schedule), true};
}
ModelChoice ModelChoice::switched(std::string pass_or_rule, bool is_on) {
    return {ChoiceKind::Switch, {}, {}, std::move(pass_or_rule), is_on};
}

bool same_subject(const ModelChoice& a, const ModelChoice& b) {
    const bool has_what = a.kind == ChoiceKind::Rewrite || a.kind == ChoiceKind::Switch;
    return a.kind == b.kind && a.node == b.node && a.consumer == b.consumer && (!has_what || a.what == b.what);
}

bool comes_before(const ModelChoice& a, const ModelChoice& b) {
    return std::tie(a.kind, a.node, a.consumer, a.what) < std::tie(b.kind, b.node, b.consumer, b.what);
}

std::string words_of(const ModelChoice& choice) {
    switch (choice.kind) {
    case ChoiceKind::Precision:
        return choice.node.empty() ? cat("compute the whole model in ", choice.what)
                                   : cat("compute '", choice.node, "' in ", choice.what);
    case ChoiceKind::Fusion:
        return cat(choice.is_on ? "fuse '" : "don't fuse '", choice.node, "' and '", choice.consumer, "'");
    case ChoiceKind::Rewrite:
        return cat(choice.is_on ? "apply rule '" : "do not apply rule '", choice.what, "' to '", choice.node, "'");
    case ChoiceKind::Template: return cat("use template '", choice.what, "' for '", choice.node, "'");
    case ChoiceKind::Placement: return cat("place '", choice.node, "': ", choice.what);
    case ChoiceKind::Switch: return cat("switch '", choice.what, choice.is_on ? "' on" : "' off");
    }
    return {};
}

std::vector<ModelChoice> choices_in(std::string_view text) {
    return transformed(entries_in(text), [](Entry& entry) { return std::move(entry.choice); });
}

// Of several on one subject the last one counts.
std::string text_of_choices(std::vector<ModelChoice> choices) {
    std::ranges::stable_sort(choices, comes_before);
    Choices out;
    bool has_any = false;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i + 1 < choices.size() && same_subject(choices[i], choices[i + 1]))
            continue;
        put(out, choices[i]);
        has_any = true;
    }
    return has_any ? graph::write_choices(out) : std::string();
}

std::optional<ModelChoice> choice_about(std::string_view text, const ModelChoice& subject) {
    std::optional<ModelChoice> out;
    for (ModelChoice& choice : choices_in(text))
        if (same_subject(choice, subject))
            out = std::move(choice);
    return out;
}

std::string with_choice(std::string_view text, const ModelChoice& choice) {
    std::vector<ModelChoice> choices = choices_in(text);
    std::erase_if(choices, [&](const ModelChoice& each) { return same_subject(each, choice); });
    choices.push_back(choice);
    return text_of_choices(std::move(choices));
}

std::string without_choice(std::string_view text, const ModelChoice& subject) {
    std::vector<ModelChoice> choices = choices_in(text);
    std::erase_if(choices, [&](const ModelChoice& each) { return same_subject(each, subject); });
    return text_of_choices(std::move(choices));
}

std::vector<ListedChoice> listed_choices(std::string_view text, const std::vector<DiagnosticView>& diagnostics) {
    const LineTable lines(text);
    std::vector<ListedChoice> out;
    for (Entry& entry : entries_in(text)) {
        ListedChoice listed;
        for (const DiagnosticView& diagnostic : diagnostics)
            if (listed.problem.empty() && stands_at(text, lines, entry, diagnostic.place)) {
                listed.problem = diagnostic.message;
                listed.is_mistake = diagnostic.severity == Severity::Error;
            }
        listed.choice = std::move(entry.choice);
        out.push_back(std::move(listed));
    }
    return out;
}

ChoicesFile read_choices_file(const std::string& name, const std::string& text) {
    std::optional<graph::TextRange> broken;
    const auto read = graph::read_choices(text, &broken);
    if (read) {
        std::vector<ModelChoice> choices =
            transformed(entries_of(read.value()), [](Entry& entry) { return std::move(entry.choice); });
        return {text_of_choices(std::move(choices)), std::nullopt};
    }
    SourceMap sources;
    const FileId file = sources.add(name, text);
    const Span span = broken ? Span{file, broken->first, broken->second} : Span{};
    return {{}, view_of(Diagnostic::make(DiagId::FileUnreadable, span, name, read.error().message), sources)};
}

} // namespace hidet::session
