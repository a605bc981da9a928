// SPDX-License-Identifier: Apache-2.0
// What the fake driver remembers. One for the process, as of a real driver.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/cuda/driver_api.h"
#include "tests/fake/cuda/control.h"
#include "tests/fake/cuda/image.h"

namespace fake {

using hidet::cuda::Status;

struct Failure {
    std::string function;
    int nth = 0; // 0: every call
    int result = 0;
    int seen = 0;
};

struct Settings {
    int devices = 1;
    int driver = 13000;
    int init = 0;
    int sm = 90;
    std::size_t memory = std::size_t{1} << 30;
    bool pools = true;
    std::string peers = "1";
    std::vector<Failure> failures;
    std::set<std::string> hanging;
    std::map<std::string, int> faults;
    std::map<std::string, double> times; // microseconds
    std::map<std::string, int> early;
    std::map<std::string, std::string> prints;
    void add(const std::string& text);
};

struct Function {
    ImageKernel kernel;
    std::map<int, int> attributes; // set by the caller
};
struct Module {
    Image image;
    std::map<std::string, std::unique_ptr<Function>> functions;
    std::map<std::string, std::uint64_t> globals;
};
struct Graph {
    std::vector<std::function<void()>> nodes;
    std::vector<std::string> kinds;
};
struct Stream {
    bool is_hung = false;
    bool is_busy = false;                       // with work of another thread
    std::vector<std::function<void()>> waiting; // behind that
    std::unique_ptr<Graph> capture;
};
struct Event {
    Stream* stream = nullptr;
    double microseconds = 0;
    bool recorded = false;
};

struct State {
    std::recursive_mutex mutex;
    Settings settings;
    std::map<std::string, int> calls;
    int sticky = 0;  // what every call gives from now on
    int pending = 0; // what the next wait finds
    double clock = 0;
    std::string unflushed; // what kernels printed
    std::map<std::uint64_t, std::unique_ptr<char[]>> memory;
    std::map<std::uint64_t, std::size_t> sizes; // by address, what was asked for
    std::size_t used = 0;
    std::map<std::uint64_t, int> shared; // by address, the file of what other processes may open; -1: theirs
    std::map<void*, std::unique_ptr<char[]>> pinned;
    std::set<std::unique_ptr<Module>> modules;
    int objects = 0;
    void* graph_stream = nullptr; // of the last launch of a graph
    void (*body)(const FakeCudaLaunch*, void*) = nullptr;
    void* body_data = nullptr;

    // Counts the call; anything but Success: give that back.
    Status enter(const char* function);
    Status wait(Stream* stream); // finds what is pending
    bool holds(std::uint64_t address, std::size_t bytes) const;
};
State& state();

// Of ipc.cpp: memory that other processes can open, as large allocations are.
constexpr std::size_t least_shared = std::size_t{2} << 20;
Status allocate_shared(std::uint64_t* address, std::size_t bytes);
Status release_shared(std::uint64_t address);
bool is_shared(std::uint64_t address);

} // namespace fake
