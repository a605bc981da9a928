// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/found_kernel.h"

#include <algorithm>

#include "app/session/execute/executor.h"
#include "app/session/explain/access_view.h"
#include "app/session/explain/cost.h"
#include "app/session/forms/maker.h"
#include "app/session/preview/sites.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "compiler/ir/packing.h"
#include "compiler/perf/launches.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace access = compiler::access;

namespace {

const lang::TensorRef* tensor_given(const lang::RecordedCall& call, const ir::Function& function, const ir::Var* root) {
    for (std::size_t i = 0; root && i < std::min(call.args.size(), function.params.size()); ++i)
        if (function.params[i].get() == root)
            return std::get_if<lang::TensorRef>(&call.args[i].value);
    return nullptr;
}

// Bytes of the tensor behind a pointer, by its declaration or by what the script's call gives for it.
double bytes_behind(const lang::RecordedCall* call, const ir::Function& host, const ir::Var* root,
                    const SymbolValues& sizes) {
    if (const ir::TensorType* tensor = root ? ir::tensor_of(root->type) : nullptr)
        return static_cast<double>(perf::tensor_bytes(*tensor, sizes));
    const lang::TensorRef* given = call ? tensor_given(*call, host, root) : nullptr;
    return given && *given ? static_cast<double>(ir::packed_bytes((*given)->dtype, (*given)->count())) : 0;
}

// What a call of the function, or of the script where it records one, launches of the kernel.
std::vector<FoundLaunch> launches_by(const ir::Function& host, const lang::RecordedCall* call,
                                     const FoundKernel& found) {
    SymbolValues symbols = call ? symbols_of(host, call->args) : SymbolValues();
    perf::KnownValues known;
    for (std::size_t i = 0; call && i < std::min(call->args.size(), host.params.size()); ++i)
        if (const auto* value = std::get_if<std::int64_t>(&call->args[i].value))
            known[host.params[i].get()] = *value;
    std::vector<FoundLaunch> out;
    if (&host == found.kernel) {
        for (const ir::VarRef& param : host.params)
            if (const auto value = known.find(param.get()); value != known.end())
                symbols[param->name] = value->second;
        out.push_back({.sizes = std::move(symbols)});
        return out;
    }
    for (const perf::Launch& launch : perf::launches_in(host, known, symbols, *found.module)) {
        if (launch.stmt->kernel != found.kernel->name)
            continue;
        FoundLaunch& next = out.emplace_back(FoundLaunch{launch.sizes, {}, launch.times, launch.is_at_least});
        for (const ir::Var* root : launch.roots)
            next.tensors.push_back(bytes_behind(call, host, root, launch.sizes));
    }
    return out;
}

// By the script's first call that launches the kernel; without one, by the function that does.
void add_launches(const std::vector<lang::RecordedCall>& calls, FoundKernel& found) {
    const auto take = [&](const ir::Function& host, const lang::RecordedCall* call) {
        found.launches = launches_by(host, call, found);
        found.host = host.name;
        return !found.launches.empty();
    };
    for (const lang::RecordedCall& call : calls) {
        const ir::Function* host = ir::find_function(*found.module, call.function);
        if (call.module == found.script && host && call.args.size() <= host->params.size() && take(*host, &call))
            return;
    }
    for (const ir::FunctionRef& host : found.module->functions)
        if (host->func_kind == ir::FuncKind::Public && take(*host, nullptr)) {
            for (FoundLaunch& launch : found.launches) // no call says what they are
                launch.sizes.clear();
            return;
        }
    found.launches = {FoundLaunch()};
    found.host.clear();
}

perf::CostedKernel costed(const FoundKernel& found, const FoundLaunch& launch, const SourceMap& sources) {
    return {found.module.get(), found.kernel, &launch.sizes, launch.tensors, &sources};
}

// What all launches of a call take, of which the first is known.
void add_launches(const FoundKernel& found, const SourceMap& sources, const artifact::TargetSpec& target,
                  const access::Limits& limits, KernelExplained& out) {
    out.launched_by = found.host;
    out.launches = out.all_seconds = 0;
    double seconds = out.cost->predicted_seconds;
    for (const FoundLaunch& launch : found.launches) {
        if (launch.sizes != found.sizes)
            seconds = cost_of(costed(found, launch, sources), target,
                              access::access_maps(*found.module, *found.kernel, launch.sizes, limits))
                          .predicted_seconds;
        out.launches += launch.times;
        out.all_seconds += launch.times * seconds;
        out.is_launched_in_loop = out.is_launched_in_loop || launch.is_at_least;
    }
}

std::string sizes_text(const SymbolValues& sizes) {
    return join(transformed(sizes, [](const auto& size) { return cat(size.first, " = ", size.second); }), ", ");
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

} // namespace

std::vector<LaunchTotal> totals_of(const std::vector<KernelExplained>& kernels) {
    std::vector<LaunchTotal> out;
    for (const KernelExplained& kernel : kernels) {
        if (!kernel.cost || kernel.launched_by.empty())
            continue;
        const auto is_same = [&](const LaunchTotal& known) {
            return known.module == kernel.module && known.function == kernel.launched_by;
        };
        auto total = std::ranges::find_if(out, is_same);
        if (total == out.end())
            total = out.insert(total, {kernel.module, kernel.launched_by, 0, 0, {}});
        total->launches += kernel.launches;
        total->predicted_seconds += kernel.all_seconds;
        for (const std::string& what : kernel.cost->at_least)
            total->at_least.push_back(cat(what, " of '", kernel.name, "'"));
        if (kernel.is_launched_in_loop)
            total->at_least.push_back(cat("the loop that launches '", kernel.name, "'"));
        if (std::ranges::count(kernel.cost->grid, 0) > 0)
            total->at_least.push_back(cat("the grid of '", kernel.name, "'"));
    }
    std::erase_if(out, [](const LaunchTotal& total) { return total.launches <= 1; });
    return out;
}

std::vector<FoundKernel> kernels_in(int number, const ir::ModuleRef& script, const ir::ModuleRef& emulated,
                                    const std::vector<lang::RecordedCall>& calls, const std::string& name) {
    std::vector<FoundKernel> out;
    for (const ir::FunctionRef& function : emulated->functions) {
        if (function->func_kind != ir::FuncKind::CudaKernel || (!name.empty() && function->name != name))
            continue;
        out.push_back({number, script, emulated, function.get(), {}, {}, {}, {}});
        add_launches(calls, out.back());
        out.back().sizes = out.back().launches.front().sizes;
    }
    return out;
}

ir::ModuleRef lowered_for_analysis(Work& work, const ir::ModuleRef& script, const artifact::TargetSpec& target) {
    compiler::LowerOptions options;
    options.to = compiler::LowerTo::Emulation;
    options.target = target;
    options.launch_rule = compiler::LaunchRule::NotAsked;
    options.cancelled = work.cancelled;
    work.enter("lowering");
    return compiler::lower(script, options, work.sink);
}

std::vector<FoundKernel> find_kernels(Work& work, const ExplainRequest& request, int& built) {
    std::vector<FoundKernel> out;
    const BuiltScript script = build_script(work, request.preview);
    const std::vector<RecordedSite>& sites = script.sites;
    built = static_cast<int>(sites.size());
    for (std::size_t i = 0; i < sites.size() && !work.stopped(); ++i) {
        const int number = static_cast<int>(i) + 1;
        if (!is_wanted(script.evaluated.result, sites[i].is_asked, number, request.preview.module))
            continue;
        if (request.preview.arch.empty() &&
            !gpu_of(*sites[i].module, artifact::default_gpu(), sites[i].site, work.sink))
            return out;
        const ir::ModuleRef module =
            lowered_for_analysis(work, sites[i].module, target_of(request.preview, *sites[i].module));
        if (!module)
            continue;
        for (FoundKernel& found :
             kernels_in(number, sites[i].module, module, script.evaluated.result.calls, request.preview.function))
            out.push_back(std::move(found));
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

KernelExplained explained_kernel(const FoundKernel& found, const SourceMap& sources, const artifact::TargetSpec& target,
                                 bool with_cost, const access::Limits& limits) {
    KernelExplained out;
    out.module = found.number;
    out.name = found.kernel->name;
    out.place = place_of(found.kernel->origin.span, sources);
    out.accesses = access_views(found.accesses, sources);
    out.target = target.name;
    out.sizes = sizes_text(found.sizes);
    add_totals(out);
    if (with_cost) {
        out.cost = cost_view_of(costed(found, found.launches.front(), sources), target, found.accesses);
        add_launches(found, sources, target, limits, out);
    }
    return out;
}

void report_not_found(Work& work, const PreviewRequest& request, int built) {
    if (built == 0 || work.sink.has_errors())
        return;
    const std::string& name = request.source.name;
    if (request.module < 0 || request.module > built)
        report_wrong_usage(work, Diagnostic::make(DiagId::NoSuchModule, {}, request.module, name,
                                                  built == 1 ? "1 module" : cat(built, " modules")));
    else if (!request.function.empty())
        report_wrong_usage(work, Diagnostic::make(DiagId::NoSuchFunction, {}, name, request.function));
}

} // namespace hidet::session
