// SPDX-License-Identifier: Apache-2.0
// Launches that are stopped in, forward and back.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <doctest/doctest.h>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "app/session/debug/debug_session.h"

using namespace hidet;
using session::DebugEvent;
using session::DebugMove;
using session::StopReason;

namespace {

const char* const script = R"(import hidet
import torch
from hidet.lang import attrs, f32, shared_tensor
from hidet.lang.cuda import blockIdx, syncthreads, threadIdx

with hidet.script_module() as module:
    @hidet.script
    def sums(x: f32[256], y: f32[256]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.grid_dim = 4
        attrs.cuda.block_dim = 64
        tile = shared_tensor('float32', shape=[64])
        t = threadIdx.x
        tile[t] = x[blockIdx.x * 64 + t]
        syncthreads()
        sum = 0.0
        for i in range(t % 7 + 1):
            if t % 2 == 0:
                sum += tile[(t + i) % 64]
            else:
                sum -= tile[(t * i) % 64]
        syncthreads()
        y[blockIdx.x * 64 + t] = sum
f = module.build()
x = torch.arange(256, device='cuda').to(torch.float32)
y = torch.zeros(256, device='cuda')
f(x, y)
)";

// A session that is waited for.
class Debugged {
public:
    Debugged() : session(request(), [this](DebugEvent event) { hear(std::move(event)); }) {
        session.start();
        stopped();
    }
    DebugEvent stopped() { // or ended
        std::unique_lock lock(m_mutex);
        REQUIRE(m_changed.wait_for(lock, std::chrono::seconds(60), [&] { return !m_events.empty(); }));
        DebugEvent event = std::move(m_events.front());
        m_events.pop_front();
        lock.unlock();
        while (event.kind == DebugEvent::Kind::Stopped && !session.is_stopped())
            std::this_thread::yield();
        return event;
    }
    DebugEvent go(DebugMove move) {
        REQUIRE(session.move(move));
        return stopped();
    }

private:
    static session::DebugRequest request() {
        session::DebugRequest out;
        out.run.source = {.name = "script.py", .text = script, .folder = "."};
        out.run.target = session::Target::Emulate;
        out.stops_on_entry = true;
        return out;
    }
    void hear(DebugEvent event) {
        if (event.kind != DebugEvent::Kind::Stopped && event.kind != DebugEvent::Kind::Ended)
            return;
        const std::lock_guard lock(m_mutex);
        m_events.push_back(std::move(event));
        m_changed.notify_all();
    }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<DebugEvent> m_events;

public:
    session::DebugSession session; // last: its events come to the rest
};

TEST_CASE("random walks forward and back find each position as it was") {
    Debugged debugged;
    std::map<vm::Position, std::uint64_t> known;
    std::mt19937 random(11);
    vm::Position farthest = 0;
    const DebugMove::By ways[] = {DebugMove::By::Statement, DebugMove::By::Instruction, DebugMove::By::Barrier};
    for (int step = 0; step < 150; ++step) {
        DebugMove move{.by = ways[random() % 3], .is_back = random() % 2 == 0};
        if (random() % 5 == 0)
            move = {.by = DebugMove::By::Position, .position = random() % (farthest + 40)};
        if (debugged.go(move).kind == DebugEvent::Kind::Ended)
            break;
        const vm::Position at = debugged.session.position();
        farthest = std::max(farthest, at);
        const auto [found, is_new] = known.try_emplace(at, debugged.session.digest());
        CHECK(found->second == debugged.session.digest());
    }
    CHECK(known.size() > 30);
    CHECK(farthest > 60);
}

TEST_CASE("a step back undoes a step") {
    Debugged debugged;
    std::vector<std::pair<vm::Position, std::uint64_t>> seen;
    for (int step = 0; step < 25; ++step) {
        debugged.go({.by = DebugMove::By::Statement});
        seen.emplace_back(debugged.session.position(), debugged.session.digest());
    }
    for (seen.pop_back(); !seen.empty(); seen.pop_back()) {
        debugged.go({.by = DebugMove::By::Statement, .is_back = true});
        CHECK(debugged.session.position() == seen.back().first);
        CHECK(debugged.session.digest() == seen.back().second);
    }
}

TEST_CASE("the first place is the last one on the way back") {
    Debugged debugged;
    debugged.go({.by = DebugMove::By::Position, .position = 50});
    CHECK(debugged.session.position() == 50);
    CHECK(debugged.go({.by = DebugMove::By::Continue, .is_back = true}).reason == StopReason::Start);
    CHECK(debugged.session.position() == 0);
    CHECK(debugged.go({.by = DebugMove::By::Continue}).kind == DebugEvent::Kind::Ended);
}

TEST_CASE("who wrote an element of global memory is found by running again") {
    Debugged debugged;
    debugged.session.set_breakpoints("script.py", {{.id = 1, .line = 14, .condition = "blockIdx.x == 2"}});
    const DebugEvent event = debugged.go({.by = DebugMove::By::Continue});
    CHECK(event.reason == StopReason::Breakpoint);
    const vm::Position at = debugged.session.position();
    const std::uint64_t digest = debugged.session.digest();
    const auto writer_of = [&](const std::string& text) {
        const auto expression = session::DebugExpression::parse(text);
        std::optional<vm::WatchedBytes> bytes;
        debugged.session.look([&](const session::DebugView& view) {
            bytes = view.bytes_of(expression.value().written_element().value(), expression.value(), 0).value();
        });
        const auto writer = debugged.session.last_writer(*bytes);
        std::string out;
        debugged.session.look([&](const session::DebugView& view) { out = view.writer_text(writer); });
        return out;
    };
    CHECK(writer_of("last_writer(y[65])") == "thread 1 of block (1, 0, 0) wrote it in line 23");
    CHECK(writer_of("last_writer(y[129])") == "nobody wrote it in this launch so far");
    CHECK(debugged.session.position() == at);
    CHECK(debugged.session.digest() == digest);
}

} // namespace
