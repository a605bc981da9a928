// SPDX-License-Identifier: Apache-2.0
// What a lookup of an attribute gives: a value, a method, or nothing. And objects of ours as values.
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

inline std::unique_ptr<Value> boxed(std::string_view method, const Parameters& parameters, BoundFunction body) {
    return boxed(Value::native(std::string(method), parameters, std::move(body)));
}

// Value::extension with the reference count of a fresh object.
template <class T, class... Given>
Value new_extension(Given&&... given) {
    return Value::extension(Ref<NativeObject>(new T(std::forward<Given>(given)...)));
}

} // namespace hidet::lang
