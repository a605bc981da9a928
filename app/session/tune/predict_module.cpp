// SPDX-License-Identifier: Apache-2.0
#include "app/session/tune/predict_module.h"

#include <algorithm>

#include "compiler/analysis/access/access_map.h"
#include "compiler/perf/kernel_cost.h"
#include "compiler/perf/launches.h"
#include "compiler/transform/pass.h"
#include "lang/base/ranges.h"

namespace hidet::session {

namespace {

// What a call of the function launches, as far as its module says it.
double seconds_of(const ir::Function& host, const ir::Module& module, const artifact::TargetSpec& target,
                  const compiler::access::Limits& limits, const SourceMap& sources) {
    double seconds = 0;
    for (const perf::Launch& launch : perf::launches_in(host, {}, {}, module)) {
        const ir::Function* kernel = ir::find_function(module, launch.stmt->kernel);
        if (!kernel)
            continue;
        const perf::CostedKernel costed{
            &module, kernel, &launch.sizes,
            transformed<double>(launch.roots,
                                [&](const ir::Var* root) {
                                    const ir::TensorType* tensor = root ? ir::tensor_of(root->type) : nullptr;
                                    return tensor ? static_cast<double>(perf::tensor_bytes(*tensor, launch.sizes)) : 0;
                                }),
            &sources};
        const auto accesses = compiler::access::access_maps(module, *kernel, launch.sizes, limits);
        seconds += launch.times * perf::cost_of(costed, target, accesses).predicted_seconds;
    }
    return seconds;
}

} // namespace

Result<double> predicted_seconds(const Work& work, const ir::ModuleRef& module, const artifact::TargetSpec& target) {
    if (!target.is_cuda())
        return 0.0;
    compiler::LowerOptions options;
    options.to = compiler::LowerTo::Emulation;
    options.target = target;
    options.launch_rule = compiler::LaunchRule::NotAsked;
    options.cancelled = work.cancelled;
    DiagnosticSink sink;
    const ir::ModuleRef lowered = compiler::lower(module, options, sink);
    if (!lowered) {
        const auto mistake = std::ranges::find(sink.all(), Severity::Error, &Diagnostic::severity);
        return Error{"not-lowered", mistake == sink.all().end() ? "it cannot be lowered" : mistake->message};
    }
    compiler::access::Limits limits;
    limits.cancelled = work.cancelled;
    for (const ir::FunctionRef& host : lowered->functions)
        if (host->func_kind == ir::FuncKind::Public)
            if (const double seconds = seconds_of(*host, *lowered, target, limits, work.sources); seconds > 0)
                return seconds;
    return 0.0;
}

} // namespace hidet::session
