// SPDX-License-Identifier: Apache-2.0
#include "app/session/live/explanation.h"

#include <algorithm>

#include "app/session/explain/cost.h"

namespace hidet::session {

void Explanation::set_contracts(std::vector<ContractClause> clauses, std::shared_ptr<const SourceMap> sources) {
    m_clauses = std::move(clauses);
    m_sources = std::move(sources);
}

Explanation::Module& Explanation::at(std::size_t module) {
    m_modules.resize(std::max(m_modules.size(), module + 1));
    m_has_changed = true;
    return m_modules[module];
}

void Explanation::set_kernels(std::size_t module, std::size_t modules, std::vector<KernelExplained> kernels,
                              std::vector<std::shared_ptr<const ExplainedSource>> sources,
                              const artifact::TargetSpec& target) {
    Module& known = at(module);
    known.is_known = true;
    known.kernels = std::move(kernels);
    known.sources = std::move(sources);
    known.target = target;
    m_modules.resize(std::max(m_modules.size(), modules));
}

void Explanation::set_fixes(std::size_t module, std::vector<KernelExplained> kernels) {
    std::vector<KernelExplained>& known = at(module).kernels;
    for (std::size_t i = 0; i < std::min(known.size(), kernels.size()); ++i)
        kernels[i].proof = std::move(known[i].proof);
    known = std::move(kernels);
}

void Explanation::set_bounds(std::size_t module, const std::vector<KernelExplained>& kernels) {
    std::vector<KernelExplained>& known = at(module).kernels;
    for (std::size_t i = 0; i < std::min(known.size(), kernels.size()); ++i)
        known[i].bounds = kernels[i].bounds;
}

void Explanation::set_proof(std::size_t module, std::size_t kernel, ProvedKernel proof) {
    std::vector<KernelExplained>& known = at(module).kernels;
    if (kernel < known.size())
        known[kernel].proof = std::move(proof);
}

void Explanation::set_facts(std::size_t module, std::vector<KernelFacts> facts) {
    at(module).facts = std::move(facts);
}

void Explanation::add_facts_to(KernelExplained& kernel, const Module& module, const FormProgress& cubin) const {
    if (!kernel.cost)
        return;
    const auto facts = std::ranges::find(module.facts, kernel.name, &KernelFacts::name);
    if (facts != module.facts.end())
        return add_facts(*facts, module.target, *kernel.cost);
    switch (cubin.state) {
    case Progress::NotAsked: kernel.cost->facts_unknown = "no compiler was asked"; return;
    case Progress::Pending: kernel.cost->facts_unknown = "the compiler is at work"; return;
    case Progress::Made: kernel.cost->facts_unknown = "the compiler says nothing of it"; return;
    case Progress::Failed:
    case Progress::Missing: kernel.cost->facts_unknown = cubin.reason; return;
    }
}

void Explanation::put_into(LiveSnapshot& state) {
    const bool is_whole = std::ranges::all_of(m_modules, &Module::is_known);
    if (!is_whole || m_modules.size() != state.modules.size())
        return;
    for (std::size_t i = 0; i < m_modules.size(); ++i) {
        const Progress cubin = state.modules[i].progress(Form::Cubin).state;
        m_has_changed = m_has_changed || m_modules[i].cubin != cubin;
        m_modules[i].cubin = cubin;
    }
    if (!m_has_changed)
        return;
    m_has_changed = false;
    auto out = std::make_shared<Explained>();
    out->are_fixes_tried = m_are_fixes_tried;
    for (std::size_t i = 0; i < m_modules.size(); ++i)
        for (std::size_t k = 0; k < m_modules[i].kernels.size(); ++k) {
            out->kernels.push_back(m_modules[i].kernels[k]);
            out->sources.push_back(m_modules[i].sources[k]);
            add_facts_to(out->kernels.back(), m_modules[i], state.modules[i].progress(Form::Cubin));
        }
    if (m_sources)
        out->contracts = judged_contracts(m_clauses, *m_sources, out->kernels);
    state.explained = std::move(out);
}

} // namespace hidet::session
