// SPDX-License-Identifier: Apache-2.0
// Pictures of what a kernel does, from the plain data of its analyses.
#pragma once

#include <string>

#include "app/session/bench/roofline.h"
#include "app/session/explain/explain.h"
#include "app/session/picture/svg.h"
#include "app/session/snapshot/snapshot.h"
#include "app/session/view/canvas_grid.h"

namespace hidet::session {

Svg picture_of(const CanvasPicture& picture, const CanvasSlice& slice, const std::string& title);
Svg picture_of(const AccessView& access); // lanes and sectors, or lanes and banks
Svg picture_of(const Roofline& roofline);
Svg picture_of(const WavesView& waves);
Svg picture_of(const TimelineView& timeline);

// Several below each other, as one file.
std::string stacked(const std::vector<Svg>& pictures);

} // namespace hidet::session
