// SPDX-License-Identifier: Apache-2.0
// Sums what instructions did by the lines of the script that they come from.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "app/session/snapshot/snapshot.h"
#include "runtime/vm/observe/counters.h"

namespace hidet::session {

class CountedLines {
public:
    void add(const std::vector<vm::CountedInstruction>& counted, const SourceMap& sources);
    std::vector<LineCounters> lines() const; // by kernel, file and line

private:
    struct Sums {
        Place place;
        std::map<vm::WorkKind, vm::Counters> kinds;
    };
    std::map<std::tuple<std::string, std::string, int>, Sums> m_lines;
};

} // namespace hidet::session
