// SPDX-License-Identifier: Apache-2.0
#include "lang/host/build_request.h"

#include "lang/base/text.h"
#include "lang/host/options.h"

namespace hidet::lang {

namespace {

void refuse_kernels(const ir::Module& module, Span span) {
    for (const ir::FunctionRef& function : module.functions)
        if (function->func_kind == ir::FuncKind::CudaKernel)
            fail(DiagId::BadValue, span,
                 cat("the target 'cpu' has no CUDA kernels, and '", function->name,
                     "' is one; 'hidetc run --target cpu' runs it on the CPU"));
}

std::string architecture_of(std::string_view word, std::string_view name, Span span) {
    if (word.starts_with(name) && word.size() > name.size())
        return std::string(word.substr(name.size()));
    fail(DiagId::BadValue, span, cat("a target is 'cuda' or 'cpu', and '--arch=...' behind it, not '", word, "'"));
}

void read_target(const std::string& text, const ir::Module& module, ir::ModuleOptions& options, Span span) {
    std::vector<std::string> words = split(text, ' ');
    std::erase(words, "");
    const bool is_cpu = !words.empty() && words[0] == "cpu";
    if (words.empty() || (!is_cpu && words[0] != "cuda"))
        fail(DiagId::BadValue, span, cat("code is made for the targets 'cuda' and 'cpu', not for '", text, "'"));
    if (is_cpu)
        refuse_kernels(module, span);
    for (const std::string& word : std::vector<std::string>(words.begin() + 1, words.end()))
        (is_cpu ? options.processor : options.gpu) = architecture_of(word, "--arch=", span);
}

} // namespace

ir::ModuleOptions build_request(Evaluator& evaluator, const ir::Module& module, const Arguments& a,
                                std::size_t output_dir, std::size_t target) {
    ir::ModuleOptions options = module_options(evaluator);
    if (a.has(output_dir))
        without_effect(evaluator, a.span(output_dir), "output_dir", "scripts write no files but packages");
    if (a.has(target))
        read_target(a.str(target), module, options, a.span(target));
    return options;
}

} // namespace hidet::lang
