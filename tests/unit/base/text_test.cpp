// SPDX-License-Identifier: Apache-2.0
#include "lang/base/text.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string_view>

#include "lang/base/printable.h"
#include "lang/base/ref.h"

using namespace hidet;

namespace {

struct Link : RefCounted {
    Ref<const Link> next;
};

void long_chain() {
    Ref<const Link> head;
    for (int i = 0; i < 1'000'000; ++i) {
        auto* link = new Link;
        link->next = std::move(head);
        head = Ref<const Link>(link);
    }
}

} // namespace

TEST_CASE("a terminal gets nothing that drives it") {
    REQUIRE(for_terminal("two\nlines\tand\r\nmore \xc3\xa4\n") == "two\nlines\tand\r\nmore \xc3\xa4\n");
    REQUIRE(for_terminal("\x1b[2J\x1b]0;title\a") == "\\x1b[2J\\x1b]0;title\\x07");
    REQUIRE(for_terminal("hidden\rshown\b") == "hidden\\x0dshown\\x08");
    REQUIRE(for_terminal("\xc2\x9b"
                         "31m \x9b") == "\\x9b31m \\x9b");
    REQUIRE(for_terminal("\xe2\x80\xae \xe2\x81\xa6") == "\\u202e \\u2066");
}

TEST_CASE("the closest candidate is one edit away") {
    REQUIRE(closest("spatal", {"spatial", "repeat"}) == "spatial");
    REQUIRE(closest("sptaial", {"spatial", "repeat"}) == "spatial");
}

TEST_CASE("a word unlike every candidate gets no suggestion") {
    REQUIRE(closest("grid", {"spatial", "repeat"}) == "");
    REQUIRE(closest("", {"a"}) == "");
}

TEST_CASE("among equally close candidates the first in the alphabet wins") {
    REQUIRE(closest("bat", {"cat", "bad", "hat"}) == "bad");
}

TEST_CASE("a string is quoted as Python quotes it") {
    REQUIRE(quote("a\tb\n") == "'a\\tb\\n'");
    REQUIRE(quote("it's") == "\"it's\"");
    REQUIRE(quote("it's \"so\"") == "'it\\'s \"so\"'");
    REQUIRE(quote(std::string_view("\0\x7f", 2)) == "'\\x00\\x7f'");
}

TEST_CASE("the shortest text of a double reads back as the same double") {
    REQUIRE(shortest(0.1) == "0.1");
    REQUIRE(shortest(1.0) == "1.0");
    REQUIRE(shortest(-0.0) == "-0.0");
    REQUIRE(shortest(5e-324) == "5e-324");
    REQUIRE(shortest(std::numeric_limits<double>::infinity()) == "inf");
    REQUIRE(shortest(std::nan("")) == "nan");
    REQUIRE(shortest_float(0.1f) == "0.1");
}

TEST_CASE("overlong, surrogate and truncated UTF-8 is invalid") {
    REQUIRE(is_valid_utf8("gr\xc3\xbc\xc3\x9f"));
    REQUIRE(is_valid_utf8("\xf0\x9f\x98\x80"));
    REQUIRE(!is_valid_utf8("\xc0\x80"));
    REQUIRE(!is_valid_utf8("\xe0\x80\x80"));
    REQUIRE(!is_valid_utf8("\xed\xa0\x80"));
    REQUIRE(!is_valid_utf8("\xf4\x90\x80\x80"));
    REQUIRE(!is_valid_utf8("\xc3"));
}

TEST_CASE("a text that is too long ends after a whole character") {
    REQUIRE(shortened("gr\xc3\xbc\xc3\x9f", 6) == "gr\xc3\xbc\xc3\x9f");
    REQUIRE(shortened("gr\xc3\xbc\xc3\x9f", 5) == "gr\xc3\xbc...");
    REQUIRE(shortened("gr\xc3\xbc\xc3\x9f", 3) == "gr...");
    REQUIRE(shortened("\x80\x80", 1) == "...");
}

TEST_CASE("holes of a format are filled in order") {
    REQUIRE(substitute("{} of {}", {"3", "4"}) == "3 of 4");
    REQUIRE(substitute("{} of {}", {"3"}) == "3 of ?");
}

TEST_CASE("a separator at the end gives an empty last part") {
    REQUIRE(split("a,b,", ',').size() == 3u);
    REQUIRE(split("", ',').size() == 1u);
}

TEST_CASE("a chain of a million nodes is freed without recursion") {
    long_chain();
}
