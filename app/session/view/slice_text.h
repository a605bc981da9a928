// SPDX-License-Identifier: Apache-2.0
// Which part of something with many dimensions is meant: "0,*,*".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hidet::session {

struct StarSlice {
    std::vector<int> shown;          // the dimensions with a star: one or two
    std::vector<std::int64_t> fixed; // an index for each dimension; 0 for those that are shown
};
// A sentence that says what is wrong; empty: nothing is.
std::string read_stars(const std::string& text, const std::vector<std::int64_t>& shape, StarSlice& out);

} // namespace hidet::session
