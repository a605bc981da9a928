// SPDX-License-Identifier: Apache-2.0
// nvdisasm marks lines so, a call a line, the innermost first:
//     //## File "/hidet/kernel.cu", line 2 inlined at "/hidet/kernel.cu", line 7
//     //## File "/hidet/kernel.cu", line 7
// Its labels are numbered through the whole cubin, and many are only for itself; the listing keeps those that a branch
// names, numbered from 1 in each function. With -hex the word of an instruction follows it in two comments, the low half on
// its line, the high half alone on the next.
#include <algorithm>
#include <charconv>
#include <climits>
#include <map>
#include <set>

#include "lang/base/text.h"
#include "runtime/toolchain/listing_writer.h"
#include "runtime/toolchain/nvrtc.h"
#include "runtime/toolchain/words.h"

namespace hidet::toolchain {

namespace {

constexpr std::string_view label_start = ".L_x_";

struct Row {
    std::string label;   // a row is a label or an instruction
    std::string address; // "01b0"
    std::string guard;   // "@!P0"
    std::string text;    // "FMUL R4, R4, 0.5"
    LineChain chain;
    sass::Word word;
    std::vector<std::string> names; // the labels that it names
};

struct Section { // of a function
    std::string name;
    std::vector<Row> rows;

    int first_line() const {
        for (const Row& row : rows)
            if (!row.chain.empty())
                return row.chain.back();
        return INT_MAX;
    }
};

// ".L_x_12" at the start of the text, or nothing.
std::string_view label_at(std::string_view text) {
    if (!text.starts_with(label_start))
        return {};
    std::size_t end = label_start.size();
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])))
        ++end;
    return text.substr(0, end);
}

template <class Use>
void each_label(std::string_view text, Use use) {
    for (std::size_t at = text.find(label_start); at != std::string_view::npos; at = text.find(label_start, at + 1))
        use(label_at(text.substr(at)), at);
}

// "BRX R2 -0xf0 (*"BRANCH_TARGETS .L_x_1,.L_x_2"*)" is "BRX R2 -0xf0 // .L_x_1, .L_x_2"; "BRA `(.L_x_1)" is "BRA .L_x_1".
std::string readable(std::string_view text) {
    std::string tail;
    if (std::size_t note = text.find("(*\""); note != std::string_view::npos) {
        std::string_view words = text.substr(note + 3);
        words = words.substr(0, words.find("\"*)"));
        if (take(words, "BRANCH_TARGETS"))
            tail = " // " + join(split(words, ','), ", ");
        text = trimmed(text.substr(0, note));
    }
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i, 2) != "`(") {
            plain.push_back(text[i]);
            continue;
        }
        std::size_t close = std::min(text.find(')', i), text.size());
        plain.append(text.substr(i + 2, close - i - 2));
        i = close;
    }
    return plain + tail;
}

// "`(.L_x_1)" and "`($f$_Z4slowi)" name a label each, as do the targets of a jump table.
std::vector<std::string> labels_of(std::string_view text) {
    std::vector<std::string> names;
    each_label(text, [&](std::string_view label, std::size_t) { names.emplace_back(label); });
    if (std::size_t open = text.find("`($"); open != std::string_view::npos)
        names.emplace_back(text.substr(open + 2, text.find(')', open) - open - 2));
    return names;
}

// The number in "0x000fe20000000800 */".
std::uint64_t hex_number(std::string_view words) {
    std::uint64_t number = 0;
    if (words.starts_with("0x"))
        std::from_chars(words.data() + 2, words.data() + words.size(), number, 16);
    return number;
}

// `"/hidet/kernel.cu", line 2` and the rest of the line.
int line_number_of(std::string_view& words) {
    std::size_t open = words.find('"');
    std::size_t close = open == std::string_view::npos ? open : words.find('"', open + 1);
    if (close == std::string_view::npos)
        return 0;
    bool is_ours = words.substr(open + 1, close - open - 1) == program_name;
    words.remove_prefix(close + 1);
    if (!take(words, ",") || !take(words, "line"))
        return 0;
    int number = take_number(words);
    return is_ours ? std::max(number, 0) : 0;
}

class SassReader {
public:
    void line(std::string_view raw) {
        std::string_view words = trimmed(raw);
        if (take(words, ".section")) {
            m_chain.clear();
            m_goes_on = false;
            if (take(words, ".text."))
                m_sections.push_back({std::string(words.substr(0, words.find(','))), {}});
        } else if (take(words, "//## File")) {
            mark(words);
        } else if (take(words, "/*")) {
            instruction(words);
        } else if (words.ends_with(':')) {
            label(words.substr(0, words.size() - 1));
        }
    }
    std::vector<Section> take_sections() { return std::move(m_sections); }

private:
    void mark(std::string_view words) {
        if (!m_goes_on)
            m_chain.clear();
        if (int line = line_number_of(words); line > 0)
            m_chain.push_back(line);
        m_goes_on = words.find("inlined at") != std::string_view::npos;
    }
    void instruction(std::string_view words) {
        std::size_t end = words.find("*/");
        if (end == std::string_view::npos || m_sections.empty())
            return;
        if (words.starts_with("0x"))
            return high_half(words);
        Row row;
        row.address = words.substr(0, end);
        words = trimmed(words.substr(end + 2));
        if (std::size_t comment = words.rfind("/* 0x"); comment != std::string_view::npos)
            row.word.low = hex_number(words.substr(comment + 3));
        if (words.starts_with('@')) {
            row.guard = words.substr(0, words.find(' '));
            words = trimmed(words.substr(row.guard.size()));
        }
        words = trimmed(words.substr(0, words.rfind(';')));
        row.names = labels_of(words);
        row.text = readable(words);
        row.chain = m_chain;
        m_goes_on = false;
        m_sections.back().rows.push_back(std::move(row));
    }
    void high_half(std::string_view words) {
        if (!m_sections.back().rows.empty())
            m_sections.back().rows.back().word.high = hex_number(words);
    }
    void label(std::string_view name) {
        if (name.starts_with(".text.") || m_sections.empty() || m_sections.back().name == name)
            return;
        Row row;
        row.label = name;
        m_sections.back().rows.push_back(std::move(row));
    }

