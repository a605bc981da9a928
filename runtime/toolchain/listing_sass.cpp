// SPDX-License-Identifier: Apache-2.0
// nvdisasm marks lines so, a call a line, the innermost first:
//     //## File "/hidet/kernel.cu", line 2 inlined at "/hidet/kernel.cu", line 7
//     //## File "/hidet/kernel.cu", line 7
// Its labels are numbered through the whole cubin, and many are only for itself; the listing keeps those that a branch
// names, numbered from 1 in each function.
#include <algorithm>
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
};

struct Function {
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

class SassReader {
public:
    void line(std::string_view raw);
    std::vector<Function> take_functions() { return std::move(m_functions); }

private:
    void mark(std::string_view words);
    void instruction(std::string_view words);
    void label(std::string_view name);

    std::vector<Function> m_functions;
    LineChain m_chain;
    bool m_goes_on = false; // the last mark was of an inlined function: the next one is the call
};

// `"/hidet/kernel.cu", line 2` and the rest of the line.
int take_line(std::string_view& words) {
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

void SassReader::mark(std::string_view words) {
    if (!m_goes_on)
        m_chain.clear();
    if (int line = take_line(words); line > 0)
        m_chain.push_back(line);
    m_goes_on = words.find("inlined at") != std::string_view::npos;
}

void SassReader::instruction(std::string_view words) {
    std::size_t end = words.find("*/");
    if (end == std::string_view::npos || m_functions.empty())
        return;
    Row row;
    row.address = words.substr(0, end);
    words = trimmed(words.substr(end + 2));
    if (words.starts_with('@')) {
        row.guard = words.substr(0, words.find(' '));
        words = trimmed(words.substr(row.guard.size()));
    }
    words = trimmed(words.substr(0, words.rfind(';')));
    row.text = readable(words);
    row.chain = m_chain;
    m_goes_on = false;
    m_functions.back().rows.push_back(std::move(row));
}

void SassReader::label(std::string_view name) {
    if (!name.starts_with(".text.") && !m_functions.empty() && m_functions.back().name != name)
        m_functions.back().rows.push_back({std::string(name), {}, {}, {}, {}});
}

void SassReader::line(std::string_view raw) {
    std::string_view words = trimmed(raw);
    if (take(words, ".section")) {
        m_chain.clear();
        m_goes_on = false;
        if (take(words, ".text."))
            m_functions.push_back({std::string(words.substr(0, words.find(','))), {}});
    } else if (take(words, "//## File")) {
        mark(words);
    } else if (take(words, "/*")) {
        instruction(words);
    } else if (words.ends_with(':')) {
        label(words.substr(0, words.size() - 1));
    }
}

// The last instruction is followed by a branch to itself and NOPs, which nothing runs.
void drop_padding(Function& function) {
    auto& rows = function.rows;
    while (!rows.empty() && (rows.back().text == "NOP" || !rows.back().label.empty()))
        rows.pop_back();
    if (rows.size() >= 2 && rows.back().text.starts_with("BRA ") && !rows[rows.size() - 2].label.empty() &&
        rows.back().text == "BRA " + rows[rows.size() - 2].label)
        rows.resize(rows.size() - 2);
}

// Old name -> new name of the labels that instructions name, in the order of the function.
std::map<std::string, std::string, std::less<>> number_labels(const Function& function) {
    std::set<std::string, std::less<>> used;
    for (const Row& row : function.rows)
        each_label(row.text, [&](std::string_view label, std::size_t) { used.emplace(label); });
    std::map<std::string, std::string, std::less<>> names;
    for (const Row& row : function.rows)
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

void write(Function& function, ListingWriter& writer) {
    drop_padding(function);
    auto names = number_labels(function);
    writer.gap();
    writer.line(function.name + ":", function.first_line() == INT_MAX ? LineChain() : LineChain{function.first_line()});
    for (Row& row : function.rows) {
        if (row.label.empty()) {
            rename_labels(row.text, names);
            std::string guard = row.guard + std::string(row.guard.size() < 6 ? 6 - row.guard.size() : 1, ' ');
            writer.line("    " + row.address + "  " + guard + row.text, row.chain);
        } else if (auto named = names.find(row.label); named != names.end()) {
            writer.line(named->second + ":");
        } else if (!row.label.starts_with(label_start)) {
            writer.line(row.label + ":");
        }
    }
}

} // namespace

Listing sass_listing(std::string_view disassembly) {
    SassReader reader;
    for (const std::string& line : split(disassembly, '\n'))
        reader.line(line);
    std::vector<Function> functions = reader.take_functions();
    // nvdisasm sorts by name; a reader expects the order of the text.
    std::stable_sort(functions.begin(), functions.end(),
                     [](const Function& a, const Function& b) { return a.first_line() < b.first_line(); });
    ListingWriter writer;
    for (Function& function : functions)
        write(function, writer);
    return writer.take();
}

} // namespace hidet::toolchain
