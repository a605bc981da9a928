// SPDX-License-Identifier: Apache-2.0
// A package (runtime/package/FORMAT.md) of compiled plans.
#pragma once

#include <utility>

#include "app/session/package/plan_images.h"
#include "lang/base/result.h"

namespace hidet::session {

struct PackagedPlan {
    std::string entry;        // "main"
    std::string architecture; // that it is made for: "sm_90a", "x86-64"
    PlanImages images;
    Tensors weights; // by row of the plan
};

struct PackageContents {
    std::string name, writer;        // of the model; a program and its version
    std::vector<PackagedPlan> plans; // those of an entry follow each other
    std::vector<std::pair<std::string, std::string>> facts;
    std::string key; // a file with an Ed25519 key; empty: it is not signed
};

// The key that the signature is verified with; empty: there is none. Weights that are equal are stored once, whichever plans
// they are of. What was written is read back and verified. Error codes: "not-written", "key-unreadable".
Result<std::string> write_package(const std::string& path, PackageContents contents);

} // namespace hidet::session
