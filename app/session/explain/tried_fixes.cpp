// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/tried_fixes.h"

#include <algorithm>

#include "app/session/explain/access_fix.h"
#include "app/session/work/work.h"

namespace hidet::session {

namespace access = compiler::access;

namespace {

// What a kernel moves beyond what would do: of one tensor, and in all.
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

Excess excess_of(const std::vector<FoundKernel>& kernels, const std::string& name, const AccessView& view) {
    Excess out;
    for (const FoundKernel& found : kernels) {
        if (found.kernel->name != name)
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

// The script with the edits builds the same kernel, which moves less.
bool cures(const ExplainRequest& request, const std::vector<FixView>& fixes, const std::string& kernel,
           const AccessView& view, const Excess& before) {
    const std::optional<std::string> text = with_edits(request.preview.source, fixes);
    if (!text)
        return false;
    ExplainRequest edited = request;
    edited.preview.source.text = *text;
    Work work;
    work.cancelled = request.preview.cancelled;
    Excess after;
    int built = 0;
    guarded(work, [&] {
        std::vector<FoundKernel> kernels = find_kernels(work, edited, built);
        add_maps(work, kernels);
        after = excess_of(kernels, kernel, view);
    });
    // What only moves the excess from one tensor to another, as an exchange does to a transpose, cures nothing.
    const double gained =
        view.memory == "shared" ? before.wavefronts - after.wavefronts : before.sectors - after.sectors;
    return !work.sink.has_errors() && after.is_known && (after.is_aligned || !before.is_aligned) &&
           after.of_tensor < before.of_tensor / 2 && gained >= before.of_tensor / 2 &&
           after.sectors <= before.sectors && after.wavefronts <= before.wavefronts;
}

} // namespace

void offer_fixes(Work& work, const ExplainRequest& request, const std::vector<FoundKernel>& kernels,
                 const FoundKernel& found, KernelExplained& out) {
    const Place place = place_of(found.kernel->origin.span, work.sources);
    KernelText text{request.preview.source, found.kernel->name, place.line, {1, 1, 1}, {}};
    for (std::size_t d = 0; d < found.kernel->block_dim.size(); ++d)
        text.block[d] = ir::constant_int(found.kernel->block_dim[d]).value_or(1);
    for (const access::Access& each : found.accesses)
        if (!each.tensor.empty() && !each.dtype.empty())
            text.dtypes[each.tensor] = each.dtype;
    for (AccessView& view : out.accesses) {
        if (view.finding.empty())
            continue;
        const Excess before = excess_of(kernels, found.kernel->name, view);
        for (std::vector<FixView>& fixes : possible_fixes(view, text))
            if (view.fixes.empty() && !work.stopped() && cures(request, fixes, text.name, view, before))
                view.fixes = std::move(fixes);
    }
}

} // namespace hidet::session
