// SPDX-License-Identifier: Apache-2.0
// CompilePool over real workers with the NVRTC of the tests.
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "app/session/tools/tools.h"
#include "app/session/worker/compile_pool.h"
#include "lang/base/lower_priority.h"
#include "tests/harness/compile_all.h"
#include "tests/unit/toolchain/scratch.h"
#include "tests/unit/worker/talk.h"

using namespace hidet;
using namespace hidet::session;
using namespace hidet::test;

namespace {

PoolOptions options(int workers = 2) {
    PoolOptions options;
    options.workers = workers;
    options.worker.command = {HIDETC, "worker", "--compiler"};
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

// A cache of its own, and the compiler of the tests.
struct Apart {
    Apart() {
        setenv("HIDET_CACHE_DIR", scratch.path("cache").c_str(), 1);
        setenv("HIDET_NVRTC", FAKE_NVRTC_LIBRARY, 1);
    }
    Scratch scratch;
};

} // namespace

TEST_CASE_FIXTURE(Apart, "a pool compiles as this process would") {
    CompilePool pool(options());
    REQUIRE(outcome(pool.compile(request("one"))) == "ptx of one");
    REQUIRE(outcome(pool.compile(request("two"))) == "ptx of two");
    toolchain::InProcessCompiler here((toolchain::default_places()));
    REQUIRE(pool.recipe(request("one")).value() == here.recipe(request("one")).value());
}

TEST_CASE_FIXTURE(Apart, "many threads compile at a time") {
    CompilePool pool(options());
    std::vector<toolchain::CompileRequest> requests;
    for (int i = 0; i < 40; ++i)
        requests.push_back(request(cat("text ", i)));
    auto results = toolchain::compile_all(pool, requests, 8);
    for (int i = 0; i < 40; ++i)
        REQUIRE(outcome(results[static_cast<std::size_t>(i)]) == cat("ptx of text ", i));
}

TEST_CASE_FIXTURE(Apart, "a compiler that does not listen is killed when its compilation is cancelled, and replaced") {
    std::atomic<bool> armed = false, cancelled = false;
    std::atomic<int> started = 0;
    PoolOptions watched = options(1);
    watched.state_changed = [&](int, const ServiceState& state) {
        started += state.phase == ServiceState::Phase::Starting ? 1 : 0;
        cancelled = cancelled || (armed && state.phase == ServiceState::Phase::Busy);
    };
    CompilePool pool(watched);
    REQUIRE(outcome(pool.compile(request("first"))) == "ptx of first");
    armed = true;
    REQUIRE(outcome(pool.compile(request("this never ends", &cancelled))) == "cancelled");
    REQUIRE(outcome(pool.compile(request("next"))) == "ptx of next");
    REQUIRE(started.load() == 2);
}

TEST_CASE_FIXTURE(Apart, "who compiles has the priority of who asks") {
    if (has_stepped_back())
        return; // everything here has
    std::set<int> started;
    std::mutex mutex;
    PoolOptions watched = options(1);
    watched.state_changed = [&](int worker, const ServiceState& state) {
        std::lock_guard lock(mutex);
        if (state.phase == ServiceState::Phase::Busy)
            started.insert(worker);
    };
    CompilePool pool(watched);
    const auto workers = [&] {
        std::lock_guard lock(mutex);
        return std::exchange(started, {});
    };
    REQUIRE(outcome(pool.compile(request("asked for"))) == "ptx of asked for");
    REQUIRE(workers() == std::set<int>{1});
    std::string shown;
    std::thread([&] {
        lower_priority();
        shown = outcome(pool.compile(request("shown")));
    }).join();
    REQUIRE(shown == "ptx of shown");
    REQUIRE(workers() == std::set<int>{0});
    REQUIRE(outcome(pool.compile(request("asked for again"))) == "ptx of asked for again");
    REQUIRE(workers() == std::set<int>{1});
}

TEST_CASE_FIXTURE(Apart, "a compiler that crashes costs one compilation") {
    CompilePool pool(options(1));
    auto result = pool.compile(request("this crashes the compiler"));
    REQUIRE(outcome(result) == "worker-lost");
    REQUIRE(result.error().message.starts_with("the worker was ended by signal "));
    REQUIRE(outcome(pool.compile(request("next"))) == "ptx of next");
}

TEST_CASE_FIXTURE(Apart, "a pool that cannot start its workers says why, and a restart tries again") {
    PoolOptions nowhere = options(1);
    nowhere.worker.command = {"/no/such/program"};
    CompilePool pool(nowhere);
    for (int i = 0; i < 5; ++i) {
        auto result = pool.compile(request("one"));
        REQUIRE(outcome(result) == "worker-lost");
        REQUIRE(result.error().message == "'/no/such/program' cannot be started: No such file or directory");
    }
    pool.restart();
    REQUIRE(outcome(pool.compile(request("one"))) == "worker-lost");
}

TEST_CASE_FIXTURE(Apart, "what the cache has starts no worker") {
    toolchain::CompileRequest wanted = request("kept on disk");
    auto compiled_by_new_tools = [&](std::atomic<int>& changes) {
        PoolOptions watched = options();
        watched.state_changed = [&](int, const ServiceState&) { ++changes; };
        auto tools = open_tools({std::make_shared<CompilePool>(watched)});
        return tools->toolchain().compiler().compile(wanted);
    };
    std::atomic<int> first = 0, second = 0;
    auto compiled = compiled_by_new_tools(first), found = compiled_by_new_tools(second);
    REQUIRE(outcome(compiled) == "ptx of kept on disk");
    REQUIRE(!compiled.value().from_cache);
    REQUIRE(first > 0);
    REQUIRE(outcome(found) == "ptx of kept on disk");
    REQUIRE(found.value().from_cache);
    REQUIRE(found.value().key == compiled.value().key);
    REQUIRE(second.load() == 0);
}

TEST_CASE_FIXTURE(Apart, "machine code is disassembled once, and keeps no worker busy") {
    setenv("HIDET_NVDISASM", scratch.program("nvdisasm", "printf '\\t.section\\t.text.k%s,\"ax\"\\n' $$\n").c_str(), 1);
    std::atomic<int> changes = 0;
    PoolOptions watched = options();
    watched.state_changed = [&](int, const ServiceState&) { ++changes; };
    auto tools = open_tools({std::make_shared<CompilePool>(watched)});
    const auto first = tools->toolchain().disassemble("machine code");
    const auto second = tools->toolchain().disassemble("machine code");
    unsetenv("HIDET_NVDISASM");
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    REQUIRE(first.value().listing.text.starts_with("k")); // with the number of the process that said so
    REQUIRE(first.value().listing.text == second.value().listing.text);
    REQUIRE(changes.load() == 0);
}
