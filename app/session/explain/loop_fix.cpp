// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/loop_fix.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "compiler/ir/dtype.h"
#include "lang/base/ascii.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using Cures = std::vector<std::vector<FixView>>;

constexpr std::int64_t widest_access = 16; // bytes that a lane loads or stores at once

// The loop that an access stands in, and its body; `last` is before `first` where there is none.
struct Loop {
    int head = 0, first = 0, last = -1;
    std::size_t indent = 0;
    std::string_view text; // of its head, without what surrounds it
    bool is_there() const { return head > 0 && last >= first; }
};

Loop loop_around(const ScriptLines& script, int line) {
    Loop out;
    std::size_t indent = indent_of(script.line(line));
    for (int number = line - 1; number > script.begin(); --number) {
        const std::string_view text = script.line(number);
        if (trimmed(text).empty() || indent_of(text) >= indent)
            continue;
        indent = indent_of(text);
        if (!trimmed(text).starts_with("for "))
            continue;
        out.head = number, out.first = number + 1, out.indent = indent, out.text = trimmed(text);
        break;
    }
    if (out.head == 0 || !out.text.ends_with(':'))
        return {};
    for (int number = out.first; number <= script.end(); ++number) {
        if (trimmed(script.line(number)).empty())
            continue;
        if (indent_of(script.line(number)) <= out.indent)
            break;
        out.last = number;
    }
    return out;
}

// 'for k in range(4):'
struct Counted {
    std::string variable;
    std::int64_t trips = 0;
};

std::optional<Counted> counted(std::string_view head) {
    const std::size_t in = head.find(" in range(");
    if (in == std::string_view::npos || !head.ends_with("):"))
        return std::nullopt;
    Counted out{std::string(head.substr(4, in - 4)), 0};
    const std::string_view digits = head.substr(in + 10, head.size() - in - 12);
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), out.trips);
    if (error != std::errc() || end != digits.end() || out.trips < 2 || !is_one_name(out.variable))
        return std::nullopt;
    return out;
}

struct Element {
    std::size_t begin = 0, end = 0; // of 'x[j, i * 4 + k]' in its line
    std::string before;             // 'j, '
    std::string start;              // 'i * 4'
};

// Elements of a tensor whose last index is something plus the variable, and no other has it. Nothing: there is one of another kind.
std::optional<std::vector<Element>> elements_of(std::string_view line, const std::string& tensor,
                                                const std::string& variable) {
    std::vector<Element> out;
    for (std::size_t at = line.find(tensor); at != std::string_view::npos; at = line.find(tensor, at + 1)) {
        const std::size_t open = at + tensor.size();
        const char left = at > 0 ? line[at - 1] : ' ';
        if (is_word(left) || left == '.' || is_one_name(line.substr(open, 1)))
            continue;
        const std::size_t close = open < line.size() && line[open] == '[' ? closing_of(line, open) : line.npos;
        if (close == std::string_view::npos)
            return std::nullopt;
        const std::string_view indices = line.substr(open + 1, close - open - 1);
        std::size_t last = 0;
        int depth = 0;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            depth += indices[i] == '(' || indices[i] == '[' ? 1 : indices[i] == ')' || indices[i] == ']' ? -1 : 0;
            if (depth == 0 && indices[i] == ',')
                last = i + 1;
        }
        const std::string_view index = trimmed(indices.substr(last));
        const std::string ending = " + " + variable;
        if (!index.ends_with(ending) || mentions(indices.substr(0, indices.size() - ending.size()), variable))
            return std::nullopt;
        const std::string_view before = trimmed(indices.substr(0, last));
        out.push_back({at, close + 1, before.empty() ? "" : cat(before, " "),
                       std::string(index.substr(0, index.size() - ending.size()))});
    }
    return out;
}

enum class Role : std::uint8_t { Read, Assigned, Updated };

Role role_of(std::string_view line, const Element& element) {
    const std::string_view rest = line.substr(element.end);
    if (!trimmed(line.substr(0, element.begin)).empty() || rest.find(" = ") == 0)
        return trimmed(line.substr(0, element.begin)).empty() ? Role::Assigned : Role::Read;
    const std::size_t equals = rest.find("= ");
    return equals != std::string_view::npos && equals <= 4 && rest[equals - 1] != '=' ? Role::Updated : Role::Read;
}

// Or waits for others in between.
bool leaves_early(const ScriptLines& script, const Loop& loop) {
    for (int number = loop.first; number <= loop.last; ++number)
        for (const char* word : {"break", "continue", "return", "syncthreads", "syncwarp"})
            if (mentions(script.line(number), word))
                return true;
    return false;
}

