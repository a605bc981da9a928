// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/wide_access.h"

#include <charconv>

namespace hidet::ir {

static WideAccess read_name(std::string_view name) { // "ldg128_lu"
    WideAccess out{
        .is_load = name.starts_with("ld"), .is_shared = name[2] == 's', .is_last_use = name.ends_with("_lu")};
    std::from_chars(name.data() + 3, name.data() + name.size(), out.bits);
    return out;
}

std::optional<WideAccess> wide_access(IntrinsicId id) {
    switch (id) {
#define HIDET_INTRINSIC(id, ...) case IntrinsicId::id:
#include "compiler/ir/intrinsics/wide_access.def"
#undef HIDET_INTRINSIC
        return read_name(info(id).short_name());
    default: return std::nullopt;
    }
}

} // namespace hidet::ir
