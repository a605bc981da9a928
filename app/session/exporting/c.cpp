// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/c_text.h"
#include "app/session/exporting/exporter.h"
#include "lang/base/text.h"

namespace hidet::session {

bool export_c(ExportWork& out) {
    std::optional<ExportedProgram> program = exported_program(out);
    if (!program || !add_images(out, *program))
        return false;
    out.add(out.name + ".h", c_header(out, *program));
    out.add(out.name + ".c", c_source(out, *program));
    out.add(out.name + "_images.c", c_images(out, *program));
    const ExportedFunction& first = program->functions.front();
    out.add_next(cat("cc -std=c11 -O2 -c ", out.name, ".c ", out.name, "_images.c"));
    out.add_next(cat("#include \"", out.name, ".h\""));
    out.add_next(cat("if (", first.name, "(stream, ", c_arguments(first), ")) puts(", out.name, "_error());"));
    return true;
}

} // namespace hidet::session
