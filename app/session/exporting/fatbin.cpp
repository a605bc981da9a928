// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/c_text.h"
#include "app/session/exporting/exporter.h"
#include "lang/base/text.h"

namespace hidet::session {

bool export_fatbin(ExportWork& out) {
    ExportedProgram program;
    program.modules = exported_modules(out);
    if (program.modules.empty() || !add_images(out, program))
        return false;
    for (std::size_t i = 0; i < program.modules.size(); ++i)
        out.add(program.modules[i].name + ".fatbin", fat_binary(program.images[i]));
    out.add_next(cat("cuobjdump --list-elf ", out.result.files.front().path));
    out.add_next("# or in a program: cuLibraryLoadData(&library, bytes, 0, 0, 0, 0, 0, 0), then cuLibraryGetKernel");
    out.add_next("# the driver takes the code that fits the GPU");
    return true;
}

} // namespace hidet::session
