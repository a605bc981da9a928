// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/functions.h"
#include "app/session/exporting/provenance.h"
#include "lang/base/text.h"

namespace hidet::session {

bool export_cubin(ExportWork& out) {
    for (const ExportedModule& module : exported_modules(out))
        for (const ExportedCode& code : module.code) {
            const auto image = image_of(out, module, code, false);
            if (!image)
                return false;
            out.add(file_of(module, code, "cubin"), image->cubin);
        }
    if (out.result.files.empty())
        return false;
    out.add_next(cat("cuobjdump -sass ", out.result.files.front().path));
    out.add_next("# or in a program: cuLibraryLoadData(&library, bytes, 0, 0, 0, 0, 0, 0), then cuLibraryGetKernel");
    out.add_next("# format 'c' has a launcher beside the code");
    return true;
}

} // namespace hidet::session
