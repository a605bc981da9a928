// SPDX-License-Identifier: Apache-2.0
#include "lang/base/text.h"

#include <cmath>
#include <limits>

#include "lang/base/ref.h"
#include "tests/harness/unit.h"

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

int main(int argc, char** argv) {
    test::Suite suite(argc, argv);
    suite.run("the closest candidate is one edit away", [] {
        EXPECT_EQUAL(closest("spatal", {"spatial", "repeat"}), "spatial");
        EXPECT_EQUAL(closest("sptaial", {"spatial", "repeat"}), "spatial");
    });
    suite.run("a word unlike every candidate gets no suggestion", [] {
        EXPECT_EQUAL(closest("grid", {"spatial", "repeat"}), "");
        EXPECT_EQUAL(closest("", {"a"}), "");
    });
    suite.run("among equally close candidates the first in the alphabet wins", [] {
        EXPECT_EQUAL(closest("bat", {"cat", "bad", "hat"}), "bad");
    });
    suite.run("a string is quoted as Python quotes it", [] {
        EXPECT_EQUAL(quote("a\tb\n"), "'a\\tb\\n'");
        EXPECT_EQUAL(quote("it's"), "\"it's\"");
        EXPECT_EQUAL(quote("it's \"so\""), "'it\\'s \"so\"'");
        EXPECT_EQUAL(quote(std::string_view("\0\x7f", 2)), "'\\x00\\x7f'");
    });
    suite.run("the shortest text of a double reads back as the same double", [] {
        EXPECT_EQUAL(shortest(0.1), "0.1");
        EXPECT_EQUAL(shortest(1.0), "1.0");
        EXPECT_EQUAL(shortest(-0.0), "-0.0");
        EXPECT_EQUAL(shortest(5e-324), "5e-324");
        EXPECT_EQUAL(shortest(std::numeric_limits<double>::infinity()), "inf");
        EXPECT_EQUAL(shortest(std::nan("")), "nan");
        EXPECT_EQUAL(shortest_float(0.1f), "0.1");
    });
    suite.run("overlong, surrogate and truncated UTF-8 is invalid", [] {
        EXPECT(is_valid_utf8("gr\xc3\xbc\xc3\x9f"));
        EXPECT(is_valid_utf8("\xf0\x9f\x98\x80"));
        EXPECT(!is_valid_utf8("\xc0\x80"));
        EXPECT(!is_valid_utf8("\xe0\x80\x80"));
        EXPECT(!is_valid_utf8("\xed\xa0\x80"));
        EXPECT(!is_valid_utf8("\xf4\x90\x80\x80"));
        EXPECT(!is_valid_utf8("\xc3"));
    });
    suite.run("holes of a format are filled in order", [] {
        EXPECT_EQUAL(substitute("{} of {}", {"3", "4"}), "3 of 4");
        EXPECT_EQUAL(substitute("{} of {}", {"3"}), "3 of ?");
    });
    suite.run("a separator at the end gives an empty last part", [] {
        EXPECT_EQUAL(split("a,b,", ',').size(), 3u);
        EXPECT_EQUAL(split("", ',').size(), 1u);
    });
    suite.run("a chain of a million nodes is freed without recursion", [] { long_chain(); });
    return suite.result();
}
