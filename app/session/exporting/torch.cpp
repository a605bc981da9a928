// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/torch_text.h"
#include "lang/base/text.h"

namespace hidet::session {

bool export_torch(ExportWork& out) {
    std::optional<ExportedProgram> program = exported_program(out, Devices::Both);
    if (!program || !add_images(out, *program))
        return false;
    const auto module = torch_module(out, *program, out.name);
    const auto object = module ? c_object(out, *program) : std::nullopt;
    if (!object)
        return false;
    out.add(out.name + "/__init__.py", *module);
    out.add(out.name + "/" + out.name + ".so", *object);
    const ExportedFunction& function = program->functions.front();
    out.add_next(cat("import ", out.name));
    out.add_next(cat(out.name, ".", function.name, "(...)  # tensors on ", function.is_on_cpu ? "the CPU" : "a GPU",
                     ", in the order of the script's parameters"));
    if (!function.result)
        out.add_next(cat("torch.ops.", out.name, ".", function.name,
                         "  # the same as an operator; torch.compile takes it without a break"));
    return true;
}

} // namespace hidet::session
