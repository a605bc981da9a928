// SPDX-License-Identifier: Apache-2.0
// What is known of the kernels of one revision, put together from those who find it out: accesses and costs from the lowered
// modules, registers from their machine code, contracts from both.
#pragma once

#include "app/session/live/explained.h"
#include "app/session/live/live_snapshot.h"

namespace hidet::session {

class Explanation {
public:
    void set_contracts(std::vector<ContractClause> clauses, std::shared_ptr<const SourceMap> sources);
    // Of one of `modules` modules; none where it could not be lowered.
    void set_kernels(std::size_t module, std::size_t modules, std::vector<KernelExplained> kernels,
                     std::vector<std::shared_ptr<const ExplainedSource>> sources, const artifact::TargetSpec& target);
    void set_fixes(std::size_t module, std::vector<KernelExplained> kernels);         // the same kernels, with fixes
    void set_bounds(std::size_t module, const std::vector<KernelExplained>& kernels); // likewise, with bounds
    void set_proof(std::size_t module, std::size_t kernel, ProvedKernel proof);
    void set_facts(std::size_t module, std::vector<KernelFacts> facts); // by the names of the script
    void end_fixes() { m_are_fixes_tried = m_has_changed = true; }
    // Once all modules are known, and again when something has changed since.
    void put_into(LiveSnapshot& state);

private:
    struct Module {
        bool is_known = false;
        std::vector<KernelExplained> kernels;
        std::vector<std::shared_ptr<const ExplainedSource>> sources;
        artifact::TargetSpec target;
        std::vector<KernelFacts> facts;
        Progress cubin = Progress::NotAsked; // when it was put into a snapshot
    };
    Module& at(std::size_t module);
    void add_facts_to(KernelExplained& kernel, const Module& module, const FormProgress& cubin) const;

    std::vector<Module> m_modules;
    std::vector<ContractClause> m_clauses;
    std::shared_ptr<const SourceMap> m_sources;
    bool m_are_fixes_tried = false;
    bool m_has_changed = true; // of a script without modules, nothing is said once
};

} // namespace hidet::session
