// SPDX-License-Identifier: Apache-2.0
// What becomes of workers when the program that started them is killed. That program is this one, with the case "a
// client" alone.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

#include "app/session/worker/worker_service.h"
#include "lang/base/text.h"
#include "tests/unit/worker/talk.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;

namespace {

std::string first_child(const std::string& process) {
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + process + "/task")) {
        std::string child;
        if (std::ifstream(task.path() / "children") >> child)
            return child;
    }
    return "";
}

// Starts a worker, gives it work, tells the numbers of the processes below it, and waits to be killed.
void be_client(const std::string& command) {
    WorkerOptions options;
    options.command = command.empty() ? std::vector<std::string>{HIDETC, "worker"} : shell_command(command);
    WorkerService service(options);
    RunRequest request;
    request.source = {"script.py", endless_script, "/", false};
    request.target = Target::Emulate;
    request.max_steps = ~std::uint64_t{0} / 2;
    Talk talk(service, {request, "", 0});
    talk.hear();
    std::string family;
    for (std::string process = first_child(cat(getpid())); !process.empty(); process = first_child(process))
        family += process + " ";
    std::printf("family: %s\n", family.c_str());
    std::fflush(stdout);
    for (;;)
        pause();
}

void kill_client(const std::string& command, std::size_t processes) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_t client = fork();
    if (client == 0) {
        dup2(ends[1], 1);
        setenv("WORKER_COMMAND", command.c_str(), 1);
        execl("/proc/self/exe", "client", "--no-skip", "--test-case=a client", nullptr);
        _exit(99);
    }
    close(ends[1]);
    const std::string start = "family: ";
    std::string line;
    while (!line.starts_with(start) || !line.ends_with('\n')) {
        if (line.ends_with('\n'))
            line.clear();
        char c = 0;
        REQUIRE(read(ends[0], &c, 1) == 1);
        line += c;
    }
    std::vector<std::string> family = split(line.substr(start.size(), line.size() - start.size() - 1), ' ');
    std::erase(family, "");
    REQUIRE(family.size() == processes);
    Watched outer(family.front()), inner(family.back());
    REQUIRE(!inner.has_ended());
    kill(client, SIGKILL);
    waitpid(client, nullptr, 0);
    close(ends[0]);
    REQUIRE(inner.ends());
    REQUIRE(outer.ends());
}

} // namespace

// The program that is killed, as kill_client starts it.
TEST_CASE("a client" * doctest::skip()) {
    be_client(std::getenv("WORKER_COMMAND"));
}

TEST_CASE("a worker that works does not outlive the program that was killed") {
    kill_client("", 1);
}

TEST_CASE("nor does one behind a shell") {
    kill_client("echo banner; " HIDETC " worker; echo the worker has left >&2", 2);
}
