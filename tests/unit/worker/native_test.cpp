// SPDX-License-Identifier: Apache-2.0
// Compiled CPU code in a worker: what it does to its process, and what the other side is told of it.
#include <csignal>
#include <doctest/doctest.h>
#include <string>

#include "app/session/tools/tools.h"
#include "app/session/worker/worker_service.h"
#include "tests/harness/skip.h"
#include "tests/unit/worker/talk.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;

namespace {

constexpr const char* wild_script = R"(
import hidet
from hidet.lang import attrs, f32, i64

with hidet.script_module() as m:
    @hidet.script
    def fill(x: ~f32, far: i64):
        attrs.func_kind = 'cpu_kernel'
        x[far] = 1.0
f = m.build()
print('begun')
f(hidet.zeros([4]), 1 << 40)
)";

constexpr const char* spinning_script = R"(
import hidet
from hidet.lang import attrs, i32

with hidet.script_module() as m:
    @hidet.script
    def spin(n: i32[1]):
        attrs.func_kind = 'cpu_kernel'
        while n[0] % 2 == 0:
            n[0] += 2
f = m.build()
print('begun')
f(hidet.zeros([1], dtype='int32'))
)";

bool has_compiler() {
    return open_tools()->toolchain().locate(toolchain::Tool::CxxCompiler).state == toolchain::State::Found;
}

Job native(const char* text, double seconds = 60) {
    RunRequest request;
    request.source = {"script.py", text, "/", false};
    request.target = Target::Cpu;
    request.kernel_seconds = seconds;
    return {request, "script.py", 0};
}

WorkerOptions own_worker() {
    WorkerOptions options;
    options.command = {HIDETC, "worker"};
    return options;
}

} // namespace

TEST_CASE("compiled code that ends its process is named in the answer") {
    if (!has_compiler())
        return skip("there is no C++ compiler");
    WorkerService service(own_worker());
    const Answer answer = Talk(service, native(wild_script)).answer();
    REQUIRE(answer.reason.code == "worker-died");
    REQUIRE((HIDET_SANITIZED || answer.signal == SIGSEGV));
    REQUIRE((answer.fault && answer.fault->is(DiagId::NativeFault) && answer.fault->place.line == 12));
    REQUIRE(answer.fault->message.starts_with("function 'fill' "));
    REQUIRE(answer.fault->notes.back().message == answer.reason.message);
}

TEST_CASE("compiled code that never ends costs its worker, and the answer is whole") {
    if (!has_compiler())
        return skip("there is no C++ compiler");
    WorkerService service(own_worker());
    const Answer answer = Talk(service, native(spinning_script, 0.05)).answer();
    const RunResult* result = result_in<RunResult>(answer);
    REQUIRE((result && result->status == Status::TimedOut && result->device_hangs));
    REQUIRE((result->diagnostics.size() == 1 && result->diagnostics[0].is(DiagId::NativeCallFailed)));
    REQUIRE(service.state().reason.ends_with("; the worker was replaced"));
}

TEST_CASE("compiled code that is cancelled ends with what was known until then") {
    if (!has_compiler())
        return skip("there is no C++ compiler");
    WorkerService service(own_worker());
    Talk talk(service, native(spinning_script));
    REQUIRE(talk.hear() == "begun\n");
    talk.cancel();
    const Answer answer = talk.answer();
    REQUIRE(answer.ended == Ended::Cancelled);
    const RunResult* result = std::get_if<RunResult>(&answer.result);
    REQUIRE((result && result->status == Status::Cancelled && result->summary.native_calls == 1));
    Talk next(service, native("print('alive')\n"));
    REQUIRE(next.answer().ended == Ended::Answered);
}
