// SPDX-License-Identifier: Apache-2.0
// What a lookup of an attribute gives: a value, or nothing.
#pragma once

#include <memory>

#include "lang/host/value.h"

namespace hidet::lang {

inline std::unique_ptr<Value> boxed(Value value) {
    return std::make_unique<Value>(std::move(value));
}

} // namespace hidet::lang
