// SPDX-License-Identifier: Apache-2.0
// Methods of the built-in kinds of values: str.split, list.append, ...
#pragma once

#include <span>
#include <string_view>

#include "lang/host/value.h"

namespace hidet::lang {

struct MethodRow {
    std::string_view name;
    Value (*function)(Evaluator& evaluator, const Value& self, Args& args, Span span);
};

// Null when values of this kind have no such method.
const MethodRow* find_method(ValueKind kind, std::string_view name);
std::span<const MethodRow> methods_of(ValueKind kind);

std::span<const MethodRow> str_methods();
std::span<const MethodRow> list_methods();
std::span<const MethodRow> tuple_methods();
std::span<const MethodRow> dict_methods();
std::span<const MethodRow> set_methods();
std::span<const MethodRow> number_methods();
std::span<const MethodRow> float_methods();
std::span<const MethodRow> range_methods();
std::span<const MethodRow> tensor_methods();

} // namespace hidet::lang
