// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/access/requests.h"

#include <algorithm>

namespace hidet::compiler::access {

using artifact::Piece;
using artifact::Traffic;

namespace {

Traffic traffic_of(std::span<Piece> pieces, std::span<const int> lanes, bool is_shared, bool updates) {
    return is_shared ? artifact::banks_of(pieces, lanes, updates) : artifact::sectors_of(pieces);
}

struct Warp { // of the threads that take part, by their lanes
    std::array<Piece, 32> pieces{}, from{};
    std::array<int, 32> lanes{};
    std::size_t count = 0;
    bool is_like(const Warp& other) const {
        const auto is_equal = [](const Piece& a, const Piece& b) { return a.begin == b.begin && a.size == b.size; };
        return count == other.count && lanes == other.lanes && std::ranges::equal(pieces, other.pieces, is_equal) &&
               std::ranges::equal(from, other.from, is_equal);
    }
};

// Pieces of a warp, moved by whole units so that the lowest lies in the first.
void move_down(std::span<Piece> pieces, std::int64_t unit) {
    std::int64_t lowest = pieces.front().begin;
    for (const Piece& piece : pieces)
        lowest = std::min(lowest, piece.begin);
    const std::int64_t shift = lowest - floor_mod(lowest, unit);
    for (Piece& piece : pieces)
        piece.begin -= shift;
}

} // namespace

Places places_of(const Domain& domain, const std::vector<int>& open, const Value& address, bool is_shared) {
    Places out;
    out.unit = is_shared ? artifact::bank_bytes : artifact::sector_bytes;
    out.times[static_cast<std::size_t>(floor_mod(address.constant, out.unit))] = 1;
    for (int id : open) {
        const std::int64_t count = domain.atom(id).count;
        const std::int64_t by = floor_mod(address.terms.of(id), out.unit);
        if (by == 0) {
            for (double& times : out.times)
                times *= static_cast<double>(count);
            continue;
        }
        std::array<double, 32> next{};
        for (std::int64_t place = 0; place < out.unit; ++place)
            for (std::int64_t i = 0; i < std::min(count, out.unit); ++i) // places repeat after so many numbers
                next[static_cast<std::size_t>((place + by * i) % out.unit)] +=
                    out.times[static_cast<std::size_t>(place)] *
                    static_cast<double>((count - i + out.unit - 1) / out.unit);
        out.times = next;
    }
    for (const Term& term : address.terms)
        out.guesses = out.guesses || (!domain.atom(term.atom).is_bounded && term.by % out.unit != 0);
    return out;
}

Requests::Requests(const Value& address, const std::array<int, 1024>& bytes, std::size_t threads, bool is_shared,
                   bool updates, const CopySource* from)
    : m_lanes(address.lanes), m_bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(threads)),
      m_is_shared(is_shared), m_updates(updates), m_unit(is_shared ? artifact::bank_bytes : artifact::sector_bytes) {
    if (!from)
        return;
    m_from = from->address.lanes;
    m_from_bytes.assign(from->bytes.begin(), from->bytes.begin() + static_cast<std::ptrdiff_t>(threads));
}

bool Requests::is_of(const Value& address, const std::array<int, 1024>& bytes, const CopySource* from) const {
    const auto are_same = [](const std::shared_ptr<const Lanes>& a, const std::shared_ptr<const Lanes>& b) {
        return a == b || (a && b && std::ranges::equal(*a, *b, [](auto x, auto y) { return x.i == y.i; }));
    };
    if (!std::equal(m_bytes.begin(), m_bytes.end(), bytes.begin()) || !are_same(m_lanes, address.lanes) ||
        m_from_bytes.empty() != !from)
        return false;
    return !from || (are_same(m_from, from->address.lanes) &&
                     std::equal(m_from_bytes.begin(), m_from_bytes.end(), from->bytes.begin()));
}

const Sums& Requests::at(std::int64_t place) {
    std::optional<Sums>& known = m_known[static_cast<std::size_t>(place)];
    if (!known)
        known = computed_at(place);
    return *known;
}

