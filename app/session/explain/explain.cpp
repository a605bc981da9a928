// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/explain.h"

#include <algorithm>

#include "app/session/explain/bounds_view.h"
#include "app/session/explain/cost.h"
#include "app/session/explain/explained_source.h"
#include "app/session/explain/findings.h"
#include "app/session/explain/found_kernel.h"
#include "app/session/explain/kernel_prover.h"
#include "app/session/explain/loops.h"
#include "app/session/explain/tried_fixes.h"
#include "app/session/forms/maker.h"
#include "app/session/preview/sites.h"
#include "app/session/work/refusal.h"

namespace hidet::session {

namespace {

void explain_more(const Work& work, const ExplainRequest& request, const FoundKernel& found, KernelExplained& out) {
    const ExplainedSource source{found.script,
                                 found.module,
                                 found.kernel,
                                 found.sizes,
                                 target_of(request.preview, *found.script),
                                 std::make_shared<const SourceMap>(work.sources)};
    if (request.loops)
        out.loops = loops_of(source, out, work.cancelled);
    if (request.shared)
        out.shared = shared_of(source, out.cost->static_shared + out.cost->dynamic_shared);
    if (request.block)
        out.block = block_of(source, {.grid = out.cost->grid, .block = *request.block}, work.cancelled);
}

void add_proofs(Work& work, const ExplainRequest& request, const std::vector<FoundKernel>& kernels,
                ExplainResult& result) {
    work.enter("proving");
    const Result<KernelProver> prover = KernelProver::open(request.preview.tools);
    for (std::size_t i = 0; i < kernels.size() && !work.stopped(); ++i) {
        if (prover)
            result.kernels[i].proof = prover.value().prove(kernels[i], work, nullptr);
        else
            result.kernels[i].unproved = Diagnostic::make(DiagId::SolverMissing, {}, prover.error().message).message;
    }
}

void explain_into(Work& work, const ExplainRequest& request, ExplainResult& result) {
    if (!can_be_asked(work, request.preview))
        return;
    std::vector<FoundKernel> kernels = find_kernels(work, request, result.modules_built);
    if (kernels.empty())
        report_not_found(work, request.preview, result.modules_built);
    const auto begin = std::chrono::steady_clock::now();
    add_maps(work, kernels);
    for (const FoundKernel& found : kernels)
        result.kernels.push_back(
            explained_kernel(found, work.sources, target_of(request.preview, *found.script), request.cost));
    result.totals = totals_of(result.kernels);
    result.analysis_ms = milliseconds_since(begin);
    for (std::size_t i = 0; i < kernels.size() && !work.stopped(); ++i) {
        if (request.cost)
            add_machine_code(work, request.preview, kernels[i].script, *kernels[i].kernel, kernels[i].sizes,
                             *result.kernels[i].cost);
        if (request.waves && request.cost) {
            work.enter("following the blocks of waves");
            result.kernels[i].waves =
                perf::waves_of(*kernels[i].module, *kernels[i].kernel, *kernels[i].script, kernels[i].sizes,
                               target_of(request.preview, *kernels[i].script), *result.kernels[i].cost, work.cancelled);
        }
        if (request.cost && (request.loops || request.shared || request.block))
            explain_more(work, request, kernels[i], result.kernels[i]);
        if (request.bounds) {
            work.enter("proving that accesses stay within their tensors");
            result.kernels[i].bounds =
                bounds_of(*kernels[i].module, *kernels[i].kernel, kernels[i].sizes, work.sources, work.cancelled);
        }
        if (request.fixes)
            offer_fixes(work, request, kernels, kernels[i], result.kernels[i]);
        result.kernels[i].findings = findings_of(result.kernels[i], result.kernels[i].loops);
    }
    if (request.proofs)
        add_proofs(work, request, kernels, result);
}

} // namespace

ExplainResult explain(const ExplainRequest& request) {
    Work work = work_for("explain", request.preview);
    ExplainResult result;
    guarded(work, [&] { explain_into(work, request, result); });
    finish(work, result);
    return result;
}

namespace {

std::optional<std::size_t> offset_of_place(const std::string& text, int line, int column) {
    std::size_t at = 0;
    for (int number = 1; number < line; ++number) {
        at = text.find('\n', at);
        if (at == std::string::npos)
            return std::nullopt;
        ++at;
    }
    for (int i = 1; i < column; ++i) {
        if (at >= text.size() || text[at] == '\n')
            return std::nullopt;
        do
            ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    }
    return at;
}

} // namespace

std::optional<std::string> with_edits(const Source& source, const std::vector<FixView>& fixes) {
    struct Edit {
        std::size_t begin = 0, end = 0;
        const std::string* text = nullptr;
    };
    std::vector<Edit> edits;
    for (const FixView& fix : fixes) {
        const auto begin = offset_of_place(source.text, fix.place.line, fix.place.column);
        const auto end = offset_of_place(source.text, fix.place.end_line, fix.place.end_column);
        if (!begin || !end || *end < *begin || fix.place.file != source.name)
            return std::nullopt;
        edits.push_back({*begin, *end, &fix.text});
    }
    std::ranges::stable_sort(edits, {}, &Edit::begin);
    std::string out;
    std::size_t done = 0;
    for (const Edit& edit : edits) {
        if (edit.begin < done)
            return std::nullopt;
        out += source.text.substr(done, edit.begin - done) + *edit.text;
        done = edit.end;
    }
    return out + source.text.substr(done);
}

} // namespace hidet::session
