// SPDX-License-Identifier: Apache-2.0
// `.loc FILE LINE COLUMN` says where the statements after it come from. In an inlined function it goes on with
// `, function_name NAME, inlined_at FILE LINE COLUMN`, and the place of the call has a `.loc` of its own, just before: a
// chain of calls is found by following these places.
#include <map>
#include <optional>

#include "runtime/toolchain/listing_writer.h"
#include "runtime/toolchain/nvrtc.h"
#include "runtime/toolchain/words.h"

namespace hidet::toolchain {

namespace {

constexpr int deepest_chain = 64;

struct Place {
    int file = 0;
    int line = 0;
    int column = 0;
    auto operator<=>(const Place&) const = default;
};

std::optional<Place> take_place(std::string_view& text) {
    Place place{take_number(text), take_number(text), take_number(text)};
    return place.file >= 0 && place.line >= 0 && place.column >= 0 ? std::optional(place) : std::nullopt;
}

// The number that `.file NUMBER "NAME"` gives the text; it stands at the end.
int number_of_text(std::string_view ptx) {
    for (std::size_t at = ptx.find(".file"); at != std::string_view::npos; at = ptx.find(".file", at + 1)) {
        std::string_view rest = ptx.substr(at + 5, 4096);
        int number = take_number(rest);
        rest = trimmed(rest.substr(0, rest.find('\n')));
        if (take(rest, "\"") && take(rest, program_name))
            return number;
    }
    return -1;
}

std::string single_spaced(std::string_view text) {
    std::string words;
    for (char c : text)
        if (bool space = c == ' ' || c == '\t'; !space || (!words.empty() && words.back() != ' '))
            words.push_back(space ? ' ' : c);
    return words;
}

class PtxReader {
public:
    explicit PtxReader(std::string_view ptx) : m_text_number(number_of_text(ptx)) {}
    void line(std::string_view raw) {
        std::string_view words = trimmed(raw);
        if (words.starts_with("//")) {
            m_in_asm = words == "// begin inline asm" || (m_in_asm && words != "// end inline asm");
            return;
        }
        // A comment behind code; no string of ours holds two slashes.
        if (std::size_t comment = words.find(" //"); comment != std::string_view::npos)
            words = trimmed(words.substr(0, comment));
        if (m_in_section) {
            m_in_section = words != "}";
        } else if (words.starts_with(".section")) {
            m_in_section = true;
        } else if (words.empty()) {
            if (!m_writer.ends_with("{\n"))
                m_writer.gap();
        } else if (words.starts_with(".loc\t") || words.starts_with(".loc ")) {
            location(words.substr(4));
        } else if (!words.starts_with(".file")) {
            code(raw, words);
        }
    }
    Listing take_listing() { return m_writer.take(); }
    const LineChain& chain() const { return m_chain; } // of the line that was read last

private:
    void location(std::string_view words) {
        std::optional<Place> place = take_place(words);
        if (!place)
            return;
        std::optional<Place> call;
        if (std::size_t at = words.find("inlined_at"); at != std::string_view::npos) {
            std::string_view rest = words.substr(at + 10);
            call = take_place(rest);
        }
        m_called_from[*place] = call;
        m_chain = chain_from(*place);
        if (m_head && !m_chain.empty()) {
            m_writer.link(*m_head, {m_chain.back()});
            m_head.reset();
        }
    }
    void code(std::string_view raw, std::string_view words) {
        bool at_margin = !raw.empty() && raw.front() != ' ' && raw.front() != '\t' && !m_in_asm;
        if (at_margin && words == "}") {
            m_in_body = false;
            m_chain.clear();
            m_writer.drop_gap();
        }
        if (!m_in_body)
            head(words);
        std::string text = at_margin ? "" : "    ";
        m_writer.line(text + single_spaced(words), is_statement(words) ? m_chain : LineChain());
        if (at_margin && words == "{") {
            m_in_body = true;
            m_chain.clear();
        }
    }
    void head(std::string_view words) {
        bool has_body = !words.starts_with(".extern") && !words.ends_with(';');
        bool is_function =
            words.find(".entry ") != std::string_view::npos || words.find(".func ") != std::string_view::npos;
        if (is_function && m_writer.ends_with("}\n"))
            m_writer.gap();
        if (has_body && is_function)
            m_head = m_writer.line_count();
        else if (words.ends_with(';'))
            m_head.reset();
    }
    // Not a directive, a label or a brace.
    bool is_statement(std::string_view words) const {
        return m_in_body && !words.starts_with('.') && !words.ends_with(':') && words != "{" && words != "}";
    }
    LineChain chain_from(Place place) const {
        LineChain chain;
        for (std::optional<Place> at = place; at && chain.size() < deepest_chain;) {
            if (at->file == m_text_number && at->line > 0)
                chain.push_back(at->line);
            auto known = m_called_from.find(*at);
            at = known == m_called_from.end() ? std::nullopt : known->second;
        }
        return chain;
    }

    ListingWriter m_writer;
    int m_text_number;
    std::map<Place, std::optional<Place>> m_called_from; // of the places seen so far
    LineChain m_chain;
    std::optional<std::size_t> m_head; // the line of a function's head until its first place is known
    bool m_in_body = false;
    bool m_in_asm = false;
    bool m_in_section = false; // of debug data
};

} // namespace

static std::string_view take_line(std::string_view& text) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

Listing ptx_listing(std::string_view ptx) {
    PtxReader reader(ptx);
    while (!ptx.empty())
        reader.line(take_line(ptx));
    return reader.take_listing();
}

std::vector<int> lines_behind_ptx(std::string_view ptx, int line) {
    PtxReader reader(ptx);
    for (; line > 0 && !ptx.empty(); --line)
        reader.line(take_line(ptx));
    return line == 0 ? reader.chain() : std::vector<int>();
}

} // namespace hidet::toolchain
