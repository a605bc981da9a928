// SPDX-License-Identifier: Apache-2.0
// What a factor of a composition divides: each element of the factors around it into parts, which the factors behind it fill.
#pragma once

#include <optional>

#include "app/session/view/canvas_grid.h"

namespace hidet::session {

struct FactorShare {
    std::string name;                 // "spatial"
    std::vector<std::int64_t> counts; // of parts, in each dimension
    std::vector<std::int64_t> part;   // the extents of one
    std::vector<std::int64_t> shape;  // of the picture

    std::int64_t parts() const;  // that lie beside each other
    std::int64_t blocks() const; // of that many parts each, in the picture
    // The number of an element's part in the first block; -1: it lies in another.
    std::int64_t part_of(std::int64_t element) const;
};

// Nothing where the numbers of the factors are not the extents of the picture, as those of a swizzle are not.
std::optional<FactorShare> share_of(const Canvas& canvas, const CanvasPicture& picture, std::size_t factor);

// "spatial(4, 8): 32 parts of (2, 1), each for a worker of its own; the first of 4 such blocks"
std::string share_text(const FactorShare& share);

} // namespace hidet::session
