// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/process/run.h"
#include "tests/unit/toolchain/scratch.h"

using namespace hidet;
using hidet::test::Scratch;

namespace {

process::Outcome run(const std::string& script, process::Command command = {}) {
    command.words = {"/bin/sh", "-c", script};
    return process::run_to_end(command).value();
}

double seconds_of(const std::function<void()>& body) {
    auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

TEST_CASE("output, errors and the exit code come back apart") {
    process::Outcome outcome = run("echo one; echo two >&2; exit 3");
    REQUIRE(outcome.output == "one\n");
    REQUIRE(outcome.errors == "two\n");
    REQUIRE(outcome.story() == "exited with code 3");
    REQUIRE(!outcome.succeeded());
}

TEST_CASE("input larger than any pipe is read, also by its path") {
    std::string text(3'000'000, 'x');
    REQUIRE(run("wc -c", {.input = text}).output == "3000000\n");
    REQUIRE(run("wc -c </dev/stdin; head -c 3 /dev/stdin", {.input = text}).output == "3000000\nxxx");
}

TEST_CASE("a program that reads nothing does not end ours") {
    REQUIRE(run("exit 0", {.input = std::string(1'000'000, 'x')}).succeeded());
}

TEST_CASE("words are passed as they are") {
    auto outcome = process::run_to_end({.words = {"/bin/echo", "a b", "$HOME", ";"}});
    REQUIRE(outcome.value().output == "a b $HOME ;\n");
}

TEST_CASE("messages do not depend on the user's language") {
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    REQUIRE(run("echo $LC_ALL").output == "C.UTF-8\n");
    unsetenv("LC_ALL");
}

TEST_CASE("a program works in the folder that it is given") {
    Scratch scratch;
    scratch.write("here", "");
    REQUIRE(run("ls", {.folder = scratch.path("")}).output == "here\n");
}

TEST_CASE("its environment is ours, with what is set for it alone") {
    setenv("OURS", "1", 1);
    setenv("BOTH", "1", 1);
    REQUIRE(run("echo $OURS $BOTH $ITS", {.variables = {"BOTH=2", "ITS=3"}}).output == "1 2 3\n");
    unsetenv("OURS");
    unsetenv("BOTH");
}

TEST_CASE("a program has no file of ours but its standard streams") {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int careless = fcntl(nothing, F_DUPFD, 50);
    REQUIRE(careless >= 50);
    REQUIRE(run("[ -e /proc/$$/fd/" + std::to_string(careless) + " ] || echo closed").output == "closed\n");
    close(nothing);
    close(careless);
}

TEST_CASE("what a program leaves running is ended, and nobody waits for it") {
    double seconds = seconds_of([] { REQUIRE(run("echo done; sleep 30 &").output == "done\n"); });
    REQUIRE(seconds < 5);
}

TEST_CASE("many at a time keep their output apart and leave no process") {
    std::vector<std::jthread> threads;
    std::atomic<int> right = 0;
    for (int thread = 0; thread < 8; ++thread)
        threads.emplace_back([thread, &right] {
            std::string word = std::to_string(thread);
            for (int turn = 0; turn < 10; ++turn)
                right += run("echo " + word).output == word + "\n";
        });
    threads.clear();
    REQUIRE(right == 80);
    REQUIRE(waitpid(-1, nullptr, WNOHANG) == -1);
    REQUIRE(errno == ECHILD);
}

TEST_CASE("a crash is told by its signal") {
    REQUIRE(run("kill -SEGV $$").story() == "was ended by signal 11");
}

TEST_CASE("a program that hangs is ended with all that it started") {
    Scratch scratch;
    const std::string pipe = scratch.path("pipe"); // that the program's own child holds open as long as it lives
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    pollfd child = {open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC), POLLIN, 0};
    process::Outcome outcome;
    double seconds = seconds_of([&] { outcome = run("sleep 60 >" + pipe + " & sleep 30", {.seconds = 0.2}); });
    REQUIRE(outcome.story() == "took longer than its time");
    REQUIRE(seconds < 5);
    REQUIRE(poll(&child, 1, 10'000) == 1);
    REQUIRE((child.revents & POLLHUP) != 0);
    close(child.fd);
}

TEST_CASE("a program that closes its output and hangs is ended too") {
    REQUIRE(run("exec >&- 2>&-; sleep 30", {.seconds = 0.2}).story() == "took longer than its time");
}

TEST_CASE("output without end is cut") {
    process::Outcome outcome =
        run("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done", {.output_limit = 100'000});
    REQUIRE(outcome.story() == "printed without end");
}

TEST_CASE("what is cancelled ends at once") {
    Scratch scratch;
    const std::string pipe = scratch.path("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::atomic<bool> cancelled{false};
    std::jthread later([&] {
        std::string word;
        std::ifstream(pipe) >> word; // it runs
        cancelled = true;
    });
    const std::string program = "echo started >" + pipe + "; sleep 30";
    double seconds = seconds_of([&] { REQUIRE(run(program, {.cancelled = &cancelled}).story() == "was cancelled"); });
    REQUIRE(seconds < 5);
}

TEST_CASE("a program that is not there is an error") {
    auto outcome = process::run_to_end({.words = {"/nowhere/program"}});
    REQUIRE(outcome.error().code == "process-not-started");
    REQUIRE(outcome.error().message == "'/nowhere/program' cannot be started: No such file or directory");
}
