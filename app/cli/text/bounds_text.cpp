// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/bounds_text.h"

#include "app/cli/text/script_lines.h"
#include "lang/base/columns.h"
#include "lang/base/text.h"

namespace hidet::cli {

using namespace session;

namespace {

std::string verdict_text(const BoundsAccess& view, const BoundsView& bounds) {
    const bool says_any_size = view.for_any_size && !bounds.sizes.empty();
    return says_any_size ? cat(view.verdict, " for any sizes") : view.verdict;
}

std::string reason_text(const BoundsAccess& view) {
    if (view.why.empty())
        return view.example;
    return view.example.empty() ? view.why : cat(view.why, "; if so: ", view.example);
}

} // namespace

std::string bounds_text(const BoundsView& bounds, const std::string& script) {
    std::string out = cat("bounds: ", bounds.sentence, "\n");
    std::vector<Cells> rows;
    for (const BoundsAccess& view : bounds.accesses)
        rows.push_back({{place_text(script, view.place), Align::Right},
                        {cat(view.kind, view.tensor.empty() ? "" : " " + view.tensor)},
                        {view.memory},
                        {verdict_text(view, bounds)},
                        {reason_text(view)}});
    return rows.empty() ? out : out + columns_text(rows);
}

} // namespace hidet::cli
