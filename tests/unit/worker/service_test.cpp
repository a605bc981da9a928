// SPDX-License-Identifier: Apache-2.0
// WorkerService against tests/fake/worker.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "app/session/worker/worker_service.h"
#include "tests/unit/worker/talk.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;
using Phase = ServiceState::Phase;

namespace {

std::vector<std::string> shell(const std::string& line) {
    return {"/bin/sh", "-c", line};
}

WorkerOptions fake(const std::string& way) {
    WorkerOptions options;
    options.command = {FAKE_WORKER, way};
    return options;
}

Job job(const std::string& title = "matmul") {
    return {RunRequest{}, title, 0};
}

// What becomes of one job.
std::string fate(const WorkerOptions& options) {
    WorkerService service(options);
    return story(Talk(service, job()).answer());
}

// The phases of a service, in order, and a way to wait for one.
class Phases {
public:
    std::function<void(const ServiceState&)> watcher() {
        return [this](const ServiceState& state) {
            std::lock_guard lock(m_mutex);
            m_log += "RSIBLX"[static_cast<int>(state.phase)];
            m_changed.notify_all();
        };
    }
    std::string log() {
        std::lock_guard lock(m_mutex);
        return m_log;
    }
    void wait_for(const std::string& log) {
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait_for(lock, patience, [&] { return m_log == log; }))
            FAIL("the phases are ", m_log, ", not ", log);
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::string m_log;
};

int children() {
    int count = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "children");
        for (int child = 0; file >> child;)
            ++count;
    }
    return count;
}

TEST_CASE("a worker answers, and tells what happens before") {
    WorkerService service(fake("well"));
    Talk talk(service, job());
    REQUIRE(story(talk.answer()) == "answered");
    REQUIRE(result_in<RunResult>(talk.answer()));
    REQUIRE(!talk.hear().empty());
    REQUIRE(talk.answers() == 1);
}

TEST_CASE("one worker does many jobs, each gets its own answer") {
    WorkerService service(fake("well"));
    Talk first(service, job()), second(service, {FactsRequest{}, "", 0}), third(service, job());
    REQUIRE(result_in<RunResult>(first.answer()));
    REQUIRE(result_in<DoctorReport>(second.answer()));
    REQUIRE(result_in<RunResult>(third.answer()));
    REQUIRE(first.hear() == third.hear());
    REQUIRE(service.state().workers == 1);
}

TEST_CASE("no process is started before there is a job") {
    WorkerService service(fake("well"));
    REQUIRE(service.state().phase == Phase::Resting);
    REQUIRE(service.state().workers == 0);
}

TEST_CASE("who watches sees a worker start, work and rest") {
    Phases phases;
    WorkerOptions options = fake("well");
    options.state_changed = phases.watcher();
    WorkerService service(options);
    Talk(service, job()).answer();
    REQUIRE(phases.log() == "SIBI");
    REQUIRE(service.state().host == "fake");
}

TEST_CASE("a state tells what is being done") {
    WorkerService service(fake("never finishes"));
    Talk talk(service, job("softmax.py"));
    talk.hear();
    REQUIRE(service.state().phase == Phase::Busy);
    REQUIRE(service.state().doing == "softmax.py");
}

TEST_CASE("a banner before the greeting is passed over") {
    REQUIRE(fate(fake("banner")) == "answered");
}

TEST_CASE("what comes before a worker, as from a shell elsewhere, is passed over") {
    WorkerOptions options;
    options.command = shell("echo 'Last login: today'; exec " FAKE_WORKER " well");
    REQUIRE(fate(options) == "answered");
}

TEST_CASE("a job that is larger than a pipe arrives") {
    WorkerService service(fake("well"));
    RunRequest request;
    request.source.text = std::string(5'000'000, 'x');
    REQUIRE(story(Talk(service, {request, "", 0}).answer()) == "answered");
}

TEST_CASE("a worker without compilers does other jobs all the same") {
    WorkerOptions options = fake("cannot load its compilers");
    options.warm_up = true;
    REQUIRE(fate(options) == "answered");
}

TEST_CASE("a worker may be started before there is a job") {
    Phases phases;
    WorkerOptions options = fake("well");
    options.state_changed = phases.watcher();
    WorkerService service(options);
    service.start();
    phases.wait_for("SI");
}

TEST_CASE("a command that does not exist is told by its name") {
    WorkerOptions options;
    options.command = {"/no/such/program"};
    REQUIRE(fate(options) == "worker-not-started: '/no/such/program' cannot be started: No such file or directory");
}

