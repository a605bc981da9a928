// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/instruction_help.h"

#include <algorithm>
#include <map>

#include "lang/base/ascii.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

struct InstructionRow {
    const char* name;
    const char* unit;
    const char* operands;
    const char* meaning;
};

struct ModifierRow {
    const char* text; // without the point
    const char* of;   // the instruction that it is of; "": of any
    const char* meaning;
};

constexpr InstructionRow ptx_rows[] = {
#define HIDET_INSTRUCTION(name, unit, operands, meaning) {name, unit, operands, meaning},
#include "app/session/view/ptx_help.def"
};
constexpr InstructionRow sass_rows[] = {
#define HIDET_INSTRUCTION(name, unit, operands, meaning) {name, unit, operands, meaning},
#include "app/session/view/sass_help.def"
};
constexpr ModifierRow ptx_modifiers[] = {
#define HIDET_MODIFIER(text, of, meaning) {text, of, meaning},
#include "app/session/view/ptx_modifiers.def"
};
constexpr ModifierRow sass_modifiers[] = {
#define HIDET_MODIFIER(text, of, meaning) {text, of, meaning},
#include "app/session/view/sass_modifiers.def"
};

// Of either language.
struct Tables {
    std::map<std::string_view, const InstructionRow*> instructions;
    std::multimap<std::string_view, const ModifierRow*> modifiers;

    template <std::size_t N, std::size_t M>
    Tables(const InstructionRow (&rows)[N], const ModifierRow (&more)[M]) {
        for (const InstructionRow& row : rows)
            instructions.emplace(row.name, &row);
        for (const ModifierRow& row : more)
            modifiers.emplace(row.text, &row);
    }
};

const Tables& tables_of(AssemblyLanguage language) {
    static const Tables ptx(ptx_rows, ptx_modifiers), sass(sass_rows, sass_modifiers);
    return language == AssemblyLanguage::Ptx ? ptx : sass;
}

bool is_space(char c) {
    return c == ' ' || c == '\t';
}
bool is_hex_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}
bool is_word_part(char c) {
    return is_lower(c) || is_upper(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == ':';
}

std::size_t skip_space(std::string_view line, std::size_t at) {
    while (at < line.size() && is_space(line[at]))
        ++at;
    return at;
}
std::size_t end_of_word(std::string_view line, std::size_t at) {
    while (at < line.size() && !is_space(line[at]))
        ++at;
    return at;
}

// "0a40" or "/*0a40*/" before an instruction of SASS.
std::size_t skip_address(std::string_view line, std::size_t at) {
    std::string_view word = line.substr(at, end_of_word(line, at) - at);
    if (word.starts_with("/*") && word.ends_with("*/"))
        return skip_space(line, at + word.size());
    bool is_address = word.size() >= 4 && std::all_of(word.begin(), word.end(), is_hex_digit);
    return is_address ? skip_space(line, at + word.size()) : at;
}

// The longest known beginning of a name that ends at a point or at its end.
const InstructionRow* find_row(const Tables& tables, std::string_view name) {
    for (std::string_view base = name; !base.empty();) {
        if (auto found = tables.instructions.find(base); found != tables.instructions.end())
            return found->second;
        std::size_t point = base.rfind('.');
        base = point == std::string_view::npos ? std::string_view() : base.substr(0, point);
    }
    return nullptr;
}

const ModifierRow* find_modifier(const Tables& tables, std::string_view text, std::string_view base) {
    const ModifierRow* general = nullptr;
    auto [first, last] = tables.modifiers.equal_range(text);
    for (auto row = first; row != last; ++row) {
        std::string_view of = row->second->of;
        if (of.empty())
            general = row->second;
        else if (base == of || (base.starts_with(of) && base[of.size()] == '.'))
            return row->second;
    }
    return general;
}

std::vector<ModifierHelp> explain(const Tables& tables, std::string_view base, std::string_view rest) {
    std::vector<ModifierHelp> out;
    while (rest.starts_with('.')) {
        rest.remove_prefix(1);
        std::string_view text = rest.substr(0, rest.find('.'));
        rest.remove_prefix(text.size());
        if (const ModifierRow* row = find_modifier(tables, text, base))
            out.push_back({cat(".", text), row->meaning});
    }
    return out;
}

} // namespace

TextRange instruction_in(AssemblyLanguage language, std::string_view line) {
    std::size_t at = skip_space(line, 0);
    if (language == AssemblyLanguage::Sass)
        at = skip_address(line, at);
    while (at < line.size() && (line[at] == '{' || line[at] == '@')) // a block of PTX, a predicate
        at = skip_space(line, line[at] == '{' ? at + 1 : end_of_word(line, at));
    if (at == line.size() || !(language == AssemblyLanguage::Ptx ? is_lower(line[at]) : is_upper(line[at])))
        return {};
    std::size_t end = at;
    while (end < line.size() && is_word_part(line[end]))
        ++end;
    if (line[end - 1] == ':') // a label
        return {};
    return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
}

std::optional<InstructionHelp> instruction_help(AssemblyLanguage language, std::string_view line, int column) {
    TextRange range = instruction_in(language, line);
    auto at = static_cast<std::uint32_t>(std::max(column - 1, 0));
    if (range.begin == range.end || (column > 0 && (at < range.begin || at >= range.end)))
        return {};
    std::string_view name = line.substr(range.begin, range.end - range.begin);
    const Tables& tables = tables_of(language);
    const InstructionRow* row = find_row(tables, name);
    if (!row)
        return {};
    std::string_view base = row->name;
    return InstructionHelp{range,
                           std::string(name),
                           row->name,
                           row->meaning,
                           row->operands,
                           row->unit,
                           explain(tables, base, name.substr(base.size()))};
}

std::vector<std::string> known_instructions(AssemblyLanguage language) {
    return transformed<std::string>(tables_of(language).instructions, [](const auto& row) { return row.first; });
}

} // namespace hidet::session
