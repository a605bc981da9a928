// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/c_text.h"
#include "app/session/exporting/exporter.h"
#include "lang/base/text.h"

namespace hidet::session {

bool export_c(ExportWork& out) {
    std::optional<ExportedProgram> program = exported_program(out);
    if (!program || !add_images(out, *program))
        return false;
    add_launcher(out, *program);
    const ExportedFunction& first = program->functions.front();
    out.add_next(cat("#include \"", out.name, ".h\""));
    out.add_next(cat("if (", first.name, "(stream, ", c_arguments(first), ")) puts(", out.name, "_error());"));
    return true;
}

} // namespace hidet::session
