// SPDX-License-Identifier: Apache-2.0
#include "tests/fake/cuda/state.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace fake {

State& state() {
    // Never destroyed: the caller's own objects may still call at exit.
    static State* the_state = [] {
        auto* made = new State;
        if (const char* settings = std::getenv("HIDET_FAKE_CUDA"))
            made->settings.add(settings);
        return made;
    }();
    return *the_state;
}

void Settings::add(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ';');) {
        word.erase(0, word.find_first_not_of(' '));
        std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            continue;
        std::string key = word.substr(0, equals), value = word.substr(equals + 1);
        std::size_t colon = value.find(':');
        std::string name = value.substr(0, colon), rest = colon == std::string::npos ? "" : value.substr(colon + 1);
        if (key == "devices")
            devices = std::stoi(value);
        else if (key == "driver")
            driver = std::stoi(value);
        else if (key == "init")
            init = std::stoi(value);
        else if (key == "sm")
            sm = std::stoi(value);
        else if (key == "memory")
            memory = std::stoull(value);
        else if (key == "pools")
            pools = value != "0";
        else if (key == "peers")
            peers = value;
        else if (key == "fail")
            failures.push_back({name, std::stoi(rest), std::stoi(rest.substr(rest.find(':') + 1))});
        else if (key == "hang")
            hanging.insert(value);
        else if (key == "fault")
            faults[name] = std::stoi(rest);
        else if (key == "time")
            times[name] = std::stod(rest);
        else if (key == "early")
            early[name] = std::stoi(rest);
        else if (key == "print")
            prints[name] = rest;
        else
            std::fprintf(stderr, "fake driver: unknown setting '%s'\n", key.c_str());
    }
}

Status State::enter(const char* function) {
    ++calls[function];
    Status result = static_cast<Status>(sticky);
    for (Failure& failure : settings.failures)
        if (failure.function == function && (++failure.seen == failure.nth || failure.nth == 0))
            result = static_cast<Status>(failure.result);
    return result;
}

Status State::wait(Stream* stream) {
    if (stream && (stream->is_hung || stream->is_busy))
        return Status::NotReady;
    if (!unflushed.empty()) {
        std::fputs(unflushed.c_str(), stdout);
        unflushed.clear();
    }
    if (pending)
        sticky = pending;
    return static_cast<Status>(sticky);
}

bool State::holds(std::uint64_t address, std::size_t bytes) const {
    auto it = sizes.upper_bound(address);
    if (it == sizes.begin())
        return false;
    --it;
    return address + bytes <= it->first + it->second;
}

} // namespace fake

using fake::state;

void fake_cuda_reset() {
    std::lock_guard lock(state().mutex);
    fake::State& s = state();
    s.settings = {};
    s.calls.clear();
    s.sticky = s.pending = 0;
    s.clock = 0;
    s.unflushed.clear();
    while (!s.shared.empty())
        fake::release_shared(s.shared.begin()->first);
    s.memory.clear();
    s.sizes.clear();
    s.used = 0;
    s.pinned.clear();
    s.modules.clear();
    s.objects = 0;
    s.graph_stream = nullptr;
    s.body = nullptr;
}

void fake_cuda_set(const char* settings) {
    std::lock_guard lock(state().mutex);
    state().settings.add(settings);
}

void fake_cuda_on_launch(void (*body)(const FakeCudaLaunch*, void*), void* data) {
    std::lock_guard lock(state().mutex);
    state().body = body;
    state().body_data = data;
}

int fake_cuda_calls(const char* function) {
    std::lock_guard lock(state().mutex);
    return state().calls[function];
}

std::size_t fake_cuda_bytes() {
    std::lock_guard lock(state().mutex);
    return state().used;
}

std::size_t fake_cuda_allocations() {
    std::lock_guard lock(state().mutex);
    return state().memory.size() + state().pinned.size();
}

void* fake_cuda_graph_stream() {
    std::lock_guard lock(state().mutex);
    return state().graph_stream;
}

int fake_cuda_objects() {
    std::lock_guard lock(state().mutex);
    return state().objects;
}

bool fake_cuda_find(std::uint64_t address, std::uint64_t* base, std::size_t* bytes) {
    std::lock_guard lock(state().mutex);
    if (!state().holds(address, 1))
        return false;
    auto it = std::prev(state().sizes.upper_bound(address));
    *base = it->first;
    *bytes = it->second;
    return true;
}
