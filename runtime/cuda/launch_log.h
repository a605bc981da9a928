// SPDX-License-Identifier: Apache-2.0
// What was launched and is not known to have ended: an error of a kernel comes with a later call, and its message has to
// name the kernel and its arguments all the same. Noting a launch allocates nothing once the log is warm.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "compiler/artifact/launch_shape.h"
#include "compiler/artifact/program.h"
#include "runtime/cuda/driver_api.h"

namespace hidet::cuda {

struct KernelSignature {
    std::string name;   // in the script
    std::string symbol; // in the module
    std::vector<artifact::Parameter> params;
};

// The tensor behind a pointer, for texts.
struct TensorNote {
    const char* dtype = nullptr; // "f32"; null: not known
    std::span<const std::int64_t> shape;
};

using artifact::LaunchShape;

// "kernel 'matmul' <<<(64, 64, 1), (16, 16, 1)>>> (a: f32[1024, 1024], n = 1024)".
std::string launch_text(const KernelSignature& kernel, const LaunchShape& shape, std::span<const std::uint64_t> args,
                        std::span<const TensorNote> tensors);

// What may have done something, as the subject of a sentence: "kernel 'a' <<<...>>> (...)", or several of which it is one.
std::string suspects_text(const std::vector<std::string>& launches);

class LaunchLog {
public:
    void add(const std::shared_ptr<const KernelSignature>& kernel, const LaunchShape& shape, StreamHandle stream,
             std::span<const std::uint64_t> args, std::span<const TensorNote> tensors);
    // Something else that kernels run in: a graph.
    void add(std::shared_ptr<const std::string> text, StreamHandle stream);
    std::uint64_t now() const; // launches so far
    // The launches from a number on did not happen: they were recorded. Their texts.
    std::vector<std::string> withdraw(std::uint64_t from);
    // The launches of a stream up to a number have ended.
    void confirm(StreamHandle stream, std::uint64_t up_to);
    // The text of each launch that is not known to have ended, oldest first; of equal ones, one.
    std::vector<std::string> pending() const;

private:
    struct Argument {
        std::uint64_t bits = 0;
        char dtype[8] = {};
        int rank = -1; // -1: not known
        std::int64_t extents[6] = {};
    };
    struct Entry {
        bool is_pending = false;
        std::shared_ptr<const KernelSignature> kernel;
        std::shared_ptr<const std::string> text; // instead of a kernel
        LaunchShape shape;
        StreamHandle stream = nullptr;
        std::uint64_t number = 0;
        std::vector<Argument> args;
    };
    static constexpr std::size_t capacity = 64;
    Entry& next(StreamHandle stream);
    static std::string text_of(const Entry& entry);
    mutable std::mutex m_mutex;
    std::vector<Entry> m_ring = std::vector<Entry>(capacity);
    std::uint64_t m_next = 0;
};

} // namespace hidet::cuda
