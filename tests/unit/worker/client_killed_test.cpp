// SPDX-License-Identifier: Apache-2.0
// What becomes of workers when the program that started them is killed. That program is this one, with arguments.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "app/session/worker/worker_service.h"
#include "lang/base/text.h"
#include "tests/harness/unit.h"
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
int be_client(const std::string& command) {
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
    std::printf("%s\n", family.c_str());
    std::fflush(stdout);
    for (;;)
        pause();
}

void kill_client(const std::string& command, std::size_t processes) {
    int ends[2];
    EXPECT(pipe(ends) == 0);
    pid_t client = fork();
    if (client == 0) {
        dup2(ends[1], 1);
        execl("/proc/self/exe", "client", "--client", command.c_str(), nullptr);
        _exit(99);
    }
    close(ends[1]);
    std::string line;
    for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';)
        line += c;
    std::vector<std::string> family = split(line, ' ');
    std::erase(family, "");
    EXPECT_EQUAL(family.size(), processes);
    Watched outer(family.front()), inner(family.back());
    EXPECT(!inner.has_ended());
    kill(client, SIGKILL);
    waitpid(client, nullptr, 0);
    close(ends[0]);
    EXPECT(inner.ends());
    EXPECT(outer.ends());
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 2 && std::string_view(argv[1]) == "--client")
        return be_client(argv[2]);
    Suite suite(argc, argv);
    suite.run("a worker that works does not outlive the program that was killed", [] { kill_client("", 1); });
    suite.run("nor does one behind a shell",
              [] { kill_client("echo banner; " HIDETC " worker; echo the worker has left >&2", 2); });
    return suite.result();
}
