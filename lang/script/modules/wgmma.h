// SPDX-License-Identifier: Apache-2.0
// WgmmaConfig.get(m, n, k, a_dtype, b_dtype, out_dtype): a matrix instruction of a warp group.
#pragma once

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/intrinsics/wgmma.h"
#include "compiler/ir/mapping.h"
#include "lang/host/members.h"
#include "lang/script/objects.h"

namespace hidet::lang {

struct WgmmaConfig final : WithMembers<WgmmaConfig> {
    WgmmaConfig(ir::WgmmaTypes types, ir::WgmmaN columns) : types(types), columns(columns) {}
    std::string type_name() const override { return "WgmmaConfig"; }
    std::string repr() const override;
    static std::span<const Member<WgmmaConfig>> members();
    int n() const { return ir::columns_of(columns); }
    int k() const;    // of an instruction
    int sums() const; // of a thread
    bool can_transpose() const;
    bool is_integer() const;

    // 128 workers; the order of a thread's tasks is the order of its registers.
    ir::MappingRef a_load_map() const;
    ir::MappingRef c_store_map() const;

    ir::WgmmaTypes types;
    ir::WgmmaN columns;
};

} // namespace hidet::lang
