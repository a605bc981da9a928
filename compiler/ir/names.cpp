// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/names.h"

#include <algorithm>

#include "compiler/ir/dtype.h"
#include "lang/base/ascii.h"

namespace hidet::ir {

bool is_reserved(std::string_view word) {
    static const std::unordered_set<std::string_view> words = [] {
        std::unordered_set<std::string_view> set = {
            "and",      "or",       "not",     "rem",      "if",     "else",  "elif",    "for",         "in",
            "on",       "while",    "break",   "continue", "return", "def",   "module",  "global",      "extern",
            "pass",     "declare",  "let",     "assert",   "True",   "False", "None",    "call",        "cast",
            "constant", "symbol",   "comment", "asm",      "launch", "inf",   "nan",     "bitwise_not", "threadIdx",
            "blockIdx", "blockDim", "gridDim", "cluster",  "math",   "cuda",  "runtime", "attrs",       "printf",
            "assume",   "void",     "str",     "opaque",   "array",
        };
        for (const DTypeInfo& row : all_dtypes()) {
            set.insert(row.name);
            set.insert(row.short_name);
        }
        return set;
    }();
    return words.contains(word);
}

bool is_identifier(std::string_view text) {
    if (text.empty() || (text.front() >= '0' && text.front() <= '9'))
        return false;
    return std::ranges::all_of(text, is_name_byte);
}

bool is_opaque_name(std::string_view text) {
    constexpr std::size_t longest = 128;
    return text.size() <= longest && is_identifier(text) && std::all_of(text.begin(), text.end(), is_word);
}

bool is_opaque_modifier(std::string_view text) {
    return text == "const" || text == "volatile" || text == "__grid_constant__" || text == "__restrict__";
}

const std::vector<std::string>& extern_functions() {
    static const std::vector<std::string> names = {
#define HIDET_EXTERN(name) name,
#include "compiler/ir/extern_functions.def"
    };
    return names;
}

bool is_extern_function(std::string_view name) {
    return std::find(extern_functions().begin(), extern_functions().end(), name) != extern_functions().end();
}

Precedence precedence_of(BinOp op) {
    switch (op) {
    case BinOp::Or: return Precedence::Or;
    case BinOp::And: return Precedence::And;
    case BinOp::Lt:
    case BinOp::Le:
    case BinOp::Eq:
    case BinOp::Ne: return Precedence::Comparison;
    case BinOp::BitOr: return Precedence::BitOr;
    case BinOp::BitXor: return Precedence::BitXor;
    case BinOp::BitAnd: return Precedence::BitAnd;
    case BinOp::Shl:
    case BinOp::Shr: return Precedence::Shift;
    case BinOp::Add:
    case BinOp::Sub: return Precedence::Sum;
    case BinOp::Mul:
    case BinOp::Div:
    case BinOp::Mod:
    case BinOp::FloorDiv:
    case BinOp::FloorMod: return Precedence::Product;
    }
    return Precedence::Primary;
}

static std::string as_identifier(std::string_view hint) {
    std::string name;
    for (char c : hint)
        name += is_name_byte(c) ? c : '_';
    if (name.empty() || (name.front() >= '0' && name.front() <= '9'))
        name.insert(name.begin(), '_');
    return name;
}

std::string NameTable::unique_name(std::string_view hint) {
    std::string base = as_identifier(hint);
    auto is_free = [&](const std::string& name) {
        return !m_global_names.contains(name) && !m_local_names.contains(name);
    };
    if (is_free(base) && !is_reserved(base))
        return base;
    int& number = m_next_number[base];
    std::string name;
    do
        name = base + "_" + std::to_string(++number);
    while (!is_free(name));
    return name;
}

const std::string& NameTable::name_of(const Var& var) {
    if (!m_globals.empty())
        if (auto found = m_globals.find(&var); found != m_globals.end())
            return found->second;
    auto [found, is_new] = m_locals.try_emplace(&var);
    if (is_new) {
        found->second = unique_name(var.name);
        m_local_names.insert(found->second);
    }
    return found->second;
}

void NameTable::add_global(const Var& var) {
    auto [found, is_new] = m_globals.try_emplace(&var);
    if (!is_new)
        return;
    found->second = unique_name(var.name);
    m_global_names.insert(found->second);
}

// "i_1" is a second "i", where there is one that leads to this number; else it is a name of its own.
std::string NameTable::hint_of(std::string_view name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits < 2 || digits == name.size() || name[digits - 1] != '_')
        return std::string(name);
    const std::string base(name.substr(0, digits - 1));
    const auto before = m_next_number.find(base);
    const int number = before == m_next_number.end() ? 0 : before->second;
    if (unique_name(base) == name)
        return base;
    m_next_number[base] = number;
    return std::string(name);
}

std::string NameTable::hint_behind(std::string_view name) {
    std::string hint = hint_of(name);
    m_local_names.emplace(name);
    return hint;
}

std::string NameTable::global_hint_behind(std::string_view name) {
    std::string hint = hint_of(name);
    m_global_names.emplace(name);
    return hint;
}

void NameTable::begin_function() {
    m_locals.clear();
    m_local_names.clear();
    m_next_number.clear();
}

} // namespace hidet::ir
