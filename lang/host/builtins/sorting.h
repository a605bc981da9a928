// SPDX-License-Identifier: Apache-2.0
// What builtins and methods of collections share.
#pragma once

#include <vector>

#include "lang/host/objects.h"

namespace hidet::lang {

// Stable, by key(item) where a key is given.
std::vector<Value> sorted_values(Evaluator& evaluator, std::vector<Value> items, const Value* key, bool reverse,
                                 Span span);
// dict(...) and dict.update(...): a mapping or pairs, then keywords.
void fill_dict(Evaluator& evaluator, DictObject& dict, const Args& args, Span span, const char* function);

} // namespace hidet::lang
