// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/access_fix.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "app/session/explain/loop_fix.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr std::int64_t most_paddings = 8; // that are tried, the least first

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
    for (std::int64_t times = 1; times <= most_paddings; ++times)
        out.push_back({script.replace(
            number, close, close, cat(" + ", times * by),
            cat("pad rows of '", view.tensor, "' by ", times * by, times * by == 1 ? " element" : " elements"))});
}

// "shape=[16, 16]": of two numbers or names, where nothing is said of a layout.
bool swizzle_shape(const ScriptLines& script, const AccessView& view, int number, std::vector<FixView>& edits) {
    const std::string_view line = script.line(number);
    const std::size_t shape = line.find("shape=[");
    const std::size_t close = shape == std::string_view::npos ? shape : closing_of(line, shape + 6);
    if (close == std::string_view::npos || line.find("layout") != std::string_view::npos)
        return false;
    const std::string_view extents = line.substr(shape + 7, close - shape - 7);
    if (std::ranges::count(extents, ',') != 1)
        return false;
    if (!import_from(script, "hidet.lang.layout", {"row_major"}, edits)) {
        int first = 1;
        while (first <= script.count() && !script.line(first).starts_with("from hidet.lang"))
            ++first;
        if (first > script.count())
            return false;
        edits.push_back(script.replace(first, 0, 0, "from hidet.lang.layout import row_major\n", "import 'row_major'"));
    }
    edits.push_back(script.replace(number, shape, close + 1, cat("layout=row_major(", extents, ").swizzle(1)"),
                                   cat("swizzle '", view.tensor, "'")));
    return true;
}

void swizzle(const ScriptLines& script, const AccessView& view, int number, std::vector<std::vector<FixView>>& out) {
    if (std::vector<FixView> edits; swizzle_shape(script, view, number, edits)) {
        out.push_back(std::move(edits));
        return;
    }
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

// "attrs.cuda.block_dim = 16, 32": what is set to two extents, which change places; nothing: it is set otherwise.
std::optional<std::string> exchanged_block(std::string_view line) {
    const std::size_t equals = line.find('=');
    const std::string_view extents = trimmed(line.substr(equals + 1));
    const std::size_t comma = extents.find(',');
    if (comma == std::string_view::npos || extents.find_first_of("()[]#") != std::string_view::npos ||
        extents.find(',', comma + 1) != std::string_view::npos)
        return std::nullopt;
    return cat(line.substr(0, equals + 1), " ", trimmed(extents.substr(comma + 1)), ", ",
               trimmed(extents.substr(0, comma)));
}

std::string exchanged(std::string_view line) {
    static constexpr std::string_view names[] = {"threadIdx.", "blockDim."};
    std::string out;
    for (std::size_t at = 0; at < line.size();) {
        const std::string_view rest = line.substr(at);
        const auto* name = std::ranges::find_if(names, [&](std::string_view each) {
            return rest.starts_with(each) && rest.size() > each.size() &&
                   (rest[each.size()] == 'x' || rest[each.size()] == 'y');
        });
        if (name == std::end(names)) {
            out += line[at++];
            continue;
        }
        out += *name;
        out += rest[name->size()] == 'x' ? 'y' : 'x';
        at += name->size() + 1;
    }
    return out;
}

bool sets_block(std::string_view line) {
    return trimmed(line).starts_with("attrs.cuda.block_dim");
}

bool is_square(const KernelText& kernel) {
    return kernel.block[0] == kernel.block[1];
}

bool can_exchange(const ScriptLines& script, const KernelText& kernel) {
    if (kernel.block[1] == 1 || kernel.block[2] != 1)
        return false;
    for (int number = script.begin(); number <= script.end(); ++number) {
        if (!is_square(kernel) && sets_block(script.line(number)) && !exchanged_block(script.line(number)))
            return false;
        for (const char* word : of_warps)
            if (script.line(number).find(word) != std::string_view::npos)
                return false;
    }
    return true;
}

// The threads get other names: the one at (x, y) does what that at (y, x) did, of a block with as many the other way round.
void exchange(const ScriptLines& script, const KernelText& kernel, std::vector<std::vector<FixView>>& out) {
    std::vector<FixView> edits;
    bool is_block_set = is_square(kernel);
    for (int number = script.begin() + 1; number <= script.end(); ++number) {
        const bool sets = !is_square(kernel) && sets_block(script.line(number));
        const std::string text = sets ? *exchanged_block(script.line(number)) : exchanged(script.line(number));
        is_block_set = is_block_set || sets;
        if (text != script.line(number))
            edits.push_back(
                script.replace_lines(number, number, text, "exchange threadIdx.x and threadIdx.y in this kernel"));
    }
    if (!edits.empty() && is_block_set)
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
        exchange(script, kernel, out);
        if (is_square(kernel))
            stage(script, view, kernel, out);
    }
    std::ranges::move(loop_fixes(script, view, kernel), std::back_inserter(out));
    return out;
}

} // namespace hidet::session
