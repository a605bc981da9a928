// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/provenance.h"
#include "lang/base/text.h"

namespace hidet::session {

bool export_cuda(ExportWork& out) {
    const std::vector<ExportedModule> modules = exported_modules(out);
    for (const ExportedModule& module : modules)
        for (const ExportedCode& code : module.code)
            out.add(file_of(module, code, "cu"),
                    cat(comment_of(provenance_of(out, module, code), "//"), "\n", cuda_text_of(code)));
    if (modules.empty())
        return false;
    const ExportedModule& first = modules.front();
    const std::string arch = artifact::architecture_name(first.code.front().target.arch);
    const std::string file = file_of(first, first.code.front(), "cu");
    out.add_next(cat("nvcc -arch=", arch, " -cubin ", file, " -o ", first.name, ".cubin"));
    out.add_next(cat("# or in a program: nvrtcCreateProgram(&program, text, \"", file, "\", 0, NULL, NULL)"));
    out.add_next("# each kernel says before its head how it is launched");
    return true;
}

} // namespace hidet::session
