// SPDX-License-Identifier: Apache-2.0
// Links between a script and its stages, and the hues that show them.
#include <doctest/doctest.h>
#include <set>
#include <string>

#include "app/session/session.h"
#include "app/session/view/links.h"

using namespace hidet;
using namespace hidet::session;

namespace {

Place at(int line, int column, int end_column) {
    return {"k.py", line, column, line, end_column};
}

// "a + b;" from line 5 of the script ('a' from columns 9 to 10, 'b' from 13 to 14, the whole from 9 to 14), and "}".
std::shared_ptr<const TextSnapshot> tokens() {
    TextSnapshot text;
    text.text = "a + b;\n}\n";
    text.lines = {{at(5, 9, 14), ""}, {}};
    text.tokens = {{0, 1, {at(5, 9, 10), ""}}, {2, 3, {at(5, 9, 14), "simplify"}}, {4, 5, {at(5, 13, 14), ""}}};
    return std::make_shared<const TextSnapshot>(text);
}

std::shared_ptr<const TextSnapshot> lines() {
    TextSnapshot text;
    text.text = "one\ntwo\nthree\nfour";
    Place other = at(5, 1, 3);
    other.file = "imported.py";
    text.lines = {{at(5, 9, 14), ""}, {at(6, 1, 4), "simplify"}, {other, ""}, {at(5, 1, 20), ""}};
    return std::make_shared<const TextSnapshot>(text);
}

std::string shown(const std::vector<TextRange>& ranges) {
    std::string out;
    for (const TextRange& range : ranges)
        out += cat(out.empty() ? "" : " ", range.begin, "-", range.end);
    return out;
}

std::string hues_of(const HueMap& hues, int count) {
    std::string out;
    for (int line = 1; line <= count; ++line)
        out += cat(line > 1 ? " " : "", hues.hue(line));
    return out;
}

} // namespace

TEST_CASE("a line table knows lines with and without an end") {
    LineTable table("ab\n\ncd");
    REQUIRE(table.count() == 3);
    REQUIRE(shown({table.range(1), table.range(2), table.range(3), table.range(4)}) == "0-2 3-3 4-6 0-0");
    REQUIRE(cat(table.line_of(0), table.line_of(2), table.line_of(3), table.line_of(4), table.line_of(99)) == "11233");
    REQUIRE(table.text(3) == "cd");
    REQUIRE(LineTable("").count() == 0);
    REQUIRE(LineTable("x\n").count() == 1);
}

TEST_CASE("a caret in an operand finds the operand, one between operands the operation") {
    LinkIndex index(tokens(), "k.py");
    REQUIRE(shown(index.targets(at(5, 9, 9))) == "0-1");
    REQUIRE(shown(index.targets(at(5, 10, 10))) == "0-1");
    REQUIRE(shown(index.targets(at(5, 11, 11))) == "2-3");
    REQUIRE(shown(index.targets(at(5, 14, 14))) == "4-5");
    REQUIRE(shown(index.targets(at(5, 1, 1))) == "");
    REQUIRE(shown(index.targets(at(6, 9, 9))) == "");
}

TEST_CASE("a selection finds all that overlaps it") {
    LinkIndex index(tokens(), "k.py");
    REQUIRE(shown(index.targets(at(5, 9, 14))) == "0-1 2-3 4-5");
    REQUIRE(shown(index.targets(at(5, 11, 13))) == "2-3");
}

TEST_CASE("a token leads back to its source, what is between tokens to nothing") {
    LinkIndex index(tokens(), "k.py");
    REQUIRE(index.source_of(0)->source.column == 9);
    REQUIRE(index.source_of(2)->pass == "simplify");
    REQUIRE((!index.source_of(1) && !index.source_of(5) && !index.source_of(8) && !index.source_of(999)));
}

TEST_CASE("where there are no tokens, lines are linked; places in other files are not") {
    LinkIndex index(lines(), "k.py");
    REQUIRE(index.links().size() == 3u);
    REQUIRE(shown(index.targets_of_line(5)) == "0-3 14-18");
    REQUIRE(shown(index.targets(at(5, 10, 10))) == "0-3");
    REQUIRE(shown(index.targets(at(5, 2, 2))) == "14-18");
    REQUIRE(index.source_of(4)->source.line == 6);
    REQUIRE(index.source_of(7)->source.line == 6);
    REQUIRE(!index.source_of(9));
}

