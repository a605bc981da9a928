// SPDX-License-Identifier: Apache-2.0
// What a lookup of an attribute gives: a value, a method, or nothing.
#pragma once

#include <memory>

#include "lang/host/value.h"

namespace hidet::lang {

inline std::unique_ptr<Value> boxed(Value value) {
    return std::make_unique<Value>(std::move(value));
}

inline std::unique_ptr<Value> boxed(std::string_view method, NativeFunction body) {
    return boxed(Value::native(std::string(method), std::move(body)));
}

} // namespace hidet::lang
