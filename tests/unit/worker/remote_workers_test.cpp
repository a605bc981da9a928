// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker/remote_workers.h"

#include <cstdlib>

#include <doctest/doctest.h>

#include "lang/base/files.h"
#include "lang/base/text.h"
#include "runtime/toolchain/files.h"

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

TEST_CASE("a worker that is kept takes the place of one with its name, and nothing else of the file changes") {
    const auto folder = toolchain::TemporaryFolder::make().value();
    ::setenv("XDG_CONFIG_HOME", folder->path().c_str(), 1);
    CHECK(remote_worker_named("gpu").error().code == "unknown-remote-worker");
    CHECK(keep_remote_worker("gpu = ssh one").value() == "gpu");
    const std::string file = remote_workers_file();
    REQUIRE(replace_file(file, "# mine\ngpu = ssh one\n\nother = ssh two").ok());
    CHECK(keep_remote_worker("gpu = ssh 'number three'").ok());
    CHECK(keep_remote_worker("new = x").ok());
    CHECK(read_file(file).value() == "# mine\ngpu = ssh 'number three'\n\nother = ssh two\nnew = x\n");
    CHECK(remote_worker_named("gpu").value().command == std::vector<std::string>{"ssh", "number three"});
}

TEST_CASE("a file that makes no sense is not written over, and a line that makes none is not kept") {
    const auto folder = toolchain::TemporaryFolder::make().value();
    ::setenv("XDG_CONFIG_HOME", folder->path().c_str(), 1);
    for (const char* line : {"gpu", "gpu =", "a = b\nc = d", "", "# a = b"})
        CHECK(keep_remote_worker(line).error().code == "bad-remote-workers");
    CHECK(keep_remote_worker("a = b").ok());
    REQUIRE(replace_file(remote_workers_file(), "what is this\n").ok());
    CHECK(!keep_remote_worker("a = b").ok());
    CHECK(read_file(remote_workers_file()).value() == "what is this\n");
}
