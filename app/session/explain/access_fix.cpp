// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/access_fix.h"

#include <algorithm>

#include "lang/base/ascii.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// What counts on which lanes share a warp.
constexpr const char* of_warps[] = {"shfl", "ballot", "warp", "mma", "matrix", "elect", "cluster", "% 32", "// 32"};

bool is_name(char c) {
    return is_word(c);
}

std::vector<std::string> lines_of_text(const std::string& text) {
    return split(text, '\n');
}

std::size_t indent_of(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

bool mentions(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool begins = at == 0 || !is_name(text[at - 1]);
        const std::size_t end = at + word.size();
        if (begins && (end == text.size() || !is_name(text[end])))
            return true;
    }
    return false;
}

// Columns count code points.
int column_at(std::string_view line, std::size_t byte) {
    int column = 1;
    for (std::size_t i = 0; i < byte; ++i)
        column += (static_cast<unsigned char>(line[i]) & 0xC0) != 0x80;
    return column;
}

class ScriptLines {
public:
    ScriptLines(const AccessView& view, const KernelText& kernel)
        : m_view(view), m_kernel(kernel), m_lines(lines_of_text(kernel.source.text)) {
        m_begin = kernel.line;
        m_end = m_begin;
        const std::size_t indent = m_begin > 0 ? indent_of(line(m_begin)) : 0;
        for (int number = m_begin + 1; number <= count(); ++number) {
            const std::string_view text = line(number);
            if (trimmed(text).empty())
                continue;
            if (indent_of(text) <= indent && !trimmed(text).starts_with(')'))
                break;
            m_end = number;
        }
    }
    bool is_there() const { return m_begin > 0 && m_view.place.file == m_kernel.source.name && m_end > m_begin; }
    int begin() const { return m_begin; }
    int end() const { return m_end; }
    int count() const { return static_cast<int>(m_lines.size()); }
    std::string_view line(int number) const { return m_lines[static_cast<std::size_t>(number - 1)]; }

    FixView replace(int number, std::size_t begin, std::size_t end, std::string text, std::string title) const {
        const Place place{m_kernel.source.name, number, column_at(line(number), begin), number,
                          column_at(line(number), end)};
        return {place, std::move(text), std::move(title)};
    }
    // Lines [first, last] become this text.
    FixView replace_lines(int first, int last, std::string text, std::string title) const {
        const Place place{m_kernel.source.name, first, 1, last, column_at(line(last), line(last).size())};
        return {place, std::move(text), std::move(title)};
    }

private:
    const AccessView& m_view;
    const KernelText& m_kernel;
    std::vector<std::string> m_lines;
    int m_begin = 0, m_end = 0;
};

// Where the bracket that opens at `open` closes in this line.
std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
        if (depth == 0)
            return at;
    }
    return std::string_view::npos;
}

// ---- shared memory ----------------------------------------------------------------------------------------------------

// The line that makes the tensor, above the access.
int declaration_of(const ScriptLines& script, const AccessView& view) {
    for (int number = std::min(view.place.line, script.end()); number > script.begin(); --number) {
        const std::string_view text = trimmed(script.line(number));
        if (text.starts_with(view.tensor + " = ") && text.find("shared_tensor(") != std::string_view::npos)
            return number;
    }
    return 0;
}

void pad(const ScriptLines& script, const AccessView& view, int number, std::vector<std::vector<FixView>>& out) {
    const std::string_view line = script.line(number);
    const std::size_t call = line.find("shared_tensor(");
    const std::size_t open = line.find('[', call);
    const std::size_t close = open == std::string_view::npos ? open : closing(line, open);
    if (close == std::string_view::npos)
        return;
    const std::int64_t element = view.lane_bytes / std::max(view.vector, 1);
    const std::int64_t by =
        std::max<std::int64_t>(std::max(view.lane_bytes, 4) / std::max<std::int64_t>(element, 1), 1);
    out.push_back({script.replace(number, close, close, cat(" + ", by), cat("pad rows of '", view.tensor, "'"))});
}

void swizzle(const ScriptLines& script, const AccessView& view, int number, std::vector<std::vector<FixView>>& out) {
    const std::string_view line = script.line(number);
    const std::size_t layout = line.find("row_major(");
    const std::size_t close = layout == std::string_view::npos ? layout : closing(line, line.find('(', layout));
    if (close == std::string_view::npos || line.substr(close).find(".swizzle") != std::string_view::npos)
        return;
    const auto commas = std::count(line.begin() + static_cast<std::ptrdiff_t>(layout),
                                   line.begin() + static_cast<std::ptrdiff_t>(close), ',');
    if (commas == 1)
        out.push_back(
            {script.replace(number, close + 1, close + 1, ".swizzle(1)", cat("swizzle '", view.tensor, "'"))});
}

// ---- global memory ----------------------------------------------------------------------------------------------------

std::string exchanged(std::string_view line) {
    std::string out;
    for (std::size_t at = 0; at < line.size();) {
        const std::string_view rest = line.substr(at);
        const bool is_x = rest.starts_with("threadIdx.x"), is_y = rest.starts_with("threadIdx.y");
        if (is_x || is_y)
            out += is_x ? "threadIdx.y" : "threadIdx.x", at += 11;
        else
            out += line[at++];
    }
    return out;
}

