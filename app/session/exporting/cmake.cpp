// SPDX-License-Identifier: Apache-2.0
// A project that compiles the CUDA C++ with nvcc, links the launcher to it, and compares what it computes with what the
// emulator computed.
#include "app/session/exporting/c_text.h"
#include "app/session/exporting/check.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/provenance.h"
#include "app/session/work/steps.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr const char* lists_text =
#include "app/session/exporting/text/cmake_text.inc"
    ;
constexpr const char* embed_text =
#include "app/session/exporting/text/embed_text.inc"
    ;
// "90a", as CMake has them.
std::vector<std::string> architectures_of(const ExportedModule& module) {
    return transformed(
        module.code, [](const ExportedCode& code) { return artifact::architecture_name(code.target.arch).substr(3); });
}

} // namespace

bool export_cmake(ExportWork& out) {
    std::optional<ExportedProgram> program = exported_program(out);
    if (!program)
        return false;
    const auto calls = recorded_calls(out, *program);
    if (!calls)
        return false;
    for (std::size_t i = 0; i < calls->size(); ++i)
        if (!(*calls)[i].missing.empty())
            return out.refuse(program->functions[i].script_name, (*calls)[i].missing);
    add_check(out, *program, *calls);
    std::string kernels;
    for (std::size_t i = 0; i < program->modules.size(); ++i) {
        const ExportedModule& module = program->modules[i];
        for (const ExportedCode& code : module.code)
            out.add("kernels/" + file_of(module, code, "cu"),
                    cat(comment_of(provenance_of(out, module, code), "//"), "\n", cuda_text_of(code)));
        kernels += cat("add_kernels(", module.name, " ", image_symbol(out, i), " ",
                       join(gpu_options(out.request.contracts, *module.script), " "), ")\n");
    }
    const std::string lists = replaced(replaced(lists_text, "$KERNELS", kernels), "$ARCHITECTURES",
                                       join(architectures_of(program->modules.front()), ";"));
    out.add("CMakeLists.txt", comment_of(provenance_of(out), "#") + replaced(lists, "$NAME", out.name));
    out.add("embed.cmake", embed_text);
    out.add(out.name + ".h", c_header(out, *program));
    out.add(out.name + ".c", c_source(out, *program));
    out.add_next("cmake -B build && cmake --build build");
    out.add_next("ctest --test-dir build  # on a machine with a GPU: the kernels' results are those of the emulator");
    out.add_next(cat("target_link_libraries(your_program PRIVATE ", out.name, ")  # after add_subdirectory"));
    return true;
}

} // namespace hidet::session
