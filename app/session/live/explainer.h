// SPDX-License-Identifier: Apache-2.0
// Follows the accesses of lowered modules, beside the compilers. What an edit left alone is taken over.
#pragma once

#include <chrono>

#include "app/session/explain/found_kernel.h"
#include "app/session/live/analysis.h"

namespace hidet::session {

// A module that was lowered. Owns all it needs: the front goes on to other modules.
struct ExplainTask {
    std::shared_ptr<Revision> revision;
    std::size_t module = 0, modules = 0; // its index, and how many there are
    ir::ModuleRef script;
    ir::ModuleRef emulated;                         // null: it could not be lowered
    std::shared_ptr<const PreviewedScript> preview; // null: of IR
    std::shared_ptr<const SourceMap> sources;
    bool tries_fixes = false; // of all modules of the revision, which were explained before
    std::chrono::steady_clock::time_point due{};
};

class Explainer {
public:
    // Whether that was the last module, and there may be fixes.
    bool explain(const ExplainTask& task);
    // Each is tried on the script, which takes an evaluation of it and a lowering.
    void try_fixes(const ExplainTask& task);

private:
    struct Known {
        std::size_t module = 0; // index
        ir::ModuleRef emulated;
        std::vector<FoundKernel> kernels;
        std::vector<KernelExplained> views;
        std::shared_ptr<const SourceMap> sources;
        bool are_fixes_tried = false;
    };
    void begin(const ExplainTask& task);
    bool take_over(const ExplainTask& task, Known& now) const;
    void follow(const ExplainTask& task, Known& now) const;
    static void prove(Revision& revision, Known& now);

    std::uint64_t m_revision = 0;
    std::vector<Known> m_before, m_now;
    bool m_is_whole = false; // m_now
};

} // namespace hidet::session
