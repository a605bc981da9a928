// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/compiled_text.h"

#include "app/session/forms/listing.h"
#include "app/session/tools/tools.h"
#include "app/session/work/named_gpus.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "runtime/toolchain/messages.h"

namespace hidet::session {

namespace {

constexpr const char* usual_gpu = "sm_90a";

class TextCompiler {
public:
    TextCompiler(Work& work, const CompiledTextRequest& request, CompiledTextResult& out)
        : m_work(work), m_request(request), m_out(out) {}

    void run() {
        m_file = m_work.sources.add(m_request.source.name, m_request.source.text);
        const auto gpus = named_gpus(m_work, {m_request.arch.empty() ? usual_gpu : m_request.arch});
        if (!gpus)
            return;
        const artifact::TargetSpec& target = gpus->front();
        m_out.arch = artifact::architecture_name(target.arch);
        const auto ptx = compiled(toolchain::Product::Ptx);
        if (!ptx)
            return;
        auto text = std::make_shared<FormSnapshot>();
        text->name = info(Form::Ptx).name;
        describe_compilation(*ptx, *text);
        text->text = snapshot(toolchain::ptx_listing(ptx->bytes));
        m_out.ptx = std::move(text);
        const auto cubin = compiled(toolchain::Product::Cubin);
        if (!cubin)
            return;
        FormSnapshot figures;
        describe_compilation(*cubin, figures);
        m_out.kernels = figures.kernels;
        if (m_request.disassembles)
            disassemble(*cubin, target);
    }

private:
    std::optional<toolchain::CompileResult> compiled(toolchain::Product product) {
        m_work.enter(product == toolchain::Product::Ptx ? "compiling to PTX" : "compiling to machine code");
        toolchain::CompileRequest asked;
        asked.text = m_request.source.text;
        asked.product = product;
        asked.arch = m_out.arch;
        asked.cancelled = m_work.cancelled;
        if (!m_request.contracts)
            asked.options.emplace_back("--fmad=false");
        Result<toolchain::CompileResult> made = compiled_by(m_work, *m_request.tools, asked);
        if (made)
            return std::move(made).value();
        refuse(made.error());
        return {};
    }

    // The text is the user's own: whatever the compiler says is said to him.
    void refuse(const Error& error) {
        if (error.code != "compile-failed")
            return report_environment(m_work, m_work.sink, error);
        bool is_told = false;
        for (const toolchain::CompilerMessage& message : toolchain::read_messages(error.message))
            if (message.severity == toolchain::CompilerMessage::Severity::Error) {
                m_work.sink.report(DiagId::CompilerRefuses, span_of(message.line), "NVRTC", message.text);
                is_told = true;
            }
        if (!is_told)
            m_work.sink.report(DiagId::CompilerRefuses, Span{}, "NVRTC", error.message);
    }

    // A line without its indentation.
    Span span_of(int line) const {
        const SourceFile& file = m_work.sources.file(m_file);
        if (line < 1 || line > file.line_count())
            return {};
        const std::string_view text = file.line(line);
        const auto indent = static_cast<std::uint32_t>(std::min(text.find_first_not_of(" \t"), text.size()));
        const std::uint32_t begin = file.line_start(line);
        return {m_file, begin + indent, begin + static_cast<std::uint32_t>(text.size())};
    }

    TextSnapshot snapshot(const toolchain::Listing& listing) const {
        TextSnapshot out;
        out.text = listing.text;
        out.source_lines = listing.source_lines;
        for (const int line : listing.source_lines)
            out.lines.push_back({line > 0 ? place_of(span_of(line), m_work.sources) : Place(), ""});
        return out;
    }

    void disassemble(const toolchain::CompileResult& cubin, const artifact::TargetSpec& target) {
        m_work.enter("disassembling");
        auto sass = std::make_shared<FormSnapshot>();
        sass->name = info(Form::Sass).name;
        describe_compilation(cubin, *sass);
        const Result<void> read = fill_sass(*m_request.tools,
                                            {cubin.bytes, m_request.explains, target.arch.number, m_work.cancelled,
                                             [this](const toolchain::Listing& listing) { return snapshot(listing); }},
                                            *sass);
        if (read)
            m_out.sass = std::move(sass);
        else
            report_environment(m_work, m_work.sink, read.error());
    }

    Work& m_work;
    const CompiledTextRequest& m_request;
    CompiledTextResult& m_out;
    FileId m_file{};
};

} // namespace

CompiledTextResult compile_text(const CompiledTextRequest& request) {
    CompiledTextResult out;
    Work work;
    work.cancelled = request.cancelled;
    work.options = "compile " + request.source.name;
    guarded(work, [&] { TextCompiler(work, request, out).run(); });
    finish(work, out);
    return out;
}

} // namespace hidet::session