bool can_exchange(const ScriptLines& script, const KernelText& kernel) {
    if (kernel.block[0] != kernel.block[1] || kernel.block[2] != 1)
        return false;
    for (int number = script.begin(); number <= script.end(); ++number)
        for (const char* word : of_warps)
            if (script.line(number).find(word) != std::string_view::npos)
                return false;
    return true;
}

void exchange(const ScriptLines& script, std::vector<std::vector<FixView>>& out) {
    std::vector<FixView> edits;
    for (int number = script.begin() + 1; number <= script.end(); ++number)
        if (const std::string text = exchanged(script.line(number)); text != script.line(number))
            edits.push_back(
                script.replace_lines(number, number, text, "exchange threadIdx.x and threadIdx.y in this kernel"));
    if (!edits.empty())
        out.push_back(std::move(edits));
}

// Adds a name to the import from a module. False: the script has no such import.
bool import_from(const ScriptLines& script, const char* module, const char* name, std::vector<FixView>& edits) {
    const std::string begin = cat("from ", module, " import ");
    for (int number = 1; number <= script.count(); ++number) {
        const std::string_view line = script.line(number);
        if (!line.starts_with(begin))
            continue;
        if (mentions(line, name))
            return true;
        const bool is_open = line.ends_with('(');
        const std::size_t at = is_open ? line.size() : begin.size();
        edits.push_back(script.replace(number, at, at, is_open ? cat("\n    ", name, ",") : cat(name, ", "),
                                       cat("import '", name, "'")));
        return true;
    }
    return false;
}

// What a thread stores goes through a tile in shared memory to the thread with the exchanged index, which stores it: the store
// was along columns, and is along rows then.
void stage(const ScriptLines& script, const AccessView& view, const KernelText& kernel, const std::string& dtype,
           std::vector<std::vector<FixView>>& out) {
    const int at = view.place.line;
    if (view.kind != "store" || at != script.end() || at <= script.begin() + 1)
        return;
    std::size_t body = 0;
    for (int number = script.begin() + 1; number <= script.end() && body == 0; ++number)
        if (!trimmed(script.line(number)).empty() && !trimmed(script.line(number - 1)).ends_with(','))
            body = indent_of(script.line(number));
    const std::string_view line = trimmed(script.line(at));
    const std::size_t equals = line.find(" = ");
    const std::size_t depth = indent_of(script.line(at));
    const bool has_guard = depth > body;
    const std::string_view guard = has_guard ? trimmed(script.line(at - 1)) : std::string_view();
    if (equals == std::string_view::npos || !line.starts_with(view.tensor + "["))
        return;
    if (has_guard && (!guard.starts_with("if ") || !guard.ends_with(':') || indent_of(script.line(at - 1)) != body))
        return;
    std::string again; // what depends on the thread, for the other one
    std::vector<std::string> changed{"threadIdx"};
    for (int number = script.begin() + 1; number < at - (has_guard ? 1 : 0); ++number) {
        const std::string_view text = script.line(number);
        const std::string_view plain = trimmed(text);
        const std::size_t is = plain.find(" = ");
        if (indent_of(text) != body || plain.starts_with('#') || plain.starts_with("attrs.") || plain.empty())
            continue;
        const std::string_view name = plain.substr(0, std::min(is, plain.size()));
        const bool depends =
            std::ranges::any_of(changed, [&](const std::string& word) { return mentions(plain, word); });
        if (!depends)
            continue;
        if (is == std::string_view::npos || !std::ranges::all_of(name, is_name))
            return;
        changed.emplace_back(name);
        again += exchanged(text) + "\n";
    }
    std::vector<FixView> edits;
    if (!import_from(script, "hidet.lang", "shared_tensor", edits) ||
        !import_from(script, "hidet.lang.cuda", "syncthreads", edits))
        return;
    const std::string indent(body, ' '), inner(depth, ' ');
    const std::string condition = has_guard ? cat(indent, guard, "\n") : "";
    const std::string tile = mentions(kernel.source.text, "tile") ? "staged" : "tile";
    std::string text = cat(indent, tile, " = shared_tensor(", dtype, ", shape=[", kernel.block[1], ", ",
                           kernel.block[0], " + 1])\n", condition, inner, tile,
                           "[threadIdx.y, threadIdx.x] = ", line.substr(equals + 3), "\n", indent, "syncthreads()\n",
                           again, condition, inner, line.substr(0, equals), " = ", tile, "[threadIdx.x, threadIdx.y]");
    edits.push_back(script.replace_lines(has_guard ? at - 1 : at, at, std::move(text),
                                         cat("store '", view.tensor, "' through a tile in shared memory")));
    out.push_back(std::move(edits));
}

} // namespace

std::vector<std::vector<FixView>> possible_fixes(const AccessView& view, const KernelText& kernel,
                                                 const std::string& dtype) {
    std::vector<std::vector<FixView>> out;
    const ScriptLines script(view, kernel);
    if (!script.is_there() || view.finding.empty())
        return out;
    if (view.memory == "shared") {
        if (const int number = declaration_of(script, view)) {
            pad(script, view, number, out);
            swizzle(script, view, number, out);
        }
        return out;
    }
    if (can_exchange(script, kernel)) {
        exchange(script, out);
        stage(script, view, kernel, dtype, out);
    }
    return out;
}

} // namespace hidet::session
