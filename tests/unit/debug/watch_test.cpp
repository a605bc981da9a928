// SPDX-License-Identifier: Apache-2.0
// Data breakpoints, conditions, messages and pauses.
#include <doctest/doctest.h>

#include "app/session/debug/condition.h"
#include "tests/unit/debug/debugged.h"

using namespace hidet;
using session::DebugEvent;
using session::DebugMove;
using session::StopReason;

namespace {

const std::string head = R"(import hidet
import torch
from hidet.ir.primitives.cuda import (
    copy_bulk_g2s, fence_barrier_init, mbarrier_arrive_and_expect_tx, mbarrier_init, mbarrier_wait, stmatrix)
from hidet.lang import attrs, i32, f16, shared_tensor, register_tensor, u32, u64, view
from hidet.lang.cuda import atomic_add, blockIdx, cp_async, cp_async_wait_all, syncthreads, this_cluster, threadIdx

with hidet.script_module() as module:
    @hidet.script
    def kernel(x: i32[64], y: i32[64]):
        attrs.func_kind = 'cuda_kernel'
        attrs.cuda.block_dim = 32
        t = threadIdx.x
)";
const std::string tail = R"(
module.build()(torch.ones(64, dtype=torch.int32, device='cuda'), torch.zeros(64, dtype=torch.int32, device='cuda'))
)";
constexpr int first = 14; // line of the body

std::string script_of(const std::string& body, int blocks = 1) {
    return head + "        attrs.cuda.grid_dim = " + std::to_string(blocks) + "\n" + body + tail;
}

struct WritingKernel {
    const char* what;
    const char* element;
    int line; // of the body, that writes it
    const char* writer;
    std::string body;
};

const WritingKernel writing[] = {
    {"a store", "tile[7]", 2, "thread 24 of", R"(        tile = shared_tensor(i32, shape=[32])
        tile[31 - t] = 0 * t
        y[t] = tile[31 - t]
)"},
    {"an atomic", "tile[0]", 5, "threads 0 to 31 of", R"(        tile = shared_tensor(i32, shape=[4])
        if t < 4:
            tile[t] = 0
        syncthreads()
        atomic_add(~tile[0], t)
)"},
    {"an asynchronous copy", "tile[9]", 3, "a copy by thread 2 of", R"(        tile = shared_tensor(i32, shape=[64])
        if t < 16:
            cp_async(~tile[t * 4], ~x[t * 4], cp_size=16)
        cp_async_wait_all()
        syncthreads()
)"},
    {"a copy of the copy unit", "tile[63]", 9, "a copy by thread 0 of", R"(        tile = shared_tensor(i32, shape=[64])
        arrived = shared_tensor(u64, shape=[1])
        if t == 0:
            mbarrier_init(arrived, 1)
            fence_barrier_init()
        syncthreads()
        if t == 0:
            mbarrier_arrive_and_expect_tx(arrived, 256)
            copy_bulk_g2s(256, tile, x, arrived)
        mbarrier_wait(arrived, 0)
)"},
    {"stmatrix", "tile[3, 5]", 5, "threads 0 to 31 of", R"(        tile = shared_tensor(f16, shape=[8, 8])
        values = register_tensor(f16, shape=[2])
        words = view(values, u32[1])
        words[0] = u32(t)
        stmatrix([words[0]], ~tile[t % 8, 0])
        syncthreads()
)"},
};

} // namespace

TEST_CASE("whatever writes an element of shared memory is stopped before, and named afterwards") {
    for (const WritingKernel& each : writing) {
        CAPTURE(each.what);
        Debugged debugged(script_of(each.body));
        debugged.session.set_watches({debugged.watch(1, each.element)});
        DebugEvent event = debugged.go({.by = DebugMove::By::Continue});
        for (int before = 0; before < 2 && event.reason == StopReason::Write && debugged.line() != first + each.line;
             ++before)
            event = debugged.go({.by = DebugMove::By::Continue});
        CHECK(event.reason == StopReason::Write);
        CHECK(debugged.line() == first + each.line);
        const vm::Position at = debugged.session.position();
        debugged.go({.by = DebugMove::By::Instruction});
        const std::string writer = debugged.writer_of(each.element);
        CHECK_MESSAGE(writer.starts_with(each.writer), writer);
        CHECK_MESSAGE(writer.ends_with(" " + std::to_string(at)), writer);
    }
}

