// SPDX-License-Identifier: Apache-2.0
// Where data lies and code runs.
#pragma once

#include <cstdint>

namespace hidet {

enum class Device : std::uint8_t { Cpu, Cuda };
constexpr const char* device_name(Device device) { // as scripts have it
    return device == Device::Cuda ? "cuda:0" : "cpu";
}

} // namespace hidet
