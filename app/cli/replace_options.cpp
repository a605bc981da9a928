// SPDX-License-Identifier: Apache-2.0
#include "app/cli/replace_options.h"

#include <algorithm>

#include "app/cli/options.h"
#include "app/cli/output.h"

namespace hidet::cli {

using session::KernelReplacement;

void add_replace(Verb& verb, ReplaceOptions& options) {
    verb.texts("--replace", options.texts, "KERNEL=FILE",
               "on a GPU, run this kernel from a file with CUDA C++ or PTX that was changed by hand (.cu, .ptx), as "
               "'emit --kind cuda -o' wrote it, in the place of the generated one");
}

static bool take_replacement(const std::string& text, session::RunRequest& request, int& exit) {
    const std::size_t equals = text.find('=');
    KernelReplacement replacement{text.substr(0, equals), {}};
    const std::string file = equals == std::string::npos ? "" : text.substr(equals + 1);
    exit = exit_usage;
    if (replacement.kernel.empty() || !session::compiled_form(file))
        return wrong_usage(
            DiagId::BadValue,
            cat("'", text, "' is no replacement of a kernel, such as 'scale=scale.cu' or 'scale=scale.ptx'"));
    if (std::ranges::count(request.replacements, replacement.kernel, &KernelReplacement::kernel) > 0)
        return wrong_usage(DiagId::BadValue, cat("the kernel '", replacement.kernel, "' is replaced twice"));
    SourceOptions source;
    source.file = file;
    if (!open_source(source, replacement.source, exit))
        return false;
    request.replacements.push_back(std::move(replacement));
    return true;
}

bool take_replacements(const ReplaceOptions& options, session::RunRequest& request, int& exit) {
    return std::ranges::all_of(options.texts,
                               [&](const std::string& text) { return take_replacement(text, request, exit); });
}

} // namespace hidet::cli
