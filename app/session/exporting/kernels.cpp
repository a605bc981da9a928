// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/kernels.h"

#include <algorithm>
#include <filesystem>

#include "app/session/execute/executor.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/signature.h"
#include "app/session/preview/sites.h"
#include "app/session/work/named_gpus.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "compiler/ir/structure.h"
#include "lang/base/ascii.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// Those that were asked for, or nothing where one of the architectures is none.
std::optional<std::vector<artifact::TargetSpec>> targets_of(ExportWork& out, const ir::Module& module, Span site) {
    const std::vector<std::string> names = named_architectures(out, false);
    if (!names.empty())
        return named_gpus(out.work, names);
    const auto asked = gpu_of(module, artifact::default_gpu(), site, out.work.sink);
    return asked ? std::optional(std::vector{*asked}) : std::nullopt;
}

std::optional<ExportedCode> code_for(Work& work, const ir::ModuleRef& script, const artifact::TargetSpec& target) {
    work.enter("lowering");
    ExportedCode code;
    code.target = target;
    code.emulated = lowered(work, script, compiler::LowerTo::Emulation, target, work.sink);
    const ir::ModuleRef kernels = code.emulated ? kernels_of(work, code.emulated, target, work.sink) : nullptr;
    if (!kernels)
        return std::nullopt;
    work.enter("generating CUDA C++");
    std::optional<artifact::Source> cuda = cuda_of(work, kernels, target, work.sink);
    if (!cuda)
        return std::nullopt;
    code.cuda = std::move(*cuda);
    return code;
}

// What the request asks for; empty: the reason is in the work's sink.
std::vector<RecordedSite> asked_sites(ExportWork& out, std::vector<int>& numbers, std::size_t& built) {
    PreviewRequest preview;
    preview.source = out.request.source;
    preview.calls = out.request.calls;
    std::vector<RecordedSite> all = build_script(out.work, preview).sites;
    built = all.size();
    if (all.empty() && !out.work.sink.has_errors()) {
        Diagnostic none = Diagnostic::make(DiagId::NoModules, {}, out.request.path(), "export");
        none.notes.push_back(
            {{},
             "a function that returns kernels is exported with a comment '# studio: matmul(64, 64, 64)' "
             "or with --studio"});
        out.work.sink.report(std::move(none));
    }
    const int asked = out.request.module;
    if (asked > static_cast<int>(all.size()) && !all.empty()) {
        report_wrong_usage(out.work, Diagnostic::make(DiagId::NoSuchModule, {}, asked, out.request.path(),
                                                      cat(built, built == 1 ? " module" : " modules")));
        return {};
    }
    std::vector<RecordedSite> sites;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (asked == 0 || asked == static_cast<int>(i) + 1) {
            sites.push_back(all[i]);
            numbers.push_back(static_cast<int>(i) + 1);
        }
    return sites;
}

} // namespace

std::string export_name_of(const std::string& path) {
    std::string name = std::filesystem::path(path).stem().string();
    for (char& c : name)
        if (!is_word(c))
            c = '_';
    if (name.find_first_not_of('_') == std::string::npos)
        return "script";
    return is_digit(name.front()) ? "k" + name : is_keyword(name) ? name + "_" : name;
}

std::vector<std::string> named_architectures(const ExportWork& out, bool is_for_cpu) {
    std::vector<std::string> names;
    const bool takes_levels = taken_by(out.format.format).levels;
    for (const std::string& name : out.request.architectures)
        if ((takes_levels && name.starts_with("x86-64")) == is_for_cpu)
            names.push_back(name);
    return names;
}

std::string cuda_text_of(const ExportedCode& code) {
    std::string renamed;
    for (const char* name : {"int64_t", "uint64_t", "int32_t", "uint32_t", "int16_t", "uint16_t", "int8_t", "uint8_t"})
        if (code.cuda.text.find(cat(" ", name, ";\n")) != std::string::npos)
            renamed += cat("#define ", name, " kernel_", name, "\n");
    if (renamed.empty())
        return code.cuda.text;
    return cat("// nvcc knows these names already, as other types of the same size.\n#ifndef __CUDACC_RTC__\n", renamed,
               "#endif\n\n", code.cuda.text);
}

std::vector<ExportedCode> exported_code(ExportWork& out, const ir::ModuleRef& script, Span site) {
    const auto targets = targets_of(out, *script, site);
    std::vector<ExportedCode> all;
    for (std::size_t i = 0; targets && i < targets->size(); ++i) {
        std::optional<ExportedCode> code = code_for(out.work, script, (*targets)[i]);
        if (!code)
            return {};
        all.push_back(std::move(*code));
    }
    return all;
}

std::vector<AskedModule> asked_modules(ExportWork& out, bool without_kernels_too) {
    std::vector<int> numbers;
    std::size_t built = 0;
    const std::vector<RecordedSite> sites = asked_sites(out, numbers, built);
    std::vector<AskedModule> modules;
    for (std::size_t i = 0; i < sites.size(); ++i) {
        if (!without_kernels_too && !has_gpu_kernel(*sites[i].module))
            continue;
        const std::string name = built > 1 ? cat(out.name, "_", numbers[i]) : out.name;
        modules.push_back({numbers[i], static_cast<int>(built), name, sites[i].site, sites[i].module});
    }
    if (modules.empty() && !sites.empty() && !out.work.sink.has_errors())
        out.refuse(out.request.path(), "it has no kernel for a GPU; functions of the CPU are exported as 'cpu'",
                   sites.front().site);
    return modules;
}

std::vector<ExportedModule> exported_modules(ExportWork& out) {
    std::vector<ExportedModule> modules;
    for (AskedModule& asked : asked_modules(out, false)) {
        modules.push_back({std::move(asked), {}});
        modules.back().code = exported_code(out, modules.back().script, modules.back().site);
        if (modules.back().code.empty())
            return {};
    }
    return modules;
}

} // namespace hidet::session
