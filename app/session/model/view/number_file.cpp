// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/number_file.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "compiler/graph/document/json_places.h"
#include "lang/base/files.h"
#include "lang/base/printable.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr std::size_t most_shown = 60; // bytes of a name or a cell, in a message

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t most_file_bytes = 64 << 20;

struct UnitOfTime {
    std::string_view name;
    double size;
    std::string_view base;
};
constexpr UnitOfTime multiples[] = {
    {"ms", 1e-3, "s"},      {"us", 1e-6, "s"},      {"\u00b5s", 1e-6, "s"}, {"\u03bcs", 1e-6, "s"},
    {"ns", 1e-9, "s"},      {"KB", 1e3, "B"},       {"kB", 1e3, "B"},       {"MB", 1e6, "B"},
    {"GB", 1e9, "B"},       {"KiB", 1024, "B"},     {"MiB", 1 << 20, "B"},  {"GiB", 1 << 30, "B"},
    {"GFLOP", 1e9, "FLOP"}, {"MFLOP", 1e6, "FLOP"}, {"bytes", 1, "B"},      {"seconds", 1, "s"}};

struct Malformed {
    std::size_t line;
    std::string what;
};

std::size_t line_at(std::string_view text, std::size_t byte) {
    return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, byte), '\n'));
}

