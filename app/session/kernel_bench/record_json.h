// SPDX-License-Identifier: Apache-2.0
// What the lines of all histories have in common.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "app/session/bench/bench.h"

namespace hidet::session {

std::string record_line(const nlohmann::ordered_json& document); // with its line feed

struct RecordName { // that a run was given later
    std::string when;
    int number = 0;
    std::string name;
};
std::string line_of(const RecordName& named);
// These throw what the library throws where a member is missing or of another type.
RecordName record_name_of(const nlohmann::ordered_json& json);
TimesView times_of_json(const nlohmann::ordered_json& json);

nlohmann::ordered_json json_of_times(const TimesView& times);

template <class Record>
void apply_name(const RecordName& named, std::vector<Record>& runs) {
    for (Record& run : runs)
        if (run.when == named.when && run.number == named.number)
            run.name = named.name;
}

} // namespace hidet::session