TEST_CASE("what another block of the cluster writes to shared memory is stopped before") {
    Debugged debugged(script_of(R"(        attrs.cuda.cluster_dim = 2
        mine = shared_tensor(i32, shape=[32])
        mine[t] = t
        this_cluster.sync()
        other = this_cluster.map_shared_rank(~mine[0], 1 - this_cluster.block_rank, i32)
        other[t] = blockIdx.x
        this_cluster.sync()
        y[blockIdx.x * 32 + t] = mine[t]
)",
                                2));
    debugged.session.set_watches({debugged.watch(1, "mine[5]")});
    debugged.go({.by = DebugMove::By::Continue});
    CHECK(debugged.line() == first + 3);
    CHECK(debugged.value("blockIdx.x") == "0");
    const DebugEvent event = debugged.go({.by = DebugMove::By::Continue});
    CHECK(event.text == "thread (5, 0, 0) of block (1, 0, 0) writes mine[5]");
    CHECK(debugged.line() == first + 6);
    CHECK(debugged.go({.by = DebugMove::By::Continue}).kind == DebugEvent::Kind::Ended);
}

TEST_CASE("a breakpoint with a message prints on the way on alone, and does not stop") {
    Debugged debugged(script_of("        y[t] = t\n        y[t + 32] = 2 * t\n"));
    debugged.session.set_breakpoints(
        "script.py", {{.id = 1, .line = first + 1, .condition = "t == 3", .message = "t is {t}, {t * 2}"},
                      {.id = 2, .line = first + 2}});
    CHECK(debugged.go({.by = DebugMove::By::Continue}).breakpoints == std::vector<int>{2});
    CHECK(debugged.printed() == "t is 3, 6\n");
    CHECK(debugged.go({.by = DebugMove::By::Continue, .is_back = true}).reason == StopReason::Start);
    CHECK(debugged.printed().empty());
    CHECK(debugged.go({.by = DebugMove::By::Continue}).breakpoints == std::vector<int>{2});
    CHECK(debugged.printed() == "t is 3, 6\n");
}

TEST_CASE("a condition that the values speak against is told at its breakpoint, which stops") {
    Debugged debugged(script_of("        y[t] = t\n"));
    debugged.session.set_breakpoints("script.py", {{.id = 1, .line = first + 1, .condition = "x[t + 40] == 2"}});
    CHECK(debugged.placed().empty());
    CHECK(debugged.go({.by = DebugMove::By::Continue}).breakpoints == std::vector<int>{1});
    const auto placed = debugged.placed();
    REQUIRE(placed.size() == 1);
    CHECK(placed[0].message == "its condition cannot be computed: x[64] is outside of the shape [64]");
}

TEST_CASE("what is wrong with a condition is known before the kernel is launched") {
    const std::string script = script_of("        total = t * 2\n        y[t] = total\n");
    const auto mistake = [&](const std::string& text) { return session::mistake_in(text, script, first + 2); };
    CHECK(mistake("total == 4 and t > 1").empty());
    CHECK(mistake("blockDim.x == gridDim.y or y[t] != x[t + 1]").empty());
    CHECK(mistake("totl == 4") == "'totl' is not known here");
    CHECK(mistake("total = 4") == "an expression is wanted, as a script has it");
    CHECK(!mistake("total ==").empty());
    CHECK(mistake("abs(total)").starts_with("this cannot be computed here"));
    Debugged debugged(script);
    const auto placed =
        debugged.session.set_breakpoints("script.py", {{.id = 1, .line = first + 2, .condition = "totl"}});
    REQUIRE(placed.size() == 1);
    CHECK(!placed[0].is_placed);
    CHECK(placed[0].message == "its condition cannot be computed: 'totl' is not known here");
}

TEST_CASE("a pause stops a launch that runs, and one that is to come at its beginning") {
    const std::string script = script_of(R"(        sum = t
        for i in range(100000000):
            sum = sum * 3 + i
        y[t] = sum
)");
    Debugged running(script);
    CHECK(running.session.move({.by = DebugMove::By::Continue}));
    running.session.pause();
    CHECK(running.stopped().reason == StopReason::Pause);
    CHECK(running.session.position() > 0);
    // On the way back, too: there is no breakpoint to find.
    const vm::Position at = running.session.position();
    CHECK(running.session.move({.by = DebugMove::By::Continue, .is_back = true}));
    running.session.pause();
    const DebugEvent event = running.stopped();
    CHECK((event.reason == StopReason::Pause ? running.session.position() == at : event.reason == StopReason::Start));

    Debugged coming(script, false);
    coming.session.pause();
    coming.session.start();
    CHECK(coming.stopped().reason == StopReason::Pause);
    CHECK(coming.session.position() == 0);
}
