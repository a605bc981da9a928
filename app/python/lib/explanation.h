// SPDX-License-Identifier: Apache-2.0
// What calls would cost, read off the kernels that they launch; nothing runs.
#pragma once

#include "app/python/lib/call_watch.h"
#include "lang/host/evaluator.h"

namespace hidet::python {

class Explanation : public CallWatch {
public:
    // Of the GPU that is computed on, if there is one. Both outlive this.
    Explanation(session::Work& work, const session::RunRequest& request, const artifact::TargetSpec* gpu);
    bool call(session::Executable& module, const session::FunctionCall& call, session::ReturnValue& result,
              DiagnosticSink& sink) override;
    // All kernels of a module, of sizes that nobody says. Diagnostics go to the work's sink.
    void add(const ir::ModuleRef& script);
    const std::vector<session::KernelExplained>& kernels() const { return m_kernels; }

private:
    void add(const ir::ModuleRef& script, const std::vector<lang::RecordedCall>& calls);

    session::Work& m_work;
    session::PreviewRequest m_request;
    const artifact::TargetSpec* m_gpu;
    struct Lowered {
        ir::ModuleRef script, module;
    };
    std::map<const ir::Module*, Lowered> m_lowered;  // by script
    std::vector<session::KernelExplained> m_kernels; // each once, as it is first launched
};

} // namespace hidet::python
