// SPDX-License-Identifier: Apache-2.0
// Differences between texts: lines, words, renames, and inputs that a slower way would never finish.
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <string_view>

#include "app/session/view/blame.h"
#include "app/session/view/diff.h"
#include "app/session/view/edit_script.h"

using namespace hidet;
using namespace hidet::session;

namespace {

// " 1 1", "~ 2 2", "- 3 .", "+ . 4", one a row, with the words that changed.
std::string shown(const std::vector<DiffRow>& rows) {
    std::string out;
    for (const DiffRow& row : rows) {
        out += row.kind == RowKind::Equal     ? " "
               : row.kind == RowKind::Changed ? "~"
               : row.kind == RowKind::Removed ? "-"
                                              : "+";
        out += cat(" ", row.left, " ", row.right);
        for (const auto* words : {&row.left_words, &row.right_words}) {
            if (!row.left_words.empty() || !row.right_words.empty())
                out += " |";
            for (const TextRange& word : *words)
                out += cat(" ", word.begin, "-", word.end);
        }
        out += "\n";
    }
    return out;
}

TextDiff compared(std::string_view left, std::string_view right, DiffOptions options = {}) {
    auto result = diff(left, right, options);
    REQUIRE(result.has_value());
    return *result;
}

struct Random { // small, and the same everywhere
    std::uint32_t state;
    int below(int limit) {
        state = state * 1664525u + 1013904223u;
        return static_cast<int>((state >> 8) % static_cast<std::uint32_t>(limit));
    }
    std::vector<int> items(int most, int kinds) {
        std::vector<int> out(static_cast<std::size_t>(below(most)));
        for (int& item : out)
            item = below(kinds);
        return out;
    }
};

std::size_t longest_common(const std::vector<int>& a, const std::vector<int>& b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
    return table[a.size()][b.size()];
}

std::vector<int> kept(const std::vector<int>& items, const std::vector<bool>& gone) {
    std::vector<int> out;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (!gone[i])
            out.push_back(items[i]);
    return out;
}

} // namespace

TEST_CASE("an edit script of random sequences is right, and the shortest") {
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        Random random{seed};
        int kinds = 1 + random.below(5);
        auto a = random.items(14, kinds), b = random.items(14, kinds);
        EditScript script = edit_script(a, b);
        auto common = kept(a, script.removed);
        REQUIRE(common == kept(b, script.added));
        REQUIRE(common.size() == longest_common(a, b));
        EditScript hasty = edit_script(a, b, nullptr, 1);
        REQUIRE(kept(a, hasty.removed) == kept(b, hasty.added));
    }
}

TEST_CASE("twenty thousand lines that have little in common are no problem") {
    Random random{7};
    std::string left, right;
    for (int i = 0; i < 20'000; ++i) {
        left += cat("line ", random.below(60), "\n");
        right += cat("line ", random.below(60), "\n");
    }
    TextDiff result = compared(left, right);
    REQUIRE((result.added == result.removed && result.added > 5000));
}

TEST_CASE("texts that are the same have no difference") {
    REQUIRE(compared("a\nb\n", "a\nb\n").same());
    REQUIRE((compared("", "").same() && compared("", "").rows.empty()));
    REQUIRE(compared("a\nb", "a\nb\n").same());
}

TEST_CASE("lines that came and went stand beside empty places") {
    TextDiff result = compared("a\nb\nc\n", "a\nc\nd\n");
    REQUIRE(shown(result.rows) == "  1 1\n- 2 0\n  3 2\n+ 0 3\n");
    REQUIRE((result.added == 1 && result.removed == 1));
    REQUIRE(shown(compared("", "x\n").rows) == "+ 0 1\n");
    REQUIRE(shown(compared("x\n", "").rows) == "- 1 0\n");
}

TEST_CASE("a changed line shows the words that differ") {
    REQUIRE(shown(compared("for i in range(4):\n", "for i in range(16):\n").rows) == "~ 1 1 | 15-16 | 15-17\n");
    REQUIRE(shown(compared("x = a + b\n", "x = a + b + c\n").rows) == "~ 1 1 | | 9-13\n");
    REQUIRE(shown(compared("f(a, b)\n", "f(c, b)\n", {.words = false}).rows) == "~ 1 1\n");
}

TEST_CASE("words that only a space keeps apart are one stretch") {
    REQUIRE(shown(compared("y = a b c d;\n", "y = p q c d;\n").rows) == "~ 1 1 | 4-7 | 4-7\n");
}

TEST_CASE("within a changed stretch the lines that are most alike are paired") {
    TextDiff result = compared("let a = x + 1\nlet b = y + 2\n", "assert(n)\nlet a = x + 7\n");
    REQUIRE(shown(result.rows) == "+ 0 1\n~ 1 2 | 12-13 | 12-13\n- 2 0\n");
    REQUIRE((result.added == 2 && result.removed == 2));
}

