// SPDX-License-Identifier: Apache-2.0
// Enumerations that come from outside: a number that no enumerator has is refused. Those of documents have names.
#pragma once

#include "app/session/explain/contracts.h"
#include "app/session/kernel_bench/history.h"
#include "app/session/model/model.h"
#include "app/session/view/structure.h"
#include "runtime/toolchain/compiler.h"
#include "runtime/toolchain/listing.h"

namespace hidet::session::fields {

// A switch without default: the build names the enumerator that is missing.
constexpr bool is_known(Severity value) {
    switch (value) {
    case Severity::Error:
    case Severity::Warning:
    case Severity::Note: return true;
    }
    return false;
}
constexpr bool is_known(Status value) {
    switch (value) {
    case Status::Ok:
    case Status::UserMistake:
    case Status::WrongUsage:
    case Status::Environment:
    case Status::Internal:
    case Status::Cancelled:
    case Status::TimedOut: return true;
    }
    return false;
}
constexpr bool is_known(Target value) {
    switch (value) {
#define HIDET_TARGET(name, ...) case Target::name:
#include "app/session/snapshot/targets.def"
        return true;
    }
    return false;
}
constexpr bool is_known(artifact::Language value) {
    switch (value) {
    case artifact::Language::CudaCxx:
    case artifact::Language::Cxx:
    case artifact::Language::Ptx: return true;
    }
    return false;
}
constexpr bool is_known(toolchain::Product value) {
    switch (value) {
    case toolchain::Product::Ptx:
    case toolchain::Product::Cubin:
    case toolchain::Product::SharedObject:
    case toolchain::Product::Object: return true;
    }
    return false;
}
constexpr bool is_known(RoofKind value) {
    switch (value) {
    case RoofKind::Memory:
    case RoofKind::Arithmetic: return true;
    }
    return false;
}
constexpr bool is_known(Fill value) {
    switch (value) {
#define HIDET_FILL(name, text, summary) case Fill::name:
#include "app/session/kernel_bench/fills.def"
        return true;
    }
    return false;
}
constexpr bool is_known(ReferenceKind value) {
    switch (value) {
    case ReferenceKind::None:
    case ReferenceKind::ScriptFunction:
    case ReferenceKind::Variant:
    case ReferenceKind::Emulator:
    case ReferenceKind::ScriptChecks: return true;
    }
    return false;
}
constexpr bool is_known(VerdictKind value) {
    switch (value) {
    case VerdictKind::Correct:
    case VerdictKind::Wrong:
    case VerdictKind::Unchecked:
    case VerdictKind::Failed: return true;
    }
    return false;
}
constexpr bool is_known(OccupancyLimit value) {
    switch (value) {
    case OccupancyLimit::Warps:
    case OccupancyLimit::Blocks:
    case OccupancyLimit::Registers:
    case OccupancyLimit::SharedMemory:
    case OccupancyLimit::Barriers: return true;
    }
    return false;
}
constexpr bool is_known(ContractState value) {
    switch (value) {
    case ContractState::Kept:
    case ContractState::Broken:
    case ContractState::Unknown: return true;
    }
    return false;
}
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
constexpr bool is_known(Change value) {
    switch (value) {
    case Change::Faster:
    case Change::Slower:
    case Change::WithinSpread:
    case Change::NotComparable: return true;
    }
    return false;
}
inline const char* choice_name(Change value) {
    constexpr const char* names[] = {"faster", "slower", "within-spread", "not-comparable"};
    return names[static_cast<int>(value)];
}
inline const char* choice_name(VerdictKind value) {
    return verdict_name(value);
}
constexpr bool is_known(StructureKind value) {
    switch (value) {
#define HIDET_STRUCTURE_KIND(name, ...) case StructureKind::name:
#include "app/session/view/structure_kinds.def"
        return true;
    }
    return false;
}
inline const char* choice_name(StructureKind value) {
    return structure_kind_name(value);
}
constexpr bool is_known(StructureChange value) {
    switch (value) {
    case StructureChange::Same:
    case StructureChange::Added:
    case StructureChange::Removed:
    case StructureChange::Altered: return true;
    }
    return false;
}
inline const char* choice_name(StructureChange value) {
    return structure_change_name(value);
}

} // namespace hidet::session::fields
