// SPDX-License-Identifier: Apache-2.0
#include "compiler/analysis/access/requests.h"

#include <algorithm>

namespace hidet::compiler::access {

using artifact::Piece;
using artifact::Traffic;

namespace {

std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
    return (a % b + b) % b;
}

Traffic traffic_of(std::span<Piece> pieces, std::span<const int> lanes, bool is_shared, bool updates) {
    return is_shared ? artifact::banks_of(pieces, lanes, updates) : artifact::sectors_of(pieces);
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
                   bool updates)
    : m_lanes(address.lanes), m_bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(threads)),
      m_is_shared(is_shared), m_updates(updates), m_unit(is_shared ? artifact::bank_bytes : artifact::sector_bytes) {}

bool Requests::is_of(const Value& address, const std::array<int, 1024>& bytes) const {
    if (!std::equal(m_bytes.begin(), m_bytes.end(), bytes.begin()) || !m_lanes != !address.lanes)
        return false;
    return !m_lanes || m_lanes == address.lanes ||
           std::ranges::equal(*m_lanes, *address.lanes, [](auto a, auto b) { return a.i == b.i; });
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
    std::array<Piece, 32> pieces, last{};
    std::array<int, 32> lanes{}, last_lanes{};
    std::size_t last_count = 0;
    Traffic traffic;
    for (std::size_t first = 0; first < threads; first += 32) {
        std::size_t count = 0;
        std::int64_t lowest = 0;
        for (std::size_t t = first; t < std::min(first + 32, threads); ++t) {
            if (m_bytes[t] <= 0)
                continue;
            lanes[count] = static_cast<int>(t - first);
            pieces[count] = {(m_lanes ? (*m_lanes)[t].i : 0) + place, m_bytes[t]};
            lowest = count ? std::min(lowest, pieces[count].begin) : pieces[count].begin;
            ++count;
        }
        if (!count)
            continue;
        const std::int64_t shift = lowest - floor_mod(lowest, m_unit * (m_is_shared ? artifact::bank_count : 1));
        for (std::size_t i = 0; i < count; ++i)
            pieces[i].begin -= shift;
        const auto is_equal = [&](std::size_t i) {
            return pieces[i].begin == last[i].begin && pieces[i].size == last[i].size && lanes[i] == last_lanes[i];
        };
        bool repeats = count == last_count;
        for (std::size_t i = 0; repeats && i < count; ++i)
            repeats = is_equal(i);
        if (!repeats) {
            last = pieces, last_lanes = lanes, last_count = count;
            traffic = traffic_of(std::span(pieces).first(count), std::span(lanes).first(count), m_is_shared, m_updates);
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
