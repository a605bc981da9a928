// SPDX-License-Identifier: Apache-2.0
// nvdisasm names the first register of each operand: "R4", "-|R4.reuse|", "!P0", "[R2.64+UR4+0x10]", "desc[UR4][R2.64]",
// "gdesc[UR8]", "c[0x0][R3+0x160]".
#include "runtime/toolchain/sass/operands.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "lang/base/text.h"

namespace hidet::toolchain::sass {

namespace {

constexpr std::uint16_t predicates = 7; // the eighth is PT

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// Commas within brackets are part of an operand.
std::vector<std::string_view> operands_in(std::string_view text) {
    std::vector<std::string_view> out;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size()) {
            depth += (text[i] == '[' || text[i] == '(') - (text[i] == ']' || text[i] == ')');
            if (text[i] != ',' || depth > 0)
                continue;
        }
        if (std::string_view operand = trimmed(text.substr(begin, i - begin)); !operand.empty())
            out.push_back(operand);
        begin = i + 1;
    }
    return out;
}

struct Named { // a register in the text of an operand
    Register name;
    std::string_view modifiers; // ".64", ".reuse"
    std::string_view
        bracket; // "desc", "gdesc", "c" before the bracket that it stands in, "[" where there is nothing; "": no bracket
};

std::optional<RegisterKind> kind_before(std::string_view& word) {
    constexpr std::pair<std::string_view, RegisterKind> prefixes[] = {{"UR", RegisterKind::Uniform},
                                                                      {"UP", RegisterKind::UniformPredicate},
                                                                      {"R", RegisterKind::General},
                                                                      {"P", RegisterKind::Predicate}};
    for (const auto& [prefix, kind] : prefixes)
        if (word.starts_with(prefix)) {
            word.remove_prefix(prefix.size());
            return kind;
        }
    return {};
}

// Not RZ, URZ, PT and UPT, which nobody writes.
std::optional<Register> register_called(std::string_view word) {
    const std::optional<RegisterKind> kind = kind_before(word);
    if (!kind || word.empty())
        return {};
    std::uint16_t number = 0;
    auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (failed != std::errc() || end != word.data() + word.size() ||
        number >= register_counts[static_cast<std::size_t>(*kind)])
        return {};
    return Register{*kind, number};
}

class OperandReader {
public:
    explicit OperandReader(std::string_view text) : m_text(text) {}

    template <class Use>
    void each(Use use) {
        while (m_at < m_text.size()) {
            if (m_text[m_at] == '[')
                open();
            else if (m_text[m_at] == ']')
                m_bracket = {};
            if (!is_word(m_text[m_at])) {
                ++m_at;
                continue;
            }
            const std::string_view word = take_word();
            if (auto name = register_called(word))
                use(Named{*name, take_modifiers(), m_bracket});
        }
    }

private:
    void open() {
        std::size_t begin = m_at;
        while (begin > 0 && is_word(m_text[begin - 1]))
            --begin;
        m_bracket = begin == m_at ? m_text.substr(m_at, 1) : m_text.substr(begin, m_at - begin);
    }
    std::string_view take_word() {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && is_word(m_text[m_at]))
            ++m_at;
        return m_text.substr(begin, m_at - begin);
    }
    std::string_view take_modifiers() {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (m_text[m_at] == '.' || is_word(m_text[m_at])))
            ++m_at;
        return m_text.substr(begin, m_at - begin);
    }

    std::string_view m_text, m_bracket;
    std::size_t m_at = 0;
};

void put(RegisterSet& into, Register first, int width) {
    const std::size_t begin = place_of_register(first);
    const auto left = static_cast<int>(register_counts[static_cast<std::size_t>(first.kind)]) - first.number;
    for (int i = 0; i < std::min(width, left); ++i)
        into.set(begin + static_cast<std::size_t>(i));
}

bool is_predicate(std::string_view operand) {
    return operand == "PT" || operand == "UPT" || operand.starts_with('P') || operand.starts_with("UP");
}

bool is_register(std::string_view operand) {
    return operand.starts_with('R') || operand.starts_with("UR");
}

bool has_no_result(const Instruction& instruction) {
    constexpr std::string_view names[] = {
#define HIDET_NO_RESULT(name) name,
#include "runtime/toolchain/sass/no_result.def"
    };
    return std::any_of(std::begin(names), std::end(names), [&](std::string_view name) { return instruction.is(name); });
}