TEST_CASE("a source of several lines is found from each of them") {
    TextSnapshot text;
    text.text = "loop\n";
    text.lines = {{{"k.py", 3, 1, 8, 5}, ""}};
    LinkIndex index(std::make_shared<const TextSnapshot>(text), "k.py");
    for (int line : {3, 5, 8})
        REQUIRE(shown(index.targets(at(line, 2, 2))) == "0-4");
    REQUIRE(shown(index.targets(at(9, 2, 2))) == "");
}

TEST_CASE("links of a compiled script lead there and back") {
    PreviewRequest request;
    request.source.name = "k.py";
    request.source.text = "import hidet\nfrom hidet.lang import attrs, f32\nfrom hidet.lang.cuda import threadIdx\n"
                          "with hidet.script_module() as m:\n    @hidet.script\n    def add(a: f32[32], b: f32[32]):\n"
                          "        attrs.func_kind = 'cuda_kernel'\n        attrs.cuda.block_dim = 32\n"
                          "        attrs.cuda.grid_dim = 1\n        a[threadIdx.x] = b[threadIdx.x] * 2.5\n"
                          "module = m.build()\n";
    request.forms = {Form::Cuda};
    PreviewResult result = preview(request);
    auto form = result.modules.at(0).forms.at(0);
    std::shared_ptr<const TextSnapshot> text(form, &form->text);
    LinkIndex index(text, "k.py");
    auto found = index.targets(at(10, 43, 43)); // in 2.5
    REQUIRE(found.size() == 1u);
    REQUIRE(text->text.substr(found[0].begin, found[0].end - found[0].begin).find("2.5") != std::string::npos);
    REQUIRE(index.source_of(found[0].begin)->source.line == 10);
}

TEST_CASE("neighbours have different hues, lines without links none") {
    std::vector<int> linked;
    std::string script;
    for (int line = 1; line <= 60; ++line) {
        script += cat("line ", line, "\n");
        if (line % 7 != 0)
            linked.push_back(line);
    }
    HueMap hues;
    hues.update(script, linked);
    std::set<int> used;
    for (std::size_t i = 0; i < linked.size(); ++i) {
        used.insert(hues.hue(linked[i]));
        REQUIRE((hues.hue(linked[i]) >= 0 && hues.hue(linked[i]) < hue_count));
        for (std::size_t back = 1; back <= std::min<std::size_t>(i, 3); ++back)
            REQUIRE(hues.hue(linked[i]) != hues.hue(linked[i - back]));
    }
    REQUIRE(used.size() == std::size_t(hue_count));
    REQUIRE(hues.hue(7) == -1);
    REQUIRE(hues.hue(61) == -1);
}

TEST_CASE("a line keeps its hue while others are typed, inserted and removed") {
    HueMap hues;
    hues.update("a\nb\nc\nd\ne\n", {1, 2, 3, 4, 5});
    int a = hues.hue(1), c = hues.hue(3), e = hues.hue(5);
    hues.update("a\nb = 12\nc\nd\ne\n", {1, 2, 3, 4, 5});
    REQUIRE((hues.hue(1) == a && hues.hue(3) == c && hues.hue(5) == e));
    hues.update("a\nnew\nnewer\nb = 12\nc\nd\ne\n", {1, 2, 3, 4, 5, 6, 7});
    REQUIRE((hues.hue(1) == a && hues.hue(5) == c && hues.hue(7) == e));
    REQUIRE((hues.hue(2) != a && hues.hue(2) != hues.hue(3) && hues.hue(3) != hues.hue(4)));
    hues.update("a\nc\nd\ne\n", {1, 2, 3, 4});
    REQUIRE((hues.hue(1) == a && hues.hue(2) == c && hues.hue(4) == e));
}

TEST_CASE("a line that is being typed in keeps its hue") {
    HueMap hues;
    hues.update("x = a + b\ny = c\n", {1, 2});
    std::string before = hues_of(hues, 2);
    hues.update("x = a + bc\ny = c\n", {1, 2});
    REQUIRE(hues_of(hues, 2) == before);
}

TEST_CASE("the same scripts give the same hues") {
    HueMap one, two;
    for (HueMap* hues : {&one, &two}) {
        hues->update("a\nb\nc\n", {1, 3});
        hues->update("a\nx\nb\nc\n", {1, 2, 3, 4});
    }
    REQUIRE(hues_of(one, 4) == hues_of(two, 4));
}