// A warp that lies whole units behind the one before it asks for as much.
Sums Requests::computed_at(std::int64_t place) const {
    Sums sums;
    const std::size_t threads = m_bytes.size();
    Warp last;
    Traffic traffic;
    for (std::size_t first = 0; first < threads; first += 32) {
        Warp warp;
        for (std::size_t t = first; t < std::min(first + 32, threads); ++t) {
            if (m_bytes[t] <= 0)
                continue;
            warp.lanes[warp.count] = static_cast<int>(t - first);
            warp.pieces[warp.count] = {(m_lanes ? (*m_lanes)[t].i : 0) + place, m_bytes[t]};
            if (!m_from_bytes.empty())
                warp.from[warp.count] = {m_from ? (*m_from)[t].i : 0, m_from_bytes[t]};
            ++warp.count;
        }
        if (!warp.count)
            continue;
        const std::span<Piece> pieces = std::span(warp.pieces).first(warp.count);
        const std::span<Piece> from = std::span(warp.from).first(m_from_bytes.empty() ? 0 : warp.count);
        const std::span<const int> lanes = std::span<const int>(warp.lanes).first(warp.count);
        move_down(pieces, m_unit * (m_is_shared ? artifact::bank_count : 1));
        if (!from.empty())
            move_down(from, artifact::line_bytes);
        if (!warp.is_like(last)) {
            last = warp;
            traffic = m_is_shared ? artifact::banks_of(pieces, lanes, m_updates, from) : artifact::sectors_of(pieces);
        }
        sums.add(traffic, 1);
    }
    return sums;
}

Traffic traffic_of(const Picture& picture, bool is_shared, bool updates) {
    std::array<Piece, 32> pieces;
    std::array<int, 32> lanes{};
    std::size_t count = 0;
    std::int64_t lowest = 0;
    for (std::size_t lane = 0; lane < 32; ++lane)
        if (picture.bytes[lane] > 0) {
            lanes[count] = static_cast<int>(lane);
            pieces[count] = {picture.offsets[lane], picture.bytes[lane]};
            lowest = count ? std::min(lowest, pieces[count].begin) : pieces[count].begin;
            ++count;
        }
    if (!count)
        return {};
    const std::int64_t shift = lowest - floor_mod(lowest, artifact::line_bytes);
    for (std::size_t i = 0; i < count; ++i)
        pieces[i].begin -= shift;
    return traffic_of(std::span(pieces).first(count), std::span(lanes).first(count), is_shared, updates);
}

std::optional<std::array<std::int64_t, 3>> strides_of(const Value& address, const std::array<std::int64_t, 3>& block,
                                                      std::size_t threads, const Mask& mask) {
    const auto x = static_cast<std::size_t>(block[0]), y = static_cast<std::size_t>(block[1]);
    std::array<std::int64_t, 3> strides{};
    if (!address.lanes)
        return strides;
    // Of neighbours that both take part, the first of each direction tells.
    std::array<bool, 3> is_known{};
    const std::array<std::size_t, 3> steps{1, x, x * y};
    const auto place = [&](std::size_t t) { return std::array<std::size_t, 3>{t % x, t / x % y, t / x / y}; };
    std::optional<std::size_t> origin;
    for (std::size_t t = 0; t < threads; ++t) {
        if (!mask.has(t))
            continue;
        origin = origin ? origin : t;
        for (std::size_t d = 0; d < 3; ++d)
            if (const std::size_t next = t + steps[d]; !is_known[d] &&
                                                       place(t)[d] + 1 < static_cast<std::size_t>(block[d]) &&
                                                       next < threads && mask.has(next))
                strides[d] = address.base(next) - address.base(t), is_known[d] = true;
    }
    if (!origin)
        return std::nullopt;
    const auto begin = place(*origin);
    for (std::size_t t = 0; t < threads; ++t) {
        if (!mask.has(t))
            continue;
        std::int64_t expected = address.base(*origin);
        for (std::size_t d = 0; d < 3; ++d)
            expected += strides[d] * (static_cast<std::int64_t>(place(t)[d]) - static_cast<std::int64_t>(begin[d]));
        if (address.base(t) != expected)
            return std::nullopt;
    }
    return strides;
}

} // namespace hidet::compiler::access
