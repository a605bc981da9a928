// SPDX-License-Identifier: Apache-2.0
#include "lang/base/columns.h"

#include <doctest/doctest.h>

using namespace hidet;

TEST_CASE("columns are as wide as their widest cell, in characters") {
    REQUIRE(columns_text({}).empty());
    REQUIRE(columns_text({{{"fold"}, {"9.5 \u00b5s", Align::Right}, {"two rules"}},
                          {{"simplify"}, {"120 ms", Align::Right}, {""}}}) == "  fold      9.5 \u00b5s  two rules\n"
                                                                              "  simplify  120 ms\n");
}

TEST_CASE("rows need not have the same number of cells") {
    REQUIRE(columns_text({{{"a"}}, {{"long"}, {"b"}}}) == "  a\n  long  b\n");
}
