// SPDX-License-Identifier: Apache-2.0
#include "app/python/lib/explanation.h"

#include "app/session/explain/cost.h"
#include "app/session/explain/findings.h"
#include "app/session/explain/found_kernel.h"
#include "app/session/forms/maker.h"

namespace hidet::python {

using namespace hidet::session;

Explanation::Explanation(Work& work, const RunRequest& request, const artifact::TargetSpec* gpu)
    : m_work(work), m_gpu(gpu) {
    m_request.tools = request.tools;
    m_request.contracts = request.contracts;
    if (gpu)
        m_request.arch = artifact::architecture_name(gpu->arch);
}

bool Explanation::call(Executable& module, const FunctionCall& call, ReturnValue&, DiagnosticSink&) {
    add(module.script, {{module.script, call.function, call.args, call.site}});
    return true;
}

void Explanation::add(const ir::ModuleRef& script) {
    add(script, {});
}

void Explanation::add(const ir::ModuleRef& script, const std::vector<lang::RecordedCall>& calls) {
    const artifact::TargetSpec target = m_gpu ? *m_gpu : target_of(m_request, *script);
    Lowered& known = m_lowered[script.get()];
    if (!known.script)
        known = {script, lowered_for_analysis(m_work, script, target)};
    const ir::ModuleRef& lowered = known.module;
    if (!lowered)
        return;
    std::vector<FoundKernel> kernels = kernels_in(static_cast<int>(m_lowered.size()), script, lowered, calls);
    std::erase_if(kernels, [&](const FoundKernel& found) {
        return !calls.empty() && found.host != calls.front().function && found.kernel->name != calls.front().function;
    });
    add_maps(m_work, kernels);
    for (const FoundKernel& found : kernels) {
        KernelExplained out = explained_kernel(found, m_work.sources, target, true);
        add_machine_code(m_work, m_request, script, *found.kernel, found.sizes, *out.cost);
        out.findings = findings_of(out, out.loops);
        m_kernels.push_back(std::move(out));
    }
}

} // namespace hidet::python
