// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/trace.h"

#include <nlohmann/json.hpp>

namespace hidet::session {

std::string trace_text(const std::string& model, const std::string& where, const std::vector<TraceEvent>& events) {
    using Json = nlohmann::ordered_json;
    Json rows = Json::array();
    rows.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", 0}, {"args", {{"name", model}}}});
    rows.push_back({{"name", "thread_name"}, {"ph", "M"}, {"pid", 0}, {"tid", 0}, {"args", {{"name", where}}}});
    for (const TraceEvent& event : events)
        rows.push_back({{"name", event.name},
                        {"cat", event.is_host ? "host" : "kernel"},
                        {"ph", "X"},
                        {"pid", 0},
                        {"tid", 0},
                        {"ts", event.start_us},
                        {"dur", event.duration_us},
                        {"args", {{"operators", event.nodes}, {"tensors", event.tensors}}}});
    const Json out = {{"displayTimeUnit", "ms"}, {"traceEvents", rows}};
    return out.dump(1) + "\n";
}

} // namespace hidet::session
