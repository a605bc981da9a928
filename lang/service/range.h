// SPDX-License-Identifier: Apache-2.0
// Places and changes of a text that is not (yet) a file of a source map.
#pragma once

#include <cstdint>
#include <string>

#include "lang/base/source.h"

namespace hidet::lang::service {

struct Range {
    std::uint32_t begin = 0; // byte offset
    std::uint32_t end = 0;   // one past the last byte
    bool empty() const { return begin == end; }
    bool holds(std::uint32_t offset) const { return begin <= offset && offset < end; }
    bool touches(std::uint32_t offset) const { return begin <= offset && offset <= end; } // a caret at its end counts
    bool covers(Range other) const { return begin <= other.begin && other.end <= end; }
    friend bool operator==(const Range&, const Range&) = default;
};

inline Range range_of(Span span) {
    return {span.begin, span.end};
}

// Replace the bytes of the range. Several edits of one answer do not overlap and are all of the old text.
struct Edit {
    Range range;
    std::string text;
};

} // namespace hidet::lang::service
