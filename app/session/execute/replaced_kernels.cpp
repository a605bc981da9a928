// SPDX-License-Identifier: Apache-2.0
#include "app/session/execute/replaced_kernels.h"

#include <algorithm>

#include "lang/base/text.h"
#include "runtime/toolchain/ptx_text.h"

namespace hidet::session {

namespace {

std::string quoted_list(const std::vector<std::string>& names) {
    std::vector<std::string> out;
    for (const std::string& name : names)
        out.push_back(cat("'", name, "'"));
    return join(out, ", ");
}

std::vector<std::string> names_of(const std::vector<toolchain::PtxEntry>& entries) {
    std::vector<std::string> names;
    for (const toolchain::PtxEntry& entry : entries)
        names.push_back(entry.name);
    return names;
}

// Empty: the kernel takes what the generated one takes.
std::string difference_in_parameters(const toolchain::PtxEntry& changed, const artifact::EntryPoint& generated) {
    const std::size_t count = changed.parameter_bytes.size(), wanted = generated.params.size();
    if (count != wanted)
        return cat("it takes ", count, count == 1 ? " parameter" : " parameters", ", and the generated one takes ",
                   wanted);
    for (std::size_t i = 0; i < count; ++i) {
        const auto bytes = static_cast<std::int64_t>(cuda::bytes_of(generated.params[i]));
        if (changed.parameter_bytes[i] != bytes)
            return cat("its parameter ", i + 1, " ('", generated.params[i].name, "') has ", changed.parameter_bytes[i],
                       " bytes, and that of the generated one has ", bytes);
    }
    return {};
}

} // namespace

// When the first module is there, so that the script is the first text of the work.
void ReplacedKernels::open_texts() {
    if (!m_texts.empty())
        return;
    for (const KernelReplacement& each : m_request.replacements) {
        const Form form = compiled_form(each.source.name).value_or(Form::Cuda);
        m_texts.push_back({each.kernel, UserText(m_work, each.source, form)});
    }
}

std::optional<std::vector<ReplacedKernels::Kernel>>
ReplacedKernels::of(const std::vector<artifact::EntryPoint>& entries, const std::vector<std::string>& options,
                    const artifact::TargetSpec& gpu, DiagnosticSink& sink) {
    open_texts();
    std::vector<Kernel> out;
    for (const artifact::EntryPoint& entry : entries) {
        m_seen.insert(entry.name);
        const auto text = std::ranges::find(m_texts, entry.name, &Text::kernel);
        if (text == m_texts.end())
            continue;
        std::optional<Kernel> kernel = compiled(*text, entry, options, artifact::architecture_name(gpu.arch), sink);
        if (!kernel)
            return std::nullopt;
        text->is_used = true;
        out.push_back(std::move(*kernel));
    }
    return out;
}

std::optional<ReplacedKernels::Kernel> ReplacedKernels::compiled(Text& text, const artifact::EntryPoint& entry,
                                                                 const std::vector<std::string>& options,
                                                                 const std::string& arch, DiagnosticSink& sink) {
    Tools& tools = *m_request.tools;
    std::string ptx = text.text.source().text;
    if (text.text.form() == Form::Cuda) {
        auto made = text.text.compiled(tools, {toolchain::Product::Ptx, arch, options}, sink);
        if (!made)
            return std::nullopt;
        ptx = std::move(made->bytes);
    }
    if (!takes_the_same(text, entry, ptx, sink))
        return std::nullopt;
    const bool is_known_to_driver_alone =
        text.text.form() == Form::Ptx &&
        tools.toolchain().locate(toolchain::Tool::Ptxas).state != toolchain::State::Found;
    if (is_known_to_driver_alone)
        return Kernel{entry, toolchain::cache_key({"driver", arch, ptx}), {ptx, arch, "", false}};
    auto made = text.text.compiled(tools, {toolchain::Product::Cubin, arch, options}, sink);
    if (!made)
        return std::nullopt;
    return Kernel{entry, cat(made->key, " by hand"), {std::move(made->bytes), arch, made->compiler, false}};
}

bool ReplacedKernels::takes_the_same(const Text& text, const artifact::EntryPoint& entry, const std::string& ptx,
                                     DiagnosticSink& sink) const {
    const std::vector<toolchain::PtxEntry> entries = toolchain::entries_of_ptx(ptx);
    const auto found = std::ranges::find(entries, entry.symbol, &toolchain::PtxEntry::name);
    const std::string& file = text.text.source().name;
    if (found == entries.end()) {
        const std::string others = entries.empty() ? "it has none" : cat("it has ", quoted_list(names_of(entries)));
        sink.report(DiagId::BadValue, Span{}, cat("'", file, "' has no kernel '", entry.symbol, "'; ", others));
        return false;
    }
    const std::string difference = difference_in_parameters(*found, entry);
    if (!difference.empty())
        sink.report(
            DiagId::BadValue, Span{},
            cat("'", entry.name, "' of '", file, "' cannot run in the place of the generated kernel: ", difference));
    return difference.empty();
}

std::vector<std::string> ReplacedKernels::used() const {
    std::vector<std::string> out;
    for (const Text& text : m_texts)
        if (text.is_used)
            out.push_back(cat(text.kernel, " by ", text.text.source().name));
    return out;
}

void ReplacedKernels::report_unknown(DiagnosticSink& sink) const {
    for (const KernelReplacement& each : m_request.replacements)
        if (!m_seen.contains(each.kernel))
            sink.report(DiagId::BadValue, Span{},
                        cat("there is no kernel '", each.kernel, "' to be replaced by '", each.source.name, "'; ",
                            m_seen.empty() ? "the script builds none for a GPU"
                                           : cat("the script builds ", quoted_list({m_seen.begin(), m_seen.end()}))));
}

} // namespace hidet::session
