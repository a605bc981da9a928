// SPDX-License-Identifier: GPL-3.0-only
// The outline of a script as a list, for whoever searches in it.
#pragma once

#include <vector>

#include "app/session/snapshot/snapshot.h"
#include "app/ui/live/live_pipeline.h"

namespace hidet::ui {

struct Symbol {
    QString name;
    QString detail;
    session::assist::OutlineKind kind{};
    int depth = 0;
    session::Place place; // of the name
};

// Functions, kernels, tensors and the like, in the order of the text; loops and imports are no symbols.
std::vector<Symbol> symbolsOf(const LivePipeline& live, const QString& file);

// The place of a range in the text that was analysed.
session::Place placeIn(const LivePipeline& live, const QString& file, session::assist::Range range);

} // namespace hidet::ui
