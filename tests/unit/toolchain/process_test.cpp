// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include "runtime/toolchain/process.h"
#include "tests/harness/unit.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using namespace hidet::toolchain;
using hidet::test::Scratch;
using hidet::test::Suite;

namespace {

Outcome run(const std::string& script, Command command = {}) {
    command.words = {"/bin/sh", "-c", script};
    return run_process(command).value();
}

double seconds_of(const std::function<void()>& body) {
    auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

int main(int argc, char** argv) {
    Suite suite(argc, argv);
    suite.run("output, errors and the exit code come back apart", [] {
        Outcome outcome = run("echo one; echo two >&2; exit 3");
        EXPECT_EQUAL(outcome.output, "one\n");
        EXPECT_EQUAL(outcome.errors, "two\n");
        EXPECT_EQUAL(outcome.story(), "exited with code 3");
        EXPECT(!outcome.succeeded());
    });
    suite.run("input larger than any pipe is read, also by its path", [] {
        std::string text(3'000'000, 'x');
        EXPECT_EQUAL(run("wc -c", {.input = text}).output, "3000000\n");
        EXPECT_EQUAL(run("wc -c </dev/stdin; head -c 3 /dev/stdin", {.input = text}).output, "3000000\nxxx");
    });
    suite.run("a program that reads nothing does not end ours",
              [] { EXPECT(run("exit 0", {.input = std::string(1'000'000, 'x')}).succeeded()); });
    suite.run("words are passed as they are", [] {
        auto outcome = run_process({.words = {"/bin/echo", "a b", "$HOME", ";"}});
        EXPECT_EQUAL(outcome.value().output, "a b $HOME ;\n");
    });
    suite.run("messages do not depend on the user's language", [] {
        setenv("LC_ALL", "de_DE.UTF-8", 1);
        EXPECT_EQUAL(run("echo $LC_ALL").output, "C.UTF-8\n");
        unsetenv("LC_ALL");
    });
    suite.run("a crash is told by its signal",
              [] { EXPECT_EQUAL(run("kill -SEGV $$").story(), "was ended by signal 11"); });
    suite.run("a program that hangs is ended with all that it started", [] {
        Scratch scratch;
        std::string alive = scratch.path("alive");
        Outcome outcome;
        double seconds =
            seconds_of([&] { outcome = run("(sleep 1; touch " + alive + ") & sleep 30", {.seconds = 0.2}); });
        EXPECT_EQUAL(outcome.story(), "took longer than its time");
        EXPECT(seconds < 5);
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));
        EXPECT(!std::filesystem::exists(alive));
    });
    suite.run("a program that closes its output and hangs is ended too", [] {
        EXPECT_EQUAL(run("exec >&- 2>&-; sleep 30", {.seconds = 0.2}).story(), "took longer than its time");
    });
    suite.run("output without end is cut", [] {
        Outcome outcome = run("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done", {.output_limit = 100'000});
        EXPECT_EQUAL(outcome.story(), "printed without end");
    });
    suite.run("what is cancelled ends at once", [] {
        std::atomic<bool> cancelled{false};
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            cancelled = true;
        });
        double seconds =
            seconds_of([&] { EXPECT_EQUAL(run("sleep 30", {.cancelled = &cancelled}).story(), "was cancelled"); });
        EXPECT(seconds < 5);
    });
    suite.run("a program that is not there is an error", [] {
        auto outcome = run_process({.words = {"/nowhere/program"}});
        EXPECT_EQUAL(outcome.error().code, "process-not-started");
        EXPECT_EQUAL(outcome.error().message, "'/nowhere/program' cannot be started: No such file or directory");
    });
    return suite.result();
}
