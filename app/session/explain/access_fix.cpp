// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/access_fix.h"

#include <algorithm>

#include "app/session/explain/loop_fix.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// What counts on which lanes share a warp.
constexpr const char* of_warps[] = {"shfl", "ballot", "warp", "mma", "matrix", "elect", "cluster", "% 32", "// 32"};

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
    const std::size_t close = open == std::string_view::npos ? open : closing_of(line, open);
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
    const std::size_t close = layout == std::string_view::npos ? layout : closing_of(line, line.find('(', layout));
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

// What a thread stores goes through a tile in shared memory to the thread with the exchanged index, which stores it: the store
// was along columns, and is along rows then.
void stage(const ScriptLines& script, const AccessView& view, const KernelText& kernel,
           std::vector<std::vector<FixView>>& out) {
    const int at = view.place.line;
    const auto dtype = kernel.dtypes.find(view.tensor);
    if (dtype == kernel.dtypes.end() || view.kind != "store" || at != script.end() || at <= script.begin() + 1)
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
        if (is == std::string_view::npos || !is_one_name(name))
            return;
        changed.emplace_back(name);
        again += exchanged(text) + "\n";
    }
    std::vector<FixView> edits;
    if (!import_from(script, "hidet.lang", {"shared_tensor"}, edits) ||
        !import_from(script, "hidet.lang.cuda", {"syncthreads"}, edits))
        return;
    const std::string indent(body, ' '), inner(depth, ' ');
    const std::string condition = has_guard ? cat(indent, guard, "\n") : "";
    const std::string tile = mentions(kernel.source.text, "tile") ? "staged" : "tile";
    std::string text = cat(indent, tile, " = shared_tensor(", dtype->second, ", shape=[", kernel.block[1], ", ",
                           kernel.block[0], " + 1])\n", condition, inner, tile,
                           "[threadIdx.y, threadIdx.x] = ", line.substr(equals + 3), "\n", indent, "syncthreads()\n",
                           again, condition, inner, line.substr(0, equals), " = ", tile, "[threadIdx.x, threadIdx.y]");
    edits.push_back(script.replace_lines(has_guard ? at - 1 : at, at, std::move(text),
                                         cat("store '", view.tensor, "' through a tile in shared memory")));
    out.push_back(std::move(edits));
}

} // namespace

std::vector<std::vector<FixView>> possible_fixes(const AccessView& view, const KernelText& kernel) {
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
        stage(script, view, kernel, out);
    }
    std::ranges::move(loop_fixes(script, view, kernel), std::back_inserter(out));
    return out;
}

} // namespace hidet::session
