// SPDX-License-Identifier: Apache-2.0
// What becomes of workers and compilers when the program that started them is killed: hidetc, a worker, or a client of
// workers, which is this program with the case "a client" alone.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "app/session/worker/worker_service.h"
#include "lang/base/text.h"
#include "runtime/process/descriptor.h"
#include "tests/unit/process/fake_compiler.h"
#include "tests/unit/worker/talk.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;

namespace {

void collect_children(const std::string& process, std::vector<std::string>& family) {
    std::error_code ended; // one that comes and goes
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + process + "/task", ended)) {
        std::ifstream children(task.path() / "children");
        for (std::string child; children >> child;) {
            family.push_back(child);
            collect_children(child, family);
        }
    }
}

RunRequest endless_run(Target target) {
    RunRequest request;
    request.source = {"script.py", endless_script, "/", false};
    request.target = target;
    request.max_steps = ~std::uint64_t{0} / 2;
    return request;
}

// Starts a worker, gives it work, tells the numbers of the processes below it, and waits to be killed.
void be_client(const std::string& command) {
    WorkerOptions options;
    options.command = command.empty() ? std::vector<std::string>{HIDETC, "worker"}
                                      : std::vector<std::string>{"/bin/sh", "-c", command};
    WorkerService service(options);
    Talk talk(service, {endless_run(std::getenv("CXX") ? Target::Cpu : Target::Emulate), "", 0});
    talk.hear();
    std::vector<std::string> family;
    collect_children(cat(getpid()), family);
    std::printf("family: %s\n", join(family, " ").c_str());
    std::fflush(stdout);
    for (;;)
        pause();
}

// A program that is started to be killed; what it prints comes out of `output`.
pid_t start_victim(const std::vector<std::string>& words, const std::vector<std::string>& variables,
                   const process::Pipe& output) {
    pid_t victim = fork();
    if (victim != 0)
        return victim;
    dup2(output.write_end.get(), 1);
    for (const std::string& variable : variables)
        setenv(variable.substr(0, variable.find('=')).c_str(), variable.substr(variable.find('=') + 1).c_str(), 1);
    std::vector<char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    _exit(99);
}

void kill_and_wait(pid_t victim) {
    kill(victim, SIGKILL);
    waitpid(victim, nullptr, 0);
}

std::vector<std::string> client() {
    return {"/proc/self/exe", "--no-skip", "--test-case=a client"};
}

// `processes`: below the client; the worker's guard is one of them.
void kill_client(const std::string& command, std::size_t processes) {
    process::Pipe output;
    REQUIRE(output.open());
    pid_t victim = start_victim(client(), {"WORKER_COMMAND=" + command}, output);
    const std::string start = "family: ";
    std::string line;
    while (!line.starts_with(start) || !line.ends_with('\n')) {
        if (line.ends_with('\n'))
            line.clear();
        char c = 0;
        REQUIRE(read(output.read_end.get(), &c, 1) == 1);
        line += c;
    }
    std::vector<std::string> family = split(line.substr(start.size(), line.size() - start.size() - 1), ' ');
    REQUIRE(family.size() == processes);
    std::vector<std::unique_ptr<Watched>> watched;
    for (const std::string& process : family)
        watched.push_back(std::make_unique<Watched>(process));
    kill_and_wait(victim);
    for (const auto& process : watched)
        REQUIRE(process->ends());
}

struct Compilation {
    std::unique_ptr<Watched> compiler;
    std::unique_ptr<Watched> below;
    std::string number; // of the compiler

    explicit Compilation(FakeCompiler& fake) {
        auto numbers = fake.processes();
        number = numbers[0];
        compiler = std::make_unique<Watched>(numbers[0]);
        below = std::make_unique<Watched>(numbers[1]);
        REQUIRE(!compiler->has_ended());
        REQUIRE(!below->has_ended());
    }
    void require_end() const {
        REQUIRE(compiler->ends());
        REQUIRE(below->ends());
    }
};

// What keeps the program from finding what was compiled before.
std::vector<std::string> variables_for(const FakeCompiler& compiler, const Scratch& scratch) {
    return {"CXX=" + compiler.path(), "HIDET_CACHE_DIR=" + scratch.path("cache"), "WORKER_COMMAND="};
}

std::string parent_of(const std::string& process) {
    std::ifstream stat("/proc/" + process + "/stat");
    std::string number, name, state, parent;
    stat >> number >> name >> state >> parent;
    return parent;
}

} // namespace

// The program that is killed, as kill_client starts it.
TEST_CASE("a client" * doctest::skip()) {
    be_client(std::getenv("WORKER_COMMAND"));
}

TEST_CASE("a worker that works does not outlive the program that was killed") {
    kill_client("", 3); // with its guard, and its supervisor
}

TEST_CASE("nor does one behind a shell") {
    kill_client("echo banner; " HIDETC " worker; echo the worker has left >&2", 4);
}

TEST_CASE("compilers do not outlive hidetc") {
    FakeCompiler compiler;
    Scratch scratch;
    process::Pipe output;
    REQUIRE(output.open());
    std::string script = scratch.write("script.py", endless_script);
    pid_t victim = start_victim({HIDETC, "run", script, "--target", "cpu"}, variables_for(compiler, scratch), output);
    Compilation compilation(compiler);
    kill_and_wait(victim);
    compilation.require_end();
}

TEST_CASE("nor the client of their worker") {
    FakeCompiler compiler;
    Scratch scratch;
    process::Pipe output;
    REQUIRE(output.open());
    pid_t victim = start_victim(client(), variables_for(compiler, scratch), output);
    Compilation compilation(compiler);
    kill_and_wait(victim);
    compilation.require_end();
}

TEST_CASE("nor a worker that is killed") {
    FakeCompiler compiler;
    Scratch scratch;
    WorkerOptions options;
    options.command = {"/usr/bin/env"};
    for (const std::string& variable : variables_for(compiler, scratch))
        options.command.push_back(variable);
    options.command.insert(options.command.end(), {HIDETC, "worker"});
    WorkerService service(options);
    Talk talk(service, {endless_run(Target::Cpu), "", 0});
    Compilation compilation(compiler);
    kill(std::stoi(parent_of(compilation.number)), SIGKILL);
    compilation.require_end();
    REQUIRE(talk.answer().ended == Ended::WorkerLost);
}
