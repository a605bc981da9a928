// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/intrinsic.h"

#include <unordered_map>

namespace hidet::ir {

static constexpr IntrinsicInfo table[] = {
#define HIDET_INTRINSIC(name, text, min_args, max_args, result, effect)                                                \
    {IntrinsicId::name, text, min_args, max_args, IntrinsicResult::result, IntrinsicEffect::effect},
#include "compiler/ir/intrinsics.def"
#undef HIDET_INTRINSIC
};

const IntrinsicInfo& info(IntrinsicId id) {
    return table[static_cast<std::size_t>(id)];
}

std::optional<IntrinsicId> find_intrinsic(std::string_view name) {
    static const std::unordered_map<std::string_view, IntrinsicId> by_name = [] {
        std::unordered_map<std::string_view, IntrinsicId> map;
        for (const IntrinsicInfo& row : table)
            map.emplace(row.name, row.id);
        return map;
    }();
    auto found = by_name.find(name);
    if (found == by_name.end())
        return std::nullopt;
    return found->second;
}

} // namespace hidet::ir
