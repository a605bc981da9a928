// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/text/snippets.h"

#include <doctest/doctest.h>
#include <string>

using namespace hidet::compiler;

namespace {

struct Table {
    Table() {
        table.add_file("for readers\n"
                       "//> word\ntypedef unsigned word;\n\n"
                       "//> twice(name, T): word\n// Doubles.\ninline $device $T $name($T a) {\n    return a + a;\n}\n"
                       "//> four: twice(two, word)\nstruct alignas(16) four {\n};\n"
                       "//> built_in\n");
    }
    SnippetTable table{"__device__"};
};

} // namespace

TEST_CASE_FIXTURE(Table, "a snippet brings what it needs, in the order of the table") {
    REQUIRE(table.print({"four"}) == "typedef unsigned word;\n\n"
                                     "// Doubles.\ninline __device__ word two(word a) {\n    return a + a;\n}\n\n"
                                     "struct alignas(16) four {\n};\n\n");
}

TEST_CASE_FIXTURE(Table, "one snippet with other parameters is another snippet") {
    std::string text = table.print({"twice(f, float)", "twice(g, word)"});
    REQUIRE(text.find("float f(float a)") != std::string::npos);
    REQUIRE(text.find("word g(word a)") != std::string::npos);
}

TEST_CASE_FIXTURE(Table, "nothing is printed for no snippet and for an empty one") {
    REQUIRE(table.print({}) == "");
    REQUIRE(table.print({"built_in"}) == "");
}

TEST_CASE_FIXTURE(Table, "a snippet knows what it declares") {
    REQUIRE(table.declared_names("word").at(0) == "word");
    REQUIRE(table.declared_names("four").at(0) == "four");
    REQUIRE(table.declared_names("twice(two, word)").at(0) == "two");
}
