// SPDX-License-Identifier: Apache-2.0
// Methods of the built-in kinds of values: str.split, list.append, ...
#pragma once

#include <span>
#include <string_view>

#include "lang/host/arguments.h"

namespace hidet::lang {

struct MethodRow : NativeRow<Evaluator&, const Value&> {
    using NativeRow::NativeRow;
};

// Null when values of this kind have no such method.
const MethodRow* find_method(ValueKind kind, std::string_view name);
std::span<const MethodRow> methods_of(ValueKind kind);

std::span<const MethodRow> str_methods();
std::span<const MethodRow> tensor_methods();

} // namespace hidet::lang