std::optional<double> cell_number(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

class NumberReader {
public:
    NumberReader(std::string_view text, NumberFile& out) : m_text(text), m_out(out) {
        if (m_text.starts_with("\xEF\xBB\xBF"))
            m_text.remove_prefix(3);
    }

    void read() {
        if (!is_valid_utf8(m_text))
            throw Malformed{first_bad_line(), "this is not UTF-8"};
        if (m_out.path.ends_with(".json") || trimmed(m_text).starts_with('{'))
            read_json();
        else
            read_csv();
        if (m_out.numbers.empty())
            throw Malformed{1, "there is no number in it; lines are 'name,value'"};
        to_base_unit();
    }

private:
    std::size_t first_bad_line() const {
        std::size_t line = 1;
        for (std::string_view rest = m_text; !rest.empty(); ++line) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            if (!is_valid_utf8(rest.substr(0, end)))
                return line;
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return line;
    }

    void add(std::string name, double value, std::size_t line) {
        if (name.empty())
            throw Malformed{line, "a number without a name"};
        const auto [known, isNew] = m_lines.try_emplace(name, line);
        if (!isNew)
            throw Malformed{
                line, cat("'", shortened(name, most_shown), "' has a number in line ", known->second, " already")};
        m_out.numbers.push_back({std::move(name), value});
    }

    // ---- CSV ----------------------------------------------------------------------------------------------------

    void read_csv() {
        std::size_t line = 1;
        bool is_first = true;
        for (std::string_view rest = m_text; !rest.empty(); ++line) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            const std::string_view here = trimmed(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (here.starts_with('#')) {
                read_comment(trimmed(here.substr(1)));
            } else if (!here.empty()) {
                read_row(here, line, is_first);
                is_first = false;
            }
        }
    }

    void read_comment(std::string_view text) {
        for (const auto& [start, into] : {std::pair{std::string_view("title:"), &m_out.title}, {"unit:", &m_out.unit}})
            if (text.starts_with(start))
                *into = trimmed(text.substr(start.size()));
    }

    void read_row(std::string_view row, std::size_t line, bool is_first) {
        std::vector<std::string> cells = cells_of(row, line);
        if (cells.size() != 2)
            throw Malformed{line, cat(cells.size() == 1 ? "a name without a number" : "more than a name and a number",
                                      ": '", shortened(row, most_shown), "'; a name with a comma stands in quotes")};
        if (const std::optional<double> value = cell_number(cells[1]))
            return add(std::move(cells[0]), *value, line);
        if (!is_first)
            throw Malformed{line, cat("'", shortened(cells[1], most_shown), "' is no number")};
        read_heading(cells[1]);
    }

    static std::vector<std::string> cells_of(std::string_view row, std::size_t line) {
        const char separator = row.find('\t') != std::string_view::npos ? '\t' : ',';
        std::vector<std::string> cells(1);
        bool is_quoted = false;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (is_quoted && row[i] == '"' && i + 1 < row.size() && row[i + 1] == '"')
                cells.back() += row[i++];
            else if (row[i] == '"' && (is_quoted || trimmed(cells.back()).empty()))
                is_quoted = !is_quoted;
            else if (row[i] == separator && !is_quoted)
                cells.emplace_back();
            else
                cells.back() += row[i];
        }
        if (is_quoted)
            throw Malformed{line, "a quote is not closed"};
        for (std::string& cell : cells)
            cell = trimmed(cell);
        return cells;
    }

    // "latency (ms)", "latency [ms]": what comments say comes first.
    void read_heading(std::string_view heading) {
        std::string_view unit;
        if (heading.ends_with(')') || heading.ends_with(']')) {
            const std::size_t open = heading.rfind(heading.back() == ')' ? '(' : '[');
            if (open != std::string_view::npos) {
                unit = heading.substr(open + 1, heading.size() - open - 2);
                heading = heading.substr(0, open);
            }
        }
        heading = trimmed(heading);
        if (m_out.title.empty() && heading != "value")
            m_out.title = heading;
        if (m_out.unit.empty())
            m_out.unit = trimmed(unit);
    }

    // ---- JSON ---------------------------------------------------------------------------------------------------

    void read_json() {
        const Json document = parsed();
        if (!document.is_object())
            throw Malformed{1, "an object of names and numbers is expected"};
        const bool is_whole = document.contains("values") && document["values"].is_object();
        for (const auto& [name, member] : document.items()) {
            if (is_whole && name == "values")
                for (const auto& [each, number] : member.items())
                    add_member({"values", each}, each, number);
            else if (name == "title" && member.is_string())
                m_out.title = member.get<std::string>();
            else if (name == "unit" && member.is_string())
                m_out.unit = member.get<std::string>();
            else if (is_whole)
                throw Malformed{line_of({name}), cat("'", shortened(name, most_shown),
                                                     "' is none of title, unit and values beside 'values'")};
            else
                add_member({name}, name, member);
        }
    }

    void add_member(const std::vector<graph::JsonStep>& path, const std::string& name, const Json& number) {
        if (name.empty())
            throw Malformed{line_of(path), "a number without a name"};
        if (!number.is_number())
            throw Malformed{line_of(path), cat("'", shortened(name, most_shown), "' has no number but ",
                                               shortened(number.dump(), most_shown))};
        m_out.numbers.push_back({name, number.get<double>()});
    }

    std::size_t line_of(const std::vector<graph::JsonStep>& path) const {
        const auto place = graph::place_in_json(m_text, path);
        return place ? line_at(m_text, place->first) : 1;
    }

    // A second member of one name would silently take the place of the first.
    Json parsed() const {
        std::vector<std::unordered_map<std::string, int>> names;
        std::optional<std::string> repeated;
        const auto watch = [&](int, Json::parse_event_t event, Json& value) {
            if (event == Json::parse_event_t::object_start)
                names.emplace_back();
            else if (event == Json::parse_event_t::object_end && !names.empty())
                names.pop_back();
            else if (event == Json::parse_event_t::key && !names.empty() &&
                     ++names.back()[value.get<std::string>()] == 2)
                repeated = repeated.value_or(value.get<std::string>());
            return true;
        };
        Json document;
        try {
            document = Json::parse(m_text, watch);
        } catch (const Json::parse_error& error) {
            throw Malformed{line_at(m_text, error.byte ? error.byte - 1 : 0), "this is no JSON"};
        } catch (const Json::exception&) {
            throw Malformed{1, "a number in it is too large"};
        }
        if (repeated)
            throw Malformed{line_of_second(*repeated),
                            cat("'", shortened(*repeated, most_shown), "' has a number already")};
        return document;
    }

    std::size_t line_of_second(const std::string& name) const {
        const std::string written = Json(name).dump();
        const std::size_t first = m_text.find(written);
        const std::size_t second =
            first == std::string_view::npos ? first : m_text.find(written, first + written.size());
        return line_at(m_text, second == std::string_view::npos ? 0 : second);
    }

    // Times and sizes in what all others are in, so that they are written alike.
    void to_base_unit() {
        for (const UnitOfTime& unit : multiples)
            if (m_out.unit == unit.name) {
                for (NamedNumber& each : m_out.numbers)
                    each.value *= unit.size;
                m_out.unit = unit.base;
                return;
            }
    }

    std::string_view m_text;
    NumberFile& m_out;
    std::unordered_map<std::string, std::size_t> m_lines;
};

} // namespace

Result<NumberFile> numbers_in(std::string_view text, const std::string& path) {
    NumberFile out;
    out.path = path;
    try {
        NumberReader(text, out).read();
    } catch (const Malformed& malformed) {
        return Error{"numbers-malformed", cat(path, ":", malformed.line, ": ", malformed.what)};
    }
    if (out.title.empty())
        out.title = std::filesystem::path(path).stem().string();
    return out;
}

Result<NumberFile> read_number_file(const std::string& path) {
    HIDET_TRY(const std::string text, read_file(path, most_file_bytes));
    return numbers_in(text, path);
}

} // namespace hidet::session