TEST_CASE("a shell that does not find the command is quoted") {
    WorkerOptions options;
    options.command = shell("no_such_program worker");
    std::string story = fate(options);
    REQUIRE(story.starts_with("worker-not-started: no worker could be started: the command ended with code 127: "));
    REQUIRE(story.find("no_such_program: not found") != std::string::npos);
}

TEST_CASE("a command that ends at once is told with its code") {
    REQUIRE(fate(fake("ends at once")) ==
            "worker-not-started: no worker could be started: the command ended with code 0");
}

TEST_CASE("a command that says nothing runs out of time") {
    WorkerOptions options = fake("says nothing");
    options.start_seconds = 0.05;
    REQUIRE(fate(options) == "worker-not-started: no worker could be started: the command said nothing sensible "
                             "within 0.05 s");
}

TEST_CASE("a worker elsewhere that never says what its machine has runs out of time, and costs its job") {
    WorkerOptions options = fake("never examines itself");
    options.is_remote = true;
    options.start_seconds = 0.5;
    REQUIRE(fate(options) == "worker-not-started: the worker said nothing sensible within 0.5 s");
}

TEST_CASE("a command that prints without end is no worker") {
    REQUIRE(fate(fake("endless banner")) ==
            "worker-not-started: no worker could be started: the command cannot be understood, because no "
            "greeting came, but much other text: All work and no play makes a dull server.");
}

TEST_CASE("a worker of another version is told by its protocol") {
    REQUIRE(fate(fake("other protocol")) ==
            "worker-not-started: no worker could be started: the command is of another version, with protocol "
            "99 in place of 1");
}

TEST_CASE("a worker that does not begin with a hello is none") {
    REQUIRE(fate(fake("no hello")) ==
            "worker-not-started: no worker could be started: the command did not begin with a hello");
}

TEST_CASE("a crash is told by its signal, what was being done, and the last words") {
    WorkerService service(fake("crashes"));
    Answer answer = Talk(service, job()).answer();
    REQUIRE(story(answer) == "worker-died: the worker was ended by signal 11 (segmentation fault) while running "
                             "'matmul': about to crash");
    REQUIRE(answer.ended == Ended::WorkerLost);
    REQUIRE(service.state().phase == Phase::Lost);
    REQUIRE(service.state().reason == answer.reason.message);
}

TEST_CASE("of much that is written to standard error the last lines are kept") {
    WorkerService service(fake("ends with last words"));
    Answer answer = Talk(service, job()).answer();
    REQUIRE(story(answer) == "worker-died: the worker ended with code 7 while running 'matmul': out of luck");
    REQUIRE(answer.last_words.starts_with("line 19991\n"));
    REQUIRE(answer.last_words.ends_with("line 19999\nout of luck"));
}

TEST_CASE("the next job gets a fresh worker") {
    WorkerService service(fake("crashes"));
    Talk(service, job()).answer();
    Talk(service, job()).answer();
    REQUIRE(service.state().workers == 2);
}

TEST_CASE("a death costs the job in hand alone: what waits is done by the next worker") {
    // The first one crashes, all others are well.
    std::string flag = (std::filesystem::temp_directory_path() / cat("hidet-worker-test-", getpid())).string();
    WorkerOptions options;
    options.command =
        shell("if mkdir " + flag + "; then exec " FAKE_WORKER " crashes; else exec " FAKE_WORKER " well; fi");
    WorkerService service(options);
    Talk first(service, job()), second(service, job());
    std::string stories = story(first.answer()) + "; " + story(second.answer());
    std::filesystem::remove(flag);
    REQUIRE(stories.starts_with("worker-died: "));
    REQUIRE(stories.ends_with("; answered"));
}

TEST_CASE("a worker that ends in the middle of a frame is dead") {
    REQUIRE(fate(fake("ends in a frame")) == "worker-died: the worker ended with code 0 while running 'matmul'");
}

TEST_CASE("half an answer is no answer, and events before it are told") {
    WorkerService service(fake("ends in an answer"));
    Talk talk(service, job());
    REQUIRE(story(talk.answer()) == "worker-died: the worker ended with code 0 while running 'matmul'");
    REQUIRE(talk.hear() == "half");
}

TEST_CASE("a worker that closes its output and lives on is killed") {
    REQUIRE(fate(fake("closes its output")) == "worker-died: the worker closed its output while running 'matmul'");
    REQUIRE(children() == 0);
}

