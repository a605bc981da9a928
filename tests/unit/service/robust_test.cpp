// SPDX-License-Identifier: Apache-2.0
// Whatever the text is, every question has an answer at every offset, and every place in it lies in the text.
#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <thread>

#include "lang/base/text.h"
#include "lang/service/canvas/canvas.h"
#include "tests/unit/service/analysed.h"
#include "tests/unit/service/samples.h"

using namespace hidet;
using namespace hidet::lang::service;
using test::samples;

namespace {

DocumentRef analysed(std::string text) {
    ReadRequest request;
    request.text = std::move(text);
    request.name = "x.py";
    return test::analysed(std::move(request));
}

void check(Range range, std::size_t size, const char* what) {
    if (range.begin > range.end || range.end > size)
        FAIL(cat(what, ": ", range.begin, "-", range.end, " in ", size, " bytes"));
}

void check_edits(const std::vector<Edit>& edits, std::size_t size) {
    std::uint32_t after = 0;
    for (const Edit& edit : edits) {
        check(edit.range, size, "edit");
        if (edit.range.begin < after)
            FAIL("edits overlap");
        after = edit.range.end;
    }
}

void check_nodes(const std::vector<OutlineNode>& nodes, std::size_t size) {
    for (const OutlineNode& node : nodes) {
        check(node.range, size, "outline");
        check(node.name_range, size, "outline name");
        check_nodes(node.children, size);
    }
}

void ask_once(const Document& document) {
    std::size_t size = text_of(document).size();
    check_nodes(outline(document), size);
    std::uint32_t last = 0;
    for (const SemanticToken& token : semantic_tokens(document)) {
        check(token.range, size, "colour");
        if (token.range.begin < last)
            FAIL("colours overlap");
        last = token.range.end;
    }
    for (const InlayHint& hint : inlay_hints(document))
        check({hint.offset, hint.offset}, size, "hint");
    for (const ImportLink& link : import_links(document))
        check(link.range, size, "link");
    check_edits(format(document).edits, size);
    int line = 0;
    for (const FoldingRange& fold : folding_ranges(document)) {
        check(fold.range, size, "fold");
        if (fold.first_line < line || fold.last_line <= fold.first_line)
            FAIL("folds are not in order");
        line = fold.first_line;
    }
}

void ask_at(const Document& document, std::uint32_t offset) {
    const std::string& text = text_of(document);
    std::size_t size = text.size();
    Completions list = completions(document, offset);
    check(list.replaced, size, "replaced");
    for (std::size_t i = 0; i < list.items.size(); ++i) {
        for (Range range : list.items[i].matches)
            check(range, list.items[i].label.size(), "match");
        if (i > 0 && list.items[i].score > list.items[i - 1].score)
            FAIL("the best is not first");
    }
    check(hover(document, offset).range, size, "hover");
    SignatureHelp help = signature_help(document, offset);
    check(help.callee, size, "callee");
    for (const SignatureParameter& parameter : help.parameters)
        check(parameter.range, help.label.size(), "parameter");
    if (help.active >= static_cast<int>(help.parameters.size()))
        FAIL("there is no such parameter");
    if (Location found = definition(document, offset); found.file.empty())
        check(found.range, size, "definition");
    for (const Use& use : references(document, offset))
        check(use.range, size, "reference");
    check_edits(rename(document, offset, "fresh_name").edits, size);
    if (offset % 16 == 0) // reads the whole text again
        check_edits(format_range(document, {offset, offset + 40}).edits, size);
    Range inner{offset, offset};
    for (Range range : selection_ranges(document, offset)) {
        check(range, size, "selection");
        if (size >= offset && !range.covers(inner))
            FAIL("a selection does not grow");
        inner = range;
    }
    for (const Completion& item : completions(document, offset, {.unimported = true, .snippets = true}).items)
        check_edits(item.edits, size);
    for (const ImportFix& fix : import_fixes(document, offset))
        check_edits({fix.edit}, size);
    for (const Crumb& crumb : breadcrumb(document, offset))
        check(crumb.range, size, "crumb");
    const Canvas shown = canvas(document, offset);
    check(shown.range, size, "canvas");
    for (const CanvasFactor& factor : shown.factors)
        check(factor.range, size, "factor");
    indent_of_new_line(text, offset);
    indent_of_clause(text, offset);
    for (const Edit& edit : toggle_comment(text, {offset, offset + 40}))
        check(edit.range, size, "comment");
    BracketPair pair = matching_bracket(text, offset);
    check(pair.at, size, "bracket");
    check(pair.partner, size, "partner");
}

void ask(const std::string& text, std::uint32_t stride) {
    DocumentRef document = analysed(text);
    ask_once(*document);
    for (std::uint32_t at = 0; at <= text.size(); at += stride)
        ask_at(*document, at);
    ask_at(*document, static_cast<std::uint32_t>(text.size()));
    ask_at(*document, static_cast<std::uint32_t>(text.size()) + 100);
    REQUIRE(failures_of(*document) == 0);
}

std::string with_crlf(const std::string& text) {
    std::string out;
    for (char c : text)
        out += c == '\n' ? "\r\n" : std::string(1, c);
    return out;
}

} // namespace

