// SPDX-License-Identifier: Apache-2.0
// WorkerService against tests/fake/worker.
#include <filesystem>
#include <fstream>
#include <memory>

#include "app/session/worker/worker_service.h"
#include "tests/harness/unit.h"
#include "tests/unit/worker/talk.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;
using Phase = ServiceState::Phase;

namespace {

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
            throw Failure{"the phases are " + m_log + ", not " + log};
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

void add_good_ways(Suite& suite) {
    suite.run("a worker answers, and tells what happens before", [] {
        WorkerService service(fake("well"));
        Talk talk(service, job());
        EXPECT_EQUAL(story(talk.answer()), "answered");
        EXPECT(result_in<RunResult>(talk.answer()));
        EXPECT(!talk.hear().empty());
        EXPECT_EQUAL(talk.answers(), 1);
    });
    suite.run("one worker does many jobs, each gets its own answer", [] {
        WorkerService service(fake("well"));
        Talk first(service, job()), second(service, {FactsRequest{}, "", 0}), third(service, job());
        EXPECT(result_in<RunResult>(first.answer()));
        EXPECT(result_in<DoctorReport>(second.answer()));
        EXPECT(result_in<RunResult>(third.answer()));
        EXPECT_EQUAL(first.hear(), third.hear());
        EXPECT_EQUAL(service.state().workers, 1);
    });
    suite.run("no process is started before there is a job", [] {
        WorkerService service(fake("well"));
        EXPECT(service.state().phase == Phase::Resting);
        EXPECT_EQUAL(service.state().workers, 0);
    });
    suite.run("who watches sees a worker start, work and rest", [] {
        Phases phases;
        WorkerOptions options = fake("well");
        options.state_changed = phases.watcher();
        WorkerService service(options);
        Talk(service, job()).answer();
        EXPECT_EQUAL(phases.log(), "SIBI");
        EXPECT_EQUAL(service.state().host, "fake");
    });
    suite.run("a state tells what is being done", [] {
        WorkerService service(fake("never finishes"));
        Talk talk(service, job("softmax.py"));
        talk.hear();
        EXPECT(service.state().phase == Phase::Busy);
        EXPECT_EQUAL(service.state().doing, "softmax.py");
    });
    suite.run("a banner before the greeting is passed over", [] { EXPECT_EQUAL(fate(fake("banner")), "answered"); });
    suite.run("a line of the settings is read by a shell", [] {
        WorkerOptions options;
        options.command = shell_command("echo 'Last login: today'; exec " FAKE_WORKER " well");
        EXPECT_EQUAL(fate(options), "answered");
    });
    suite.run("a job that is larger than a pipe arrives", [] {
        WorkerService service(fake("well"));
        RunRequest request;
        request.source.text = std::string(5'000'000, 'x');
        EXPECT_EQUAL(story(Talk(service, {request, "", 0}).answer()), "answered");
    });
    suite.run("a worker without compilers does other jobs all the same", [] {
        WorkerOptions options = fake("cannot load its compilers");
        options.warm_up = true;
        EXPECT_EQUAL(fate(options), "answered");
    });
    suite.run("a worker may be started before there is a job", [] {
        Phases phases;
        WorkerOptions options = fake("well");
        options.state_changed = phases.watcher();
        WorkerService service(options);
        service.start();
        phases.wait_for("SI");
    });
}

void add_starts(Suite& suite) {
    suite.run("a command that does not exist is told by its name", [] {
        WorkerOptions options;
        options.command = {"/no/such/program"};
        EXPECT_EQUAL(fate(options),
                     "worker-not-started: '/no/such/program' cannot be started: No such file or directory");
    });
    suite.run("a shell that does not find the command is quoted", [] {
        WorkerOptions options;
        options.command = shell_command("no_such_program worker");
        std::string story = fate(options);
        EXPECT(story.starts_with("worker-not-started: no worker could be started: the command ended with code 127: "));
        EXPECT(story.find("no_such_program: not found") != std::string::npos);
    });
    suite.run("a command that ends at once is told with its code", [] {
        EXPECT_EQUAL(fate(fake("ends at once")),
                     "worker-not-started: no worker could be started: the command ended with code 0");
    });
    suite.run("a command that says nothing runs out of time", [] {
        WorkerOptions options = fake("says nothing");
        options.start_seconds = 0.05;
        EXPECT_EQUAL(fate(options), "worker-not-started: no worker could be started: the command said nothing sensible "
                                    "within 0.05 s");
    });
    suite.run("a command that prints without end is no worker", [] {
        EXPECT_EQUAL(fate(fake("endless banner")),
                     "worker-not-started: no worker could be started: the command cannot be understood, because no "
                     "greeting came, but much other text: All work and no play makes a dull server.");
    });
    suite.run("a worker of another version is told by its protocol", [] {
        EXPECT_EQUAL(fate(fake("other protocol")),
                     "worker-not-started: no worker could be started: the command is of another version, with protocol "
                     "99 in place of 1");
    });
    suite.run("a worker that does not begin with a hello is none", [] {
        EXPECT_EQUAL(fate(fake("no hello")),
                     "worker-not-started: no worker could be started: the command did not begin with a hello");
    });
}

void add_deaths(Suite& suite) {
    suite.run("a crash is told by its signal, what was being done, and the last words", [] {
        WorkerService service(fake("crashes"));
        Answer answer = Talk(service, job()).answer();
        EXPECT_EQUAL(story(answer), "worker-died: the worker was ended by signal 11 (segmentation fault) while running "
                                    "'matmul': about to crash");
        EXPECT(answer.ended == Ended::WorkerLost);
        EXPECT(service.state().phase == Phase::Lost);
        EXPECT_EQUAL(service.state().reason, answer.reason.message);
    });
    suite.run("of much that is written to standard error the last lines are kept", [] {
        WorkerService service(fake("ends with last words"));
        Answer answer = Talk(service, job()).answer();
        EXPECT_EQUAL(story(answer), "worker-died: the worker ended with code 7 while running 'matmul': out of luck");
        EXPECT(answer.last_words.starts_with("line 19991\n"));
        EXPECT(answer.last_words.ends_with("line 19999\nout of luck"));
    });
    suite.run("the next job gets a fresh worker", [] {
        WorkerService service(fake("crashes"));
        Talk(service, job()).answer();
        Talk(service, job()).answer();
        EXPECT_EQUAL(service.state().workers, 2);
    });
    suite.run("a death costs the job in hand alone: what waits is done by the next worker", [] {
        // The first one crashes, all others are well.
        std::string flag = (std::filesystem::temp_directory_path() / cat("hidet-worker-test-", getpid())).string();
        WorkerOptions options;
        options.command = shell_command("if mkdir " + flag +
                                        "; then exec " FAKE_WORKER " crashes; else exec " FAKE_WORKER " well; fi");
        WorkerService service(options);
        Talk first(service, job()), second(service, job());
        std::string stories = story(first.answer()) + "; " + story(second.answer());
        std::filesystem::remove(flag);
        EXPECT(stories.starts_with("worker-died: "));
        EXPECT(stories.ends_with("; answered"));
    });
    suite.run("a worker that ends in the middle of a frame is dead", [] {
        EXPECT_EQUAL(fate(fake("ends in a frame")), "worker-died: the worker ended with code 0 while running 'matmul'");
    });
    suite.run("half an answer is no answer, and events before it are told", [] {
        WorkerService service(fake("ends in an answer"));
        Talk talk(service, job());
        EXPECT_EQUAL(story(talk.answer()), "worker-died: the worker ended with code 0 while running 'matmul'");
        EXPECT_EQUAL(talk.hear(), "half");
    });
    suite.run("a worker that closes its output and lives on is killed", [] {
        EXPECT_EQUAL(fate(fake("closes its output")),
                     "worker-died: the worker closed its output while running 'matmul'");
        EXPECT_EQUAL(children(), 0);
    });
    suite.run("a worker that leaves after its answer is replaced, and the state says why", [] {
        Phases phases;
        WorkerOptions options = fake("leaves after its answer");
        options.state_changed = phases.watcher();
        WorkerService service(options);
        EXPECT_EQUAL(story(Talk(service, job()).answer()), "answered");
        phases.wait_for("SIBRSI");
        EXPECT_EQUAL(service.state().reason, "a kernel accessed an illegal address; the worker was replaced");
        EXPECT_EQUAL(story(Talk(service, job()).answer()), "answered");
    });
}

void add_lies(Suite& suite) {
    struct Lie {
        const char* way;
        const char* reason;
    };
    static constexpr Lie lies[] = {
        {"prints between frames", "cannot be understood, because something else was written between messages"},
        {"announces four gigabytes",
         "cannot be understood, because a message of 4294967295 bytes was announced; at most "
         "268435456 are allowed"},
        {"sends truncated CBOR", "cannot be understood, because a message is no CBOR"},
        {"sends lists in lists", "cannot be understood, because a message is no CBOR"},
        {"sends an unknown message", "cannot be understood, because a message 'dance' is not known"},
        {"sends wrong types",
         "cannot be understood, because a message 'done' makes no sense: its 'id' is no number of this size"},
        {"answers another job", "answered a job that it does not have"},
        {"tells of another job", "told of a job that it does not have"},
        {"answers another question", "gave an answer that does not fit"},
        {"gives up", "gave an answer that does not fit"},
        {"asks back", "asked where it should answer"},
    };
    for (const Lie& lie : lies)
        suite.run(cat("a worker that ", lie.way, " is killed, and the reason says so"), [&] {
            EXPECT_EQUAL(fate(fake(lie.way)),
                         cat("worker-confused: the worker ", lie.reason, " while running 'matmul'"));
        });
    suite.run("a worker that says hello twice is killed", [] {
        Phases phases;
        WorkerOptions options = fake("says hello twice");
        options.state_changed = phases.watcher();
        WorkerService service(options);
        service.start();
        phases.wait_for("SIL");
        EXPECT_EQUAL(service.state().reason, "the worker said hello twice");
    });
}

void add_hangs(Suite& suite) {
    suite.run("a job that takes longer than it may costs its worker", [] {
        WorkerService service(fake("never finishes"));
        Answer answer = Talk(service, {RunRequest{}, "matmul", 0.05}).answer();
        EXPECT_EQUAL(story(answer),
                     "worker-hung: the worker took longer than 0.05 s and was killed while running 'matmul'");
        EXPECT_EQUAL(children(), 0);
    });
    suite.run("a worker that gives no sign of life is killed", [] {
        WorkerOptions options = fake("is deaf");
        options.ping_seconds = 0.01;
        options.silent_seconds = 0.1;
        EXPECT_EQUAL(fate(options),
                     "worker-hung: the worker gave no sign of life for 0.1 s and was killed while running 'matmul'");
    });
    suite.run("a worker that hangs in the middle of an answer is killed", [] {
        WorkerOptions options = fake("hangs in an answer");
        options.ping_seconds = 0.01;
        options.silent_seconds = 0.1;
        EXPECT_EQUAL(fate(options),
                     "worker-hung: the worker gave no sign of life for 0.1 s and was killed while running 'matmul'");
    });
    suite.run("a worker that answers pings may take its time", [] {
        WorkerOptions options = fake("never finishes");
        options.ping_seconds = 0.01;
        options.silent_seconds = 30;
        options.grace_seconds = 0;
        WorkerService service(options);
        Talk talk(service, job());
        talk.hear();
        EXPECT(service.state().phase == Phase::Busy);
        talk.cancel();
        EXPECT_EQUAL(story(talk.answer()), "cancelled");
    });
}

void add_cancels(Suite& suite) {
    suite.run("a job that waits is cancelled at once, and costs nobody", [] {
        WorkerService service(fake("never finishes"));
        Talk first(service, job()), second(service, job());
        first.hear();
        second.cancel();
        EXPECT_EQUAL(story(second.answer()), "cancelled");
        EXPECT_EQUAL(first.answers(), 0);
        EXPECT_EQUAL(service.state().workers, 1);
    });
    suite.run("a job that does not listen is cancelled by killing its worker", [] {
        Phases phases;
        WorkerOptions options = fake("never finishes");
        options.grace_seconds = 0.02;
        options.state_changed = phases.watcher();
        WorkerService service(options);
        Talk talk(service, job());
        Watched worker(talk.hear());
        talk.cancel();
        EXPECT_EQUAL(story(talk.answer()), "cancelled");
        EXPECT(worker.has_ended());
        EXPECT_EQUAL(phases.log(), "SIBR");
    });
    suite.run("what was killed for a cancelled job is replaced at once where that is wished", [] {
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
    });
    suite.run("an answer that comes after the job was cancelled is dropped, and the worker lives", [] {
        WorkerService service(fake("answers late"));
        Talk first(service, job());
        first.hear();
        first.cancel();
        EXPECT_EQUAL(story(first.answer()), "cancelled");
        Talk second(service, job());
        EXPECT_EQUAL(second.hear(), first.hear());
        second.cancel();
        EXPECT_EQUAL(story(second.answer()), "cancelled");
        EXPECT_EQUAL(service.state().workers, 1);
    });
    suite.run("events without end are cut off by cancelling", [] {
        WorkerOptions options = fake("floods");
        options.grace_seconds = 0.02;
        WorkerService service(options);
        Talk talk(service, job());
        talk.hear();
        talk.cancel();
        EXPECT_EQUAL(story(talk.answer()), "cancelled");
        EXPECT(!talk.heard_late());
    });
    suite.run("cancelling twice, late or by a wrong number does nothing", [] {
        WorkerService service(fake("well"));
        Talk talk(service, job());
        talk.answer();
        talk.cancel();
        talk.cancel();
        service.cancel(4711);
        EXPECT_EQUAL(story(Talk(service, job()).answer()), "answered");
        EXPECT_EQUAL(talk.answers(), 1);
    });
}

void add_breaks(Suite& suite) {
    suite.run("after three deaths in a row a service is broken, and ends jobs at once", [] {
        WorkerService service(fake("crashes"));
        for (int i = 0; i < 3; ++i)
            Talk(service, job()).answer();
        EXPECT(service.state().phase == Phase::Broken);
        Answer answer = Talk(service, job()).answer();
        EXPECT_EQUAL(answer.reason.code, "worker-broken");
        EXPECT(answer.reason.message.starts_with("the worker was ended by signal 11"));
        EXPECT_EQUAL(service.state().workers, 3);
    });
    suite.run("a restart mends a broken service", [] {
        WorkerService service(fake("crashes"));
        for (int i = 0; i < 3; ++i)
            Talk(service, job()).answer();
        service.restart();
        EXPECT_EQUAL(Talk(service, job()).answer().reason.code, "worker-died");
        EXPECT_EQUAL(service.state().workers, 4);
    });
    suite.run("a restart ends the job in hand", [] {
        WorkerService service(fake("never finishes"));
        Talk talk(service, job());
        Watched worker(talk.hear());
        service.restart();
        EXPECT_EQUAL(story(talk.answer()), "cancelled");
        EXPECT(worker.has_ended());
    });
    suite.run("a cancelled job is no death", [] {
        WorkerOptions options = fake("never finishes");
        options.grace_seconds = 0;
        WorkerService service(options);
        for (int i = 0; i < 4; ++i) {
            Talk talk(service, job());
            talk.hear();
            talk.cancel();
            talk.answer();
        }
        EXPECT(service.state().phase != Phase::Broken);
    });
}

void add_ends(Suite& suite) {
    suite.run("the end of a service ends its jobs, each once, and its process", [] {
        auto service = std::make_unique<WorkerService>(fake("never finishes"));
        Talk first(*service, job()), second(*service, job());
        Watched worker(first.hear());
        service.reset();
        EXPECT_EQUAL(story(first.answer()), "cancelled");
        EXPECT_EQUAL(story(second.answer()), "cancelled");
        EXPECT_EQUAL(first.answers() + second.answers(), 2);
        EXPECT(worker.has_ended());
        EXPECT_EQUAL(children(), 0);
    });
    suite.run("what a worker started goes with it, even where it leads a group of its own", [] {
        auto service = std::make_unique<WorkerService>(fake("starts a child"));
        Talk talk(*service, job());
        Watched child(talk.hear());
        EXPECT(!child.has_ended());
        service.reset();
        EXPECT(child.ends());
    });
    suite.run("a job may be submitted when another one ends, even in the end of all", [] {
        auto service = std::make_unique<WorkerService>(fake("never finishes"));
        WorkerService* still_there = service.get();
        Talk(*service, job()).hear();
        int ends = 0;
        service->submit(job(), {}, [&](Answer) {
            ++ends;
            still_there->submit(job(), {}, [&](Answer) { ++ends; });
        });
        service.reset();
        EXPECT_EQUAL(ends, 2);
    });
    suite.run("no process is left of all these", [] { EXPECT_EQUAL(children(), 0); });
}

} // namespace

int main(int argc, char** argv) {
    Suite suite(argc, argv);
    add_good_ways(suite);
    add_starts(suite);
    add_deaths(suite);
    add_lies(suite);
    add_hangs(suite);
    add_cancels(suite);
    add_breaks(suite);
    add_ends(suite);
    return suite.result();
}
