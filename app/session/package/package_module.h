// SPDX-License-Identifier: Apache-2.0
// Packages that scripts load as modules: each entry is a function, which is called as those of modules are that a script builds.
#pragma once

#include <memory>
#include <string>

#include "app/session/execute/executor.h"
#include "app/session/package/package_run.h"

struct hidet_error;

namespace hidet::session {

// Runs the functions of packages, which it takes from files.
class PackageExecutor : public Executor {
public:
    PackageExecutor(Work& work, const RunRequest& request) : m_work(work), m_request(request) {}

    // All entries of the file that `options` name, and whoever wants it by `name`; there is no choice of an entry. Those that cannot run here refuse to when
    // they are called. Null: none can, and the error says why.
    Ref<Executable> load(const PackageOptions& options, const std::string& name, hidet_error& error);

    Ref<Executable> build(const ir::ModuleRef& module, Span site, DiagnosticSink& sink) override;
    bool call(Executable& module, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) override;
    std::unique_ptr<Repeat> prepare(Executable& module, const FunctionCall& call) override;
    void add_to(RunSummary&) const override {}
    std::string name() const override { return "packages"; }

private:
    Work& m_work;
    const RunRequest& m_request;
};

} // namespace hidet::session
