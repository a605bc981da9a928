// SPDX-License-Identifier: Apache-2.0
// NumPy's file format for one array. Only what kernels compute with is read: bools, integers and floats in the machine's
// byte order, in C order. A file is checked before memory is taken for it.
#pragma once

#include <optional>
#include <string>

#include "lang/base/npy.h"
#include "lang/base/result.h"
#include "lang/tensor/tensor.h"

namespace hidet::lang {

struct NpyLimits {
    std::uint64_t bytes = 8ull << 30; // of the elements
};

struct NpyHeader : NpyStart {
    std::optional<ir::DType> dtype; // nothing: there is no such type here
};

// "file-not-found", "file-unreadable", "npy-malformed": the messages name the file.
Result<NpyHeader> read_npy_header(const std::string& path);

// The array as a tensor on the CPU. Also "npy-type" (not one of ours, or big-endian), "npy-order" (Fortran), "npy-truncated",
// "npy-too-large". `stored_as`: the type to take two-byte items without a type of their own for (bf16 is stored so).
Result<TensorRef> read_npy(const std::string& path, std::optional<ir::DType> stored_as = {},
                           const NpyLimits& limits = {});

// Those of FileReplacement, "npy-type" (vectors, complex numbers, less than a byte). bf16 and eight-bit floats are written as items
// without a type, which NumPy reads as such.
Result<void> write_npy(const std::string& path, const Tensor& tensor);

} // namespace hidet::lang
