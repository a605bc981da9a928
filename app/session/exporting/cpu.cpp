// SPDX-License-Identifier: Apache-2.0
// Functions of the CPU as C++ that includes nothing of ours, with a project that checks it, and as a shared object.
#include "app/session/exporting/c_text.h"
#include "app/session/exporting/check.h"
#include "app/session/exporting/cpu_text.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/provenance.h"
#include "app/session/exporting/shared_object.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr const char* cpu_lists_text =
#include "app/session/exporting/text/cpu_cmake_text.inc"
    ;
constexpr const char* check_lists_text = R"text(
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
  enable_testing()
  add_executable(check check.c)
  set_target_properties(check PROPERTIES C_STANDARD 11)
  target_link_libraries(check PRIVATE $NAME)
  add_test(NAME check COMMAND check ${CMAKE_CURRENT_SOURCE_DIR}/data)
endif()
)text";

std::string lists(const ExportWork& out, const std::vector<std::string>& sources, bool has_check) {
    std::string text = replaced(cpu_lists_text, "$SOURCES", join(sources, " "));
    text = replaced(std::move(text), "$OPTIONS", join(cpu_compile_options(), " "));
    text = replaced(std::move(text), "$CHECK", has_check ? check_lists_text : "");
    return comment_of(provenance_of(out), "#") + replaced(std::move(text), "$NAME", out.name);
}

} // namespace

bool export_cpu(ExportWork& out) {
    std::optional<ExportedProgram> program = exported_program(out, Devices::Cpu);
    if (!program)
        return false;
    const auto calls = recorded_calls(out, *program);
    if (!calls)
        return false;
    const std::string library = cat("lib", out.name, ".so");
    const std::optional<std::string> object =
        shared_object_of(out, *program, joined_source(out, *program, program->levels), library);
    if (!object)
        return false;
    const std::vector<std::string> sources = add_kernel_sources(out, *program, "");
    bool has_check = false;
    for (std::size_t i = 0; i < calls->size(); ++i) {
        has_check = has_check || (*calls)[i].missing.empty();
        if (!(*calls)[i].missing.empty())
            out.add_next(cat("# without a check: ", program->functions[i].name, ", because ", (*calls)[i].missing));
    }
    if (has_check)
        add_check(out, *program, *calls);
    out.add(out.name + ".h", c_header(out, *program));
    out.add(out.name + ".cpp", cat(c_source(out, *program), cpu_functions(out, *program)));
    out.add(library, *object);
    out.add("CMakeLists.txt", lists(out, sources, has_check));
    out.add_next(cat("cc -std=c11 program.c -L. -l", out.name, " -Wl,-rpath,'$ORIGIN'  # ", library,
                     " takes the best of ", join(program->levels, ", ")));
    out.add_next(cat("cmake -B build -D", out.name, "_ARCH=native && cmake --build build  # or from source"));
    if (has_check)
        out.add_next("ctest --test-dir build  # the results are those of the emulator");
    return true;
}

} // namespace hidet::session
