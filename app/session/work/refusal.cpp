// SPDX-License-Identifier: Apache-2.0
#include "app/session/work/refusal.h"

#include <algorithm>

#include "compiler/ir/rewrite.h"
#include "lang/base/check.h"
#include "lang/base/device_copy.h"
#include "lang/base/transformed.h"
#include "runtime/toolchain/messages.h"

namespace hidet::session {

namespace {

struct EnvironmentError {
    const char* code;
    DiagId id;
    Status status;
};
constexpr EnvironmentError rows[] = {
    {"nvrtc-missing", DiagId::NvrtcMissing, Status::Environment},
    {"nvdisasm-missing", DiagId::NvdisasmMissing, Status::Environment},
    {"no-such-baseline", DiagId::NoSuchBaseline, Status::WrongUsage},
    {"baseline-does-not-fit", DiagId::BaselineDoesNotFit, Status::WrongUsage},
    {"arch-unknown", DiagId::ArchUnknown, Status::WrongUsage},
    {"no-gpu-asked-for", DiagId::EnvironmentRefused, Status::WrongUsage},
    {"no-launches", DiagId::EnvironmentRefused, Status::WrongUsage},
};

class Foreign : public ir::Walker {
public:
    explicit Foreign(const ir::Module& module) : found(!module.externs.empty()) { walk(module); }
    bool found;

protected:
    using ir::Walker::visit;
    void visit(const ir::AsmStmt&) override { found = true; }
    void visit(const ir::OpaqueType&) override { found = true; }
};

} // namespace

void report_environment(Work& work, DiagnosticSink& sink, const Error& error, Span site) {
    const auto* row = std::ranges::find(rows, error.code, &EnvironmentError::code);
    bool known = row != std::end(rows);
    if (error.code == "cancelled")
        return;
    sink.report(known ? row->id : DiagId::EnvironmentRefused, site, error.message);
    work.status = known ? row->status : Status::Environment;
}

bool report_wrong_usage(Work& work, Diagnostic diagnostic) {
    work.sink.report(std::move(diagnostic));
    work.status = Status::WrongUsage;
    return false;
}

bool report_wrong_usage(Work& work, const std::string& message) {
    return report_wrong_usage(work, Diagnostic::make(DiagId::BadValue, {}, message));
}

bool read_source(Work& work, const std::string& path, Source& source) {
    if (read_source(path, source, work.sink))
        return true;
    work.status = Status::WrongUsage;
    return false;
}

std::string quoted_list(const std::vector<std::string>& names) {
    return join(transformed(names, [](const std::string& name) { return cat("'", name, "'"); }), ", ");
}

void report_unknown_kernel(DiagnosticSink& sink, const KernelReplacement& replacement,
                           const std::set<std::string>& kernels) {
    sink.report(DiagId::BadValue, Span{},
                cat("there is no kernel '", replacement.kernel, "' to be replaced by '", replacement.source.name, "'; ",
                    kernels.empty() ? "the script builds none for a GPU"
                                    : cat("the script builds ", quoted_list({kernels.begin(), kernels.end()}))));
}

void report_warning(DiagnosticSink& sink, const std::string& message, Span site) {
    Diagnostic diagnostic = Diagnostic::make(DiagId::BadValue, site, message);
    diagnostic.severity = Severity::Warning;
    sink.report(std::move(diagnostic));
}

void report_failure(Work& work, DiagnosticSink& sink, const Error& error, const std::string& function, Span site) {
    // A wait that was cancelled leaves its kernel running, as one that ran out of time does.
    work.device_hangs |= error.code == "kernel-timeout" || error.code == "cancelled";
    if (error.code == "cancelled")
        return;
    if (error.code == "call-failed")
        return sink.report(DiagId::NativeCallFailed, site, function, error.message);
    DiagId id = diagnostic_of(error);
    if (error.code == "kernel-timeout")
        work.status = Status::TimedOut;
    if (id == DiagId::DeviceError)
        work.status = Status::Environment;
    sink.report(id, site, error.message);
}

void report_compile_error(Work& work, DiagnosticSink& sink, const ir::Module& module, const artifact::Source& source,
                          const Error& error) {
    if (error.code != "compile-failed")
        return report_environment(work, sink, error);
    const char* compiler = source.language == artifact::Language::CudaCxx ? "NVRTC" : "the C++ compiler";
    if (!Foreign(module).found)
        throw InternalError(cat(compiler, " refuses the generated text: ", error.message));
    std::vector<Origin> lines = artifact::line_origins(source);
    int reported = 0;
    for (const toolchain::CompilerMessage& message : toolchain::read_messages(error.message)) {
        if (message.severity != toolchain::CompilerMessage::Severity::Error)
            continue;
        bool known = message.line > 0 && static_cast<std::size_t>(message.line) <= lines.size();
        sink.report(DiagId::CompilerRefuses, known ? lines[static_cast<std::size_t>(message.line - 1)].span : Span{},
                    compiler, message.text);
        ++reported;
    }
    if (reported == 0)
        sink.report(DiagId::CompilerRefuses, {}, compiler, error.message);
}

} // namespace hidet::session