// A tensor whose elements come into registers before the loop in one piece, or leave them so after it.
struct Widened {
    std::string tensor, dtype, vector;
    std::string piece; // 'x[j, i * 4]'
    bool is_loaded = false, is_stored = false;
    std::string part() const { return tensor + "_part"; }
};

// Whether a name in it is set by the body itself, so that it is not there before the loop.
bool is_set_in(const std::vector<std::string>& body, std::string_view piece) {
    return std::ranges::any_of(body, [&](std::string_view line) {
        const std::string_view text = trimmed(line);
        const std::string_view name = text.substr(0, std::min(text.find(" = "), text.size()));
        return is_one_name(name) && mentions(piece, name);
    });
}

// Edits the body, if all that it does with the tensor can be done so.
std::optional<Widened> widen(std::vector<std::string>& body, const std::string& tensor, const std::string& dtype,
                             const Counted& count) {
    Widened out{tensor, dtype, cat(dtype, "x", count.trips), "", false, false};
    const std::optional<ir::DType> element = ir::find_dtype(dtype), vector = ir::find_dtype(out.vector);
    if (!element || !vector || ir::info(*element).bits * count.trips > 8 * widest_access)
        return std::nullopt;
    std::vector<std::string> edited = body;
    for (std::string& line : edited) {
        const std::optional<std::vector<Element>> elements = elements_of(line, tensor, count.variable);
        // What a condition in the loop leaves out is not there to be taken.
        if (!elements || (!elements->empty() && (indent_of(line) != indent_of(body.front()) || line.ends_with(':'))))
            return std::nullopt;
        std::string text;
        std::size_t done = 0;
        for (const Element& each : *elements) {
            const std::string piece = cat(tensor, "[", each.before, each.start, "]");
            if (!out.piece.empty() && out.piece != piece)
                return std::nullopt;
            out.piece = piece;
            const Role role = role_of(line, each);
            out.is_stored = out.is_stored || role != Role::Read;
            out.is_loaded = out.is_loaded || role != Role::Assigned;
            text += cat(std::string_view(line).substr(done, each.begin - done), out.part(), "[", count.variable, "]");
            done = each.end;
        }
        line = text + line.substr(done);
    }
    if (out.piece.empty() || is_set_in(body, out.piece))
        return std::nullopt;
    body = std::move(edited);
    return out;
}

// What a thread takes of tensors element by element it takes in one piece.
void widen_all(const ScriptLines& script, const AccessView& view, const KernelText& kernel, const Loop& loop,
               const Counted& count, Cures& out) {
    std::vector<std::string> body;
    for (int number = loop.first; number <= loop.last; ++number)
        body.emplace_back(script.line(number));
    std::vector<Widened> all;
    for (const auto& [tensor, dtype] : kernel.dtypes)
        if (!mentions(kernel.source.text, tensor + "_part"))
            if (std::optional<Widened> one = widen(body, tensor, dtype, count))
                all.push_back(std::move(*one));
    if (std::ranges::none_of(all, [&](const Widened& one) { return one.tensor == view.tensor; }))
        return;
    std::vector<std::string> names{"cast", "register_tensor"}, titles;
    std::string before, after;
    const std::string indent(loop.indent, ' ');
    for (const Widened& one : all) {
        if (std::ranges::find(names, one.vector) == names.end())
            names.push_back(one.vector);
        titles.push_back(cat("'", one.tensor, "'"));
        const std::string ours = cat("cast(~", one.part(), "[0], ~", one.vector, ")[0]");
        const std::string theirs = cat("cast(~", one.piece, ", ~", one.vector, ")[0]");
        before += cat(indent, one.part(), " = register_tensor(", one.dtype, ", shape=[", count.trips, "])\n");
        before += one.is_loaded ? cat(indent, ours, " = ", theirs, "\n") : "";
        after += one.is_stored ? cat("\n", indent, theirs, " = ", ours) : "";
        names.push_back(one.dtype);
    }
    std::vector<FixView> edits;
    if (!import_from(script, "hidet.lang", names, edits))
        return;
    edits.push_back(script.replace_lines(loop.head, loop.last,
                                         cat(before, script.line(loop.head), "\n", join(body, "\n"), after),
                                         cat("take ", join(titles, ", "), " in one piece")));
    out.push_back(std::move(edits));
}

std::string replaced(std::string_view text, const std::string& what, const std::string& by) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const bool begins = at == 0 || !is_one_name(text.substr(at - 1, 1));
        const bool ends = at + what.size() >= text.size() || !is_one_name(text.substr(at + what.size(), 1));
        if (begins && ends && text.substr(at).starts_with(what))
            out += by, at += what.size();
        else
            out += text[at++];
    }
    return out;
}