TEST_CASE("a worker that leaves after its answer is replaced, and the state says why") {
    Phases phases;
    WorkerOptions options = fake("leaves after its answer");
    options.state_changed = phases.watcher();
    WorkerService service(options);
    REQUIRE(story(Talk(service, job()).answer()) == "answered");
    phases.wait_for("SIBRSI");
    REQUIRE(service.state().reason == "a kernel accessed an illegal address; the worker was replaced");
    REQUIRE(story(Talk(service, job()).answer()) == "answered");
}

struct Lie {
    const char* way;
    const char* reason;
};

constexpr Lie lies[] = {
    {"prints between frames", "cannot be understood, because something else was written between messages"},
    {"announces four gigabytes", "cannot be understood, because a message of 4294967295 bytes was announced; at most "
                                 "268435456 are allowed"},
    {"sends truncated CBOR", "cannot be understood, because a message is not CBOR"},
    {"sends lists in lists", "cannot be understood, because a message is not CBOR"},
    {"sends an unknown message", "cannot be understood, because a message 'dance' is not known"},
    {"sends wrong types",
     "cannot be understood, because a message 'done' makes no sense: its 'id' is not a number of this size"},
    {"answers another job", "answered a job that it does not have"},
    {"tells of another job", "told of a job that it does not have"},
    {"answers another question", "gave an answer that does not fit"},
    {"gives up", "gave an answer that does not fit"},
    {"asks back", "asked where it should answer"},
};

TEST_CASE("a worker that lies is killed, and the reason says so") {
    for (const Lie& lie : lies)
        SUBCASE(lie.way) {
            REQUIRE(fate(fake(lie.way)) == cat("worker-confused: the worker ", lie.reason, " while running 'matmul'"));
        }
}

TEST_CASE("a worker that says hello twice is killed") {
    Phases phases;
    WorkerOptions options = fake("says hello twice");
    options.state_changed = phases.watcher();
    WorkerService service(options);
    service.start();
    phases.wait_for("SIL");
    REQUIRE(service.state().reason == "the worker said hello twice");
}

TEST_CASE("a job that takes longer than it may costs its worker") {
    WorkerService service(fake("never finishes"));
    Answer answer = Talk(service, {RunRequest{}, "matmul", 0.05}).answer();
    REQUIRE(story(answer) == "worker-hung: the worker took longer than 0.05 s and was killed while running 'matmul'");
    REQUIRE(children() == 0);
}

TEST_CASE("a worker that gives no sign of life is killed") {
    WorkerOptions options = fake("is deaf");
    options.ping_seconds = 0.01;
    options.silent_seconds = 0.1;
    REQUIRE(fate(options) ==
            "worker-hung: the worker gave no sign of life for 0.1 s and was killed while running 'matmul'");
}

TEST_CASE("a worker that hangs in the middle of an answer is killed") {
    WorkerOptions options = fake("hangs in an answer");
    options.ping_seconds = 0.01;
    options.silent_seconds = 0.1;
    REQUIRE(fate(options) ==
            "worker-hung: the worker gave no sign of life for 0.1 s and was killed while running 'matmul'");
}

TEST_CASE("a worker that answers pings may take its time") {
    WorkerOptions options = fake("never finishes");
    options.ping_seconds = 0.01;
    options.silent_seconds = 30;
    options.grace_seconds = 0;
    WorkerService service(options);
    Talk talk(service, job());
    talk.hear();
    REQUIRE(service.state().phase == Phase::Busy);
    talk.cancel();
    REQUIRE(story(talk.answer()) == "cancelled");
}

TEST_CASE("a job that waits is cancelled at once, and costs nobody") {
    WorkerService service(fake("never finishes"));
    Talk first(service, job()), second(service, job());
    first.hear();
    second.cancel();
    REQUIRE(story(second.answer()) == "cancelled");
    REQUIRE(first.answers() == 0);
    REQUIRE(service.state().workers == 1);
}

TEST_CASE("a job that does not listen is cancelled by killing its worker") {
    Phases phases;
    WorkerOptions options = fake("never finishes");
    options.grace_seconds = 0.02;
    options.state_changed = phases.watcher();
    WorkerService service(options);
    Talk talk(service, job());
    Watched worker(talk.hear());
    talk.cancel();
    REQUIRE(story(talk.answer()) == "cancelled");
    REQUIRE(worker.has_ended());
    REQUIRE(phases.log() == "SIBR");
}

