// SPDX-License-Identifier: Apache-2.0
// What was taken from lists of completions counts for the next ones, within bounds.
#include "lang/service/taken.h"

#include <doctest/doctest.h>
#include <string>

using hidet::lang::service::TakenNames;

TEST_CASE("the later a name was taken the more it gains, and one that never was gains nothing") {
    TakenNames names;
    for (int i = 0; i < 300; ++i)
        names.take("name" + std::to_string(i));
    CHECK(names.likelihood("name299") == 90);
    CHECK(names.likelihood("name298") == 80);
    int before = 91;
    for (int i = 299; i >= 100; --i) {
        const int now = names.likelihood("name" + std::to_string(i));
        CHECK(now <= before);
        CHECK(now > 0);
        before = now;
    }
    CHECK(names.likelihood("name99") == 0);
    CHECK(names.likelihood("other") == 0);
    names.take("name150");
    CHECK(names.likelihood("name150") == 90);
}

TEST_CASE("a file keeps them, and what is no name is left out") {
    TakenNames names;
    names.take("old");
    names.take("new");
    names.take("");
    names.take("two\nlines");
    CHECK(names.text() == "new\nold\n");
    CHECK(TakenNames::of(names.text()).text() == names.text());
    CHECK(TakenNames::of("a\n\nb\na\n" + std::string(200, 'x') + "\n\x01\nc").text() == "a\nb\nc\n");
    std::string many;
    for (int i = 0; i < 1000; ++i)
        many += std::to_string(i) + "\n";
    CHECK(TakenNames::of(many).likelihood("199") == 1);
    CHECK(TakenNames::of(many).likelihood("200") == 0);
}
