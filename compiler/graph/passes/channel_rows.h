// SPDX-License-Identifier: Apache-2.0
// Views of images [batch, channels, spatial...] in which what is normalised together is a row: the elements of all pixels of a
// channel, or of neighbouring channels.
#pragma once

#include "compiler/graph/core/op.h"

namespace hidet::graph {

// How many groups an image's channels make where these dimensions of a view of it are reduced; nothing where they do not make
// equal groups, each of all pixels.
std::optional<std::int64_t> groups_of_rows(const Shape& view, const Ints& dims, const Shape& image);

// How an operand that broadcasts against a view becomes one for each channel: repeated to the dimensions before the pixels, as
// [batch or 1, groups, 1], repeated to [batch or 1, groups, channels of a group].
struct OperandRows {
    Shape repeated, of_groups, of_channels;
};
// Nothing where the operand does not go along groups or channels alone.
std::optional<OperandRows> rows_of_operand(const Shape& operand, const Shape& view, const Shape& image);

} // namespace hidet::graph
