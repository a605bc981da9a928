// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/warp_traffic.h"

#include <array>

namespace hidet::artifact {

namespace {

// The bytes that a warp touches, without those that it touches twice. The pieces are sorted.
std::int64_t distinct_bytes(std::span<const Piece> pieces) {
    std::int64_t sum = 0, end = pieces.front().begin;
    for (const Piece& piece : pieces) {
        const std::int64_t from = std::max(end, piece.begin), to = piece.begin + piece.size;
        sum += std::max<std::int64_t>(to - from, 0);
        end = std::max(end, to);
    }
    return sum;
}

Traffic request(std::span<const Piece> pieces, std::uint64_t units, std::uint64_t least) {
    Traffic out{.requests = 1, .units = units, .least = least, .worst = (units + least - 1) / least};
    for (const Piece& piece : pieces)
        out.bytes += static_cast<std::uint64_t>(piece.size);
    return out;
}

// How often the fullest bank has to be read for these lanes.
std::uint64_t wavefronts_of(std::span<const Piece> pieces, bool updates) {
    std::array<std::array<std::int64_t, bank_count>, bank_count> words; // by bank
    std::array<int, bank_count> counts{};
    for (const Piece& piece : pieces)
        for (std::int64_t word = piece.begin / bank_bytes;
             piece.size > 0 && word <= (piece.begin + piece.size - 1) / bank_bytes; ++word) {
            const auto bank = static_cast<std::size_t>(word % bank_count);
            const auto known = std::span(words[bank]).first(static_cast<std::size_t>(counts[bank]));
            if (updates || std::ranges::find(known, word) == known.end())
                words[bank][static_cast<std::size_t>(counts[bank]++)] = word;
        }
    return static_cast<std::uint64_t>(*std::ranges::max_element(counts));
}

// How many stretches of a line's length hold what is read.
std::uint64_t windows_of(std::span<const Piece> from) {
    std::array<Piece, bank_count> sorted;
    const auto end = std::ranges::copy_if(from, sorted.begin(), [](const Piece& piece) { return piece.size > 0; }).out;
    const std::span<Piece> pieces(sorted.begin(), end);
    std::ranges::sort(pieces, {}, &Piece::begin);
    std::uint64_t count = 0;
    std::int64_t covered = 0;
    for (const Piece& piece : pieces)
        if (count == 0 || piece.begin + piece.size > covered)
            ++count, covered = piece.begin + line_bytes;
    return count;
}

} // namespace

Traffic sectors_of(std::span<Piece> pieces) {
    std::ranges::sort(pieces, {}, &Piece::begin);
    const auto least = static_cast<std::uint64_t>((distinct_bytes(pieces) + sector_bytes - 1) / sector_bytes);
    std::uint64_t units = 0;
    std::int64_t last = -1;
    for (const Piece& piece : pieces) {
        const std::int64_t end = (piece.begin + piece.size - 1) / sector_bytes;
        units +=
            static_cast<std::uint64_t>(std::max<std::int64_t>(end - std::max(last, piece.begin / sector_bytes - 1), 0));
        last = std::max(last, end);
    }
    return request(pieces, units, least);
}

int lanes_together(std::int64_t bytes_of_lane) {
    return static_cast<int>(bank_count * bank_bytes / std::max<std::int64_t>(bytes_of_lane, bank_bytes));
}

Traffic banks_of(std::span<const Piece> pieces, std::span<const int> lanes, bool updates, std::span<const Piece> from) {
    const int together = lanes_together(pieces[0].size);
    std::uint64_t units = 0, least = 0;
    for (std::size_t first = 0; first < pieces.size();) {
        std::size_t end = first;
        while (end < pieces.size() && lanes[end] / together == lanes[first] / together)
            ++end;
        const std::uint64_t here = wavefronts_of(pieces.subspan(first, end - first), updates);
        units += from.empty() ? here : std::max(here, windows_of(from.subspan(first, end - first)));
        ++least;
        first = end;
    }
    return request(pieces, units, least);
}

} // namespace hidet::artifact
