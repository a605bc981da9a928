// SPDX-License-Identifier: Apache-2.0
// A project that compiles the CUDA C++ with nvcc, links the launcher to it, and compares what it computes with what the
// emulator computed.
#include "app/session/exporting/c_text.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/provenance.h"
#include "app/session/exporting/recorded_call.h"
#include "app/session/work/steps.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr const char* lists_text =
#include "app/session/exporting/cmake_text.inc"
    ;
constexpr const char* embed_text =
#include "app/session/exporting/embed_text.inc"
    ;
constexpr const char* check_text =
#include "app/session/exporting/check_text.inc"
    ;

std::string replaced(std::string text, const std::string& mark, const std::string& what) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + what.size()))
        text.replace(at, mark.size(), what);
    return text;
}

// Bits of an element, and its `kind` of check_text.inc.
std::string element_of(ir::DType dtype) {
    const std::string name = ir::info(dtype).short_name;
    const int bits = ir::info(dtype).bits;
    const char* kind = name == "f16"                     ? "{5, 10, 0}"
                       : name == "bf16"                  ? "{8, 7, 0}"
                       : name == "f32" || name == "tf32" ? "{8, 23, 0}"
                       : name == "f64"                   ? "{11, 52, 0}"
                       : name == "f8e4m3"                ? "{4, 3, 0}"
                       : name == "f8e5m2"                ? "{5, 2, 0}"
                       : name.front() == 'i'             ? "{0, 0, 1}"
                                                         : "{0, 0, 0}";
    return cat(bits < 8 ? 8 : bits, ", (struct kind)", kind);
}

bool is_coarse(const ExportedFunction& function) {
    for (const ExportedParameter& parameter : function.parameters)
        if (parameter.kind != ParameterKind::Scalar && ir::is_float(parameter.dtype) &&
            ir::info(parameter.dtype).bits <= 16)
            return true;
    return false;
}

std::string check_of(ExportWork& out, const ExportedFunction& function, const RecordedCall& call) {
    std::string upload, compare, arguments;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const ExportedParameter& parameter = function.parameters[i];
        const RecordedArgument& argument = call.arguments[i];
        const std::string name = cat("argument_", i);
        if (!argument.is_memory) {
            arguments += cat(", (", c_type_of(parameter.dtype), ")", argument.number);
            continue;
        }
        const std::string file = cat(function.name, ".", parameter.name, ".bin");
        out.add("data/" + file, argument.before);
        const std::string constness = parameter.is_written ? "" : "const ";
        upload += cat("    void* ", name, " = upload(\"", file, "\", ", argument.before.size(), ");\n");
        arguments += cat(", (", constness, c_type_of(parameter.dtype), "*)", name);
        if (!parameter.is_written)
            continue;
        const std::string wanted = cat(function.name, ".", parameter.name, ".result.bin");
        out.add("data/" + wanted, argument.after);
        compare += cat("    good &= compare(\"", function.name, "\", \"", parameter.name, "\", ", name, ", \"", wanted,
                       "\", ", argument.after.size(), ", ", element_of(parameter.dtype), ", ",
                       is_coarse(function) ? "2e-2" : "1e-4", ");\n");
    }
    for (const std::int64_t symbol : call.symbols)
        arguments += cat(", ", symbol);
    return cat("static int check_", function.name, "(void)\n{\n    int good = 1;\n", upload, "    if (", function.name,
               "(NULL", arguments, "))\n        return complain(\"", function.name, "\", ", out.name, "_error());\n",
               compare, "    return good;\n}\n\n");
}

} // namespace

bool export_cmake(ExportWork& out) {
    if (out.request.architectures.size() > 1)
        return out.refuse(out.request.path(), "a project compiles for one architecture; choose one with --arch");
    std::optional<ExportedProgram> program = exported_program(out);
    if (!program)
        return false;
    const std::vector<RecordedCall> calls = recorded_calls(out, *program);
    if (calls.empty())
        return false;
    std::string checks, runs, kernels, names;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        checks += check_of(out, program->functions[i], calls[i]);
        runs += cat("    good &= check_", program->functions[i].name, "();\n");
    }
    for (std::size_t i = 0; i < program->modules.size(); ++i) {
        const ExportedModule& module = program->modules[i];
        const std::string source = module.name + ".cu";
        out.add("kernels/" + source, cat(comment_of(provenance_of(out, module, module.code.front()), "//"), "\n",
                                         cuda_text_of(module.code.front())));
        kernels += cat("add_kernels(", module.name, " ", image_symbol(out, i), " ",
                       join(gpu_options(out.request.contracts, *module.script), " "), ")\n");
    }
    const std::string arch = artifact::architecture_name(program->modules.front().code.front().target.arch);
    const std::string provenance = comment_of(provenance_of(out), "#");
    out.add("CMakeLists.txt", provenance + replaced(replaced(replaced(lists_text, "$KERNELS", kernels), "$ARCH", arch),
                                                    "$NAME", out.name));
    out.add("embed.cmake", embed_text);
    out.add(out.name + ".h", c_header(out, *program));
    out.add(out.name + ".c", c_source(out, *program));
    out.add("check.c",
            c_provenance(out, *program) +
                replaced(replaced(replaced(check_text, "$CHECKS", checks), "$RUNS", runs), "$NAME", out.name));
    out.add_next("cmake -B build && cmake --build build");
    out.add_next("ctest --test-dir build  # on a machine with a GPU: the kernels' results are those of the emulator");
    out.add_next(cat("target_link_libraries(your_program PRIVATE ", out.name, ")  # after add_subdirectory"));
    return true;
}

} // namespace hidet::session
