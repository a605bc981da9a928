// SPDX-License-Identifier: Apache-2.0
#include "app/session/work/user_text.h"

#include <algorithm>
#include <filesystem>

#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "runtime/toolchain/messages.h"

namespace hidet::session {

UserText::UserText(Work& work, const Source& source, Form form)
    : m_work(work), m_source(source), m_form(form), m_file(work.sources.add(source.name, source.text)),
      m_refusal(refusal_of(source.text, form)) {}

// Those of the toolkit that NVRTC is of.
void UserText::add_header_folders(Tools& tools, toolchain::CompileRequest& request) const {
    namespace fs = std::filesystem;
    const toolchain::Finding nvrtc = tools.toolchain().locate(toolchain::Tool::Nvrtc);
    std::error_code failed;
    const fs::path library = fs::canonical(nvrtc.path, failed).parent_path();
    for (const fs::path& toolkit : {library.parent_path(), library.parent_path().parent_path() / "cuda_runtime"})
        if (fs::is_regular_file(toolkit / "include/cuda_fp16.h", failed)) {
            request.options.push_back("--include-path=" + (toolkit / "include").string());
            if (fs::is_directory(toolkit / "include/cccl", failed))
                request.options.push_back("--include-path=" + (toolkit / "include/cccl").string());
            return;
        }
}

Result<toolchain::CompileResult> UserText::made(Tools& tools, const Asked& asked) {
    if (m_refusal)
        return Error{"text-refused", cat("line ", m_refusal->line, ": ", m_refusal->message)};
    toolchain::CompileRequest request;
    request.language = m_form == Form::Ptx ? artifact::Language::Ptx : artifact::Language::CudaCxx;
    request.text = m_source.text;
    request.product = asked.product;
    request.arch = asked.arch;
    for (const std::string& option : asked.options) // what else is decided before PTX is written
        if (m_form != Form::Ptx || option.starts_with("--fmad="))
            request.options.push_back(option);
    if (m_form == Form::Cuda && has_includes(m_source.text))
        add_header_folders(tools, request);
    request.cancelled = m_work.cancelled;
    return compiled_by(m_work, tools, request);
}

std::optional<toolchain::CompileResult> UserText::compiled(Tools& tools, const Asked& asked, DiagnosticSink& sink) {
    Result<toolchain::CompileResult> result = made(tools, asked);
    if (result)
        return std::move(result).value();
    refuse(result.error(), sink);
    return std::nullopt;
}

void UserText::refuse(const Error& error, DiagnosticSink& sink) {
    if (m_refusal)
        return sink.report(DiagId::TextRefused, span_of(m_refusal->line), m_refusal->message);
    if (error.code != "compile-failed")
        return report_environment(m_work, sink, error);
    const char* compiler = m_form == Form::Ptx ? "ptxas" : "NVRTC";
    bool is_told = false;
    for (const toolchain::CompilerMessage& message : toolchain::read_messages(error.message))
        if (message.severity == toolchain::CompilerMessage::Severity::Error) {
            sink.report(DiagId::CompilerRefuses, span_of(message.line), compiler, message.text);
            is_told = true;
        }
    if (!is_told)
        sink.report(DiagId::CompilerRefuses, Span{}, compiler, error.message);
}

Span UserText::span_of(int line) const {
    const SourceFile& file = m_work.sources.file(m_file);
    if (line < 1 || line > file.line_count())
        return {};
    const std::string_view text = file.line(line);
    const auto indent = static_cast<std::uint32_t>(std::min(text.find_first_not_of(" \t"), text.size()));
    const std::uint32_t begin = file.line_start(line);
    return {m_file, begin + indent, begin + static_cast<std::uint32_t>(text.size())};
}

} // namespace hidet::session
