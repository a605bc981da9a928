// SPDX-License-Identifier: Apache-2.0
#include "app/session/script/replaced_modules.h"

#include <algorithm>
#include <utility>

#include "app/session/work/read_ir.h"
#include "app/session/work/refusal.h"
#include "compiler/ir/module_options.h"
#include "compiler/ir/text/print.h"
#include "compiler/transform/pass.h"
#include "lang/base/ranges.h"
#include "lang/base/text_hash.h"

namespace hidet::session {

namespace {

std::vector<std::string> kernels_in(const ir::Module& module) {
    std::vector<std::string> out;
    for (const ir::FunctionRef& function : module.functions)
        if (function->func_kind == ir::FuncKind::CudaKernel)
            out.push_back(function->name);
    return out;
}

// The first so many passes; null: they refuse it, which whoever builds the module is told.
ir::ModuleRef after_passes(ir::ModuleRef module, int count, const artifact::TargetSpec& target) {
    DiagnosticSink ignored;
    const compiler::LowerOptions options{.target = target, .verify = false};
    std::vector<PassId> passes = compiler::pipeline(compiler::LowerTo::Kernel);
    passes.resize(std::min(passes.size(), static_cast<std::size_t>(count)));
    for (const PassId pass : passes)
        if (module)
            module = compiler::run_pass(compiler::all_passes()[pass - 1u], module, options, ignored);
    return module;
}

// "def launch(x: ~f32[4], n: i32):"
std::string head_of(const ir::Function& function) {
    const std::string text = ir::print_function(function).text;
    return text.substr(0, text.find('\n'));
}

// The script calls these, with arguments of its own.
bool has_public_functions(const ir::Module& edited, const ir::Module& generated, DiagnosticSink& sink) {
    const auto refuse = [&](Span place, const std::string& what) {
        sink.report(DiagId::IrInvalid, place, what);
        return false;
    };
    for (const ir::FunctionRef& wanted : generated.functions) {
        if (wanted->func_kind != ir::FuncKind::Public)
            continue;
        const ir::Function* found = ir::find_function(edited, wanted->name);
        if (!found || found->func_kind != ir::FuncKind::Public)
            return refuse(edited.origin.span,
                          cat("this module has no public function '", wanted->name, "', which the script calls"));
        if (const std::string head = head_of(*wanted); head_of(*found) != head)
            return refuse(found->origin.span, cat("'", wanted->name, "' is called with the arguments of '", head, "'"));
    }
    return true;
}

} // namespace

ReplacedModules::ReplacedModules(Work& work, const RunRequest& request) : m_work(work) {
    for (const KernelReplacement& each : request.replacements)
        if (is_ir_file(each.source.name))
            m_texts.push_back({&each, edited_stage(each.source.text, Form::Ir)});
}

// When a module is there, so that the script is the first text of the work.
ir::ModuleRef ReplacedModules::read(Text& text, DiagnosticSink& sink) {
    for (const Text& other : m_texts)
        if (other.is_read && !text.is_read && other.asked->source.name == text.asked->source.name)
            text.module = other.module, text.is_read = true;
    if (!std::exchange(text.is_read, true))
        text.module = read_ir(m_work, text.asked->source, sink);
    return text.module;
}

bool ReplacedModules::replaces(const Text& text, const std::vector<std::string>& kernels) const {
    return (text.head.module == 0 || text.head.module == m_count) &&
           std::ranges::find(kernels, text.asked->kernel) != kernels.end();
}

bool ReplacedModules::has_one_text(const ir::Module& module, const Text& text, DiagnosticSink& sink) const {
    const std::vector<std::string> kernels = kernels_in(module);
    for (const Text& other : m_texts)
        if (other.asked->source.name != text.asked->source.name && replaces(other, kernels)) {
            sink.report(DiagId::BadValue, Span{},
                        cat("the kernels '", text.asked->kernel, "' and '", other.asked->kernel,
                            "' are of one module, which is replaced as a whole: by '", text.asked->source.name,
                            "' or by '", other.asked->source.name, "'"));
            return false;
        }
    return true;
}

ir::ModuleRef ReplacedModules::of(const ir::ModuleRef& module, const artifact::TargetSpec& target,
                                  DiagnosticSink& sink) {
    const std::vector<std::string> kernels = kernels_in(*module);
    m_seen.insert(kernels.begin(), kernels.end());
    ++m_count;
    const auto text = std::ranges::find_if(m_texts, [&](const Text& each) { return replaces(each, kernels); });
    if (text == m_texts.end())
        return module;
    if (!has_one_text(*module, *text, sink))
        return nullptr;
    const ir::ModuleRef edited = read(*text, sink);
    if (!edited)
        return nullptr;
    const Source& source = text->asked->source;
    if (const auto names = kernels_in(*edited); std::ranges::find(names, text->asked->kernel) == names.end()) {
        sink.report(DiagId::BadValue, Span{},
                    cat("'", source.name, "' has no kernel '", text->asked->kernel, "'; it has ",
                        names.empty() ? "none" : quoted_list(names)));
        return nullptr;
    }
    const ir::ModuleRef generated = after_passes(module, ir::options_of(*edited).passes, target);
    if (!generated) // building it tells why
        return module;
    if (!has_public_functions(*edited, *generated, sink))
        return nullptr;
    const std::string& begun = text->head.generated;
    if (!begun.empty() && begun != hash_text(ir::print_module(*generated).text))
        report_warning(sink, cat("the script has changed since '", source.name,
                                 "' began: it makes other IR now than the text began from"));
    text->is_used = true;
    return edited;
}

std::vector<std::string> ReplacedModules::used() const {
    std::vector<std::string> out;
    for (const Text& text : m_texts)
        if (text.is_used)
            out.push_back(cat(text.asked->kernel, " by ", text.asked->source.name));
    return out;
}

void ReplacedModules::report_unknown(DiagnosticSink& sink) const {
    for (const Text& text : m_texts)
        if (!m_seen.contains(text.asked->kernel))
            report_unknown_kernel(sink, *text.asked, m_seen);
        else if (text.head.module > m_count)
            sink.report(DiagId::BadValue, Span{},
                        cat("'", text.asked->source.name, "' is of module ", text.head.module,
                            ", and the script makes ", m_count));
}

} // namespace hidet::session