TEST_CASE("what was killed for a cancelled job is replaced at once where that is wished") {
    Phases phases;
    WorkerOptions options = fake("never finishes");
    options.grace_seconds = 0.02;
    options.keep_ready = true;
    options.state_changed = phases.watcher();
    WorkerService service(options);
    Talk talk(service, job());
    talk.hear();
    talk.cancel();
    phases.wait_for("SIBRSI");
}

TEST_CASE("an answer that comes after the job was cancelled is dropped, and the worker lives") {
    WorkerService service(fake("answers late"));
    Talk first(service, job());
    first.hear();
    first.cancel();
    REQUIRE(story(first.answer()) == "cancelled");
    Talk second(service, job());
    REQUIRE(second.hear() == first.hear());
    second.cancel();
    REQUIRE(story(second.answer()) == "cancelled");
    REQUIRE(service.state().workers == 1);
}

TEST_CASE("events without end are cut off by cancelling") {
    WorkerOptions options = fake("floods");
    options.grace_seconds = 0.02;
    WorkerService service(options);
    Talk talk(service, job());
    talk.hear();
    talk.cancel();
    REQUIRE(story(talk.answer()) == "cancelled");
    REQUIRE(!talk.heard_late());
}

TEST_CASE("cancelling twice, late or by a wrong number does nothing") {
    WorkerService service(fake("well"));
    Talk talk(service, job());
    talk.answer();
    talk.cancel();
    talk.cancel();
    service.cancel(4711);
    REQUIRE(story(Talk(service, job()).answer()) == "answered");
    REQUIRE(talk.answers() == 1);
}

TEST_CASE("after three deaths in a row a service is broken, and ends jobs at once") {
    WorkerService service(fake("crashes"));
    for (int i = 0; i < 3; ++i)
        Talk(service, job()).answer();
    REQUIRE(service.state().phase == Phase::Broken);
    Answer answer = Talk(service, job()).answer();
    REQUIRE(answer.reason.code == "worker-broken");
    REQUIRE(answer.reason.message.starts_with("the worker was ended by signal 11"));
    REQUIRE(service.state().workers == 3);
}

TEST_CASE("a restart mends a broken service") {
    WorkerService service(fake("crashes"));
    for (int i = 0; i < 3; ++i)
        Talk(service, job()).answer();
    service.restart();
    REQUIRE(Talk(service, job()).answer().reason.code == "worker-died");
    REQUIRE(service.state().workers == 4);
}

TEST_CASE("a restart ends the job in hand") {
    WorkerService service(fake("never finishes"));
    Talk talk(service, job());
    Watched worker(talk.hear());
    service.restart();
    REQUIRE(story(talk.answer()) == "cancelled");
    REQUIRE(worker.has_ended());
}

TEST_CASE("a cancelled job is no death") {
    WorkerOptions options = fake("never finishes");
    options.grace_seconds = 0;
    WorkerService service(options);
    for (int i = 0; i < 4; ++i) {
        Talk talk(service, job());
        talk.hear();
        talk.cancel();
        talk.answer();
    }
    REQUIRE(service.state().phase != Phase::Broken);
}

TEST_CASE("the end of a service ends its jobs, each once, and its process") {
    auto service = std::make_unique<WorkerService>(fake("never finishes"));
    Talk first(*service, job()), second(*service, job());
    Watched worker(first.hear());
    service.reset();
    REQUIRE(story(first.answer()) == "cancelled");
    REQUIRE(story(second.answer()) == "cancelled");
    REQUIRE(first.answers() + second.answers() == 2);
    REQUIRE(worker.has_ended());
    REQUIRE(children() == 0);
}

TEST_CASE("what a worker started goes with it, though it is in a group of its own") {
    auto service = std::make_unique<WorkerService>(fake("starts a child"));
    Talk talk(*service, job());
    Watched child(talk.hear());
    REQUIRE(!child.has_ended());
    service.reset();
    REQUIRE(child.ends());
}

TEST_CASE("a job may be submitted when another one ends, even in the end of all") {
    auto service = std::make_unique<WorkerService>(fake("never finishes"));
    WorkerService* still_there = service.get();
    Talk(*service, job()).hear();
    int ends = 0;
    service->submit(job(), {}, [&](Answer) {
        ++ends;
        still_there->submit(job(), {}, [&](Answer) { ++ends; });
    });
    service.reset();
    REQUIRE(ends == 2);
}

TEST_CASE("no process is left of all these") {
    REQUIRE(children() == 0);
}

} // namespace
