// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/explain.h"

#include <algorithm>
#include <unordered_map>

#include "app/session/execute/executor.h"
#include "app/session/explain/access_fix.h"
#include "app/session/explain/access_view.h"
#include "app/session/explain/cost.h"
#include "app/session/forms/maker.h"
#include "app/session/preview/sites.h"
#include "app/session/script/script_run.h"
#include "app/session/work/steps.h"
#include "compiler/ir/evaluate.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"

namespace hidet::session {

namespace access = compiler::access;

namespace {

// A kernel of a module that was lowered for the emulator.
struct FoundKernel {
    int number = 0; // of the module
    ir::ModuleRef script;
    ir::ModuleRef module;
    const ir::Function* kernel = nullptr;
    SymbolValues sizes;
    std::vector<access::Access> accesses;
};

// What the launches of a host function give to a kernel.
class LaunchedWith : public ir::Walker {
public:
    LaunchedWith(const ir::Function& kernel, SymbolValues symbols) : m_kernel(kernel), m_symbols(std::move(symbols)) {}
    std::optional<SymbolValues> sizes; // of the first one
    void know(const ir::Var& var, std::int64_t value) { m_known[&var] = value; }

protected:
    using Walker::visit;
    void visit(const ir::DeclareStmt& stmt) override {
        if (const auto value = stmt.init ? value_of(stmt.init) : std::nullopt)
            know(*stmt.var, *value);
    }
    void visit(const ir::LaunchStmt& stmt) override {
        if (stmt.kernel != m_kernel.name || sizes)
            return;
        sizes = m_symbols;
        for (std::size_t i = 0; i < std::min(stmt.args.size(), m_kernel.params.size()); ++i)
            if (const auto value = value_of(stmt.args[i]))
                (*sizes)[m_kernel.params[i]->name] = *value;
    }

private:
    std::optional<std::int64_t> value_of(const ir::ExprRef& expr) const {
        return ir::evaluate_whole(expr, [this](const ir::ExprRef& leaf) -> std::optional<std::int64_t> {
            if (const auto known = m_known.find(leaf.get()); known != m_known.end())
                return known->second;
            const auto* call = ir::as<ir::Intrinsic>(leaf);
            const auto* name =
                call && call->id == ir::IntrinsicId::GetSymbolValue ? ir::as<ir::Constant>(call->args[0]) : nullptr;
            const auto* text = name ? std::get_if<std::string>(&name->value) : nullptr;
            const auto symbol = text ? m_symbols.find(*text) : m_symbols.end();
            return symbol == m_symbols.end() ? std::nullopt : std::optional(symbol->second);
        });
    }

    const ir::Function& m_kernel;
    const SymbolValues m_symbols;
    std::unordered_map<const ir::Node*, std::int64_t> m_known;
};

// Of the script's first call that launches the kernel.
SymbolValues sizes_of(const std::vector<lang::RecordedCall>& calls, const FoundKernel& found) {
    for (const lang::RecordedCall& call : calls) {
        const ir::Function* function = ir::find_function(*found.module, call.function);
        if (call.module != found.script || !function || call.args.size() > function->params.size())
            continue;
        SymbolValues symbols = symbols_of(*function, call.args);
        LaunchedWith launched(*found.kernel, symbols);
        for (std::size_t i = 0; i < call.args.size(); ++i)
            if (const auto* value = std::get_if<std::int64_t>(&call.args[i].value)) {
                launched.know(*function->params[i], *value);
                symbols[function->params[i]->name] = *value;
            }
        if (function == found.kernel)
            return symbols;
        launched.walk(function->body);
        if (launched.sizes)
            return *launched.sizes;
    }
    return {};
}

std::string sizes_text(const SymbolValues& sizes) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : sizes)
        parts.push_back(cat(name, " = ", value));
    return join(parts, ", ");
}

std::vector<FoundKernel> find_kernels(Work& work, const ExplainRequest& request, int& built) {
    std::vector<FoundKernel> out;
    EvaluatedScript evaluated;
    if (!request.preview.source.is_ir)
        evaluated = preview_script(work, request.preview.source, request.preview.calls);
    const std::vector<RecordedSite> sites =
        request.preview.source.is_ir ? build_sites(work, request.preview) : sites_of(evaluated.result);
    built = static_cast<int>(sites.size());
    for (std::size_t i = 0; i < sites.size() && !work.stopped(); ++i) {
        const int number = static_cast<int>(i) + 1;
        if (request.preview.module != 0 && request.preview.module != number)
            continue;
        if (request.preview.arch.empty() &&
            !gpu_of(*sites[i].module, artifact::default_gpu(), sites[i].site, work.sink))
            return out;
        compiler::LowerOptions options;
        options.to = compiler::LowerTo::Emulation;
        options.target = target_of(request.preview, *sites[i].module);
        options.launch_rule = compiler::LaunchRule::NotAsked;
        options.cancelled = work.cancelled;
        work.enter("lowering");
        const ir::ModuleRef module = compiler::lower(sites[i].module, options, work.sink);
        for (std::size_t f = 0; module && f < module->functions.size(); ++f) {
            const ir::Function* function = module->functions[f].get();
            const bool is_asked = request.preview.function.empty() || function->name == request.preview.function;
            if (function->func_kind != ir::FuncKind::CudaKernel || !is_asked)
                continue;
            out.push_back({number, sites[i].module, module, function, {}, {}});
            out.back().sizes = sizes_of(evaluated.result.calls, out.back());
        }
    }
    return out;
}

