// SPDX-License-Identifier: Apache-2.0
// Windows that slide over the spatial dimensions of a tensor, as convolutions and pools have them, for any number of
// dimensions. Attributes: padding (of each dimension, or all beginnings and then all ends), stride, dilations;
// one number stands for all dimensions.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/graph/core/list_attributes.h"
#include "compiler/graph/ops/expressions.h"

namespace hidet::graph {

enum class ChannelOrder : std::uint8_t { First, Last };

// A definition as that of an operator for one number of spatial dimensions; 0: as many as the input has.
template <Task (*define)(const OpCall&, std::size_t rank, ChannelOrder), std::size_t rank,
          ChannelOrder order = ChannelOrder::First>
Task of_rank(const OpCall& call) {
    return define(call, rank, order);
}

enum class Taps : std::uint8_t { InInput, InPaddedInput };

struct Window {
    std::size_t rank = 0;
    Shape kernel;  // extents of the window
    Shape extents; // of the input
    Ints begins;   // of the padding
    Ints ends;
    Ints strides;
    Ints dilations;
    bool ceil_mode = false;

    Shape output() const;                                // OpError: a window that is larger than what it slides over
    Expr start(const Indices& out, std::size_t d) const; // of the window, in the input: negative in the padding
    Expr position(const Indices& out, const Indices& tap, std::size_t d) const;
    Expr is_inside(const Indices& out,
                   const Indices& tap) const; // of the input, for all dimensions; true without padding
    // Taps of a window that lie in the input, along one dimension.
    Expr first_tap(const Indices& out, std::size_t d) const;
    Expr last_tap(const Indices& out, std::size_t d) const;
    // How many taps of a window lie there, in all dimensions. Not all lie in the padded input either where a rounded-up
    // count has a last window that reaches beyond it.
    Expr tap_count(const Indices& out, Taps which) const;
    bool is_padded() const;
    std::string name;
};

// Null extents of the kernel are an OpError by the caller. `extents` are the spatial ones of the input.
Window window_of(const OpCall& call, const std::string& name, Shape extents, Shape kernel);

} // namespace hidet::graph
