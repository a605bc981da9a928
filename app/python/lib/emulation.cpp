// SPDX-License-Identifier: Apache-2.0
#include "app/python/lib/emulation.h"

namespace hidet::python {

using namespace hidet::session;

namespace {

RunRequest request_of(const RunRequest& usual, const EmulationOptions& options) {
    RunRequest out = usual;
    out.target = Target::Emulate;
    out.all_checks = true;
    out.orders = options.orders;
    out.order = options.seed;
    return out;
}

} // namespace

Emulation::Emulation(const RunRequest& request, const EmulationOptions& options)
    : m_request(request_of(request, options)), m_work(work_for("emulate", nullptr)),
      m_executor(make_emulator(m_work, m_request)) {}

bool Emulation::call(Executable& module, const FunctionCall& call, ReturnValue& result, DiagnosticSink& sink) {
    DiagnosticSink found;
    Ref<Executable>& built = m_built[module.script.get()];
    if (!built)
        built = m_executor->build(module.script, call.site, found);
    const bool is_ok = built && m_executor->call(*built, call, result, found);
    for (const Diagnostic& each : found.take()) {
        m_found.push_back(each);
        sink.report(each);
    }
    return is_ok;
}

std::vector<DiagnosticView> Emulation::findings(const SourceMap& sources) {
    m_work.sources = sources;
    for (const Diagnostic& each : m_found)
        m_work.sink.report(each);
    std::vector<DiagnosticView> out = views_of(m_work);
    m_work.sink.take();
    return out;
}

int Emulation::orders() const {
    RunSummary summary;
    m_executor->add_to(summary);
    return summary.orders_most.value_or(0);
}

} // namespace hidet::python
