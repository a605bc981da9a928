// SPDX-License-Identifier: Apache-2.0
// Integers as tensors hold them: of 64 bits, with a sign or without, which no double holds.
#pragma once

#include <compare>
#include <string>

#include "lang/tensor/elements.h"

namespace hidet::lang {

struct Whole {
    std::int64_t bits = 0;
    bool is_unsigned = false;
    bool is_beyond() const { return is_unsigned && bits < 0; } // more than an int64 holds
    bool operator==(const Whole& other) const { return (*this <=> other) == 0; }
    std::strong_ordering operator<=>(const Whole& other) const {
        if (is_beyond() != other.is_beyond())
            return is_beyond() ? std::strong_ordering::greater : std::strong_ordering::less;
        return bits <=> other.bits;
    }
};

// An element as read_integers() gives it.
inline Whole whole_of(std::int64_t bits, ir::DType dtype) {
    return {bits, dtype == ir::DType::U64};
}
std::string text_of(Whole number);
double distance(Whole a, Whole b);

// Each number of `from` in the type of `to`: rounded once, integers wrap, floats become integers as in a kernel.
void convert_elements(const Tensor& from, const Tensor& to);

} // namespace hidet::lang
