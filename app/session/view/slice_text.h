// SPDX-License-Identifier: Apache-2.0
// Which part of something with many dimensions is meant, and its elements: "0,*,*".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hidet::session {

struct TensorSlice {
    int row_dim = -1;                // -1: a single row
    int column_dim = -1;             // -1: a single column
    std::vector<std::int64_t> fixed; // an index for each dimension; those that are shown do not count
};
TensorSlice usual_slice(const std::vector<std::int64_t>& shape); // the last two dimensions, at index 0 of the others
// "0,*,*": an index or a star for each dimension, one or two of them stars. Else a sentence that says what is wrong.
std::string read_slice(const std::string& text, const std::vector<std::int64_t>& shape, TensorSlice& out);

std::vector<std::int64_t> index_of(const std::vector<std::int64_t>& shape, std::int64_t element); // in row-major order
std::string tuple_text(const std::vector<std::int64_t>& numbers);                                 // "(2, 5)"

} // namespace hidet::session
