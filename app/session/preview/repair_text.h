// SPDX-License-Identifier: Apache-2.0
// What may repair a mistake, from the text around it: edits that nobody has tried yet, the likeliest first.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/diagnostic.h"

namespace hidet::session {

// What is known of the name at an offset of the text.
struct KnownName {
    std::vector<std::string> shape; // of a tensor, an extent each
    std::string type;               // of a scalar: "i32"
};
using AskName = std::function<KnownName(std::uint32_t offset)>;

// Empty: the mistake is not of a kind that has one.
std::vector<FixIt> possible_repairs(const Diagnostic& mistake, std::string_view text, const AskName& ask);
bool may_be_repaired(DiagId id);

} // namespace hidet::session
