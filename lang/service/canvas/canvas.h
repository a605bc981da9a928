// SPDX-License-Identifier: Apache-2.0
// The mapping canvas: what the task mapping, the layout or the matrix instruction under the caret says, as numbers to be
// drawn, and what a change of it is in the text.
#pragma once

#include "lang/service/service.h"

namespace hidet::lang::service {

// A number of a factor.
struct CanvasNumber {
    std::string name; // of a keyword argument: "workers"
    std::string text; // as it stands there: "4", "block_m"
    std::int64_t value = 0;
    Range range;   // of the text
    Range literal; // what a change of it replaces, perhaps where a variable is assigned; empty: it cannot be changed
    std::string refusal; // why not: "comes from the argument m"
};

// A part of a composition, as the user wrote it.
struct CanvasFactor {
    std::string name; // "spatial", or of a variable "warp_map"
    Range range;      // "spatial(4, 8)", without the dot in front
    std::vector<CanvasNumber> numbers;
    bool is_method = false; // behind a dot
    bool is_atom = true;    // needs no parentheses in a product
    std::string refusal;    // why it cannot be moved; it may be changed and taken out all the same
};

enum class CanvasKind : std::uint8_t { Mapping, Layout };

// One picture. Elements have row-major numbers in the shape.
struct CanvasPicture {
    CanvasKind kind{};
    std::string title; // of one of several
    std::vector<std::int64_t> shape;
    std::string refusal; // why there are no numbers below
    // Of a mapping: the element of the task k of worker w is at w * per_worker + k.
    std::int64_t workers = 0;
    std::int64_t per_worker = 0;
    std::vector<std::int64_t> elements;
    // Of a layout: the slot of each element.
    std::int64_t size = 0;
    int element_bits = 0; // 0: not known
    std::vector<std::int64_t> places;
};

struct Canvas {
    Range range;  // what the caret is at
    Range source; // the expression with the factors: the same, or where the name is assigned
    std::string text;
    std::vector<CanvasFactor> factors; // from the outermost on; empty for what is no composition
    std::vector<CanvasPicture> pictures;
    std::int64_t threads = 0; // of the block that asks the mapping for tasks, mapping.on(threadIdx.x); 0: not known
    bool known() const { return !pictures.empty(); }
};

// At the caret, else the one on its line that is nearest to it; unknown where there is none.
Canvas canvas(const Document& document, std::uint32_t offset);

// ---- changes --------------------------------------------------------------------------------------------------------

struct CanvasChange {
    std::vector<Edit> edits; // in the order of the text
    std::string refusal;     // why not; then there are no edits
};
CanvasChange set_number(const Document& document, const Canvas& canvas, std::size_t factor, std::size_t number,
                        std::int64_t value);
// Behind a factor, or at the end: with extents of 1, which changes nothing until they are changed. The names are those of
// added_factors().
CanvasChange add_factor(const Document& document, const Canvas& canvas, std::size_t behind, std::string_view name);
CanvasChange remove_factor(const Document& document, const Canvas& canvas, std::size_t factor);
CanvasChange swap_factors(const Document& document, const Canvas& canvas, std::size_t left); // with the next one
std::vector<std::string> added_factors(const Canvas& canvas);                                // "spatial", "repeat"

} // namespace hidet::lang::service
