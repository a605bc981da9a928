// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/record_json.h"

#include <nlohmann/json.hpp>

namespace hidet::session {

using Json = nlohmann::ordered_json;

std::string record_line(const Json& document) {
    return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string line_of(const RecordName& named) {
    Json out;
    out["name"] = {{"when", named.when}, {"number", named.number}, {"is", named.name}};
    return record_line(out);
}

RecordName record_name_of(const Json& json) {
    return {json.at("when").get<std::string>(), json.at("number").get<int>(), json.at("is").get<std::string>()};
}

Json json_of_times(const TimesView& times) {
    return {{"median", times.median}, {"p10", times.p10}, {"p90", times.p90}, {"count", times.count}};
}

TimesView times_of_json(const Json& json) {
    TimesView times;
    times.median = json.at("median").get<double>();
    times.p10 = json.at("p10").get<double>();
    times.p90 = json.at("p90").get<double>();
    times.count = json.at("count").get<int>();
    times.spread = times.median > 0 ? (times.p90 - times.p10) / times.median : 0;
    return times;
}

} // namespace hidet::session
