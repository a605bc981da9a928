// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/repair_text.h"

#include <algorithm>
#include <array>

#include "app/session/preview/bracket_text.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using Parts = std::vector<std::string_view>;

constexpr std::size_t most_more = 3; // names that are unpacked to

// "i // 80, i % 80" of a flat index; empty: the extents are not numbers or names.
std::string from_flat(std::string_view index, const std::vector<std::string>& shape) {
    const bool is_simple = std::ranges::all_of(index, is_word_letter);
    const std::string flat = is_simple ? std::string(index) : cat("(", index, ")");
    std::string out;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (!std::ranges::all_of(shape[d], is_word_letter))
            return "";
        std::string below;
        for (std::size_t inner = d + 1; inner < shape.size(); ++inner)
            below += cat(below.empty() ? "" : " * ", shape[inner]);
        const bool is_product = d + 2 < shape.size();
        const std::string stride = is_product ? cat("(", below, ")") : below;
        out += cat(d == 0 ? "" : ", ", flat, below.empty() ? "" : " // ", stride, d == 0 ? "" : cat(" % ", shape[d]));
    }
    return out;
}

bool is_taken(std::string_view text, const std::string& name) {
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1))
        if ((at == 0 || !is_word_letter(text[at - 1])) &&
            (at + name.size() >= text.size() || !is_word_letter(text[at + name.size()])))
            return true;
    return false;
}

std::vector<std::string> fresh_names(std::string_view text, std::size_t count) {
    std::vector<std::string> out;
    for (const char* name : {"i", "j", "k", "m", "n", "p", "q", "r"})
        if (out.size() < count && !is_taken(text, name))
            out.push_back(name);
    for (int number = 0; out.size() < count; ++number)
        if (const std::string name = cat("index", number); !is_taken(text, name))
            out.push_back(name);
    return out;
}

class RepairMaker {
public:
    RepairMaker(const Diagnostic& mistake, std::string_view text, const AskName& ask)
        : m_mistake(mistake), m_text(text), m_ask(ask) {}

    std::vector<FixIt> run() {
        switch (m_mistake.id) {
        case DiagId::ScriptRank: index_list(begin(), end()); break;
        case DiagId::ScriptSliceAssigned:
        case DiagId::ScriptTensorOperand: whole_tensor(); break;
        case DiagId::ScriptLoopTargets:
        case DiagId::ScriptUnpackCount: targets(); break;
        case DiagId::ScriptArity: script_call(); break;
        case DiagId::ArgumentCount: host_call(); break;
        case DiagId::ArgumentDType: tensor_argument(); break;
        case DiagId::ScriptBadIndex: index_type(); break;
        case DiagId::ScriptFractionLost: lost_fraction(); break;
        default: break;
        }
        return std::move(m_out);
    }

private:
    std::size_t begin() const { return m_mistake.span.begin; }
    std::size_t end() const { return m_mistake.span.end; }
    std::string_view marked() const { return m_text.substr(begin(), end() - begin()); }

