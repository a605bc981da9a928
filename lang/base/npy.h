// SPDX-License-Identifier: Apache-2.0
// What stands before the elements in NumPy's file format for one array: "\x93NUMPY", two bytes of version, the length of the
// header (2 bytes in version 1, 4 in 2 and 3), and the header, a Python dict as text:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace hidet {

struct NpyStart {
    std::string descr; // "<f4"
    std::vector<std::int64_t> shape;
    bool fortran_order = false;
    std::uint64_t data_offset = 0; // bytes into the file
    int version = 0;
};

enum class NpyFault : std::uint8_t { None, NoNpy, Version, Header };
// Of a file that is at its beginning; afterwards it is at the elements.
NpyFault read_npy_start(std::FILE& file, NpyStart& out);

// Of version 1. The elements begin at a multiple of 64 bytes.
std::string npy_start(std::string_view descr, const std::vector<std::int64_t>& shape);

} // namespace hidet
