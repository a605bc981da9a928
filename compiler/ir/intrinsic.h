// SPDX-License-Identifier: Apache-2.0
// The operations that are neither operators nor calls of script functions: one table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hidet::ir {

enum class IntrinsicId : std::uint16_t {
#define HIDET_INTRINSIC(name, text, min_args, max_args, result, effect) name,
#include "compiler/ir/intrinsics.def"
#undef HIDET_INTRINSIC
};

enum class IntrinsicResult : std::uint8_t { Void, Arg0, Arg1, Bool, I32, U32, Given };
enum class IntrinsicEffect : std::uint8_t { Pure, Read, Write, Sync };

struct IntrinsicInfo {
    IntrinsicId id;
    const char* name;
    int min_args;
    int max_args; // -1: any number
    IntrinsicResult result;
    IntrinsicEffect effect;
};

const IntrinsicInfo& info(IntrinsicId id);
std::optional<IntrinsicId> find_intrinsic(std::string_view name);

} // namespace hidet::ir
