// SPDX-License-Identifier: Apache-2.0
#include "app/session/preview/compiled_text.h"

#include "app/session/forms/listing.h"
#include "app/session/request/edited_stage.h"
#include "app/session/tools/tools.h"
#include "app/session/work/named_gpus.h"
#include "app/session/work/refusal.h"
#include "app/session/work/user_text.h"
#include "runtime/toolchain/ptx_text.h"

namespace hidet::session {

namespace {

constexpr const char* usual_gpu = "sm_90a";

class TextCompiler {
public:
    TextCompiler(Work& work, const CompiledTextRequest& request, CompiledTextResult& out)
        : m_work(work), m_request(request), m_out(out), m_text(work, request.source, request.form),
          m_head(edited_stage(request.source.text)) {}

    void run() {
        const auto gpus = named_gpus(m_work, {wanted_arch()});
        if (!gpus)
            return;
        const artifact::TargetSpec& target = gpus->front();
        m_out.arch = artifact::architecture_name(target.arch);
        if (m_request.form == Form::Cuda && !make_ptx())
            return;
        if (m_request.assembles)
            assemble(target);
    }

private:
    std::string wanted_arch() const {
        if (!m_request.arch.empty())
            return m_request.arch;
        const std::string own =
            m_request.form == Form::Ptx ? toolchain::target_of_ptx(m_request.source.text) : m_head.arch;
        return own.empty() ? usual_gpu : own;
    }

    std::optional<toolchain::CompileResult> compiled(toolchain::Product product) {
        m_work.enter(product == toolchain::Product::Ptx ? "compiling to PTX" : "compiling to machine code");
        std::vector<std::string> options;
        if (!m_request.contracts || !m_head.contracts)
            options.emplace_back("--fmad=false");
        return m_text.compiled(*m_request.tools, {product, m_out.arch, options}, m_work.sink);
    }

    void publish() {
        if (m_request.published)
            m_request.published(m_out);
    }

    bool make_ptx() {
        const auto ptx = compiled(toolchain::Product::Ptx);
        if (!ptx)
            return false;
        auto text = std::make_shared<FormSnapshot>();
        text->name = info(Form::Ptx).name;
        describe_compilation(*ptx, *text);
        text->text = snapshot(toolchain::ptx_listing(ptx->bytes));
        m_out.ptx = std::move(text);
        publish();
        return true;
    }

    void assemble(const artifact::TargetSpec& target) {
        const auto cubin = compiled(toolchain::Product::Cubin);
        if (!cubin)
            return;
        FormSnapshot figures;
        describe_compilation(*cubin, figures);
        m_out.kernels = figures.kernels;
        publish();
        if (m_request.disassembles)
            disassemble(*cubin, target);
    }

    TextSnapshot snapshot(const toolchain::Listing& listing) const {
        TextSnapshot out;
        out.text = listing.text;
        out.source_lines = listing.source_lines;
        for (const int line : listing.source_lines)
            out.lines.push_back({line > 0 ? place_of(m_text.span_of(line), m_work.sources) : Place(), ""});
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
    UserText m_text;
    EditedStage m_head;
};

} // namespace

CompiledTextResult compile_text(const CompiledTextRequest& request) {
    CompiledTextResult out;
    Work work = work_for("compile " + request.source.name, request.cancelled);
    guarded(work, [&] { TextCompiler(work, request, out).run(); });
    finish(work, out);
    return out;
}

} // namespace hidet::session