    std::vector<Section> m_sections;
    LineChain m_chain;
    bool m_goes_on = false; // the last mark was of an inlined function: the next one is the call
};

// The last instruction is followed by a branch to itself and NOPs, which nothing runs.
void drop_padding(Section& section) {
    auto& rows = section.rows;
    while (!rows.empty() && (rows.back().text == "NOP" || !rows.back().label.empty()))
        rows.pop_back();
    if (rows.size() >= 2 && rows.back().text.starts_with("BRA ") && !rows[rows.size() - 2].label.empty() &&
        rows.back().text == "BRA " + rows[rows.size() - 2].label)
        rows.resize(rows.size() - 2);
}

// Old name -> new name of the labels that instructions name, in the order of the function.
std::map<std::string, std::string, std::less<>> number_labels(const Section& section) {
    std::set<std::string, std::less<>> used;
    for (const Row& row : section.rows)
        each_label(row.text, [&](std::string_view label, std::size_t) { used.emplace(label); });
    std::map<std::string, std::string, std::less<>> names;
    for (const Row& row : section.rows)
        if (used.contains(row.label))
            names.emplace(row.label, cat(".L", names.size() + 1));
    return names;
}

void rename_labels(std::string& text, const std::map<std::string, std::string, std::less<>>& names) {
    std::string renamed;
    std::size_t done = 0;
    each_label(text, [&](std::string_view label, std::size_t at) {
        auto found = names.find(label);
        renamed.append(text, done, at - done).append(found == names.end() ? label : found->second);
        done = at + label.size();
    });
    text = renamed.append(text, done);
}

// The lines of the instructions.
std::vector<std::size_t> write(Section& section, ListingWriter& writer) {
    auto names = number_labels(section);
    std::vector<std::size_t> lines;
    writer.gap();
    writer.line(section.name + ":", section.first_line() == INT_MAX ? LineChain() : LineChain{section.first_line()});
    for (Row& row : section.rows) {
        if (row.label.empty()) {
            rename_labels(row.text, names);
            lines.push_back(writer.line_count());
            std::string guard = row.guard + std::string(row.guard.size() < 6 ? 6 - row.guard.size() : 1, ' ');
            writer.line("    " + row.address + "  " + guard + row.text, row.chain);
        } else if (auto named = names.find(row.label); named != names.end()) {
            writer.line(named->second + ":");
        } else if (!row.label.starts_with(label_start)) {
            writer.line(row.label + ":");
        }
    }
    return lines;
}

std::uint32_t address_of(const Row& row) {
    return static_cast<std::uint32_t>(hex_number("0x" + row.address));
}

// The rows as they were written, so that texts say what the listing says; `lines` has the place of each in it.
sass::Function function_of(const Section& section, const std::vector<std::size_t>& lines) {
    sass::Function out{section.name, {}};
    std::map<std::string, std::size_t, std::less<>> starts; // a label -> the next instruction
    for (std::size_t i = 0; i < section.rows.size(); ++i) {
        const Row& row = section.rows[i];
        if (!row.label.empty()) {
            starts.emplace(row.label, out.code.size());
            continue;
        }
        sass::Instruction instruction;
        sass::split_instruction(row.text, instruction);
        instruction.guard = row.guard;
        instruction.address = address_of(row);
        instruction.word = row.word;
        if (row.word.known())
            instruction.control = control_of(row.word);
        instruction.line = lines[out.code.size()];
        out.code.push_back(std::move(instruction));
    }
    std::size_t at = 0;
    for (const Row& row : section.rows) {
        if (!row.label.empty())
            continue;
        for (const std::string& name : row.names)
            if (auto found = starts.find(name); found != starts.end() && found->second < out.code.size())
                out.code[at].targets.push_back(found->second);
        ++at;
    }
    return out;
}

} // namespace

Disassembly read_disassembly(std::string_view text) {
    SassReader reader;
    for (const std::string& line : split(text, '\n'))
        reader.line(line);
    std::vector<Section> sections = reader.take_sections();
    // nvdisasm sorts by name; a reader expects the order of the text.
    std::ranges::stable_sort(sections,
                             [](const Section& a, const Section& b) { return a.first_line() < b.first_line(); });
    ListingWriter writer;
    Disassembly out;
    for (Section& section : sections) {
        drop_padding(section);
        std::vector<std::size_t> lines = write(section, writer);
        out.functions.push_back(function_of(section, lines));
    }
    out.listing = writer.take();
    return out;
}

Listing sass_listing(std::string_view disassembly) {
    return read_disassembly(disassembly).listing;
}

} // namespace hidet::toolchain
