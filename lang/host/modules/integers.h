// SPDX-License-Identifier: Apache-2.0
// Integer functions of more than one module.
#pragma once

#include <vector>

#include "lang/host/value.h"

namespace hidet::lang {

__extension__ using WideInteger = __int128; // holds what two integers make

// Fails where the value is no 64-bit integer.
Value integer_of(WideInteger value, Span span);

// The integers of a call: what is no integer fails.
using IntegerFold = Value (*)(const std::vector<Value>& integers, Span span);
Value common_divisor(const std::vector<Value>& integers, Span span);  // the greatest; 0 of none
Value common_multiple(const std::vector<Value>& integers, Span span); // the least; 1 of none

} // namespace hidet::lang
