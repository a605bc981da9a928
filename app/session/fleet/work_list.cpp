// SPDX-License-Identifier: Apache-2.0
#include "app/session/fleet/work_list.h"

#include <algorithm>

namespace hidet::session {

namespace {

constexpr int most_losses = 3; // a node may be lost by chance while a candidate is measured, and once more

} // namespace

std::vector<tune::RecordKey> keys_of(const FleetTask& task) {
    std::vector<tune::RecordKey> keys;
    for (const FleetUnit& unit : task.units)
        keys.insert(keys.end(), unit.keys.begin(), unit.keys.end());
    return keys;
}

bool has_key(const FleetTask& task, const tune::RecordKey& key) {
    return std::ranges::any_of(
        task.units, [&](const FleetUnit& unit) { return std::ranges::find(unit.keys, key) != unit.keys.end(); });
}

void WorkList::add(std::size_t model, const std::vector<tune::RecordKey>& together) {
    FleetUnit unit;
    for (const tune::RecordKey& key : together)
        if (m_known.insert(key).second)
            unit.keys.push_back(key);
    if (!unit.keys.empty())
        m_units.emplace_back(model, std::move(unit));
}

std::optional<FleetTask> WorkList::next(std::size_t workers) {
    if (!m_lists.empty()) {
        const FleetTask task{m_lists.front(), {}};
        m_lists.pop_front();
        return task;
    }
    if (m_units.empty())
        return std::nullopt;
    const std::size_t most = std::max<std::size_t>(1, m_units.size() / (2 * workers));
    FleetTask task{m_units.front().first, {}};
    do {
        task.units.push_back(std::move(m_units.front().second));
        m_units.pop_front();
    } while (task.units.back().losses == 0 && task.units.size() < most && !m_units.empty() &&
             m_units.front().first == task.model && m_units.front().second.losses == 0);
    return task;
}

bool WorkList::mark_measured(const tune::RecordKey& key, std::size_t model) {
    if (!m_measured.insert(key).second)
        return false;
    ++m_count[model];
    return true;
}

std::size_t WorkList::measured(std::size_t model) const {
    const auto found = m_count.find(model);
    return found == m_count.end() ? 0 : found->second;
}

bool WorkList::has_rest(const FleetTask& task) const {
    return std::ranges::any_of(task.units, [&](const FleetUnit& unit) {
        return std::ranges::any_of(unit.keys, [&](const tune::RecordKey& key) { return !m_measured.contains(key); });
    });
}

void WorkList::drop_measured(FleetUnit& unit) const {
    std::erase_if(unit.keys, [&](const tune::RecordKey& key) { return m_measured.contains(key); });
}

void WorkList::give_again(FleetTask task) {
    if (task.is_list())
        return m_lists.push_front(task.model);
    for (FleetUnit& unit : task.units) {
        drop_measured(unit);
        if (!unit.keys.empty())
            m_units.emplace_back(task.model, std::move(unit));
    }
}

void WorkList::lose(const FleetTask& task, const std::function<void(const tune::RecordKey&)>& condemned) {
    for (FleetUnit unit : task.units) {
        drop_measured(unit);
        ++unit.losses;
        if (unit.losses >= most_losses)
            std::ranges::for_each(unit.keys, condemned);
        else if (unit.losses == 1 && !unit.keys.empty())
            m_units.emplace_back(task.model, std::move(unit));
        else
            for (const tune::RecordKey& key : unit.keys)
                m_units.emplace_back(task.model, FleetUnit{{key}, unit.losses});
    }
}

void WorkList::drop(std::size_t model) {
    std::erase_if(m_units, [&](const Unit& unit) { return unit.first == model; });
    std::erase(m_lists, model);
}

} // namespace hidet::session
