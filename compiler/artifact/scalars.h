// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "runtime/package/scalar.h"

namespace hidet::artifact {

// By its short name, which is that of a dtype: "f32".
inline std::optional<package::Scalar> find_scalar(std::string_view name) {
    for (int i = 0; i < package::scalar_count; ++i)
        if (name == package::scalar_rows[i].name)
            return static_cast<package::Scalar>(i);
    return std::nullopt;
}

} // namespace hidet::artifact