void add_maps(Work& work, std::vector<FoundKernel>& kernels) {
    work.enter("following the accesses of kernels");
    access::Limits limits;
    limits.cancelled = work.cancelled;
    for (FoundKernel& found : kernels)
        found.accesses = access::access_maps(*found.module, *found.kernel, found.sizes, limits);
}

// What a kernel moves beyond what would do: of one tensor, and in all.
struct Excess {
    double of_tensor = 0, sectors = 0, wavefronts = 0;
    bool is_known = false;
};

Excess excess_of(const std::vector<FoundKernel>& kernels, const std::string& name, const AccessView& view) {
    Excess out;
    for (const FoundKernel& found : kernels) {
        if (found.kernel->name != name)
            continue;
        out.is_known = true;
        for (const access::Access& each : found.accesses) {
            const double excess = each.sums.units - each.sums.least;
            (each.is_shared ? out.wavefronts : out.sectors) += excess;
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
    return !work.sink.has_errors() && after.is_known && after.of_tensor < before.of_tensor / 2 &&
           after.sectors <= before.sectors && after.wavefronts <= before.wavefronts;
}

void offer_fixes(Work& work, const ExplainRequest& request, const std::vector<FoundKernel>& kernels,
                 const FoundKernel& found, KernelExplained& out) {
    const Place place = place_of(found.kernel->origin.span, work.sources);
    KernelText text{request.preview.source, found.kernel->name, place.line, {1, 1, 1}};
    for (std::size_t d = 0; d < found.kernel->block_dim.size(); ++d)
        text.block[d] = ir::constant_int(found.kernel->block_dim[d]).value_or(1);
    for (AccessView& view : out.accesses) {
        if (view.finding.empty())
            continue;
        const Excess before = excess_of(kernels, found.kernel->name, view);
        std::string dtype;
        for (const access::Access& each : found.accesses)
            if (each.tensor == view.tensor && !each.dtype.empty())
                dtype = each.dtype;
        for (std::vector<FixView>& fixes : possible_fixes(view, text, dtype))
            if (view.fixes.empty() && !work.stopped() && cures(request, fixes, text.name, view, before))
                view.fixes = std::move(fixes);
    }
}

void add_totals(KernelExplained& out) {
    double sectors = 0, least = 0;
    for (const AccessView& view : out.accesses) {
        out.is_all_counted = out.is_all_counted && view.counted == "exact";
        if (view.memory == "shared")
            out.conflicts += view.units - view.least;
        else
            sectors += view.units, least += view.least;
    }
    out.coalesced = sectors > 0 ? least / sectors : 1;
}

void explain_into(Work& work, const ExplainRequest& request, ExplainResult& result) {
    if (!can_be_asked(work, request.preview))
        return;
    std::vector<FoundKernel> kernels = find_kernels(work, request, result.modules_built);
    if (!request.preview.function.empty() && kernels.empty() && !work.sink.has_errors() && result.modules_built > 0)
        report_wrong_usage(
            work, Diagnostic::make(DiagId::NoSuchFunction, {}, request.preview.source.name, request.preview.function));
    const auto begin = std::chrono::steady_clock::now();
    add_maps(work, kernels);
    for (const FoundKernel& found : kernels) {
        KernelExplained& out = result.kernels.emplace_back();
        out.module = found.number;
        out.name = found.kernel->name;
        out.place = place_of(found.kernel->origin.span, work.sources);
        out.accesses = access_views(found.accesses, work.sources);
        const artifact::TargetSpec target = target_of(request.preview, *found.script);
        out.target = target.name;
        out.sizes = sizes_text(found.sizes);
        add_totals(out);
        if (request.cost)
            out.cost = cost_of(*found.module, *found.kernel, found.sizes, target, found.accesses);
    }
    result.analysis_ms = milliseconds_since(begin);
    for (std::size_t i = 0; i < kernels.size() && !work.stopped(); ++i) {
        if (request.cost)
            add_machine_code(work, request.preview, kernels[i].script, *kernels[i].kernel, kernels[i].sizes,
                             *result.kernels[i].cost);
        if (request.fixes)
            offer_fixes(work, request, kernels, kernels[i], result.kernels[i]);
    }
}

} // namespace

ExplainResult explain(const ExplainRequest& request) {
    Work work;
    work.cancelled = request.preview.cancelled;
    work.fault = request.preview.fault;
    work.options = "explain " + request.preview.source.name;
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
