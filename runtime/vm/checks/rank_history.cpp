// SPDX-License-Identifier: Apache-2.0
#include "runtime/vm/checks/rank_history.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace hidet::vm {

namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20; // of a part
constexpr int most_ranks = 64;                            // of a launch are told apart

} // namespace

RankHistory::RankHistory(int ranks)
    : m_ranks(ranks), m_met(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)) {}

void RankHistory::add_part(const std::byte* begin, std::size_t bytes) {
    const std::lock_guard lock(m_mutex);
    const std::byte* const end = begin + bytes;
    m_flags.erase(m_flags.lower_bound(begin), m_flags.lower_bound(end)); // of what lay there before
    if (bytes <= most_bytes && m_ranks <= most_ranks)
        m_parts[begin].assign(bytes, {});
    else
        m_parts.erase(begin);
}

void RankHistory::meet(std::span<const int> ranks) {
    const std::lock_guard lock(m_mutex);
    for (const int rank : ranks)
        for (const int of : ranks)
            met(rank, of) = m_last;
}

RankHistory::Place RankHistory::find(const std::byte* at) {
    auto it = m_parts.upper_bound(at);
    if (it == m_parts.begin())
        return {};
    --it;
    return static_cast<std::size_t>(at - it->first) < it->second.size() ? Place{it->first, &it->second} : Place{};
}

RankHistory::Number RankHistory::begin_launch() {
    const std::lock_guard lock(m_mutex);
    return ++m_last;
}

RankHistory::Launch::Launch(RankHistory& history, std::string kernel)
    : m_history(history), m_kernel(std::move(kernel)), m_number(history.begin_launch()) {}

RankHistory::Earlier RankHistory::Launch::touch(const std::byte* at, std::size_t count, int rank, bool writes) {
    const std::lock_guard lock(m_history.m_mutex);
    const Place place = m_history.find(at);
    if (!place.cells)
        return {};
    Part& part = m_parts[place.begin];
    part.reads.resize(place.cells->size());
    part.writes.resize(place.cells->size());
    const auto first = static_cast<std::size_t>(at - place.begin);
    const std::size_t end = std::min(first + count, place.cells->size());
    Earlier earlier;
    for (std::size_t i = first; i < end; ++i) {
        (writes ? part.writes : part.reads)[i] |= std::uint64_t{1} << rank;
        const Cell& cell = (*place.cells)[i];
        const bool is_written = m_history.is_open(cell.write, rank);
        const Access& access = is_written ? cell.write : cell.read;
        const bool is_in_the_way = is_written || (writes && m_history.is_open(cell.read, rank));
        if (earlier.rank < 0 && is_in_the_way && access.launch < m_number)
            earlier = {access.rank, is_written, m_history.m_kernels[access.kernel]};
    }
    return earlier;
}

void RankHistory::Launch::release(const std::byte* at, int rank) {
    const std::lock_guard lock(m_history.m_mutex);
    std::vector<Number>& flag = m_history.m_flags[at];
    flag.resize(static_cast<std::size_t>(m_history.m_ranks));
    for (int of = 0; of < m_history.m_ranks; ++of) {
        Number& known = flag[static_cast<std::size_t>(of)];
        known = std::max(known, of == rank ? m_number : m_history.met(rank, of));
    }
}

void RankHistory::Launch::acquire(const std::byte* at, int rank) {
    const std::lock_guard lock(m_history.m_mutex);
    const auto flag = m_history.m_flags.find(at);
    for (int of = 0; flag != m_history.m_flags.end() && of < m_history.m_ranks; ++of) {
        Number& known = m_history.met(rank, of);
        known = std::max(known, flag->second[static_cast<std::size_t>(of)]);
    }
}

void RankHistory::Launch::end() {
    const std::lock_guard lock(m_history.m_mutex);
    const auto known = std::ranges::find(m_history.m_kernels, m_kernel);
    const auto kernel = static_cast<std::uint16_t>(known - m_history.m_kernels.begin());
    if (known == m_history.m_kernels.end())
        m_history.m_kernels.push_back(m_kernel);
    const auto note = [&](Access& access, std::uint64_t ranks) {
        if (ranks != 0)
            access = {m_number, static_cast<std::uint16_t>(std::countr_zero(ranks)), kernel};
    };
    for (const auto& [begin, part] : m_parts) {
        const Place place = m_history.find(begin);
        for (std::size_t i = 0; place.cells && i < part.reads.size() && i < place.cells->size(); ++i) {
            note((*place.cells)[i].read, part.reads[i]);
            note((*place.cells)[i].write, part.writes[i]);
        }
    }
}

} // namespace hidet::vm
