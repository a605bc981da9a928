// SPDX-License-Identifier: Apache-2.0
// Calls on the emulator with all its checks, wherever modules were built for. The tensors hold what the call made of them.
#pragma once

#include "app/python/lib/call_watch.h"
#include "app/session/figure/table.h"

namespace hidet::python {

struct EmulationOptions {
    int orders = session::usual_orders; // of the warps and blocks of a launch, where their order may matter; at most
    std::optional<std::uint64_t> seed;  // a random order, and only that
};

class Emulation : public CallWatch {
public:
    // `request` says what else holds: what gets the text that kernels print.
    Emulation(const session::RunRequest& request, const EmulationOptions& options);
    bool call(session::Executable& module, const session::FunctionCall& call, session::ReturnValue& result,
              DiagnosticSink& sink) override;
    std::vector<session::DiagnosticView> findings(const SourceMap& sources);
    int orders() const; // that the call with most of them had; 0: there was no choice

private:
    session::RunRequest m_request;
    session::Work m_work;
    std::unique_ptr<session::Executor> m_executor;
    std::map<const ir::Module*, Ref<session::Executable>> m_built; // which keep their modules
    std::vector<Diagnostic> m_found;
};

} // namespace hidet::python
