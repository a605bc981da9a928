// SPDX-License-Identifier: Apache-2.0
// A backend for the interpreter of packages whose memory is that of this process, and which counts what it gives and gets.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/package/execution.h"

namespace hidet::test {

struct HostBuffer { // what a package::Buffer is
    std::vector<unsigned char> bytes;
};

class HostBackend {
public:
    std::set<HostBuffer*> alive;
    std::vector<std::string> done; // one line a call
    std::function<bool(const package::FunctionCall&)> call;
    std::function<bool(package::HostStep&)> host;
    std::function<void(const package::KernelLaunch&)> launched; // empty: nobody asks
    std::uint64_t most_bytes = 1 << 20;                         // of one buffer
    std::uint64_t most_looks = UINT64_MAX;                      // until somebody cancels the run

    package::Backend table() {
        package::Backend out;
        out.self = this;
        out.allocate = [](void* self, std::uint64_t bytes, package::Problem&) { return of(self).allocate(bytes); };
        out.release = [](void* self, package::Buffer* buffer) { of(self).release(buffer); };
        out.call = [](void* self, const package::FunctionCall& call, package::Problem&) { return of(self).call(call); };
        out.launch = [](void* self, const package::KernelLaunch& launch, package::Problem&) {
            return of(self).launch(launch);
        };
        out.host = [](void* self, package::HostStep& step, package::Problem&) { return of(self).host(step); };
        out.copy = [](void*, package::Address to, package::Address from, std::uint64_t bytes, package::Problem&) {
            if (bytes > 0)
                std::memmove(data(to), data(from), bytes);
            return true;
        };
        out.read = [](void*, void* to, package::Address from, std::uint64_t bytes, package::Problem&) {
            std::memcpy(to, data(from), bytes);
            return true;
        };
        out.write = [](void*, package::Address to, const void* from, std::uint64_t bytes, package::Problem&) {
            std::memcpy(data(to), from, bytes);
            return true;
        };
        out.is_cancelled = [](void* self) {
            std::uint64_t& left = of(self).most_looks;
            return left == 0 || left-- == 0;
        };
        out.fill = [](void*, package::Address to, std::uint8_t byte, std::uint64_t bytes, package::Problem&) {
            if (bytes > 0)
                std::memset(data(to), byte, bytes);
            return true;
        };
        return out;
    }
    package::Buffer* allocate(std::uint64_t bytes) {
        if (bytes > most_bytes)
            return nullptr;
        auto* buffer = new HostBuffer{std::vector<unsigned char>(bytes)};
        alive.insert(buffer);
        return reinterpret_cast<package::Buffer*>(buffer);
    }
    void release(package::Buffer* buffer) {
        auto* own = reinterpret_cast<HostBuffer*>(buffer);
        if (alive.erase(own))
            delete own;
        else
            done.push_back("released twice");
    }
    static unsigned char* data(package::Address address) {
        return reinterpret_cast<HostBuffer*>(address.buffer)->bytes.data() + address.offset;
    }
    static float* floats(package::Address address) { return reinterpret_cast<float*>(data(address)); }

private:
    static HostBackend& of(void* self) { return *static_cast<HostBackend*>(self); }
    bool launch(const package::KernelLaunch& launch) {
        if (launched)
            launched(launch);
        done.push_back("launch " + std::to_string(launch.grid[0]) + " x " + std::to_string(launch.block[0]) + ", " +
                       std::to_string(launch.dynamic_shared) + " bytes, " + std::to_string(launch.arguments.size()) +
                       " arguments");
        return true;
    }
};

// Memory of the caller as an input.
class HostInput {
public:
    HostInput(const char* dtype, std::vector<std::int64_t> shape, std::size_t bytes)
        : m_buffer{std::vector<unsigned char>(bytes)}, m_shape(std::move(shape)), m_dtype(dtype) {}
    package::TensorValue value() {
        return {package::text(m_dtype),
                m_shape.data(),
                static_cast<std::uint32_t>(m_shape.size()),
                {reinterpret_cast<package::Buffer*>(&m_buffer), 0, m_buffer.bytes.size()}};
    }
    float* floats() { return reinterpret_cast<float*>(m_buffer.bytes.data()); }

private:
    HostBuffer m_buffer;
    std::vector<std::int64_t> m_shape;
    const char* m_dtype;
};

} // namespace hidet::test
