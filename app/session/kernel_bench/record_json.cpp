// SPDX-License-Identifier: Apache-2.0
#include "app/session/kernel_bench/record_json.h"

#include <nlohmann/json.hpp>

#include "app/session/kernel_bench/kept_runs.h"

namespace hidet::session {

using Json = nlohmann::ordered_json;

namespace {

template <class T>
void read_or_write(Json& json, bool is_read, T& value) {
    if (is_read)
        json.get_to(value);
    else
        json = value;
}

} // namespace

void RecordMembers::value(std::string& text) {
    read_or_write(m_json, m_is_read, text);
}
void RecordMembers::value(bool& flag) {
    read_or_write(m_json, m_is_read, flag);
}
void RecordMembers::value(int& number) {
    read_or_write(m_json, m_is_read, number);
}
void RecordMembers::value(std::int64_t& number) {
    read_or_write(m_json, m_is_read, number);
}
void RecordMembers::value(std::size_t& number) {
    read_or_write(m_json, m_is_read, number);
}
void RecordMembers::value(double& number) {
    read_or_write(m_json, m_is_read, number);
}

RecordMembers RecordMembers::at(const char* name) const {
    return {m_is_read ? m_json.at(name) : m_json[name], m_is_read};
}
RecordMembers RecordMembers::at(std::size_t index) const {
    return {m_json.at(index), m_is_read};
}
bool RecordMembers::has(const char* name) const {
    return m_json.contains(name);
}
bool RecordMembers::is_null() const {
    return m_json.is_null();
}
std::vector<std::string> RecordMembers::names() const {
    std::vector<std::string> out;
    for (const auto& [name, value] : m_json.items())
        out.push_back(name);
    return out;
}
void RecordMembers::begin_object() {
    if (!m_is_read)
        m_json = Json::object();
}
std::size_t RecordMembers::begin_list(std::size_t size) {
    if (!m_is_read)
        m_json = Json::array_t(size);
    return m_json.size();
}

std::string record_line(const char* title, const std::function<void(RecordMembers&)>& write) {
    Json line;
    RecordMembers members(line[title], false);
    write(members);
    return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool read_line(std::string_view line, const std::function<void(const RecordMembers&)>& read) {
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object())
        return false;
    try {
        read(RecordMembers(json, true));
        return true;
    } catch (const Json::exception&) {
        return false;
    }
}

std::string name_line(const std::string& when, int number, const std::string& name) {
    return line_of("name", RecordName{when, number, name});
}

void list_members(RecordName& named, RecordMembers& members) {
    members.need("when", named.when, "number", named.number, "is", named.name);
}

void list_members(TimesView& times, RecordMembers& members) {
    members.need("median", times.median, "p10", times.p10, "p90", times.p90, "count", times.count);
    times.spread = times.median > 0 ? (times.p90 - times.p10) / times.median : 0;
}

} // namespace hidet::session
