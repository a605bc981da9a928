// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/schedule_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "compiler/graph/script/host_names.h"
#include "lang/base/stack.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"
#include "lang/host/operators.h"

namespace hidet::graph {

namespace {

std::string text_of_plain(const HostValue& value) {
    switch (value.kind()) {
    case ValueKind::Bool: return value.as_bool() ? "True" : "False";
    case ValueKind::Int: return std::to_string(value.as_int());
    case ValueKind::Float: return lang::python_float(value.as_double());
    case ValueKind::Str: return cat("'", value.as_str(), "'");
    case ValueKind::Tuple: {
        std::vector<std::string> items =
            transformed(value.items(), [&](const HostValue& item) { return text_of_plain(item); });
        return cat("(", join(items, ", "), items.size() == 1 ? ",)" : ")");
    }
    default: return "None";
    }
}

// Reads what text_of_plain() writes, with blanks as a person sets them.
class Reader {
public:
    explicit Reader(std::string_view text) : m_rest(text) {}

    std::optional<ScheduleText> schedule() {
        ScheduleText out;
        out.name = word();
        if (out.name.empty())
            return std::nullopt;
        if (take('(') && !take(')')) {
            do {
                std::string name = word();
                if (name.empty() || !take('='))
                    return std::nullopt;
                std::optional<HostValue> value = this->value();
                if (!value)
                    return std::nullopt;
                out.parameters.emplace_back(std::move(name), std::move(*value));
            } while (take(','));
            if (!take(')'))
                return std::nullopt;
        }
        skip();
        return m_rest.empty() ? std::optional(std::move(out)) : std::nullopt;
    }

private:
    static constexpr int most_deep = 8;

    void skip() {
        while (m_rest.starts_with(' '))
            m_rest.remove_prefix(1);
    }
    bool take(char c) {
        skip();
        if (!m_rest.starts_with(c))
            return false;
        m_rest.remove_prefix(1);
        return true;
    }
    template <class Belongs>
    std::string while_each(const Belongs& belongs) {
        skip();
        const auto end = std::ranges::find_if_not(m_rest, belongs);
        std::string found(m_rest.begin(), end);
        m_rest.remove_prefix(found.size());
        return found;
    }
    std::string word() {
        return while_each([](char c) { return c == '_' || c == '.' || std::isalnum(static_cast<unsigned char>(c)); });
    }

    std::optional<HostValue> value(int depth = 0) {
        if (depth > most_deep)
            return std::nullopt;
        if (take('('))
            return tuple(depth);
        if (take('\'')) {
            std::string text = while_each([](char c) { return c != '\''; });
            return take('\'') ? std::optional(HostValue::str(std::move(text))) : std::nullopt;
        }
        const std::string text = while_each(
            [](char c) { return c == '+' || c == '-' || c == '.' || std::isalnum(static_cast<unsigned char>(c)); });
        if (text == "None")
            return HostValue();
        if (text == "True" || text == "False")
            return HostValue::boolean(text == "True");
        return number(text);
    }
    static std::optional<HostValue> number(const std::string& text) {
        const char* end = text.data() + text.size();
        std::int64_t whole = 0;
        if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end)
            return HostValue::integer(whole);
        double real = 0;
        if (const auto read = std::from_chars(text.data(), end, real); read.ec == std::errc() && read.ptr == end)
            return HostValue::real(real);
        return std::nullopt;
    }
    std::optional<HostValue> tuple(int depth) {
        std::vector<HostValue> items;
        while (!take(')')) {
            std::optional<HostValue> item = value(depth + 1);
            if (!item)
                return std::nullopt;
            items.push_back(std::move(*item));
            if (!take(',')) {
                if (!take(')'))
                    return std::nullopt;
                break;
            }
        }
        return HostValue::tuple(std::move(items));
    }

    std::string_view m_rest;
};

} // namespace

bool is_plain(const HostValue& value) {
    switch (value.kind()) {
    case ValueKind::None:
    case ValueKind::Bool:
    case ValueKind::Int: return true;
    case ValueKind::Float: return std::isfinite(value.as_double());
    case ValueKind::Str: return value.as_str().find_first_of("'\n") == std::string::npos;
    case ValueKind::Tuple: return !is_stack_short() && std::ranges::all_of(value.items(), is_plain);
    default: return false;
    }
}

std::string write_schedule(const ScheduleText& schedule) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : schedule.parameters)
        parts.push_back(cat(name, "=", text_of_plain(value)));
    return parts.empty() ? schedule.name : cat(schedule.name, "(", join(parts, ", "), ")");
}

std::optional<ScheduleText> read_schedule(std::string_view text) {
    return Reader(text).schedule();
}

} // namespace hidet::graph
