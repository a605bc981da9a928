// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/recorded_times.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

using Json = nlohmann::ordered_json;

bool is_time(const Json& seconds) {
    return seconds.is_number() && seconds.get<double>() > 0;
}

const Json& member(const Json& object, const char* name) {
    static const Json none;
    const auto found = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && found != object.end() ? *found : none;
}

void read_groups(const Json& steps, RecordedTimes& out) {
    for (const Json& step : steps)
        if (const Json& key = member(step, "group"); key.is_string() && is_time(member(step, "seconds")))
            out.groups[key.get<std::string>()] += member(step, "seconds").get<double>();
}

} // namespace

Result<RecordedTimes> recorded_times(const std::string& path, const std::string& text) {
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object())
        return Error{"bad-record", "it is not a JSON object"};
    RecordedTimes out;
    if (const Json& median = member(member(document, "seconds"), "median"); is_time(median)) {
        out.runs.push_back({std::filesystem::path(path).filename().string(), median.get<double>()});
        read_groups(member(document, "steps"), out);
        return out;
    }
    for (const auto& [name, seconds] : document.items())
        if (is_time(seconds))
            out.runs.push_back({name, seconds.get<double>()});
        else
            return Error{"bad-record",
                         cat("'", name,
                             "' is no time in seconds; it takes what 'hidetc model bench --json' prints, or "
                             "an object of names and seconds")};
    if (out.runs.empty())
        return Error{"bad-record", "there is no time in it"};
    return out;
}

void put_beside(const RecordedTimes& recorded, ModelBenchResult& result) {
    result.against = recorded.runs;
    // What several steps take together is recorded as one.
    std::map<std::string, std::size_t> steps;
    for (const ModelStepRow& row : result.steps)
        ++steps[row.group];
    for (ModelStepRow& row : result.steps)
        if (const auto found = recorded.groups.find(row.group); found != recorded.groups.end() && steps[row.group] == 1)
            row.recorded_seconds = found->second;
}

} // namespace hidet::session
