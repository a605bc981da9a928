// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/tried_fixes.h"

#include <algorithm>

#include "app/session/explain/access_fix.h"
#include "app/session/work/work.h"
#include "compiler/perf/launch_shape.h"
#include "lang/base/quantity.h"

namespace hidet::session {

namespace access = compiler::access;

namespace {

// What a kernel moves beyond the ideal: of one tensor, and in all.
struct Excess {
    double of_tensor = 0, sectors = 0, wavefronts = 0;
    bool is_known = false;
    bool is_aligned = true; // every access to its size
};

bool is_aligned(const access::Access& of) {
    for (std::size_t lane = 0; lane < 32; ++lane)
        if (of.picture.bytes[lane] > 0 && of.picture.offsets[lane] % of.picture.bytes[lane] != 0)
            return false;
    return std::ranges::all_of(of.around, [&](const access::Around& around) {
        return !around.matters || (around.by && (of.lane_bytes == 0 || *around.by % of.lane_bytes == 0));
    });
}

// Other modules may have a kernel of this name.
Excess excess_of(const std::vector<FoundKernel>& kernels, int module, const std::string& name, const AccessView& view) {
    Excess out;
    for (const FoundKernel& found : kernels) {
        if (found.number != module || found.kernel->name != name)
            continue;
        out.is_known = true;
        for (const access::Access& each : found.accesses) {
            const double excess = each.sums.units - each.sums.least;
            (each.is_shared ? out.wavefronts : out.sectors) += excess;
            out.is_aligned = out.is_aligned && (each.lane_bytes <= each.element_bytes || is_aligned(each));
            if (each.tensor == view.tensor && each.is_shared == (view.memory == "shared"))
                out.of_tensor += excess;
        }
    }
    return out;
}

// What is left of the tensor's excess where the script with the edits builds the same kernel, which moves less.
std::optional<double> left_by(const ExplainRequest& request, const std::vector<FixView>& fixes, const FoundKernel& of,
                              const AccessView& view, const Excess& before) {
    const std::optional<std::string> text = with_edits(request.preview.source, fixes);
    if (!text)
        return std::nullopt;
    ExplainRequest edited = request;
    edited.preview.source.text = *text;
    Work work;
    work.cancelled = request.preview.cancelled;
    Excess after;
    int built = 0;
    guarded(work, [&] {
        std::vector<FoundKernel> kernels = find_kernels(work, edited, built);
        add_maps(work, kernels);
        after = excess_of(kernels, of.number, of.kernel->name, view);
    });
    // What only moves the excess from one tensor to another, as an exchange does to a transpose, cures nothing.
    const double gained =
        view.memory == "shared" ? before.wavefronts - after.wavefronts : before.sectors - after.sectors;
    const bool cures = !work.sink.has_errors() && after.is_known && (after.is_aligned || !before.is_aligned) &&
                       after.of_tensor < before.of_tensor / 2 && gained >= before.of_tensor / 2 &&
                       after.sectors <= before.sectors && after.wavefronts <= before.wavefronts;
    return cures ? std::optional(after.of_tensor) : std::nullopt;
}

// The first of those that leave least.
void take_best(const Work& work, const ExplainRequest& request, const FoundKernel& of, const Excess& before,
               std::vector<std::vector<FixView>> possible, AccessView& view) {
    double least = before.of_tensor;
    for (std::vector<FixView>& fixes : possible) {
        if (least <= 0 || work.stopped())
            break;
        const std::optional<double> left = left_by(request, fixes, of, view, before);
        if (left && *left < least)
            least = *left, view.fixes = std::move(fixes);
    }
    if (!view.fixes.empty() && least > 0)
        view.fixes.back().title += cat(", which leaves ", percent_text(least / before.of_tensor), " of the excess");
}

} // namespace

void offer_fixes(Work& work, const ExplainRequest& request, const std::vector<FoundKernel>& kernels,
                 const FoundKernel& found, KernelExplained& out) {
    const Place place = place_of(found.kernel->origin.span, work.sources);
    KernelText text{
        request.preview.source, found.kernel->name, place.line, perf::resolve(*found.kernel, {}).or_else(1).block, {}};
    for (const access::Access& each : found.accesses)
        if (!each.tensor.empty() && !each.dtype.empty())
            text.dtypes[each.tensor] = each.dtype;
    for (AccessView& view : out.accesses) {
        if (view.finding.empty())
            continue;
        const Excess before = excess_of(kernels, found.number, found.kernel->name, view);
        take_best(work, request, found, before, possible_fixes(view, text), view);
    }
}

} // namespace hidet::session
