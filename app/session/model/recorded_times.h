// SPDX-License-Identifier: Apache-2.0
// Times of a model that somebody recorded, to measure against: what `hidetc model bench --json` prints, or an object of names
// and seconds ({"Inductor": 0.00044}) of whatever else ran it.
#pragma once

#include <map>
#include <string>

#include "app/session/model/model.h"
#include "lang/base/result.h"

namespace hidet::session {

struct RecordedTimes {
    std::vector<RecordedRun> runs;
    std::map<std::string, double> groups; // seconds, by the key of the anchor
};
// An error says what is wrong with the text, as a lower-case sentence.
Result<RecordedTimes> recorded_times(const std::string& path, const std::string& text);

void put_beside(const RecordedTimes& recorded, ModelBenchResult& result);

} // namespace hidet::session
