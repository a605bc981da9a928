// SPDX-License-Identifier: Apache-2.0
// What came out of looking at a tensor beside what it should be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hidet::session {

struct Tolerance {                  // an element is right when |got - wanted| <= absolute + relative * |wanted|
    std::optional<double> absolute; // nothing: from the type and the length of the sums, and the size of the numbers
    std::optional<double> relative;
};

// A tensor folded into a matrix (the last dimension is its columns; a vector takes rows of a power of two) and that into at
// most 64 x 64 cells.
struct ErrorMap {
    std::int64_t matrix_rows = 0;
    std::int64_t matrix_columns = 0;
    std::int64_t cell_rows = 1; // rows of the matrix in a cell
    std::int64_t cell_columns = 1;
    int rows = 0; // of cells
    int columns = 0;
    // The largest error of the cell over what is tolerated there: up to 1 is right. 1e6 stands for all beyond, NaN included.
    std::vector<double> values; // row after row
};
inline constexpr double worst_error = 1e6;

// Threads that wrote wrong elements of a tensor, of several blocks where they did the same in each.
struct WrongOwner {
    std::string kernel;           // empty: nobody wrote them
    std::string threads;          // in words: "block (0, 1), warp 3, lanes 4-7"
    std::int64_t wrong = 0;       // elements
    std::int64_t written = 0;     // of all that they wrote last
    std::vector<std::int64_t> at; // the first wrong one
};

struct Comparison { // of a tensor that the function writes
    std::string tensor;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::string refusal; // why it could not be compared: nothing below holds then
    double absolute = 0; // tolerated
    double relative = 0;
    std::int64_t count = 0; // elements
    std::int64_t bad = 0;   // outside of the tolerance
    // Over the elements that are finite on both sides; nothing where there are none. Relative to what is wanted: infinite
    // where that is zero and the element is wrong.
    std::optional<double> max_absolute, max_relative, mean_absolute;
    std::optional<double> max_ulp;       // units in the last place of the tensor's type; of integers the difference
    std::vector<std::int64_t> first_bad; // index; empty: there is none
    // Index of the one outside of the tolerance that is furthest from what is wanted, what is not a number before all.
    std::vector<std::int64_t> worst;
    double got = 0; // there
    double wanted = 0;
    std::int64_t got_nan = 0, got_infinite = 0;
    std::int64_t wanted_nan = 0, wanted_infinite = 0;
    std::int64_t never_written = 0; // still hold the pattern of Fill::Empty
    ErrorMap map;
    std::vector<WrongOwner> owners; // of an emulated call: who wrote what is wrong, those of most first
};

// The greatest `max_absolute`; nothing: no element was compared.
std::optional<double> largest_error(const std::vector<Comparison>& comparisons);

} // namespace hidet::session
