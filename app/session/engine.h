// SPDX-License-Identifier: Apache-2.0
// The evaluator's engine over the emulator: build lowers a module to bytecode, call maps the tensors and runs it.
#pragma once

#include <memory>

#include "app/session/work.h"
#include "lang/host/engine.h"

namespace hidet::session {

class EmulatorEngine : public lang::Engine {
public:
    EmulatorEngine(Work& work, const RunRequest& request);
    ~EmulatorEngine() override;

    Ref<lang::BuiltModule> build(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) override;
    bool call(lang::BuiltModule& module, const std::string& function, const std::vector<lang::CallArgument>& args,
              Span site, std::variant<std::monostate, std::int64_t, double>& result, DiagnosticSink& sink) override;
    bool has_cuda() const override { return false; }
    void print(std::string_view text) override;

    RunSummary summary() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace hidet::session
