// SPDX-License-Identifier: Apache-2.0
// The log has a paragraph for each function, and its form differs between releases: "0 bytes spill stores" may stand in a
// line of its own or in another's tail, after "ptxas info    : " or "ptxas         .     ". So a line is read as phrases
// between commas, and a phrase as a number with the words after it.
#include "runtime/toolchain/figures.h"

#include <algorithm>

#include "lang/base/text.h"
#include "runtime/toolchain/words.h"

namespace hidet::toolchain {

namespace {

// The words of a line of information; nothing: the line is something else.
bool information(std::string_view line, std::string_view& words) {
    words = trimmed(line);
    if (!take(words, "ptxas")) // in old releases the second line of a paragraph is only indented
        return line.starts_with("    ") && words.find("bytes stack frame") != std::string_view::npos;
    return (take(words, "info") && take(words, ":")) || take(words, ".");
}

void read_phrase(std::string_view phrase, KernelFigures& figures) {
    phrase = trimmed(phrase);
    if (!take(phrase, "Used"))
        take(phrase, "used");
    int value = take_number(phrase);
    if (value < 0)
        return;
    std::string_view what = trimmed(phrase);
    if (what == "registers")
        figures.registers = value;
    else if (what == "barriers")
        figures.barriers = value;
    else if (what == "bytes stack frame")
        figures.stack_bytes = value;
    else if (what == "bytes cumulative stack size")
        figures.stack_bytes = std::max(figures.stack_bytes, value);
    else if (what == "bytes spill stores")
        figures.spill_store_bytes = value;
    else if (what == "bytes spill loads")
        figures.spill_load_bytes = value;
    else if (what == "bytes smem")
        figures.static_shared_bytes = value;
    else if (what.starts_with("bytes cmem["))
        figures.constant_bytes += value;
}

// "'name' for 'sm_90a'"
std::string_view quoted(std::string_view words) {
    std::size_t open = words.find('\'');
    if (open == std::string_view::npos)
        return {};
    words.remove_prefix(open + 1);
    return words.substr(0, words.find('\''));
}

class Reader {
public:
    void line(std::string_view line) {
        std::string_view words;
        if (!information(line, words)) {
            if (!trimmed(line).empty())
                m_log.rest.append(line).append("\n");
            return;
        }
        if (take(words, "Compiling entry function")) {
            m_log.figures.push_back({.symbol = std::string(quoted(words))});
            m_subject = m_log.figures.back().symbol;
        } else if (take(words, "Function properties for")) {
            m_subject = words.starts_with('\'') ? quoted(words) : words;
        } else if (!m_log.figures.empty() && (m_subject == m_log.figures.back().symbol || words.starts_with("Used"))) {
            for (const std::string& phrase : split(words, ','))
                read_phrase(phrase, m_log.figures.back());
        }
    }
    PtxasLog take_log() { return std::move(m_log); }

private:
    PtxasLog m_log;
    std::string m_subject; // the function that the lines speak of: a kernel, or a function that it calls
};

} // namespace

PtxasLog read_ptxas_log(std::string_view log) {
    Reader reader;
    for (const std::string& line : split(log, '\n'))
        reader.line(line);
    return reader.take_log();
}

} // namespace hidet::toolchain
