// SPDX-License-Identifier: Apache-2.0
// A worker that misbehaves in the way its argument says; "well" is one that does not. It never works: every job is
// answered at once with an empty result.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include <poll.h>
#include <unistd.h>

#include "app/session/worker/frames.h"
#include "app/session/worker/messages.h"
#include "lang/base/text.h"
#include "runtime/process/child.h"

using namespace hidet;
using namespace hidet::session;

namespace {

std::string line_from(const process::Descriptor& file) {
    std::string line;
    for (char byte = 0; byte != '\n';) {
        pollfd readable{file.get(), POLLIN, 0};
        if (poll(&readable, 1, -1) == 1 && read(file.get(), &byte, 1) == 1 && byte != '\n')
            line += byte;
    }
    return line;
}

void write_raw(std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t count = write(1, bytes.data(), bytes.size());
        if (count <= 0)
            _exit(0);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void send(const Message& message) {
    write_raw(frame_of(encode(message)));
}

// The next message from the other side. Ends the process where there is none.
Message next() {
    static FrameReader reader(0);
    for (;;) {
        auto frame = reader.next();
        if (!frame)
            _exit(90);
        if (frame.value())
            return decode(*frame.value()).value();
        char bytes[4096];
        ssize_t count = read(0, bytes, sizeof bytes);
        if (count <= 0)
            _exit(0);
        reader.feed({bytes, static_cast<std::size_t>(count)});
    }
}

Submit next_job() {
    for (;;) {
        Message message = next();
        if (auto submit = std::get_if<Submit>(&message))
            return *submit;
        if (auto ping = std::get_if<Ping>(&message))
            send(Pong{ping->number});
    }
}

[[noreturn]] void hang() {
    for (;;)
        pause();
}

void hello() {
    write_raw(frame_greeting);
    send(Hello{.host = "fake", .jobs = job_marks()});
}

template <std::size_t Kind = 0>
JobResult empty_result(std::size_t kind) {
    if constexpr (Kind + 1 < std::variant_size_v<JobResult>) {
        if (kind == Kind)
            return JobResult(std::in_place_index<Kind + 1>);
        return empty_result<Kind + 1>(kind);
    }
    return {};
}

Done done(const Submit& job) {
    Done done;
    done.id = job.id;
    done.answer.result = empty_result(job.request.index());
    return done;
}

void tell(const Submit& job, const std::string& text) {
    send(Happened{job.id, {JobEvent::Kind::Printed, text, std::nullopt}});
}

void work() {
    for (;;) {
        Submit job = next_job();
        tell(job, cat(getpid()));
        send(done(job));
    }
}

void answer_until_cancelled(const Submit& job) {
    tell(job, cat(getpid()));
    for (;;) {
        Message message = next();
        if (std::holds_alternative<Cancel>(message))
            return;
        if (auto ping = std::get_if<Ping>(&message))
            send(Pong{ping->number});
    }
}

// A message with the right frame, whatever is in it.
void lie(const std::string& message) {
    hello();
    next_job();
    write_raw(frame_of(message));
    hang();
}

std::string head_of_frame(std::uint32_t length) {
    std::string bytes(frame_mark);
    for (int i = 0; i < 4; ++i)
        bytes.push_back(static_cast<char>(length >> (8 * i) & 0xff));
    return bytes;
}

struct Way {
    const char* name;
    std::function<void()> go;
};

const Way ways[] = {
    {"well",
     [] {
         hello();
         work();
     }},
    {"banner",
     [] {
         write_raw("Welcome to gpu-server\nYou have mail.\n");
         hello();
         work();
     }},
    {"endless banner",
     [] {
         for (;;)
             write_raw("All work and no play makes a dull server.\n");
     }},
    {"says nothing", [] { hang(); }},
    {"ends at once", [] { _exit(0); }},
    {"other protocol",
     [] {
         write_raw(frame_greeting);
         send(Hello{.protocol = 99, .host = "fake"});
         hang();
     }},
    {"older", // than what it is asked
     [] {
         write_raw(frame_greeting);
         send(Hello{.host = "fake"});
         work();
     }},
    {"never examines itself",
     [] {
         hello();
         next_job();
         hang();
     }},
    {"no hello",
     [] {
         write_raw(frame_greeting);
         send(Pong{1});
         hang();
     }},
    {"says hello twice",
     [] {
         hello();
         send(Hello{.host = "fake"});
         hang();
     }},
    {"crashes",
     [] {
         hello();
         next_job();
         std::fputs("about to crash\n", stderr);
         std::signal(SIGSEGV, SIG_DFL);
         std::raise(SIGSEGV);
     }},
    {"ends with last words",
     [] {
         hello();
         next_job();
         for (int i = 0; i < 20'000; ++i)
             std::fprintf(stderr, "line %d\n", i);
         std::fputs("out of luck\n", stderr);
         _exit(7);
     }},
    {"ends in a frame",
     [] {
         hello();
         write_raw(frame_of(encode(done(next_job()))).substr(0, 6));
         _exit(0);
     }},
    {"ends in an answer",
     [] {
         hello();
         Submit job = next_job();
         tell(job, "half");
         std::string frame = frame_of(encode(done(job)));
         write_raw(frame.substr(0, frame.size() / 2));
         _exit(0);
     }},
    {"hangs in an answer",
     [] {
         hello();
         std::string frame = frame_of(encode(done(next_job())));
         write_raw(frame.substr(0, frame.size() / 2));
         hang();
     }},
    {"closes its output",
     [] {
         hello();
         next_job();
         close(1);
         hang();
     }},
    {"prints between frames",
     [] {
         hello();
         next_job();
         write_raw("warning: this library prints\n");
         hang();
     }},
    {"answers another job",
     [] {
         hello();
         Done answer = done(next_job());
         answer.id += 1000;
         send(answer);
         hang();
     }},
    {"tells of another job",
     [] {
         hello();
         Submit job = next_job();
         job.id += 1000;
         tell(job, "hello");
         hang();
     }},
    {"answers another question",
     [] {
         hello();
         Submit job = next_job();
         Done answer = done(job);
         answer.answer.result = empty_result((job.request.index() + 1) % std::variant_size_v<JobRequest>);
         send(answer);
         hang();
     }},
    {"gives up",
     [] {
         hello();
         send(Done{next_job().id, {Ended::Cancelled, {}, {}, {}}, ""});
         hang();
     }},
    {"asks back",
     [] {
         hello();
         send(Submit{next_job().id, FactsRequest{}});
         hang();
     }},
    // {"id": "seven", "message": "done"}
    {"sends wrong types",
     [] {
         lie("\xa2\x62id\x65seven\x67message\x64"
             "done");
     }},
    // {"message": "dance"}
    {"sends an unknown message",
     [] {
         lie("\xa1\x67message\x65"
             "dance");
     }},
    {"sends truncated CBOR", [] { lie("\xa2\x62id\x01\x67mess"); }},
    {"sends lists in lists", [] { lie(std::string(3'000'000, '\x81')); }},
    {"announces four gigabytes",
     [] {
         hello();
         next_job();
         write_raw(head_of_frame(0xffffffffu) + "abc");
         hang();
     }},
    {"is deaf",
     [] {
         hello();
         tell(next_job(), cat(getpid()));
         hang();
     }},
    {"never finishes",
     [] {
         hello();
         answer_until_cancelled(next_job());
         for (;;)
             next();
     }},
    {"answers late",
     [] {
         hello();
         for (;;) {
             Submit job = next_job();
             answer_until_cancelled(job);
             send(done(job));
         }
     }},
    {"floods",
     [] {
         hello();
         Submit job = next_job();
         for (;;)
             tell(job, "again ");
     }},
    {"leaves after its answer",
     [] {
         hello();
         Submit job = next_job();
         tell(job, cat(getpid()));
         Done answer = done(job);
         answer.leaving = "a kernel accessed an illegal address";
         send(answer);
         _exit(0);
     }},
    // A child that would never end, started as compilers are.
    {"starts a child",
     [] {
         hello();
         Submit job = next_job();
         auto child = process::Child::start({.words = {"/bin/sh", "-c", "echo $$; exec sleep 1000000"}}).value();
         tell(job, line_from(child->output()));
         hang();
     }},
    {"cannot load its compilers",
     [] {
         hello();
         Submit job = next_job();
         send(Done{job.id, {Ended::Refused, {}, {"nvrtc-missing", "there is none"}, {}}, ""});
         work();
     }},
};

} // namespace

int main(int argc, char** argv) {
    std::string way = argc > 1 ? argv[1] : "";
    for (const Way& row : ways)
        if (way == row.name)
            row.go();
    std::fprintf(stderr, "there is no way '%s'\n", way.c_str());
    return 91;
}
