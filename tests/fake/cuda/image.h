// SPDX-License-Identifier: Apache-2.0
// Modules that the fake driver loads: real cubins, of which it reads names and parameters, and texts such as
//
//     fake-module sm_90
//     kernel matmul params=8,8,8,4 registers=32 shared=1024 threads=1024
//     global counter 4
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fake {

struct ImageKernel {
    std::string name;
    std::vector<std::size_t> params; // bytes of each
    int registers = 32;
    int shared = 0;
    int local = 0;
    int threads = 1024; // of a block at most
};
struct ImageGlobal {
    std::string name;
    std::size_t bytes = 0;
};
struct Image {
    int arch = 0; // 90; 0: not known
    bool is_ptx = false;
    std::vector<ImageKernel> kernels;
    std::vector<ImageGlobal> globals;
};
bool read_image(const void* data, Image& image); // false: it is none

} // namespace fake
