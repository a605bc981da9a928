// SPDX-License-Identifier: Apache-2.0
// CompilePool over real workers with the NVRTC of the tests.
#include <cstdlib>
#include <fstream>

#include "app/session/tools.h"
#include "app/session/worker/compile_pool.h"
#include "tests/harness/unit.h"
#include "tests/unit/toolchain/scratch.h"
#include "tests/unit/worker/talk.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;

namespace {

PoolOptions options(int workers = 2) {
    PoolOptions options;
    options.workers = workers;
    options.worker.command = {HIDETC, "worker"};
    return options;
}

toolchain::CompileRequest request(const std::string& text, const std::atomic<bool>* cancelled = nullptr) {
    toolchain::CompileRequest request;
    request.text = text;
    request.product = toolchain::Product::Ptx;
    request.arch = "sm_90a";
    request.cancelled = cancelled;
    return request;
}

std::string outcome(const Result<toolchain::CompileResult>& result) {
    return result ? result.value().bytes : result.error().code;
}

} // namespace

int main(int argc, char** argv) {
    Scratch scratch;
    setenv("HIDET_CACHE_DIR", scratch.path("cache").c_str(), 1);
    setenv("HIDET_NVRTC", FAKE_NVRTC_LIBRARY, 1);
    Suite suite(argc, argv);
    suite.run("a pool compiles as this process would", [] {
        CompilePool pool(options());
        EXPECT_EQUAL(outcome(pool.compile(request("one"))), "ptx of one");
        EXPECT_EQUAL(outcome(pool.compile(request("two"))), "ptx of two");
        toolchain::InProcessCompiler here((toolchain::default_places()));
        EXPECT_EQUAL(pool.recipe(request("one")).value(), here.recipe(request("one")).value());
    });
    suite.run("many threads compile at a time", [] {
        CompilePool pool(options());
        std::vector<toolchain::CompileRequest> requests;
        for (int i = 0; i < 40; ++i)
            requests.push_back(request(cat("text ", i)));
        auto results = toolchain::compile_all(pool, requests, 8);
        for (int i = 0; i < 40; ++i)
            EXPECT_EQUAL(outcome(results[static_cast<std::size_t>(i)]), cat("ptx of text ", i));
    });
    suite.run("a compiler that does not listen is killed when its compilation is cancelled, and replaced", [] {
        std::atomic<bool> armed = false, cancelled = false;
        std::atomic<int> started = 0;
        PoolOptions watched = options(1);
        watched.state_changed = [&](int, const ServiceState& state) {
            started += state.phase == ServiceState::Phase::Starting ? 1 : 0;
            cancelled = cancelled || (armed && state.phase == ServiceState::Phase::Busy);
        };
        CompilePool pool(watched);
        EXPECT_EQUAL(outcome(pool.compile(request("first"))), "ptx of first");
        armed = true;
        EXPECT_EQUAL(outcome(pool.compile(request("this never ends", &cancelled))), "cancelled");
        EXPECT_EQUAL(outcome(pool.compile(request("next"))), "ptx of next");
        EXPECT_EQUAL(started.load(), 2);
    });
    suite.run("a compiler that crashes costs one compilation", [] {
        CompilePool pool(options(1));
        auto result = pool.compile(request("this crashes the compiler"));
        EXPECT_EQUAL(outcome(result), "worker-lost");
        EXPECT(result.error().message.starts_with("the worker was ended by signal "));
        EXPECT_EQUAL(outcome(pool.compile(request("next"))), "ptx of next");
    });
    suite.run("a pool that cannot start its workers says why, and a restart tries again", [] {
        PoolOptions nowhere = options(1);
        nowhere.worker.command = {"/no/such/program"};
        CompilePool pool(nowhere);
        for (int i = 0; i < 5; ++i) {
            auto result = pool.compile(request("one"));
            EXPECT_EQUAL(outcome(result), "worker-lost");
            EXPECT_EQUAL(result.error().message, "'/no/such/program' cannot be started: No such file or directory");
        }
        pool.restart();
        EXPECT_EQUAL(outcome(pool.compile(request("one"))), "worker-lost");
    });
    suite.run("what the cache has starts no worker", [] {
        toolchain::CompileRequest wanted = request("kept on disk");
        auto compiled_by_new_tools = [&](std::atomic<int>& changes) {
            PoolOptions watched = options();
            watched.state_changed = [&](int, const ServiceState&) { ++changes; };
            auto tools = open_tools({std::make_shared<CompilePool>(watched)});
            return tools->toolchain().compiler().compile(wanted);
        };
        std::atomic<int> first = 0, second = 0;
        auto compiled = compiled_by_new_tools(first), found = compiled_by_new_tools(second);
        EXPECT_EQUAL(outcome(compiled), "ptx of kept on disk");
        EXPECT(!compiled.value().from_cache);
        EXPECT(first > 0);
        EXPECT_EQUAL(outcome(found), "ptx of kept on disk");
        EXPECT(found.value().from_cache);
        EXPECT_EQUAL(found.value().key, compiled.value().key);
        EXPECT_EQUAL(second.load(), 0);
    });
    suite.run("machine code is disassembled in a worker, once", [&] {
        std::string log = scratch.path("log");
        setenv("HIDET_NVDISASM", scratch.program("nvdisasm", "echo called >>" + log + "\necho ok\n").c_str(), 1);
        auto tools = open_tools({std::make_shared<CompilePool>(options())});
        EXPECT(tools->toolchain().disassemble("machine code"));
        EXPECT(tools->toolchain().disassemble("machine code"));
        unsetenv("HIDET_NVDISASM");
        std::ifstream lines(log);
        std::string first, second;
        EXPECT(std::getline(lines, first));
        EXPECT(!std::getline(lines, second));
    });
    return suite.result();
}
