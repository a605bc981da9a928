// SPDX-License-Identifier: Apache-2.0
// The family of every operator. By its folder in ops.def, unless op_family_members.def says otherwise.
#pragma once

#include "app/session/model/view/model_view.h"
#include "compiler/graph/core/op.h"

namespace hidet::session {

inline constexpr std::size_t family_count = 0
#define HIDET_OP_FAMILY(name, id, title) +1
#include "app/session/model/view/op_families.def"
    ;

OpFamily family_of(graph::OpId op); // Other: no operator of ours

} // namespace hidet::session
