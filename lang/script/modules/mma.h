// SPDX-License-Identifier: Apache-2.0
// MmaConfig: a matrix instruction of one warp, and how its lanes hold the operands.
#pragma once

#include <string>

#include "compiler/ir/intrinsics/mma.h"
#include "compiler/ir/mapping.h"
#include "lang/host/members.h"
#include "lang/script/objects.h"

namespace hidet::lang {

struct MmaConfig final : WithMembers<MmaConfig> {
    explicit MmaConfig(ir::Mma mma);
    std::string type_name() const override { return "MmaConfig"; }
    std::string repr() const override { return "MmaConfig." + name(); }
    static std::span<const Member<MmaConfig>> members();
    std::string name() const { return shape.name; }

    ir::Mma mma;
    const ir::MmaShape& shape;
    // 32 workers; the order of a lane's tasks is the order of its registers.
    ir::MappingRef a_load_map, b_load_map, c_store_map;
};

Value make_mma_configs(); // the object MmaConfig itself

} // namespace hidet::lang
