// SPDX-License-Identifier: Apache-2.0
// The names that enumerators have in documents.
#pragma once

#include "app/session/kernel_bench/history.h"
#include "app/session/model/model.h"
#include "app/session/prove/contracts.h"
#include "app/session/view/structure.h"

namespace hidet::session::fields {

inline const char* choice_name(ContractState value) {
    return contract_state_name(value);
}
constexpr const char* choice_name(Severity value) {
    switch (value) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
    }
    return "error";
}
constexpr const char* choice_name(RoofKind value) {
    return value == RoofKind::Memory ? "memory" : "arithmetic";
}
inline const char* choice_name(Change value) {
    constexpr const char* names[] = {"faster", "slower", "within-spread", "not-comparable"};
    return names[static_cast<int>(value)];
}
inline const char* choice_name(VerdictKind value) {
    return verdict_name(value);
}
inline const char* choice_name(StructureKind value) {
    return structure_kind_name(value);
}
inline const char* choice_name(StructureChange value) {
    return structure_change_name(value);
}

} // namespace hidet::session::fields
