// SPDX-License-Identifier: Apache-2.0
// What the lines of all histories have in common. A record that is kept has a list_members(), which names each of its members
// once: lines are written and read by it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/session/bench/bench.h"

namespace hidet::session {

// A value of a line. Reading throws what the library throws where something is missing or of another type.
class RecordMembers {
public:
    RecordMembers(nlohmann::ordered_json& json, bool is_read) : m_json(json), m_is_read(is_read) {}

    // Names and members.
    template <class T, class... Others>
    void need(const char* name, T& member, Others&&... others) {
        at(name).value(member);
        if constexpr (sizeof...(others) > 0)
            need(others...);
    }
    // Those that are left out where they are empty.
    template <class T, class... Others>
    void if_any(const char* name, T& member, Others&&... others) {
        if (m_is_read ? has(name) : is_any(member))
            at(name).value(there(member));
        if constexpr (sizeof...(others) > 0)
            if_any(others...);
    }

    bool has(const char* name) const;
    template <class T>
    T get(const char* name) const {
        T out{};
        at(name).value(out);
        return out;
    }

    void value(std::string& text);
    void value(bool& flag);
    void value(int& number);
    void value(std::int64_t& number);
    void value(std::size_t& number);
    void value(double& number);
    template <class T>
    void value(T& record) {
        begin_object();
        list_members(record, *this);
    }
    template <class T>
    void value(std::optional<T>& maybe) { // or null
        if (m_is_read ? !is_null() : maybe.has_value())
            value(there(maybe));
    }
    template <class T>
    void value(std::vector<T>& list) {
        list.resize(begin_list(list.size()));
        for (std::size_t i = 0; i < list.size(); ++i)
            at(i).value(list[i]);
    }
    template <class T>
    void value(std::vector<std::pair<std::string, T>>& named) { // an object
        if (m_is_read)
            for (std::string& name : names())
                named.emplace_back(std::move(name), T());
        for (auto& [name, member] : named)
            at(name.c_str()).value(member);
    }

private:
    template <class T>
    static bool is_any(const T& member) {
        if constexpr (requires { member.has_value(); })
            return member.has_value();
        else
            return !member.empty();
    }
    template <class T>
    static T& there(T& member) {
        return member;
    }
    template <class T>
    static T& there(std::optional<T>& member) {
        return member ? *member : member.emplace();
    }

    RecordMembers at(const char* name) const;
    RecordMembers at(std::size_t index) const;
    bool is_null() const;
    std::vector<std::string> names() const;
    void begin_object();
    std::size_t begin_list(std::size_t size); // as many as there are, or are to be written

    nlohmann::ordered_json& m_json;
    bool m_is_read;
};

// {title: record}, with its line feed.
std::string record_line(const char* title, const std::function<void(RecordMembers&)>& write);
template <class Record>
std::string line_of(const char* title, Record record) {
    return record_line(title, [&](RecordMembers& members) { members.value(record); });
}

// False: it cannot be read.
bool read_line(std::string_view line, const std::function<void(const RecordMembers&)>& read);

struct RecordName { // that a run was given later
    std::string when;
    int number = 0;
    std::string name;
};
void list_members(RecordName& named, RecordMembers& members);
void list_members(TimesView& times, RecordMembers& members);

template <class Record>
void apply_name(const RecordName& named, std::vector<Record>& runs) {
    for (Record& run : runs)
        if (run.when == named.when && run.number == named.number)
            run.name = named.name;
}

} // namespace hidet::session
