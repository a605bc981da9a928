// SPDX-License-Identifier: Apache-2.0
// A turn of a loop as people read it.
#pragma once

#include "app/session/snapshot/machine.h"
#include "runtime/toolchain/sass/bound.h"

namespace hidet::session {

// Where an instruction of a function stands in the listing, and what it came from.
struct ListingPlaces {
    const toolchain::sass::Function& code;
    const TextSnapshot& text;

    int line(std::size_t at) const { return static_cast<int>(code.code[at].line) + 1; }
    Place place(std::size_t at) const {
        const std::size_t line = code.code[at].line;
        return line < text.lines.size() ? text.lines[line].place : Place();
    }
};

MachineTurn turn_view(const toolchain::sass::Turn& turn, const ListingPlaces& places);

} // namespace hidet::session
