// SPDX-License-Identifier: Apache-2.0
// Launches that are stopped in, forward and back.
#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <random>

#include "tests/unit/debug/debugged.h"

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

TEST_CASE("random walks forward and back find each position as it was") {
    Debugged debugged(script);
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
    Debugged debugged(script);
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
    Debugged debugged(script);
    debugged.go({.by = DebugMove::By::Position, .position = 50});
    CHECK(debugged.session.position() == 50);
    CHECK(debugged.go({.by = DebugMove::By::Continue, .is_back = true}).reason == StopReason::Start);
    CHECK(debugged.session.position() == 0);
    CHECK(debugged.go({.by = DebugMove::By::Continue}).kind == DebugEvent::Kind::Ended);
}

TEST_CASE("who wrote an element of global memory is found by running again") {
    Debugged debugged(script);
    debugged.session.set_breakpoints("script.py", {{.id = 1, .line = 14, .condition = "blockIdx.x == 2"}});
    const DebugEvent event = debugged.go({.by = DebugMove::By::Continue});
    CHECK(event.reason == StopReason::Breakpoint);
    const vm::Position at = debugged.session.position();
    const std::uint64_t digest = debugged.session.digest();
    const std::string writer = debugged.writer_of("y[65]");
    CHECK(writer.starts_with("thread 1 of block (1, 0, 0) wrote it in line 23, at instruction "));
    CHECK(debugged.writer_of("y[129]") == "nobody wrote it in this launch so far");
    CHECK(debugged.session.position() == at);
    CHECK(debugged.session.digest() == digest);
    // And there it can go.
    const auto before = static_cast<vm::Position>(std::stoul(writer.substr(writer.rfind(' '))));
    debugged.go({.by = DebugMove::By::Position, .position = before});
    CHECK(debugged.value("y[65]") == "0.0");
    CHECK(debugged.value("blockIdx.x") == "1");
    debugged.go({.by = DebugMove::By::Instruction});
    CHECK(debugged.value("y[65]") != "0.0");
}

// What walks over breakpoints may stop at, in their order.
struct Stops {
    std::map<vm::Position, StopReason> reasons;
    std::map<vm::Position, std::uint64_t> digests;
};

void set_stops(Debugged& debugged) {
    debugged.session.set_breakpoints("script.py",
                                     {{.id = 1, .line = 19, .condition = "t % 16 == 6 and i == 2 and blockIdx.x > 0"},
                                      {.id = 2, .line = 21, .hits = ">= 3"},
                                      {.id = 3, .line = 22, .message = "sum is {sum}"}});
    debugged.session.set_watches({debugged.watch(4, "y[65]"), debugged.watch(5, "y[200]", "threadIdx.x == 8"),
                                  debugged.watch(6, "y[201]", "threadIdx.x == 8"), debugged.watch(7, "tile[63]")});
}

Stops all_stops() {
    Debugged debugged(script);
    set_stops(debugged);
    Stops out;
    for (;;) {
        const DebugEvent event = debugged.go({.by = DebugMove::By::Continue});
        if (event.kind == DebugEvent::Kind::Ended)
            return out;
        out.reasons[debugged.session.position()] = event.reason;
        out.digests[debugged.session.position()] = debugged.session.digest();
    }
}

TEST_CASE("walks over conditions and data breakpoints stop at the same places on the way on and back") {
    const Stops stops = all_stops();
    const auto writes =
        std::ranges::count_if(stops.reasons, [](const auto& each) { return each.second == StopReason::Write; });
    CHECK(writes == 3); // tile[63] of the block that stood, y[65], y[200]
    CHECK(stops.reasons.size() > 10);
    Debugged debugged(script);
    set_stops(debugged);
    std::mt19937 random(5);
    const vm::Position last = stops.reasons.rbegin()->first;
    for (int step = 0; step < 200; ++step) {
        const vm::Position from = debugged.session.position();
        const bool is_back = from >= last || random() % 2 == 0;
        if (random() % 4 == 0) {
            debugged.go({.by = DebugMove::By::Position, .position = random() % last});
            continue;
        }
        const DebugEvent event = debugged.go({.by = DebugMove::By::Continue, .is_back = is_back});
        const auto behind = is_back ? stops.reasons.lower_bound(from) : stops.reasons.upper_bound(from);
        const bool is_begin = is_back && behind == stops.reasons.begin();
        const auto expected = is_back && !is_begin ? std::prev(behind) : behind;
        CHECK(debugged.session.position() == (is_begin ? 0 : expected->first));
        CHECK(event.reason == (is_begin ? StopReason::Start : expected->second));
        if (!is_begin)
            CHECK(debugged.session.digest() == stops.digests.at(expected->first));
    }
}

// One instruction at a time, with an eye on the value.
TEST_CASE("a data breakpoint stands before the instruction that changes the element") {
    Debugged stepping(script);
    vm::Position changes = 0;
    for (std::string before = stepping.value("y[65]"); changes == 0;) {
        const vm::Position at = stepping.session.position();
        stepping.go({.by = DebugMove::By::Instruction});
        if (stepping.value("y[65]") != before)
            changes = at;
    }
    Debugged debugged(script);
    debugged.session.set_watches({debugged.watch(1, "y[65]")});
    const DebugEvent event = debugged.go({.by = DebugMove::By::Continue});
    CHECK(event.reason == StopReason::Write);
    CHECK(event.text == "thread (1, 0, 0) of block (1, 0, 0) writes y[65]");
    CHECK(event.breakpoints == std::vector<int>{1});
    CHECK(debugged.session.position() == changes);
    CHECK(debugged.go({.by = DebugMove::By::Continue}).kind == DebugEvent::Kind::Ended);
}

} // namespace
