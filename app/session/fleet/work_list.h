// SPDX-License-Identifier: Apache-2.0
// What a fleet has to do: candidates that are measured together stay together until a worker is lost with them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compiler/tune/records.h"

namespace hidet::session {

struct FleetUnit {
    std::vector<tune::RecordKey> keys;
    int losses = 0; // of workers that had it
};
struct FleetTask {                // of one worker
    std::size_t model = 0;        // by its number
    std::vector<FleetUnit> units; // none: it lists what the records lack
    bool is_list() const { return units.empty(); }
};
std::vector<tune::RecordKey> keys_of(const FleetTask& task);
bool has_key(const FleetTask& task, const tune::RecordKey& key);

class WorkList {
public:
    void add_list(std::size_t model) { m_lists.push_back(model); }
    void add(std::size_t model, const std::vector<tune::RecordKey>& together); // but for what was there before
    // For one of so many workers: much at first, as each task plans the search anew, and little at last, so that none is waited for.
    std::optional<FleetTask> next(std::size_t workers);
    bool mark_measured(const tune::RecordKey& key, std::size_t model); // now; false: it was before
    bool has_rest(const FleetTask& task) const;                        // that is not measured
    void give_again(FleetTask task);
    // What is left of it goes to others: unit by unit, and those that are lost again candidate by candidate. Of one that too many
    // workers were lost with `condemned` is told.
    void lose(const FleetTask& task, const std::function<void(const tune::RecordKey&)>& condemned);
    void drop(std::size_t model);

    bool is_empty() const { return m_lists.empty() && m_units.empty(); }
    std::size_t total() const { return m_known.size(); }
    std::size_t done() const { return m_measured.size(); }
    std::size_t measured(std::size_t model) const;

private:
    void drop_measured(FleetUnit& unit) const;

    using Unit = std::pair<std::size_t, FleetUnit>; // model
    std::deque<std::size_t> m_lists;
    std::deque<Unit> m_units;
    std::set<tune::RecordKey> m_known, m_measured;
    std::map<std::size_t, std::size_t> m_count; // measured, by model
};

} // namespace hidet::session