// Comparisons write predicates alone: two, where one is PT as a rule.
std::optional<std::size_t> predicates_only(const Instruction& instruction) {
    const std::string_view base = std::string_view(instruction.opcode).substr(0, instruction.opcode.find('.'));
    if (base.find("SETP") != std::string_view::npos || base == "PLOP3" || base == "UPLOP3")
        return 2;
    if (base == "FCHK")
        return 1;
    return {};
}

// The operands at the front that are written: predicates, one register, predicates.
std::size_t results_of(const Instruction& instruction, const std::vector<std::string_view>& operands) {
    if (has_no_result(instruction))
        return 0;
    if (auto count = predicates_only(instruction))
        return std::min(*count, operands.size());
    const bool votes = instruction.is("VOTE") || instruction.is("VOTEU");
    std::size_t at = 0;
    while (at < operands.size() && is_predicate(operands[at]) && !(votes && at == 1))
        ++at;
    if (at == operands.size() || !is_register(operands[at]))
        return at;
    ++at;
    const std::size_t most = at + (votes ? 1 : 2);
    while (at < std::min(most, operands.size()) && is_predicate(operands[at]) && operands[at] != "PR")
        ++at;
    return at;
}

// ---- how many registers in a row an operand takes: the text names the first ----

enum class OperandRole : std::uint8_t { Result, A, B, C }; // A: the first that is read

using Widths = std::array<int, 4>; // by role

std::optional<Widths> listed(const Instruction& instruction) {
    constexpr struct {
        std::string_view name, modifier;
        Widths widths;
    } rows[] = {
#define HIDET_WIDTHS(name, modifier, result, a, b, c) {name, modifier, {result, a, b, c}},
#include "runtime/toolchain/sass/widths.def"
    };
    for (const auto& row : rows)
        if (instruction.is(row.name) && (row.modifier.empty() || instruction.has(row.modifier)))
            return row.widths;
    return {};
}

bool is_one_of(const Instruction& instruction, std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return instruction.is(name); });
}

// "F2I.S64.F64.TRUNC": the result's type, then the operand's. The other side of one that names a single type is 32 bits wide, but
// for F2I and I2F, whose names say which side it is.
std::optional<Widths> conversion(const Instruction& instruction) {
    if (!is_one_of(instruction, {"F2F", "F2I", "I2F", "I2I", "FRND"}))
        return {};
    std::vector<int> types;
    for (const std::string& word : split(instruction.opcode, '.'))
        if (word.size() > 1 && std::string_view("FUSB").find(word[0]) != std::string_view::npos &&
            std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; }))
            types.push_back(word.ends_with("64") ? 2 : 1);
    if (types.size() >= 2)
        return Widths{types[0], types[1], 1, 1};
    const int only = types.empty() ? 1 : types[0];
    if (instruction.is("FRND"))
        return Widths{only, only, 1, 1};
    if (instruction.is("F2F"))
        return Widths{only, 1, 1, 1};
    const bool is_float = instruction.has("F64");
    if (instruction.is("I2F"))
        return is_float ? Widths{2, 1, 1, 1} : Widths{1, only, 1, 1};
    return is_float ? Widths{1, 2, 1, 1} : Widths{only, 1, 1, 1};
}

struct Tile {
    int m = 0, n = 0, k = 0;
};

// "16816" is 16 x 8 x 16, "64x128x16" is what it says.
Tile tile_in(std::string_view word) {
    Tile out;
    int* const sides[] = {&out.m, &out.n, &out.k};
    if (word.find('x') != std::string_view::npos) {
        std::size_t side = 0;
        for (const std::string& number : split(word, 'x'))
            if (side < 3)
                std::from_chars(number.data(), number.data() + number.size(), *sides[side++]);
        return out;
    }
    // Each side is a power of two of at least 4: a 1 begins 16 or 128, else the digits stand alone but for 32 and 64 and 256.
    std::size_t at = 0;
    for (int* side : sides)
        for (std::string_view number : {"256", "128", "64", "32", "16", "8", "4"})
            if (*side == 0 && word.substr(at).starts_with(number)) {
                std::from_chars(number.data(), number.data() + number.size(), *side);
                at += number.size();
            }
    return at == word.size() ? out : Tile();
}

int element_bits(const Instruction& instruction) {
    if (is_one_of(instruction, {"DMMA"}))
        return 64;
    if (is_one_of(instruction, {"BMMA", "BGMMA"}))
        return 1;
    if (is_one_of(instruction, {"QMMA", "QGMMA", "IGMMA"}))
        return 8;
    if (is_one_of(instruction, {"OMMA"}))
        return 4;
    if (instruction.is("IMMA"))
        return instruction.has("S4") || instruction.has("U4") ? 4 : 8;
    return instruction.has("TF32") ? 32 : 16;
}

