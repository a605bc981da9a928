// SPDX-License-Identifier: Apache-2.0
// A launch plan as JSON: one row of a table a line; fields that have their usual value are left out. An expression is a list
// of numbers, operators, symbols ("s0") and earlier expressions ("e3").
#include "compiler/artifact/plan_json.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "compiler/artifact/launch_plan.h"
#include "lang/base/text.h"

namespace hidet::artifact {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* plan_format = "hidet-launch-plan";

struct Damaged {
    std::string what;
};

template <class T>
constexpr bool is_number = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// ---- writing

Json json_of(double real) {
    if (std::isfinite(real))
        return real;
    return std::isnan(real) ? "nan" : real > 0 ? "inf" : "-inf";
}
Json json_of(bool flag) {
    return flag;
}
Json json_of(const std::string& text) {
    return text;
}
Json json_of(const ExprWord& word) {
    switch (word.op) {
    case ExprOp::Constant: return word.operand;
    case ExprOp::Symbol: return cat("s", word.operand);
    case ExprOp::Earlier: return cat("e", word.operand);
    default: return info(word.op).text;
    }
}
template <class T>
Json json_of(const std::vector<T>& items);
template <class T>
Json all_fields(const T& row);

template <class T>
Json json_of(const T& value) {
    if constexpr (is_number<T>) {
        return value;
    } else if constexpr (std::is_enum_v<T>) {
        return enum_name(value);
    } else {
        // Without the fields that a new row has anyway.
        static const Json usual = all_fields(T());
        Json out = all_fields(value);
        for (auto field = out.begin(); field != out.end();)
            field = field.value() == usual[field.key()] ? out.erase(field) : std::next(field);
        return out;
    }
}
template <class T>
Json all_fields(const T& row) {
    Json out = Json::object();
    T::fields(row, [&](const char* name, const auto& field) { out[name] = json_of(field); });
    return out;
}
template <class T>
Json json_of(const std::vector<T>& items) {
    Json out = Json::array();
    for (const T& item : items)
        out.push_back(json_of(item));
    return out;
}

// ---- reading

void read(const Json& json, bool& out) {
    if (!json.is_boolean())
        throw Damaged{"is neither true nor false"};
    out = json.get<bool>();
}
void read(const Json& json, std::string& out) {
    if (!json.is_string())
        throw Damaged{"is not text"};
    out = json.get<std::string>();
}
void read(const Json& json, double& out) {
    if (json == "nan")
        out = std::numeric_limits<double>::quiet_NaN();
    else if (json == "inf" || json == "-inf")
        out = json == "inf" ? HUGE_VAL : -HUGE_VAL;
    else if (json.is_number())
        out = json.get<double>();
    else
        throw Damaged{"is not a number"};
}

std::optional<ExprWord> reference(const std::string& text) {
    std::uint32_t row = 0;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), row);
    if (error != std::errc() || end != text.data() + text.size() || (text[0] != 's' && text[0] != 'e'))
        return std::nullopt;
    return ExprWord{text[0] == 's' ? ExprOp::Symbol : ExprOp::Earlier, row};
}

template <class T>
void read_number(const Json& json, T& out) {
    const bool is_large = json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX;
    if (!json.is_number_integer() || (is_large && !std::is_same_v<T, std::uint64_t>))
        throw Damaged{"is not an integer that fits"};
    if (is_large) {
        out = static_cast<T>(json.get<std::uint64_t>());
        return;
    }
    const auto number = json.get<std::int64_t>();
    if (!std::in_range<T>(number))
        throw Damaged{cat("is ", number, ", which does not fit")};
    out = static_cast<T>(number);
}

void read(const Json& json, ExprWord& out) {
    out = {};
    if (!json.is_string())
        return read_number(json, out.operand);
    const auto& text = json.get_ref<const std::string&>();
    const std::optional<ExprOp> op = find_expr_op(text);
    if (op && info(*op).operands > 0) {
        out.op = *op;
        return;
    }
    const std::optional<ExprWord> word = text.empty() ? std::nullopt : reference(text);
    if (!word)
        throw Damaged{cat("has '", text, "', which is not an operator")};
    out = *word;
}

