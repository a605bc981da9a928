// SPDX-License-Identifier: Apache-2.0
// Proves kernels that were found, with the solver of this machine. What it was asked once is in the cache of compilations, by the
// question, the solver's version and its limits, so that the proof of a kernel that did not change takes no solver.
#pragma once

#include <memory>

#include "app/session/explain/found_kernel.h"
#include "app/session/explain/proof_view.h"
#include "app/session/tools/tools.h"
#include "runtime/toolchain/z3.h"

namespace hidet::session {

class KernelProver {
public:
    // "solver-missing", with what to do about it. `tools`: null, where no tool is asked. `unanswered`: questions of a kernel that
    // the solver may give up; what is not asked then stays open.
    static Result<KernelProver> open(std::shared_ptr<Tools> tools, int unanswered = 3);

    // `refuted`: gets what is wrong as diagnostics; may be null.
    ProvedKernel prove(const FoundKernel& found, const Work& work, DiagnosticSink* refuted) const;

private:
    std::string answer(const std::string& question, const std::atomic<bool>* cancelled, double& seconds) const;

    std::shared_ptr<Tools> m_tools;
    std::shared_ptr<toolchain::Z3> m_solver;
    int m_unanswered = 0;
    std::string m_recipe; // what decides an answer beside the question
};

} // namespace hidet::session