    void offer(std::size_t from, std::size_t to, std::string by, std::string title) {
        const bool isKnown = std::ranges::any_of(m_out, [&](const FixIt& fix) { return fix.text == by; });
        if (isKnown || m_text.substr(from, to - from) == by)
            return;
        m_out.push_back({{m_mistake.span.file, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)},
                         std::move(by),
                         std::move(title)});
    }

    std::string_view line() const {
        const std::size_t from = begin() == 0 ? 0 : m_text.rfind('\n', begin() - 1) + 1;
        return m_text.substr(from, std::min(m_text.find('\n', begin()), m_text.size()) - from);
    }

    // ---- indices ----

    // Lists of the same line with so many parts, those that begin as this one does first.
    std::vector<std::string> lists_beside(std::size_t rank, const Parts& own) const {
        std::vector<std::string> out;
        const std::string_view here = line();
        for (std::size_t at = 0; at < here.size(); ++at) {
            const auto list = here[at] == '[' ? bracket_at(here, at) : std::nullopt;
            if (!list || list->parts.size() != rank || joined_parts(list->parts) == joined_parts(own))
                continue;
            const bool begins_so = !own.empty() && list->parts.front() == own.front();
            out.insert(begins_so ? out.begin() : out.end(), joined_parts(list->parts));
        }
        return out;
    }

    // `from` to `to`: the list, without its brackets.
    void index_list(std::size_t from, std::size_t to) {
        const std::size_t name_end = from == 0 ? 0 : m_text.rfind('[', from - 1);
        if (name_end == std::string_view::npos || name_end == 0)
            return;
        const std::size_t name = begin_of_word(m_text, name_end);
        const KnownName known = m_ask(static_cast<std::uint32_t>(name));
        const Parts parts = parts_of(m_text.substr(from, to - from));
        const std::size_t rank = known.shape.size();
        if (rank == 0 ||
            std::ranges::any_of(parts, [](std::string_view part) { return part.find(':') != std::string_view::npos; }))
            return;
        const std::string of =
            cat("index '", m_text.substr(name, name_end - name), "' of shape [", join(known.shape, ", "), "] by [");
        for (const std::string& list : lists_beside(rank, parts))
            offer(from, to, list, cat(of, list, "]"));
        const auto replace = [&](const std::string& list) { offer(from, to, list, cat(of, list, "]")); };
        // One that stands for several, as a task of two dimensions does, makes them too many as well.
        if (parts.size() >= rank) {
            for (auto count = static_cast<std::ptrdiff_t>(std::min(rank, parts.size() - 1)); count > 0; --count) {
                replace(joined_parts({parts.begin(), parts.begin() + count}));
                replace(joined_parts({parts.end() - count, parts.end()}));
            }
            return;
        }
        if (parts.size() == 1)
            if (const std::string list = from_flat(parts.front(), known.shape); !list.empty())
                replace(list);
        std::string filled = joined_parts(parts);
        for (std::size_t at = parts.size(); at < rank; ++at)
            filled += filled.empty() ? "0" : ", 0";
        replace(filled);
    }

    // "y[i]", or "y" alone.
    void whole_tensor() {
        const std::size_t open = marked().find('[');
        if (open != std::string_view::npos) {
            if (const auto list = bracket_at(m_text, begin() + open); list && list->close + 1 == end())
                index_list(list->open + 1, list->close);
            return;
        }
        const KnownName known = m_ask(m_mistake.span.begin);
        for (const std::string& list : lists_beside(known.shape.size(), {}))
            if (!known.shape.empty())
                offer(begin(), end(), cat(marked(), "[", list, "]"),
                      cat("index '", marked(), "' of shape [", join(known.shape, ", "), "] by [", list, "]"));
    }

    // ---- names that are unpacked to ----

    void targets() {
        const Parts names = parts_of(marked());
        if (marked().find_first_of("([*") != std::string_view::npos || names.empty())
            return;
        const auto replace = [&](const std::string& list, std::size_t count) {
            offer(begin(), end(), list, cat("take ", count, count == 1 ? " value: " : " values: ", list));
        };
        for (std::size_t count = names.size() - 1; count > 0; --count)
            replace(joined_parts({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)}), count);
        mapping_dimensions(names.size());
        const std::vector<std::string> more = fresh_names(m_text, most_more);
        std::string list = joined_parts(names);
        for (std::size_t i = 0; i < more.size(); ++i) {
            list += cat(", ", more[i]);
            replace(list, names.size() + i + 1);
        }
    }

    // spatial(8, 8) gets a third dimension of one task: of all factors in the line, or of the mapping that it names.
    void mapping_dimensions(std::size_t rank) {
        if (offer_dimensions(line(), rank))
            return;
        const std::string_view here = line();
        for (const char* use : {".on(", ".map(", "["}) {
            const std::size_t at = here.rfind(use);
            if (at == std::string_view::npos)
                continue;
            const std::size_t from = begin_of_word(here, at);
            const std::string assigned = cat(here.substr(from, at - from), " = ");
            const std::size_t found = m_text.find(cat(" ", assigned));
            if (at == from || found == std::string_view::npos)
                continue;
            const std::size_t until = std::min(m_text.find('\n', found), m_text.size());
            offer_dimensions(m_text.substr(found, until - found), rank);
            return;
        }
    }

    bool offer_dimensions(std::string_view within, std::size_t rank) {
        std::string by;
        std::size_t first = std::string_view::npos, last = 0;
        for (std::size_t at = 0; at < within.size(); ++at) {
            const auto list = within[at] == '(' ? bracket_at(within, at) : std::nullopt;
            if (!list)
                continue;
            const std::size_t from = begin_of_word(within, at);
            const std::string_view name = within.substr(from, at - from);
            if ((name != "spatial" && name != "repeat") || list->parts.empty() || list->parts.size() >= rank)
                continue;
            by += first == std::string_view::npos ? "" : std::string(within.substr(last, at - last));
            first = std::min(first, at);
            std::string arguments = joined_parts(list->parts);
            for (std::size_t d = list->parts.size(); d < rank; ++d)
                arguments += ", 1";
            by += cat("(", arguments, ")");
            last = list->close + 1;
        }
        if (first == std::string_view::npos)
            return false;
        const std::size_t base = offset_in(m_text, within);
        offer(base + first, base + last, by, cat("give the mapping ", rank, " dimensions"));
        return true;
    }

    // ---- calls ----

    void drop_from(const BracketText& call, std::size_t first) {
        const std::size_t count = call.parts.size() - first;
        const std::size_t from =
            first == 0 ? call.open + 1 : offset_in(m_text, call.parts[first - 1]) + call.parts[first - 1].size();
        offer(from, call.close, "",
              count == 1 ? "remove the last argument" : cat("remove the last ", count, " arguments"));
    }

    // Names of the parameters that are missing, where the script has variables of these names.
    void add_missing(const BracketText& call, const Parts& params) {
        std::string list = joined_parts(call.parts);
        std::string added;
        for (std::size_t at = call.parts.size(); at < params.size(); ++at) {
            const std::string_view name = trimmed(params[at].substr(0, params[at].find_first_of(":=")));
            list += cat(list.empty() ? "" : ", ", name);
            added += cat(added.empty() ? "'" : "', '", name);
        }
        if (!added.empty())
            offer(call.open + 1, call.close, list, cat("pass ", added, "' too"));
    }

    Parts params_of(std::string_view function) const {
        const std::size_t def = m_text.find(cat("def ", function, "("));
        const auto list = def == std::string_view::npos ? std::nullopt : bracket_at(m_text, m_text.find('(', def));
        return list ? list->parts : Parts();
    }

    void script_call() {
        const std::size_t open = marked().find('(');
        auto call = open == std::string_view::npos ? std::nullopt : bracket_at(m_text, begin() + open);
        if (!call || call->close + 1 != end()) { // the first argument that is one too many
            call = bracket_around(m_text, begin());
            const auto extra =
                call ? std::ranges::find_if(call->parts,
                                            [&](std::string_view part) { return offset_in(m_text, part) >= begin(); })
                     : Parts::iterator();
            if (call && extra != call->parts.end())
                drop_from(*call, static_cast<std::size_t>(extra - call->parts.begin()));
            return;
        }
        const std::size_t from = begin_of_word(m_text, call->open);
        add_missing(*call, params_of(m_text.substr(from, call->open - from)));
    }

    // Which function of the module it is, nobody has said: the mistake shows which of them fits.
    void host_call() {
        const std::size_t open = marked().find('(');
        const auto call = open == std::string_view::npos ? std::nullopt : bracket_at(m_text, begin() + open);
        if (!call)
            return;
        for (std::size_t first = call->parts.size(); first > 0; --first)
            drop_from(*call, first - 1);
        for (std::size_t at = m_text.find("def "); at != std::string_view::npos; at = m_text.find("def ", at + 1))
            if (const auto params = bracket_at(m_text, m_text.find('(', at)))
                add_missing(*call, params->parts);
    }

    // ---- types ----

    void tensor_argument() {
        static constexpr std::array dtypes{"float32", "float16", "bfloat16", "int32",
                                           "int64",   "int8",    "uint8",    "float64"};
        const std::size_t dtype = marked().find("dtype=torch.");
        const bool is_call = marked().ends_with(')') || std::ranges::all_of(marked(), is_word_letter);
        for (const char* wanted : dtypes) {
            if (dtype != std::string_view::npos) {
                const std::size_t from = begin() + dtype + std::string_view("dtype=torch.").size();
                std::size_t to = from;
                while (to < end() && is_word_letter(m_text[to]))
                    ++to;
                offer(from, to, wanted, cat("make it of ", wanted));
            } else if (is_call) {
                offer(end(), end(), cat(".to(torch.", wanted, ")"), cat("convert it to ", wanted));
            }
        }
    }

    void index_type() {
        for (const std::string_view part : parts_of(marked())) {
            const std::size_t from = offset_in(m_text, part);
            for (const std::string& by : {cat("i32(", part, ")"), cat("cast(", part, ", i32)"), cat("int(", part, ")")})
                offer(from, from + part.size(), by, cat("convert '", part, "' to an integer, without its fraction"));
        }
    }

    // Of an assignment: to what the variable has.
    void lost_fraction() {
        const std::string_view before = m_text.substr(0, begin());
        const std::size_t equals = before.find_last_not_of(" \t");
        if (equals == std::string_view::npos || before[equals] != '=' || equals == 0 || before[equals - 1] == '=')
            return;
        const std::size_t name = begin_of_word(before, equals);
        const std::string type = name == equals ? "" : m_ask(static_cast<std::uint32_t>(name)).type;
        if (type.empty())
            return;
        const std::string title = cat("convert it to '", type, "' in words, as it is meant");
        offer(begin(), end(), cat(type, "(", marked(), ")"), title);
        offer(begin(), end(), cat("cast(", marked(), ", ", type, ")"), title);
    }

    const Diagnostic& m_mistake;
    std::string_view m_text;
    const AskName& m_ask;
    std::vector<FixIt> m_out;
};

} // namespace

bool may_be_repaired(DiagId id) {
    static constexpr std::array kinds{
        DiagId::ScriptRank,        DiagId::ScriptSliceAssigned, DiagId::ScriptTensorOperand, DiagId::ScriptLoopTargets,
        DiagId::ScriptUnpackCount, DiagId::ScriptArity,         DiagId::ArgumentCount,       DiagId::ArgumentDType,
        DiagId::ScriptBadIndex,    DiagId::ScriptFractionLost};
    return std::ranges::find(kinds, id) != kinds.end();
}

std::vector<FixIt> possible_repairs(const Diagnostic& mistake, std::string_view text, const AskName& ask) {
    if (!may_be_repaired(mistake.id) || mistake.span.end > text.size())
        return {};
    return RepairMaker(mistake, text, ask).run();
}

} // namespace hidet::session
