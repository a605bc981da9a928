// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/source.h"

#include "tests/harness/unit.h"

using namespace hidet;
using artifact::line_origins;
using artifact::token_at;

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

int main(int argc, char** argv) {
    test::Suite suite(argc, argv);
    suite.run("the token at a byte is the one that holds it", [] {
        artifact::Source source = example();
        EXPECT_EQUAL(token_at(source, 0)->end, 3u);
        EXPECT_EQUAL(token_at(source, 2)->end, 3u);
        EXPECT(token_at(source, 3) == nullptr);
        EXPECT_EQUAL(token_at(source, 5)->origin.span.begin, 11u);
        EXPECT(token_at(source, 6) == nullptr);
        EXPECT_EQUAL(token_at(source, 14)->origin.span.begin, 30u);
        EXPECT(token_at(source, 15) == nullptr);
        EXPECT(token_at(source, 1000) == nullptr);
        EXPECT(token_at(artifact::Source(), 0) == nullptr);
    });
    suite.run("a line came from where its first token with a place came from", [] {
        std::vector<Origin> lines = line_origins(example());
        EXPECT_EQUAL(lines.size(), 4u);
        EXPECT_EQUAL(lines[0].span.begin, 10u);
        EXPECT(!lines[1].known());
        EXPECT_EQUAL(lines[2].span.begin, 20u);
        EXPECT(!lines[3].known());
    });
    return suite.result();
}