TEST_CASE("every sample answers all questions at all places") {
    for (const std::string& text : samples())
        ask(text, 61);
}

TEST_CASE("every sample that breaks off answers all questions") {
    std::uint32_t seed = 7;
    for (const std::string& text : samples())
        for (int i = 0; i < 4; ++i) {
            seed = seed * 1664525 + 1013904223;
            ask(text.substr(0, seed % (text.size() + 1)), 311);
        }
}

TEST_CASE("every sample that lost a piece answers all questions") {
    std::uint32_t seed = 11;
    for (const std::string& text : samples())
        for (int i = 0; i < 3; ++i) {
            seed = seed * 1664525 + 1013904223;
            std::string cut = text;
            cut.erase(seed % (text.size() + 1), 1 + seed % 7);
            ask(cut, 401);
        }
}

TEST_CASE("odd texts answer all questions") {
    for (const char* text : {"",
                             "\n",
                             "\r",
                             "(",
                             ")",
                             "\"\"\"",
                             "'",
                             "f'{",
                             "f'{x",
                             "def",
                             "def f",
                             "def f(",
                             "def f(a",
                             "import",
                             "from",
                             "from x import",
                             "from . import",
                             "class",
                             "class A:",
                             "@",
                             "lambda",
                             "x.",
                             ".",
                             "x = [",
                             "\\",
                             "#",
                             "\t\t:",
                             "for",
                             "for x in",
                             "a.b.c.",
                             "\xC3\xA9 = 1\n\xC3\xA9.",
                             "match x:\n case [a, b]: pass",
                             "x: ",
                             "def f(a: ",
                             "if x:\n    y\n  z\n",
                             "[x for x in",
                             "{**",
                             "f(*",
                             "f(a=",
                             "print(f'{a:{b}}')",
                             "global x",
                             "try:\n",
                             "with a as"})
        ask(text, 1);
}

TEST_CASE("line ends of other systems change nothing") {
    std::string text = samples()[0];
    REQUIRE(semantic_tokens(*analysed(text)).size() == semantic_tokens(*analysed(with_crlf(text))).size());
    ask(with_crlf(text), 37);
}

TEST_CASE("what cannot be read has no answers") {
    for (const std::string& text : {std::string("a = 1\0b = 2", 11), std::string("a = '\xFF'"),
                                    std::string(10'000'000, 'x'), std::string(3'000'000, '(')}) {
        DocumentRef document = analysed(text);
        ask_once(*document);
        ask_at(*document, 5);
        REQUIRE(outline(*document).size() == std::size_t{0});
    }
}

TEST_CASE("a cancelled analysis still knows the text") {
    std::atomic<bool> cancelled = true;
    ReadRequest request;
    request.text = "def f(a):\n    return a\nfor i in range(10 ** 9):\n    x = f(i)\n";
    DocumentRef document = test::analysed(std::move(request), &cancelled);
    REQUIRE(references(*document, 4).size() == std::size_t{2});
}

TEST_CASE("endless host code ends by its budget") {
    DocumentRef document = analysed("x = 0\nwhile True:\n    x += 1\n");
    REQUIRE(hover(*document, 0).title == std::string("x: int"));
}

TEST_CASE("many threads ask one document") {
    std::string text = samples()[0];
    DocumentRef document = analysed(text);
    std::size_t alone = completions(*document, 2000).items.size();
    std::vector<std::thread> threads;
    std::atomic<int> different = 0;
    for (std::uint32_t i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            for (std::uint32_t at = i; at < text.size(); at += 97) {
                hover(*document, at);
                references(*document, at);
                different += completions(*document, 2000).items.size() != alone ? 1 : 0;
            }
            semantic_tokens(*analysed(text));
        });
    for (std::thread& thread : threads)
        thread.join();
    REQUIRE(different.load() == 0);
    REQUIRE(failures_of(*document) == 0);
}

TEST_CASE("what an earlier text showed is known while the text is broken") {
    std::string good = "import torch\nt = torch.zeros(2, 3)\nu = t\n";
    ReadRequest request;
    request.text = "import torch\nt = torch.zeros(2, 3\nu = t.\n";
    request.previous = analysed(good);
    DocumentRef read_only = read(request);
    REQUIRE(hover(*read_only, 13).shape == std::string("[2, 3]"));
    DocumentRef document = test::analysed(std::move(request));
    REQUIRE(hover(*document, 13).shape == std::string("[2, 3]"));
}

TEST_CASE("a text that was only read knows the values of before where it was not edited") {
    std::string good = "import torch\na = 1\nt = torch.zeros(2, 3)\n";
    ReadRequest request;
    request.previous = analysed(good);
    request.text = "import torch\nabc = 12\nu = 5\nt = torch.zeros(2, 3)\n";
    DocumentRef once = read(request);
    auto place = [&](const char* word) { return static_cast<std::uint32_t>(request.text.find(word)); };
    REQUIRE(hover(*once, place("t = ")).shape == std::string("[2, 3]"));
    REQUIRE(hover(*once, place("abc")).value.empty());
    REQUIRE(hover(*once, place("u = ")).value.empty());
    request.text = "\n" + request.text; // and again, of a document that was only read
    request.previous = once;
    REQUIRE(hover(*read(request), place("t = ")).shape == std::string("[2, 3]"));
}
