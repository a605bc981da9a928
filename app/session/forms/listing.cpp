// SPDX-License-Identifier: Apache-2.0
#include "app/session/forms/listing.h"

#include "app/session/work/steps.h"

namespace hidet::session {

void describe_compilation(const toolchain::CompileResult& compiled, FormSnapshot& out) {
    out.compiler = compiled.compiler;
    out.from_cache = compiled.from_cache;
    for (const toolchain::KernelFigures& figures : compiled.figures)
        out.kernels.push_back(facts_of(figures, figures.symbol));
}

TextSnapshot snapshot_of(FormContext& context, const toolchain::Listing& listing) {
    TextSnapshot out;
    out.text = listing.text;
    std::vector<Origin> cuda_lines = artifact::line_origins(*context.cuda());
    auto origin_of = [&](int line) {
        bool known = line > 0 && static_cast<std::size_t>(line) <= cuda_lines.size();
        return known ? cuda_lines[static_cast<std::size_t>(line - 1)] : Origin{};
    };
    // A line of the prelude comes from nowhere in the script; the line that called it does.
    auto is_script = [&](int line) { return origin_of(line).known(); };
    for (std::size_t i = 0; i < listing.source_lines.size(); ++i) {
        int line = toolchain::source_line(listing, i, is_script);
        out.lines.push_back(view_of(origin_of(line), context.work));
        out.source_lines.push_back(line);
    }
    return out;
}

} // namespace hidet::session