template <class T>
void read_enum(const Json& json, T& out) {
    for (std::size_t i = 0; json.is_string() && i < enum_count<T>; ++i)
        if (json == enum_name(static_cast<T>(i))) {
            out = static_cast<T>(i);
            return;
        }
    if (!json.is_string())
        throw Damaged{"is not a name"};
    throw Damaged{
        cat("is ", json.dump(-1, ' ', false, Json::error_handler_t::replace), ", which is none of its names")};
}

template <class T>
void read(const Json& json, std::vector<T>& out);

template <class T>
void read(const Json& json, T& out) {
    if constexpr (is_number<T>) {
        read_number(json, out);
    } else if constexpr (std::is_enum_v<T>) {
        read_enum(json, out);
    } else {
        if (!json.is_object())
            throw Damaged{"is not an object"};
        std::size_t known = 0;
        T::fields(out, [&](const char* name, auto& field) {
            const auto found = json.find(name);
            if (found == json.end())
                return;
            ++known;
            try {
                read(*found, field);
            } catch (Damaged& damaged) {
                throw Damaged{cat(".", name, damaged.what.starts_with(".") || damaged.what.starts_with("[") ? "" : " ",
                                  damaged.what)};
            }
        });
        if (known != json.size())
            throw Damaged{"has a field of another kind of row"};
    }
}

template <class T>
void read(const Json& json, std::vector<T>& out) {
    if (!json.is_array())
        throw Damaged{"is not a list"};
    out.clear();
    out.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
        try {
            read(json[i], out.emplace_back());
        } catch (Damaged& damaged) {
            throw Damaged{cat("[", i, "]", damaged.what.starts_with(".") || damaged.what.starts_with("[") ? "" : " ",
                              damaged.what)};
        }
    }
}

std::string line_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
std::string table_text(const T& field) {
    return line_of(json_of(field));
}
std::string table_text(const std::vector<Row>& rows) {
    return line_of(json_of(rows));
}
template <class T>
std::string table_text(const std::vector<T>& rows) {
    std::string out = "[";
    for (const T& row : rows)
        out += cat(out.size() > 1 ? ",\n" : "\n", line_of(json_of(row)));
    return out + (rows.empty() ? "]" : "\n]");
}

} // namespace

std::string to_json(const LaunchPlan& plan) {
    std::string out = cat("{\n\"format\": \"", plan_format, "\"");
    const auto add = [&](const char* name, const auto& field) { out += cat(",\n\"", name, "\": ", table_text(field)); };
    LaunchPlan::fields(plan, add);
    return out + "\n}\n";
}

bool is_plan_json(const std::string& text) {
    const std::size_t key = text.find("\"format\"");
    const std::size_t value = key == std::string::npos ? key : text.find_first_not_of(" \t\r\n:", key + 8);
    return value != std::string::npos &&
           text.compare(value, std::strlen(plan_format) + 2, cat("\"", plan_format, "\"")) == 0;
}

Result<LaunchPlan> plan_from_json(const std::string& text) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object())
        return Error{"plan-damaged", "it is not a JSON object"};
    if (const auto said = json.find("format"); said == json.end() || *said != plan_format)
        return Error{"plan-damaged", "it is not a launch plan"};
    json.erase("format");
    const auto version = json.find("version");
    if (version != json.end() && version->is_number_integer() && *version != launch_plan_version)
        return Error{"plan-version", cat("it is a launch plan of version ", version->dump(),
                                         ", and this program reads version ", launch_plan_version)};
    LaunchPlan plan;
    try {
        read(json, plan);
    } catch (const Damaged& damaged) {
        return Error{"plan-damaged",
                     cat("it is damaged: plan", damaged.what.starts_with(".") ? "" : " ", damaged.what)};
    }
    if (const std::string problem = problem_of(plan); !problem.empty())
        return Error{"plan-damaged", "it is damaged: " + problem};
    return plan;
}

} // namespace hidet::artifact