TEST_CASE("one column shows what went before what came") {
    TextDiff result = compared("a 1\nb 1\nc\n", "a 2\nb 2\nc\n");
    REQUIRE(shown(inline_rows(result)) == "- 1 0 | 2-3 |\n- 2 0 | 2-3 |\n+ 0 1 | | 2-3\n+ 0 2 | | 2-3\n  3 3\n");
}

TEST_CASE("the amount of space can be ignored") {
    REQUIRE(compared("  a  +  b\n", "a + b \n", {.ignore_whitespace = true}).same());
    REQUIRE(!compared("ab\n", "a b\n", {.ignore_whitespace = true}).same());
    REQUIRE(!compared("  a\n", "a\n").same());
}

TEST_CASE("a renaming can be ignored when it is one throughout") {
    DiffOptions options{.ignore_renames = true};
    REQUIRE(compared("let i = 0\nf(i, j)\n", "let k = 0\nf(k, j)\n", options).same());
    REQUIRE(compared("f(a, b)\n", "f(b, a)\n", options).same());
    TextDiff twice = compared("f(a)\ng(a)\n", "f(b)\ng(c)\n", options);
    REQUIRE(shown(twice.rows) == "  1 1\n~ 2 2 | 2-3 | 2-3\n");
    REQUIRE(!compared("f(a, a)\n", "f(a, b)\n", options).same());
    REQUIRE(!compared("for x in y\n", "if x in y\n", options).same());
    REQUIRE(!compared("a = 1\n", "b = 2\n", options).same());
}

TEST_CASE("a line that breaks the renaming binds no names") {
    TextDiff result =
        compared("f(a)\ng(c, a)\nh(c)\n", "f(b)\ng(d, x)\nh(e)\n", {.ignore_renames = true, .words = false});
    REQUIRE(shown(result.rows) == "  1 1\n~ 2 2\n  3 3\n");
}

TEST_CASE("a comparison that is cancelled gives nothing") {
    std::atomic<bool> cancelled{true};
    REQUIRE(!diff("a\n", "b\n", {.cancelled = &cancelled}));
}

TEST_CASE("the unified form has the hunks that patch reads") {
    std::string left = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", right = left;
    right.replace(right.find("2\n"), 2, "two\n");
    right += "13\n";
    REQUIRE(unified(left, right, compared(left, right), {"a", "b", 1}) ==
            "--- a\n+++ b\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n@@ -12 +12,2 @@\n 12\n+13\n");
    REQUIRE(unified("", "x\n", compared("", "x\n"), {"a", "b", 3}) == "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
    REQUIRE(unified("x\n", "", compared("x\n", ""), {"a", "b", 3}) == "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n");
    REQUIRE(unified(left, left, compared(left, left), {"a", "b", 3}) == "");
}

TEST_CASE("hunks whose contexts touch are one") {
    std::string left = "1\n2\n3\n4\n5\n", right = "x\n2\n3\n4\ny\n";
    std::string text = unified(left, right, compared(left, right), {"a", "b", 2});
    REQUIRE(text == "--- a\n+++ b\n@@ -1,5 +1,5 @@\n-1\n+x\n 2\n 3\n 4\n-5\n+y\n");
}

TEST_CASE("passes tell what they changed, and blame finds who made a line") {
    auto text = [](std::string content, std::vector<OriginView> lines) {
        return std::make_shared<const TextSnapshot>(TextSnapshot{std::move(content), std::move(lines), {}, {}, {}, {}});
    };
    Place place{"k.py", 4, 1, 4, 9};
    ModuleSnapshot module;
    module.passes.push_back({0, "script", "as written", true, 0, text("a\nb\n", {{place, ""}, {}})});
    module.passes.push_back(
        {1, "unroll", "copies loops", true, 2, text("a\nb1\nb2\n", {{place, ""}, {place, "unroll"}, {}})});
    module.passes.push_back({2, "simplify", "folds", false, 1, nullptr});
    module.passes.push_back({3, "lower", "last", true, 1, text("x\nb2\n", {{place, "lower"}, {}})});
    auto changes = pass_changes(module);
    REQUIRE(changes->size() == 3u);
    REQUIRE((changes->at(0).added == 2 && changes->at(0).removed == 1 && changes->at(0).changed));
    REQUIRE((changes->at(1).added == 0 && !changes->at(1).changed));
    REQUIRE((changes->at(2).added == 1 && changes->at(2).removed == 2));
    auto found = blame(module, *module.passes[1].module, 2);
    REQUIRE((found && found->pass == "unroll" && found->summary == "copies loops" && found->script.line == 4));
    REQUIRE(blame(module, *module.passes[1].module, 1)->pass.empty());
    REQUIRE((!blame(module, *module.passes[1].module, 3) && !blame(module, *module.passes[1].module, 9)));
    REQUIRE((text_after(module, 2) == module.passes[1].module && !text_after(ModuleSnapshot{}, 2)));
}