// Whether something that a turn of the loop sets outlives it.
bool carries(const ScriptLines& script, const Loop& loop) {
    for (int number = loop.first; number <= loop.last; ++number) {
        const std::string_view text = trimmed(script.line(number));
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos || equals == 0)
            continue;
        const std::string_view name = trimmed(text.substr(0, text.find_first_of(" +-*/[=")));
        if (text.substr(name.size()).starts_with("["))
            continue;
        for (int other = script.begin(); other <= script.end(); ++other)
            if ((other < loop.head || other > loop.last) && mentions(script.line(other), name))
                return true;
    }
    return false;
}

// Thread t takes elements t, t + B, t + 2B of the block's piece instead of T beside each other.
void interleave(const ScriptLines& script, const AccessView& view, const KernelText& kernel, const Loop& loop,
                const Counted& count, Cures& out) {
    if (kernel.block[1] != 1 || kernel.block[2] != 1 || carries(script, loop))
        return;
    for (int number = script.begin() + 1; number < loop.head; ++number)
        if (const std::string_view text = script.line(number);
            indent_of(text) < loop.indent && !trimmed(text).empty() && trimmed(text).ends_with(':'))
            return; // only some threads come here
    const std::string ending = cat(" * ", count.trips, " + ", count.variable);
    std::string thread;
    for (int number = loop.first; number <= loop.last && thread.empty(); ++number) {
        const std::optional<std::vector<Element>> elements =
            elements_of(script.line(number), view.tensor, count.variable);
        if (elements && !elements->empty())
            thread = elements->front().start;
    }
    if (!thread.ends_with(cat(" * ", count.trips)))
        return;
    thread.resize(thread.size() - cat(" * ", count.trips).size());
    const bool is_thread = thread == "threadIdx.x";
    if (!is_thread && !is_one_name(thread))
        return;
    const std::string mine = thread + ending;
    const std::string turn = cat(count.variable, " * ", kernel.block[0], " + threadIdx.x");
    const std::string theirs = is_thread ? turn : cat("(", thread, " - threadIdx.x) * ", count.trips, " + ", turn);
    std::string body;
    for (int number = loop.first; number <= loop.last; ++number) {
        const std::string_view line = script.line(number);
        const std::string left = replaced(line, mine, "");
        if (mentions(left, count.variable) || mentions(left, thread) || mentions(left, "threadIdx"))
            return;
        body += cat(replaced(line, mine, theirs), number == loop.last ? "" : "\n");
    }
    out.push_back({script.replace_lines(
        loop.first, loop.last, std::move(body),
        cat("let neighbouring threads take neighbouring elements in each turn of '", count.variable, "'"))});
}

// Workers count along the other dimension. Each task is still done once, and none knows of another.
void reorder(const ScriptLines& script, const Loop& loop, Cures& out) {
    const bool is_mapped = loop.text.find(".on(") != std::string_view::npos;
    if (!is_mapped || loop.text.find("spatial(") == std::string_view::npos || carries(script, loop))
        return;
    for (int number = loop.first; number <= loop.last; ++number) {
        const std::string_view text = trimmed(script.line(number));
        const std::string_view name = text.substr(0, text.find('['));
        if (mentions(text, "threadIdx") || text.find(" = ") == std::string_view::npos)
            return;
        for (int made = script.begin(); made < loop.head; ++made)
            if (trimmed(script.line(made)).starts_with(cat(name, " = register_tensor")))
                return;
    }
    const bool by_columns = loop.text.find("col_spatial(") != std::string_view::npos;
    const std::string from = by_columns ? "col_spatial" : "spatial", to = by_columns ? "spatial" : "col_spatial";
    std::vector<FixView> edits;
    if (!import_from(script, "hidet.lang", {to}, edits))
        return;
    edits.push_back(
        script.replace_lines(loop.head, loop.head, replaced(script.line(loop.head), from, to),
                             cat("number the workers of this mapping by ", by_columns ? "rows" : "columns")));
    out.push_back(std::move(edits));
}

} // namespace

std::vector<std::vector<FixView>> loop_fixes(const ScriptLines& script, const AccessView& view,
                                             const KernelText& kernel) {
    Cures out;
    const Loop loop = loop_around(script, view.place.line);
    if (!loop.is_there() || view.tensor.empty() || leaves_early(script, loop))
        return out;
    if (const std::optional<Counted> count = counted(loop.text)) {
        widen_all(script, view, kernel, loop, *count, out);
        interleave(script, view, kernel, loop, *count, out);
    }
    reorder(script, loop, out);
    return out;
}

} // namespace hidet::session