// Of the sums of a product: those of halves take a register for two.
int sum_bits(const Instruction& instruction) {
    if (instruction.is("DMMA"))
        return 64;
    const bool adds_halves = is_one_of(instruction, {"HMMA", "HGMMA", "QMMA", "QGMMA"}) && !instruction.has("F32");
    return adds_halves ? 16 : 32;
}

std::optional<Widths> product(const Instruction& instruction) {
    const std::string_view base = std::string_view(instruction.opcode).substr(0, instruction.opcode.find('.'));
    if (!base.ends_with("MMA") || base.starts_with("UTC"))
        return {};
    const std::vector<std::string> words = split(instruction.opcode, '.');
    if (words.size() < 2)
        return {};
    const Tile tile = tile_in(words[1]);
    if (tile.k == 0)
        return {};
    const int threads = base.ends_with("GMMA") ? 128 : 32;
    const auto registers = [&](int elements, int bits) { return std::max(elements * bits / threads / 32, 1); };
    const int bits = element_bits(instruction);
    const int half = instruction.has("SP") && threads == 32 ? 2 : 1;
    const int sums = registers(tile.m * tile.n, sum_bits(instruction));
    return Widths{sums, registers(tile.m * tile.k, bits) / half, registers(tile.n * tile.k, bits), sums};
}

// Of what is moved: "LDS.U.128", "LDSM.16.M88.4", "ATOMG.E.ADD.64".
std::optional<int> moved(const Instruction& instruction) {
    if (is_one_of(instruction, {"LDSM", "STSM"})) {
        const char last = instruction.opcode.back();
        return last == '4' || last == '2' ? (instruction.opcode[instruction.opcode.size() - 2] == '.' ? last - '0' : 1)
                                          : 1;
    }
    if (!is_one_of(instruction, {"LD", "LDG", "LDL", "LDS", "ST", "STG", "STL", "STS", "ATOM", "ATOMG", "ATOMS", "RED",
                                 "REDG", "REDAS", "STAS"}))
        return {};
    if (instruction.has("128"))
        return 4;
    return instruction.has("64") || instruction.has("F64") || instruction.has("U64") || instruction.has("S64") ? 2 : 1;
}

int dimensions(const Instruction& instruction) {
    for (int count = 1; count <= 5; ++count)
        if (instruction.has(cat(count, "D")))
            return count;
    return 1;
}

// Of an operand that is one value; addresses say their own width.
int width_of(const Instruction& instruction, OperandRole role) {
    if (auto width = moved(instruction))
        return *width;
    const auto at = static_cast<std::size_t>(role);
    if (auto widths = listed(instruction))
        return (*widths)[at];
    if (auto widths = conversion(instruction))
        return (*widths)[at];
    if (auto widths = product(instruction))
        return (*widths)[at];
    return 1;
}

// Of the base of an address in uniform registers ([UR4] of a copy by the tensor unit has its coordinates behind it).
int address_width(const Instruction& instruction, std::size_t operand) {
    const int coordinates = dimensions(instruction);
    if (instruction.is("UTMALDG"))
        return operand == 0 ? 2 + coordinates : 2; // of shared memory, the barrier, and where the box begins
    if (is_one_of(instruction, {"UTMASTG", "UTMAREDG", "UTMAPF"}))
        return operand == 0 ? 1 + coordinates : 2;
    if (is_one_of(instruction, {"UBLKCP", "UBLKRED", "UBLKPF", "UTMACCTL"}))
        return 2;
    return 1;
}

class Decoder {
public:
    explicit Decoder(const Instruction& instruction)
        : m_instruction(instruction), m_operands(operands_in(instruction.operands)),
          m_results(results_of(instruction, m_operands)) {}

    Operands run() {
        OperandReader(m_instruction.guard).each([&](const Named& guard) { put(m_out.reads, guard.name, 1); });
        for (std::size_t i = 0; i < m_results; ++i)
            write(i);
        for (std::size_t i = m_results; i < m_operands.size(); ++i)
            read(i);
        read_hidden_descriptor();
        return m_out;
    }

private:
    void write(std::size_t operand) {
        if (is_all_predicates(m_operands[operand]))
            return put_masked(m_out.writes, m_operands[operand]);
        OperandReader(m_operands[operand]).each([&](const Named& named) {
            put(m_out.writes, named.name, is_flag(named) ? 1 : width_of(m_instruction, OperandRole::Result));
        });
    }

