// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/remote_workers.h"

#include <doctest/doctest.h>

#include "lang/base/text.h"

using namespace hidet;
using namespace hidet::session;

namespace {

// "gpu: [ssh] [gpu server] [hidetc]; ", or what is wrong.
std::string read(std::string_view text) {
    const auto workers = remote_workers_in(text);
    if (!workers)
        return workers.error().message;
    std::string out;
    for (const RemoteWorker& worker : workers.value()) {
        out += worker.name + ":";
        for (const std::string& word : worker.command)
            out += cat(" [", word, "]");
        out += "; ";
    }
    return out;
}

} // namespace

TEST_CASE("a line is a name and the words of a command") {
    CHECK(read("gpu = ssh gpu-server PATH/hidetc worker\n") == "gpu: [ssh] [gpu-server] [PATH/hidetc] [worker]; ");
    CHECK(read("  a.b-c_1=x\t y  \r\n\n  # nothing\nb = z") == "a.b-c_1: [x] [y]; b: [z]; ");
    CHECK(read("") == "");
}

TEST_CASE("words are split as a shell splits them, and nothing in them is expanded") {
    CHECK(read(R"(a = 'one word' "and \"another\" \\ \n" t\ hree"4"'5')") ==
          R"(a: [one word] [and "another" \ \n] [t hree45]; )");
    CHECK(read("a = $HOME `id` $(id) ~ * ; x > y") == "a: [$HOME] [`id`] [$(id)] [~] [*] [;] [x] [>] [y]; ");
    CHECK(read("a = '' x=y#z # a comment 'open") == "a: [] [x=y#z]; ");
}

TEST_CASE("what is wrong with a line is told with its number") {
    CHECK(read("a = b\nssh gpu-server") == "line 2 is not 'NAME = COMMAND'");
    CHECK(read("my gpu = b") == "line 1 has a name that is not made of letters, digits, '-', '_' and '.': 'my gpu'");
    CHECK(read(" = b") == "line 1 has a name that is not made of letters, digits, '-', '_' and '.': ''");
    CHECK(read("a = # b") == "line 1 has no command for 'a'");
    CHECK(read("a = 'b") == "line 1 has a quote that is not closed");
    CHECK(read("a = b\\") == "line 1 ends with a backslash");
    CHECK(read("a = b\na = c") == "line 2 names 'a' again");
}
