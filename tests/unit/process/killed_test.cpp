// SPDX-License-Identifier: Apache-2.0
// What becomes of a program's family when the program that started it is killed. That one is this program, with the case
// "a parent" alone.
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "runtime/process/child.h"
#include "runtime/process/run.h"
#include "tests/unit/process/fake_compiler.h"
#include "tests/unit/process/watched.h"

using namespace hidet;
using namespace hidet::test;

namespace {

void kill_parent_of(FakeCompiler& compiler) {
    pid_t parent = fork();
    if (parent == 0) {
        setenv("COMPILER", compiler.path().c_str(), 1);
        execl("/proc/self/exe", "parent", "--no-skip", "--test-case=a parent", nullptr);
        _exit(99);
    }
    auto numbers = compiler.processes();
    Watched outer(numbers[0]), inner(numbers[1]);
    REQUIRE(!outer.has_ended());
    REQUIRE(!inner.has_ended());
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    REQUIRE(outer.ends());
    REQUIRE(inner.ends());
}

} // namespace

// The program that is killed, as kill_parent_of starts it. The thread that starts the compiler is not the first one.
TEST_CASE("a parent" * doctest::skip()) {
    std::jthread([] { (void)process::run_to_end({.words = {std::getenv("COMPILER")}, .seconds = 1e6}); });
}

TEST_CASE("a compiler and what it started end with the program that was killed") {
    FakeCompiler compiler;
    kill_parent_of(compiler);
}

TEST_CASE("so they do where nobody listens to a request to end") {
    FakeCompiler compiler("trap '' TERM HUP INT");
    kill_parent_of(compiler);
}

TEST_CASE("the end of the thread that started a program is not the program's") {
    std::unique_ptr<process::Child> child;
    std::jthread([&] { child = process::Child::start({.words = {"/bin/cat"}}).value(); }).join();
    child->input().close();
    auto ending = child->end(std::chrono::seconds(60));
    REQUIRE(ending.has_value());
    REQUIRE(!ending->by_signal);
    REQUIRE(ending->number == 0);
}

TEST_CASE("a program that is let go is killed with what it started") {
    FakeCompiler compiler;
    auto child = process::Child::start({.words = {compiler.path()}}).value();
    auto numbers = compiler.processes();
    Watched outer(numbers[0]), inner(numbers[1]);
    child.reset();
    REQUIRE(outer.ends());
    REQUIRE(inner.ends());
}