    void read(std::size_t operand) {
        if (is_all_predicates(m_operands[operand]))
            return put_masked(m_out.reads, m_operands[operand]);
        bool is_value = false;
        OperandReader(m_operands[operand]).each([&](const Named& named) {
            is_value = is_value || (named.bracket.empty() && !is_flag(named));
            put(m_out.reads, named.name, read_width(named, operand));
        });
        // RZ and numbers have a place among the values as well; descriptors in the first place are those of both factors.
        const std::string_view text = m_operands[operand];
        if (text.starts_with("gdesc"))
            m_values = 2;
        else if (is_value || text.find('[') == std::string_view::npos || text.starts_with("c["))
            ++m_values;
    }

    int read_width(const Named& named, std::size_t operand) const {
        if (is_flag(named))
            return 1;
        if (named.bracket.empty())
            return width_of(m_instruction, role());
        if (named.bracket == "gdesc") // of both factors, also where one is in registers
            return 4;
        if (named.bracket != "[")
            return named.bracket == "desc" ? 2 : 1;
        if (named.modifiers.find(".64") != std::string_view::npos)
            return 2;
        if (named.modifiers.find(".U32") != std::string_view::npos || m_instruction.opcode.starts_with('U'))
            return address_width(m_instruction, operand);
        return m_instruction.has("E") && !m_instruction.is("LDGSTS") ? 2 : 1;
    }

    static bool is_flag(const Named& named) {
        return named.name.kind == RegisterKind::Predicate || named.name.kind == RegisterKind::UniformPredicate;
    }

    OperandRole role() const {
        constexpr OperandRole roles[] = {OperandRole::A, OperandRole::B, OperandRole::C};
        return roles[std::min<std::size_t>(m_values, 2)];
    }

    static bool is_all_predicates(std::string_view operand) { return operand == "PR" || operand == "UPR"; }

    // "P2R R6, PR, RZ, 0x7": those whose bits are set.
    void put_masked(RegisterSet& into, std::string_view operand) const {
        unsigned mask = 0;
        const std::string_view number = m_operands.back();
        if (!number.starts_with("0x"))
            return;
        std::from_chars(number.data() + 2, number.data() + number.size(), mask, 16);
        const RegisterKind kind = operand == "PR" ? RegisterKind::Predicate : RegisterKind::UniformPredicate;
        for (std::uint16_t i = 0; i < predicates; ++i)
            if (mask >> i & 1u)
                put(into, {kind, i}, 1);
    }

    // On sm_8x an access to global memory has its descriptor in the word alone, where sm_90 says desc[UR4].
    void read_hidden_descriptor() {
        constexpr std::uint16_t none = 63;
        const std::string& text = m_instruction.operands;
        const bool is_hidden = text.find(".64]") != std::string::npos || text.find(".64+") != std::string::npos;
        if (!m_instruction.word.known() || !m_instruction.has("E") || !is_hidden ||
            text.find("desc[") != std::string::npos)
            return;
        const bool is_load = m_instruction.is("LDG") || m_instruction.is("LD");
        const std::uint64_t field = is_load ? m_instruction.word.low >> 32 : m_instruction.word.high;
        if (const auto number = static_cast<std::uint16_t>(field & 63u); number != none)
            put(m_out.reads, {RegisterKind::Uniform, number}, 2);
    }

    const Instruction& m_instruction;
    std::vector<std::string_view> m_operands;
    std::size_t m_results = 0;
    std::size_t m_values = 0; // that were read
    Operands m_out;
};

} // namespace

std::size_t place_of_register(Register name) {
    std::size_t out = name.number;
    for (std::size_t kind = 0; kind < static_cast<std::size_t>(name.kind); ++kind)
        out += register_counts[kind];
    return out;
}

std::vector<Register> names_in(const RegisterSet& set) {
    std::vector<Register> out;
    std::size_t at = 0;
    for (std::size_t kind = 0; kind < register_kinds; ++kind)
        for (std::size_t number = 0; number < register_counts[kind]; ++number, ++at)
            if (set.test(at))
                out.push_back({static_cast<RegisterKind>(kind), static_cast<std::uint16_t>(number)});
    return out;
}

Operands operands_of(const Instruction& instruction) {
    return Decoder(instruction).run();
}

} // namespace hidet::toolchain::sass
