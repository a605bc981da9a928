// SPDX-License-Identifier: Apache-2.0
// Asks the service one question about a file and prints the answer: `service_probe hover FILE`. The caret stands where
// the file says <|>, which is taken out; a question about a range has two of them. Golden files use it.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <vector>

#include "lang/base/source.h"
#include "lang/service/canvas/canvas.h"
#include "lang/service/catalog.h"
#include "tests/unit/service/analysed.h"

using namespace hidet;
using namespace hidet::lang::service;

namespace {

struct Question {
    std::string name;
    DocumentRef document;
    std::vector<std::uint32_t> carets;
    std::vector<std::string> words;
    std::uint32_t caret() const { return carets.empty() ? 0 : carets[0]; }
};

void say(const std::string& line) {
    std::printf("%s\n", line.c_str());
}

std::string place(const Question& q, Range range) {
    SourceFile file("", text_of(*q.document));
    LineColumn begin = file.position(range.begin), end = file.position(range.end);
    std::string text = text_of(*q.document).substr(range.begin, range.end - range.begin);
    std::size_t line = text.find_first_of("\r\n");
    if (line != std::string::npos)
        text = text.substr(0, line) + " ...";
    return cat(begin.line, ":", begin.column, "-", end.line, ":", end.column, " '", text, "'");
}

void field(const char* name, const std::string& text) {
    if (!text.empty())
        say(cat(name, ": ", text));
}

void completions_of(const Question& q) {
    std::size_t most = q.words.empty() ? 8 : static_cast<std::size_t>(std::stoul(q.words[0]));
    Completions answer = completions(*q.document, q.caret());
    say(cat("replaces ", place(q, answer.replaced), ", ", answer.items.size() > most ? "more than " : "",
            std::min(most, answer.items.size())));
    for (const Completion& item : answer.items) {
        if (most-- == 0)
            break;
        say(cat(item.insert, " | ", item_kind_name(item.kind), item.detail.empty() ? "" : " | ", item.detail));
    }
}

// With what an import would bring, and with pieces of scripts.
void unimported_of(const Question& q) {
    std::size_t most = q.words.empty() ? 8 : static_cast<std::size_t>(std::stoul(q.words[0]));
    for (const Completion& item : completions(*q.document, q.caret(), {.unimported = true, .snippets = true}).items) {
        if (most-- == 0)
            break;
        say(cat(item.label, " | ", item_kind_name(item.kind), item.detail.empty() ? "" : " | ", item.detail));
        if (item.is_snippet)
            say(item.insert);
        if (!item.edits.empty())
            say(cat("  ", place(q, item.edits[0].range), " becomes '", item.edits[0].text, "'"));
    }
}

void hover_of(const Question& q) {
    Card card = hover(*q.document, q.caret());
    if (!card.known())
        return say("nothing");
    say(place(q, card.range));
    field("kind", item_kind_name(card.kind));
    field("title", card.title);
    field("type", card.type);
    field("shape", card.shape);
    field("layout", card.layout);
    field("scope", card.scope);
    field("bytes", card.bytes);
    field("value", card.value);
    field("documentation", card.documentation);
}

void signature_of(const Question& q) {
    SignatureHelp help = signature_help(*q.document, q.caret());
    if (help.label.empty())
        return say("nothing");
    say(help.label);
    for (std::size_t i = 0; i < help.parameters.size(); ++i) {
        Range range = help.parameters[i].range;
        say(cat(static_cast<int>(i) == help.active ? "> " : "  ", help.parameters[i].name, ": '",
                help.label.substr(range.begin, range.end - range.begin), "'"));
    }
    field("documentation", help.documentation);
    field("callee", place(q, help.callee));
}

void definition_of(const Question& q) {
    Location location = definition(*q.document, q.caret());
    if (!location.known())
        return say("nothing");
    say(location.file.empty() ? place(q, location.range)
                              : cat(location.file, " bytes ", location.range.begin, "-", location.range.end));
}

void references_of(const Question& q) {
    for (const Use& use : references(*q.document, q.caret()))
        say(place(q, use.range) + (use.is_write ? " binds" : ""));
}

void print_changed(std::string text, const std::vector<Edit>& edits) {
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
        text.replace(edit->range.begin, edit->range.end - edit->range.begin, edit->text);
    std::fputs(text.c_str(), stdout);
}
void print_changed(const Question& q, const std::vector<Edit>& edits) {
    print_changed(text_of(*q.document), edits);
}

void rename_of(const Question& q) {
    Renaming answer = rename(*q.document, q.caret(), q.words.empty() ? "renamed" : q.words[0]);
    if (!answer.refusal.empty())
        return say("refused: " + answer.refusal);
    print_changed(q, answer.edits);
}

void imports_of(const Question& q) {
    for (const ImportFix& fix : import_fixes(*q.document, q.caret())) {
        say(cat("# ", fix.title));
        print_changed(q, {fix.edit});
    }
}

void links_of(const Question& q) {
    for (const ImportLink& link : import_links(*q.document))
        say(cat(place(q, link.range), " ", link.path));
}

// All files of the folder.
void uses_in_folder(const Question& q) {
    for (const FileUses& file : references_in_folder(*q.document, q.caret(), {})) {
        SourceFile text("", file.path == q.name ? text_of(*q.document) : text_of_file(file.path));
        for (const Use& use : file.uses) {
            LineColumn at = text.position(use.range.begin);
            say(cat(file.path, ":", at.line, ":", at.column, use.range == file.definition ? " defines" : ""));
        }
    }
}

void rename_in_files(const Question& q) {
    FolderRenaming answer = rename_in_folder(*q.document, q.caret(), q.words.empty() ? "renamed" : q.words[0], {});
    if (!answer.refusal.empty())
        return say("refused: " + answer.refusal);
    for (const auto& [path, edits] : answer.edits) {
        say(cat("== ", path));
        print_changed(path == q.name ? text_of(*q.document) : text_of_file(path), edits);
    }
}

void format_of(const Question& q) {
    Formatting answer =
        q.carets.size() > 1 ? format_range(*q.document, {q.carets[0], q.carets[1]}) : format(*q.document);
    if (!answer.refusal.empty())
        return say("refused: " + answer.refusal);
    print_changed(q, answer.edits);
}

void hints_of(const Question& q) {
    std::vector<Edit> edits;
    for (const InlayHint& hint : inlay_hints(*q.document))
        edits.push_back({{hint.offset, hint.offset}, cat("«", hint.label, "»")});
    print_changed(q, edits);
}

void selections_of(const Question& q) {
    for (Range range : selection_ranges(*q.document, q.caret()))
        say(place(q, range));
}

void outline_nodes(const Question& q, const std::vector<OutlineNode>& nodes, int depth) {
    for (const OutlineNode& node : nodes) {
        SourceFile file("", text_of(*q.document));
        say(cat(std::string(static_cast<std::size_t>(depth) * 2, ' '), outline_kind_name(node.kind), " ", node.name,
                node.detail.empty() ? "" : " | ", node.detail, " | lines ", file.position(node.range.begin).line, "-",
                file.position(node.range.end).line));
        outline_nodes(q, node.children, depth + 1);
    }
}

void crumbs_of(const Question& q) {
    for (const Crumb& crumb : breadcrumb(*q.document, q.caret()))
        say(cat(outline_kind_name(crumb.kind), " ", crumb.name));
}

void folds_of(const Question& q) {
    const char* names[] = {"block", "imports", "comment", "bracket", "string"};
    for (const FoldingRange& fold : folding_ranges(*q.document))
        say(cat(fold.first_line, "-", fold.last_line, " ", names[static_cast<int>(fold.kind)]));
}

void colours_of(const Question& q) {
    for (const SemanticToken& token : semantic_tokens(*q.document))
        say(cat(place(q, token.range), " ", semantic_kind_name(token.kind)));
}

void indent_of(const Question& q) {
    std::string blanks = indent_of_new_line(text_of(*q.document), q.caret());
    say(cat("'", blanks, "' ", blanks.size()));
}

void clause_of(const Question& q) {
    say(cat("'", indent_of_clause(text_of(*q.document), q.caret()), "'"));
}

void comment_of(const Question& q) {
    std::uint32_t end = q.carets.size() > 1 ? q.carets[1] : q.caret();
    print_changed(q, toggle_comment(text_of(*q.document), {q.caret(), end}));
}

void bracket_of(const Question& q) {
    BracketPair pair = matching_bracket(text_of(*q.document), q.caret());
    if (pair.at.empty())
        return say("nothing");
    say(place(q, pair.at) + (pair.partner.empty() ? " alone" : " with " + place(q, pair.partner)));
}

// Each line of the file is a candidate for the pattern.
void fuzzy_of(const Question& q) {
    std::vector<std::pair<int, std::string>> rows;
    for (const std::string& line : split(text_of(*q.document), '\n')) {
        auto match = line.empty() ? std::nullopt : fuzzy_score(q.words.at(0), line);
        if (!match)
            continue;
        std::string shown;
        std::uint32_t at = 0;
        for (Range range : match->matches) {
            shown += line.substr(at, range.begin - at) + "[" + line.substr(range.begin, range.end - range.begin) + "]";
            at = range.end;
        }
        rows.emplace_back(match->score, shown + line.substr(at));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& row : rows)
        say(row.second);
}

// Names of the language that have no sentence.
void undocumented(const Question&) {
    for (const auto& [path, entry] : Catalog::get().entries())
        if (entry.documentation.empty())
            say(path + (entry.is_callable ? " " + hidet::lang::service::signature_text(entry) : ""));
}

std::string numbers_text(const std::vector<std::int64_t>& numbers, std::size_t most) {
    std::string out;
    for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i)
        out += cat(i ? " " : "", numbers[i]);
    return out + (numbers.size() > most ? " ..." : "");
}

