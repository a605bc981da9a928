// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/pieces.h"
#include "tests/harness/unit.h"

using namespace hidet::compiler;

int main(int argc, char** argv) {
    hidet::test::Suite suite(argc, argv);
    PieceTable table("__device__");
    table.add_file("for readers\n"
                   "//> word\ntypedef unsigned word;\n\n"
                   "//> twice(name, T): word\n// Doubles.\ninline $device $T $name($T a) {\n    return a + a;\n}\n"
                   "//> four: twice(two, word)\nstruct alignas(16) four {\n};\n"
                   "//> built_in\n");
    suite.run("a piece brings what it needs, in the order of the table", [&] {
        EXPECT_EQUAL(table.print({"four"}),
                     "typedef unsigned word;\n\n"
                     "// Doubles.\ninline __device__ word two(word a) {\n    return a + a;\n}\n\n"
                     "struct alignas(16) four {\n};\n\n");
    });
    suite.run("one piece with other parameters is another piece", [&] {
        std::string text = table.print({"twice(f, float)", "twice(g, word)"});
        EXPECT(text.find("float f(float a)") != std::string::npos);
        EXPECT(text.find("word g(word a)") != std::string::npos);
    });
    suite.run("nothing is printed for no piece and for an empty one", [&] {
        EXPECT_EQUAL(table.print({}), "");
        EXPECT_EQUAL(table.print({"built_in"}), "");
    });
    suite.run("a piece knows what it declares", [&] {
        EXPECT_EQUAL(table.declared_names("word").at(0), "word");
        EXPECT_EQUAL(table.declared_names("four").at(0), "four");
        EXPECT_EQUAL(table.declared_names("twice(two, word)").at(0), "two");
    });
    return suite.result();
}
