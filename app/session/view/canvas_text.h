// SPDX-License-Identifier: Apache-2.0
// A picture of the mapping canvas as text.
#pragma once

#include "app/session/view/canvas_grid.h"

namespace hidet::session {

enum class CanvasShows : std::uint8_t { Cells, Workers, Banks };

// Cells: the grid, "worker.task" of mappings (the worker alone where each has one task), slots of layouts. Workers: the
// elements of each worker in order. Banks: the bank of each cell. Large ones end in "...".
std::string canvas_text(const CanvasPicture& picture, const TensorSlice& slice, CanvasShows shows);

} // namespace hidet::session