void say_canvas(const Question& q, const Canvas& shown) {
    say(cat("at ", place(q, shown.range)));
    if (shown.source != shown.range)
        say(cat("written at ", place(q, shown.source)));
    for (const CanvasFactor& factor : shown.factors) {
        say(cat(factor.name, " at ", place(q, factor.range)));
        for (const CanvasNumber& number : factor.numbers)
            say(cat("  ", number.name.empty() ? "" : number.name + "=", number.text, " is ", number.value, ", ",
                    number.literal.empty() ? number.refusal : "changed at " + place(q, number.literal)));
    }
    for (const CanvasPicture& picture : shown.pictures) {
        field("picture", picture.title);
        say(cat("shape ", numbers_text(picture.shape, 8),
                picture.kind == CanvasKind::Mapping
                    ? cat(", ", picture.workers, " workers, ", picture.per_worker, " tasks")
                    : cat(", ", picture.size, " slots of ", picture.element_bits, " bits")));
        field("refused", picture.refusal);
        field("elements", numbers_text(picture.elements, 16));
        field("slots", numbers_text(picture.places, 16));
    }
}

// canvas FILE; canvas FILE set FACTOR NUMBER VALUE; ... add FACTOR NAME; ... remove FACTOR; ... swap FACTOR
void canvas_of(const Question& q) {
    const Canvas shown = canvas(*q.document, q.caret());
    if (q.words.empty() || !shown.known())
        return shown.known() ? say_canvas(q, shown) : say("nothing");
    const auto number = [&](std::size_t word) { return static_cast<std::size_t>(std::stoul(q.words.at(word))); };
    const std::string& what = q.words[0];
    const CanvasChange change = what == "set"
                                    ? set_number(*q.document, shown, number(1), number(2), std::stoll(q.words.at(3)))
                                : what == "add"    ? add_factor(*q.document, shown, number(1), q.words.at(2))
                                : what == "remove" ? remove_factor(*q.document, shown, number(1))
                                                   : swap_factors(*q.document, shown, number(1));
    if (!change.refusal.empty())
        return say("refused: " + change.refusal);
    for (const Edit& edit : change.edits)
        say(cat(place(q, edit.range), " -> '", edit.text, "'"));
}

