// SPDX-License-Identifier: Apache-2.0
// A module of a script as another GPU would have it: its texts, and what it costs there.
#pragma once

#include <memory>
#include <string>

#include "app/session/kernel_bench/code_figures.h"
#include "app/session/request/request.h"

namespace hidet::session {

struct Elsewhere {
    std::shared_ptr<const ModuleSnapshot> module; // null: the reason says why
    CodeFigures figures;
    std::string reason; // the first mistake; empty: all that was asked for is there
};

// `request` says which module (PreviewRequest::module), which texts, and the architecture.
Elsewhere made_elsewhere(PreviewRequest request);

} // namespace hidet::session
