// SPDX-License-Identifier: Apache-2.0
// Formatting keeps the tokens of a text and their blocks, and a second time it changes nothing, however the blanks lie.
#include <doctest/doctest.h>

#include "lang/parse/logical_lines.h"
#include "tests/unit/service/analysed.h"
#include "tests/unit/service/samples.h"

using namespace hidet;
using namespace hidet::lang::service;

namespace {

DocumentRef read_alone(const std::string& text) {
    return read_text(text, "x.py");
}

std::string formatted(const std::string& text) {
    Formatting answer = format(*read_alone(text));
    REQUIRE(answer.refusal == "");
    std::string out = text;
    for (auto edit = answer.edits.rbegin(); edit != answer.edits.rend(); ++edit)
        out.replace(edit->range.begin, edit->range.end - edit->range.begin, edit->text);
    return out;
}

// The tokens that the parser sees, with the ends of lines and of blocks among them.
std::string meaning(const std::string& text) {
    lang::Faults faults(1);
    lang::Scanned scanned;
    lang::scan(text, {0, static_cast<std::uint32_t>(text.size())}, scanned, faults);
    std::string out;
    for (const lang::Token& token : lang::read_logical_lines(text, scanned, faults)) {
        bool is_layout = token.kind == lang::Tok::NEWLINE || token.kind == lang::Tok::INDENT ||
                         token.kind == lang::Tok::DEDENT || token.kind == lang::Tok::EndOfFile ||
                         token.kind == lang::Tok::IS_NOT || token.kind == lang::Tok::NOT_IN;
        out += cat(static_cast<int>(token.kind), " ",
                   is_layout ? "" : text.substr(token.begin, token.end - token.begin), "\n");
    }
    return out;
}

// Other blanks where a blank stands between tokens of one line, which no reader minds.
std::string with_other_blanks(const std::string& text, std::uint32_t seed) {
    DocumentRef document = read_alone(text);
    lang::Scanned scanned;
    lang::Faults faults(1);
    lang::scan(text, {0, static_cast<std::uint32_t>(text.size())}, scanned, faults);
    std::string out;
    std::uint32_t last = 0;
    for (const lang::Token& token : scanned.tokens) {
        std::string gap = text.substr(last, token.begin - last);
        bool is_inner =
            last > 0 && !gap.empty() && gap.find_first_not_of(' ') == std::string::npos && text[last - 1] != '\n';
        seed = seed * 1664525 + 1013904223;
        out += is_inner ? std::string(1 + (seed >> 16) % 3, (seed >> 20) % 5 == 0 ? '\t' : ' ') : gap;
        out += text.substr(token.begin, token.end - token.begin);
        last = token.end;
    }
    return out + text.substr(last);
}

} // namespace

TEST_CASE("formatting every sample keeps its meaning, and does all at once") {
    for (const std::string& text : test::samples()) {
        std::string once = formatted(text);
        REQUIRE(meaning(once) == meaning(text));
        REQUIRE(formatted(once) == once);
    }
}

TEST_CASE("blanks that mean nothing do not change what comes out") {
    for (const std::string& text : test::samples()) {
        std::string other = with_other_blanks(text, 5);
        REQUIRE(meaning(formatted(other)) == meaning(text));
        REQUIRE(formatted(formatted(other)) == formatted(other));
    }
}

TEST_CASE("line ends of other systems stay") {
    std::string text = "def f( a ):\r\n  return  a\r\nx=1\r\n";
    REQUIRE(formatted(text) == "def f(a):\r\n    return a\r\n\r\n\r\nx = 1\r\n");
}

TEST_CASE("texts without tokens become empty, and those that cannot be read stay") {
    REQUIRE(formatted("  \n\n \t\n") == "");
    REQUIRE(formatted("") == "");
    REQUIRE(formatted("#  only this  ") == "#  only this\n");
    for (const std::string& text : {std::string("a = 1\0b", 7), std::string("a = '\xFF'"), std::string("a = (")})
        REQUIRE(!format(*read_alone(text)).refusal.empty());
}
