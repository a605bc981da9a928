// SPDX-License-Identifier: Apache-2.0
// Tensor maps as the driver encodes them, kept for the launches of later runs on the same memory.
#pragma once

#include "runtime/capi/cuda_gpu.h"

namespace hidet::capi {

class TensorMaps {
public:
    TensorMaps() = default;
    ~TensorMaps() { clear(); }
    TensorMaps(const TensorMaps&) = delete;
    TensorMaps& operator=(const TensorMaps&) = delete;

    // What it gave before may go: not between the arguments of one launch.
    void make_room();
    // The 128 bytes; null: the problem says why. Good until make_room().
    void* encode(const Gpu& gpu, const package::TensorMapValue& value, DeviceAddress address, Problem& problem);

private:
    struct alignas(64) Encoded {
        unsigned char bytes[128];
        Encoded* next; // of the same place
        package::TensorMapValue value;
        DeviceAddress address;
    };
    static constexpr std::size_t places = 256, most = 4096;
    void clear();

    Encoded* m_encoded[places] = {};
    std::size_t m_count = 0;
};

} // namespace hidet::capi
