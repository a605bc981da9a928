// SPDX-License-Identifier: Apache-2.0
// Pictures of what a kernel does, from the plain data of its analyses.
#pragma once

#include <string>

#include "app/session/explain/explain.h"
#include "app/session/figure/scene.h"
#include "app/session/snapshot/snapshot.h"
#include "app/session/view/canvas_grid.h"
#include "compiler/perf/roofs.h"

namespace hidet::session {

Scene picture_of(const CanvasPicture& picture, const TensorSlice& slice, const std::string& title);
Scene picture_of(const AccessView& access); // lanes and sectors, or lanes and banks
Scene picture_of(const Roofline& roofline);
Scene picture_of(const WavesView& waves);
Scene picture_of(const TimelineView& timeline);

} // namespace hidet::session
