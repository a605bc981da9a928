// SPDX-License-Identifier: Apache-2.0
// The types of single numbers, in memory and as arguments.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hidet::package {

enum class Scalar : std::uint8_t {
#define HIDET_SCALAR(name, text, bytes) name,
#include "runtime/package/scalars.def"
#undef HIDET_SCALAR
};

struct ScalarInfo {
    const char* name;
    int bytes;
};
inline constexpr ScalarInfo scalar_rows[] = {
#define HIDET_SCALAR(name, text, bytes) {text, bytes},
#include "runtime/package/scalars.def"
#undef HIDET_SCALAR
};

inline constexpr int scalar_count = static_cast<int>(sizeof scalar_rows / sizeof *scalar_rows);

inline const char* scalar_name(Scalar scalar) { // "f32"
    return scalar_rows[static_cast<std::size_t>(scalar)].name;
}
inline int scalar_bytes(Scalar scalar) { // in memory
    return scalar_rows[static_cast<std::size_t>(scalar)].bytes;
}
inline bool is_real(Scalar scalar) {
    return scalar >= Scalar::F8E4M3;
}

} // namespace hidet::package
