// SPDX-License-Identifier: Apache-2.0
// A launch that a backend noted instead of starting it: what starts it later, as often as one likes, with pointers changed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/artifact/tensor_map.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/tensor_map.h"
#include "runtime/vm/backend.h"

namespace hidet::cuda {

struct NotedLaunch {
    NotedLaunch(std::shared_ptr<Kernel> kernel, const vm::DeviceLaunch& launch);

    void set_address(std::size_t arg, std::uint64_t address); // of a pointer, or of what a tensor map is of
    Result<void> start(Stream& stream);                       // asynchronous

    std::shared_ptr<Kernel> kernel;
    LaunchShape shape;
    std::vector<std::uint64_t> args;

private:
    struct Tensor {
        std::string dtype;
        std::vector<std::int64_t> shape;
    };
    struct Map {
        std::size_t arg = 0;
        artifact::TensorMap map;
        EncodedMap encoded;
    };
    std::vector<std::optional<Tensor>> m_tensors; // by argument, for messages
    std::vector<Map> m_maps;
};

} // namespace hidet::cuda
