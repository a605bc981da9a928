// SPDX-License-Identifier: Apache-2.0
// From a request to the modules that its script builds: what previews of every kind begin with.
#pragma once

#include <cstdint>
#include <vector>

#include "app/session/script/script_run.h"
#include "app/session/work/work.h"
#include "compiler/ir/func.h"

namespace hidet::session {

struct RecordedSite {
    ir::ModuleRef module;
    Span site;
    lang::ModuleState state{};
    bool is_asked = false; // by a call that the request makes
};

// Whether the passes and the architecture that the request names exist; if not, that is reported.
bool can_be_asked(Work& work, const PreviewRequest& request);

struct BuiltScript {
    EvaluatedScript evaluated; // of IR nothing
    std::vector<RecordedSite> sites;
};
// Evaluates the script without data, or reads IR. Mistakes are in the work's sink; what could be built is returned.
BuiltScript build_script(Work& work, const PreviewRequest& request);

// Of a script that was evaluated: the modules that it builds.
std::vector<RecordedSite> sites_of(const lang::EvalResult& result);

// The module as it is before any pass: its functions and places.
ModuleSnapshot describe(const Work& work, const RecordedSite& recorded, int number);

} // namespace hidet::session
