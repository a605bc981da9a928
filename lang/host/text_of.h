// SPDX-License-Identifier: Apache-2.0
// str() and repr() of values.
#pragma once

#include <string>

#include "lang/host/evaluator.h"

namespace hidet::lang {

std::string text_of(Evaluator& evaluator, const Value& value);
std::string repr_of(Evaluator& evaluator, const Value& value);

} // namespace hidet::lang
