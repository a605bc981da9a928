// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/assembly.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "lang/base/ascii.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::ir {

namespace {

struct AssemblyRow {
    std::string_view opcode, modifiers, types, operands;
};
constexpr AssemblyRow assembly_rows[] = {
#define HIDET_ASM(opcode, modifiers, types, operands, sentence) {opcode, modifiers, types, operands},
#include "compiler/ir/assembly.def"
};

constexpr std::string_view special_registers[] = {"tid.x",   "tid.y",   "tid.z",   "ntid.x",     "ntid.y",   "ntid.z",
                                                  "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x",   "nctaid.y", "nctaid.z",
                                                  "laneid",  "clock",   "clock64", "globaltimer"};

using OperandKind = AssemblyOperand::Kind;

std::vector<std::string> listed(std::string_view text) {
    return text.empty() ? std::vector<std::string>() : split(text, ' ');
}

std::optional<std::int64_t> number_of(std::string_view text) {
    const bool is_hex = text.starts_with("0x");
    const char* begin = text.data() + (is_hex ? 2 : 0);
    const char* end = text.data() + text.size();
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(begin, end, number, is_hex ? 16 : 10);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

class AssemblyReader {
public:
    explicit AssemblyReader(const AsmStmt& stmt) : m_stmt(stmt) {}

    Assembly read() {
        constexpr std::size_t longest = 256;
        if (m_stmt.text.size() > longest)
            return refused(cat("asm() takes one instruction of at most ", longest, " letters"));
        std::string_view text = trimmed(m_stmt.text);
        if (text.ends_with(';'))
            text = trimmed(text.substr(0, text.size() - 1));
        if (text.find(';') != std::string_view::npos || text.find('{') != std::string_view::npos)
            return refused("asm() takes one instruction, without ';', '{' and '}' within; write one asm() for each");
        const std::size_t blank = std::min(text.find_first_of(" \t\n"), text.size());
        m_read.words = split(text.substr(0, blank), '.');
        const auto row = std::find_if(std::begin(assembly_rows), std::end(assembly_rows),
                                      [&](const AssemblyRow& known) { return known.opcode == m_read.words[0]; });
        if (row == std::end(assembly_rows))
            return refused(cat(quote(m_read.words[0]), " is no instruction of asm(); it takes ", opcodes()));
        if (!read_words(*row))
            return std::move(m_read);
        return read_operands(*row, trimmed(text.substr(blank)));
    }

private:
    Assembly refused(std::string complaint) {
        m_read.complaint = std::move(complaint);
        return std::move(m_read);
    }
    static std::string opcodes() { return join(transformed<std::string>(assembly_rows, &AssemblyRow::opcode), ", "); }

    // The type stands last; no modifier stands twice.
    bool read_words(const AssemblyRow& row) {
        const std::vector<std::string> types = listed(row.types);
        std::vector<std::string> modifiers = listed(row.modifiers);
        std::size_t end = m_read.words.size();
        const bool has_type =
            types.empty() || (end > 1 && std::find(types.begin(), types.end(), m_read.words[end - 1]) != types.end());
        if (!has_type) {
            refused(cat("'", row.opcode, "' of asm() ends in a type: ", join(types, ", ")));
            return false;
        }
        end -= types.empty() ? 0 : 1;
        for (std::size_t i = 1; i < end; ++i) {
            const auto found = std::find(modifiers.begin(), modifiers.end(), m_read.words[i]);
            if (found == modifiers.end()) {
                refused(cat("'", row.opcode, "' of asm() has no ", quote("." + m_read.words[i]), " there; it takes ",
                            row.modifiers.empty() ? "no modifiers" : join(listed(row.modifiers), ", ")));
                return false;
            }
            modifiers.erase(found);
        }
        return true;
    }

    Assembly read_operands(const AssemblyRow& row, std::string_view text) {
        const std::vector<std::string> forms = listed(row.operands);
        const std::vector<std::string> given = text.empty() ? std::vector<std::string>() : split(text, ',');
        if (given.size() != forms.size())
            return refused(cat("'", row.opcode, "' of asm() takes ", forms.size(),
                               forms.size() == 1 ? " operand" : " operands", ", not ", given.size()));
        for (std::size_t i = 0; i < given.size(); ++i) {
            const auto operand = operand_of(trimmed(given[i]));
            if (!operand || !fits(*operand, forms[i][0], row))
                return refused(cat("operand ", i + 1, " of '", row.opcode, "' is ", wanted(forms[i][0], row), ", not ",
                                   quote(trimmed(given[i]))));
            m_read.operands.push_back(*operand);
        }
        return std::move(m_read);
    }
    static std::string wanted(char form, const AssemblyRow& row) {
        switch (form) {
        case 'd': return "an output, such as %0";
        case 'p': return "an address in brackets, such as [%1] or [%1+4]";
        case 'n': return "a number";
        default: break;
        }
        return row.opcode == "mov" ? cat("an operand such as %1, a number, or one of ", special_register_list())
                                   : "an operand such as %1, or a number";
    }
    bool fits(const AssemblyOperand& operand, char form, const AssemblyRow& row) const {
        switch (form) {
        case 'd': return operand.kind == OperandKind::Operand && operand.index < m_stmt.outputs.size();
        case 'p': return operand.kind == OperandKind::Memory;
        case 'n': return operand.kind == OperandKind::Number;
        default: break;
        }
        return operand.kind == OperandKind::Operand || operand.kind == OperandKind::Number ||
               (operand.kind == OperandKind::Special && row.opcode == "mov");
    }

    std::optional<AssemblyOperand> operand_of(std::string_view text) const {
        if (text.starts_with('[') && text.ends_with(']'))
            return memory(text.substr(1, text.size() - 2));
        if (const auto number = number_of(text))
            return AssemblyOperand{.kind = OperandKind::Number, .number = *number};
        if (!text.starts_with('%'))
            return std::nullopt;
        text.remove_prefix(text.starts_with("%%") ? 2 : 1); // C++ writes two for one
        for (std::string_view special : special_registers)
            if (special == text)
                return AssemblyOperand{.kind = OperandKind::Special, .special = std::string(text)};
        const auto index = text.empty() || !is_digit(text[0]) ? std::nullopt : number_of(text);
        const std::size_t count = m_stmt.outputs.size() + m_stmt.inputs.size();
        if (!index || static_cast<std::size_t>(*index) >= count)
            return std::nullopt;
        return AssemblyOperand{.kind = OperandKind::Operand, .index = static_cast<std::size_t>(*index)};
    }
    std::optional<AssemblyOperand> memory(std::string_view text) const {
        const std::size_t plus = text.find('+');
        auto base = operand_of(trimmed(text.substr(0, plus)));
        if (!base || base->kind != OperandKind::Operand)
            return std::nullopt;
        base->kind = OperandKind::Memory;
        if (plus == std::string_view::npos)
            return base;
        const auto offset = number_of(trimmed(text.substr(plus + 1)));
        if (!offset)
            return std::nullopt;
        base->number = *offset;
        return base;
    }

    const AsmStmt& m_stmt;
    Assembly m_read;
};

std::string text_of(const AssemblyOperand& operand) {
    switch (operand.kind) {
    case OperandKind::Operand: return cat("%", operand.index);
    case OperandKind::Number: return std::to_string(operand.number);
    case OperandKind::Special: return "%%" + operand.special;
    case OperandKind::Memory: break;
    }
    return operand.number == 0 ? cat("[%", operand.index, "]") : cat("[%", operand.index, "+", operand.number, "]");
}

} // namespace

bool Assembly::has_word(std::string_view word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string Assembly::text() const {
    std::vector<std::string> texts =
        transformed(operands, [&](const AssemblyOperand& operand) { return text_of(operand); });
    return cat(join(words, "."), texts.empty() ? "" : " ", join(texts, ", "), ";");
}

Assembly read_assembly(const AsmStmt& stmt) {
    return AssemblyReader(stmt).read();
}

std::string special_register_list() {
    return join(transformed(special_registers, [&](std::string_view name) { return cat("%", name); }), ", ");
}

} // namespace hidet::ir
