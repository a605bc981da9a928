// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/source.h"

#include <doctest/doctest.h>

using namespace hidet;
using artifact::line_origins;

namespace {

Origin from(std::uint32_t begin) {
    return {Span{FileId{1}, begin, begin + 1}, 0};
}

//  0123456789012345
//  int a;\n\n  b = c;\n
artifact::Source example() {
    artifact::Source source;
    source.text = "int a;\n\n  b = c;\n";
    source.tokens = {{0, 3, {}},         {4, 5, from(10)}, {5, 6, from(11)},
                     {10, 11, from(20)}, {12, 13, {}},     {14, 15, from(30)}};
    return source;
}

} // namespace

TEST_CASE("a line came from where its first token with a place came from") {
    std::vector<Origin> lines = line_origins(example());
    REQUIRE(lines.size() == 4u);
    REQUIRE(lines[0].span.begin == 10u);
    REQUIRE(!lines[1].known());
    REQUIRE(lines[2].span.begin == 20u);
    REQUIRE(!lines[3].known());
}