const std::map<std::string, std::function<void(const Question&)>>& questions() {
    static const std::map<std::string, std::function<void(const Question&)>> all = {
        {"bracket", bracket_of},
        {"canvas", canvas_of},
        {"clause", clause_of},
        {"colours", colours_of},
        {"comment", comment_of},
        {"completions", completions_of},
        {"crumbs", crumbs_of},
        {"definition", definition_of},
        {"folds", folds_of},
        {"format", format_of},
        {"fuzzy", fuzzy_of},
        {"hints", hints_of},
        {"hover", hover_of},
        {"imports", imports_of},
        {"indent", indent_of},
        {"links", links_of},
        {"outline", [](const Question& q) { outline_nodes(q, outline(*q.document), 0); }},
        {"references", references_of},
        {"rename", rename_of},
        {"rename-in-folder", rename_in_files},
        {"selections", selections_of},
        {"signature", signature_of},
        {"undocumented", undocumented},
        {"unimported", unimported_of},
        {"uses-in-folder", uses_in_folder},
    };
    return all;
}

} // namespace

int main(int count, char** arguments) {
    std::vector<std::string> words(arguments + 1, arguments + count);
    auto question = words.size() < 2 ? questions().end() : questions().find(words[0]);
    if (question == questions().end()) {
        std::fputs("usage: service_probe QUESTION FILE [WORD]\n", stderr);
        return 2;
    }
    std::ifstream file(words[1], std::ios::binary);
    std::ostringstream read;
    read << file.rdbuf();
    ReadRequest request;
    request.text = std::move(read).str();
    request.name = words[1];
    request.folder = ".";
    Question asked;
    asked.name = request.name;
    for (std::size_t at = request.text.find("<|>"); at != std::string::npos; at = request.text.find("<|>")) {
        request.text.erase(at, 3);
        asked.carets.push_back(static_cast<std::uint32_t>(at));
    }
    asked.words.assign(words.begin() + 2, words.end());
    asked.document = test::analysed(std::move(request));
    question->second(asked);
    return 0;
}
