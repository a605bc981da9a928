// SPDX-License-Identifier: Apache-2.0
// Many compilations at once, from several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/toolchain/compiler.h"

namespace hidet::toolchain {

// A thread has nobody to tell: what it throws waits for the caller.
struct CompileWork {
    Compiler& compiler;
    const std::vector<CompileRequest>& requests;
    std::vector<std::optional<Result<CompileResult>>> results;
    std::vector<std::exception_ptr> failures;
    std::atomic<std::size_t> next{0};

    void run() {
        for (std::size_t i = next++; i < requests.size(); i = next++) {
            try {
                results[i].emplace(compiler.compile(requests[i]));
            } catch (...) {
                failures[i] = std::current_exception();
            }
        }
    }
};

// A compilation takes some hundred megabytes, so a machine of many processors does not use them all unasked.
constexpr unsigned most_threads = 32;

inline std::size_t thread_count(int wanted, std::size_t requests) {
    unsigned processors = std::clamp(std::thread::hardware_concurrency(), 1u, most_threads);
    return std::min(wanted > 0 ? static_cast<std::size_t>(wanted) : processors, requests);
}

// Results are in the order of the requests; 0 threads: as many as there are processors, within reason.
inline std::vector<Result<CompileResult>> compile_all(Compiler& compiler, const std::vector<CompileRequest>& requests,
                                                      int threads) {
    CompileWork work{compiler, requests, {}, {}};
    work.results.resize(requests.size());
    work.failures.resize(requests.size());
    {
        std::vector<std::jthread> helpers;
        for (std::size_t i = 1; i < thread_count(threads, requests.size()); ++i)
            helpers.emplace_back([&work] { work.run(); });
        work.run();
    }
    std::vector<Result<CompileResult>> results;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (work.failures[i])
            std::rethrow_exception(work.failures[i]);
        results.push_back(std::move(*work.results[i]));
    }
    return results;
}

} // namespace hidet::toolchain
