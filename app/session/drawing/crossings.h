// SPDX-License-Identifier: Apache-2.0
// How many edges cross between two layers. Segments that begin or end at the same port of the same vertex do not.
#pragma once

#include "app/session/drawing/layers.h"

namespace hidet::drawing {

class CrossingCounter {
public:
    explicit CrossingCounter(const Layers& layers) : m_layers(layers), m_slots(layers.segments.size()) {}

    std::uint64_t below(std::uint32_t layer); // between it and the next one
    std::uint64_t all();

    // Crossings of the segments of two vertices of a layer, when `left` stands left of `right`.
    std::uint64_t between(std::uint32_t left, std::uint32_t right);

private:
    struct End {
        std::uint32_t position;
        Length at;
        std::uint64_t edges;
        bool operator<(const End& other) const {
            return position != other.position ? position < other.position : at < other.at;
        }
    };
    std::uint64_t few();
    std::uint64_t many(std::uint32_t slots);
    static std::uint64_t inverted(std::vector<End>& left, std::vector<End>& right);

    const Layers& m_layers;
    std::vector<std::uint32_t> m_slots; // of every segment, among the ends at the lower layer
    struct Line {
        std::uint32_t upper; // number of its upper end
        std::uint32_t slot;
        std::uint64_t edges;
    };
    std::vector<Line> m_lines;
    std::vector<std::uint64_t> m_sums;
    std::vector<End> m_left, m_right;
};

} // namespace hidet::drawing
