// SPDX-License-Identifier: Apache-2.0
#include "app/session/explain/found_kernel.h"

#include <algorithm>
#include <unordered_map>

#include "app/session/execute/executor.h"
#include "app/session/explain/access_view.h"
#include "app/session/explain/cost.h"
#include "app/session/forms/maker.h"
#include "app/session/preview/sites.h"
#include "app/session/work/steps.h"
#include "compiler/ir/evaluate.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"

namespace hidet::session {

namespace access = compiler::access;

namespace {

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

std::vector<FoundKernel> kernels_in(int number, const ir::ModuleRef& script, const ir::ModuleRef& emulated,
                                    const std::vector<lang::RecordedCall>& calls, const std::string& name) {
    std::vector<FoundKernel> out;
    for (const ir::FunctionRef& function : emulated->functions) {
        if (function->func_kind != ir::FuncKind::CudaKernel || (!name.empty() && function->name != name))
            continue;
        out.push_back({number, script, emulated, function.get(), {}, {}});
        out.back().sizes = sizes_of(calls, out.back());
    }
    return out;
}

std::vector<FoundKernel> find_kernels(Work& work, const ExplainRequest& request, int& built) {
    std::vector<FoundKernel> out;
    const BuiltScript script = build_script(work, request.preview);
    const std::vector<RecordedSite>& sites = script.sites;
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
                                 bool with_cost) {
    KernelExplained out;
    out.module = found.number;
    out.name = found.kernel->name;
    out.place = place_of(found.kernel->origin.span, sources);
    out.accesses = access_views(found.accesses, sources);
    out.target = target.name;
    out.sizes = sizes_text(found.sizes);
    add_totals(out);
    if (with_cost)
        out.cost = cost_of(*found.module, *found.kernel, found.sizes, target, found.accesses);
    return out;
}

} // namespace hidet::session
