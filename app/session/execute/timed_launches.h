// SPDX-License-Identifier: Apache-2.0
// Which launches of a run are timed: of each kernel the one that the request names, among those that the script makes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "app/session/request/request.h"
#include "app/session/snapshot/snapshot.h"
#include "compiler/artifact/program.h"

namespace hidet::session {

class TimedLaunches {
public:
    explicit TimedLaunches(const RunRequest& request) : m_wanted(request.timed_launch) {}

    // While one lives, launches are the script's; those that are made to measure something count for nothing.
    class Counting {
    public:
        explicit Counting(TimedLaunches& launches) : m_launches(launches) { m_launches.m_counts = true; }
        ~Counting() { m_launches.m_counts = false; }
        Counting(const Counting&) = delete;
        Counting& operator=(const Counting&) = delete;

    private:
        TimedLaunches& m_launches;
    };

    // Asked of each launch as it is made.
    bool wants(const artifact::Function& kernel) { return m_counts && ++m_made[&kernel] == m_wanted; }
    void add(TimelineView timeline) {
        timeline.launch = m_wanted;
        m_timelines.push_back(std::move(timeline));
    }
    std::vector<TimelineView> timelines() const {
        std::vector<TimelineView> out = m_timelines;
        for (TimelineView& timeline : out)
            for (const auto& [kernel, count] : m_made)
                if (kernel->name == timeline.kernel)
                    timeline.launches = std::max(timeline.launches, count);
        return out;
    }

private:
    const std::int64_t m_wanted;
    bool m_counts = false;
    std::map<const artifact::Function*, std::int64_t> m_made;
    std::vector<TimelineView> m_timelines;
};

} // namespace hidet::session
