// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/functions.h"
#include "app/session/exporting/provenance.h"
#include "lang/base/text.h"

namespace hidet::session {

bool export_ptx(ExportWork& out) {
    for (const ExportedModule& module : exported_modules(out))
        for (const ExportedCode& code : module.code) {
            const auto image = image_of(out, module, code, true);
            if (!image)
                return false;
            std::vector<ProvenanceRow> rows = provenance_of(out, module, code);
            rows.push_back({"compiler", image->compiler});
            // A text that ends with a zero, where the compiler says so, is one that the driver takes.
            out.add(file_of(module, code, "ptx"), cat(comment_of(rows, "//"), image->ptx.c_str()));
        }
    if (out.result.files.empty())
        return false;
    out.add_next(cat("ptxas -arch=<architecture> ", out.result.files.front().path));
    out.add_next("# or in a program: cuLibraryLoadData(&library, text, 0, 0, 0, 0, 0, 0), with a zero behind the text");
    out.add_next("# then cuLibraryGetKernel; the .cu of format 'cuda' says how each kernel is launched");
    return true;
}

} // namespace hidet::session
