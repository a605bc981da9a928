// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/shared_object.h"

#include "app/session/execute/stand_alone.h"
#include "app/session/exporting/cpu_text.h"
#include "app/session/exporting/exporter.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "lang/base/check.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::optional<toolchain::CompileResult> compiled(ExportWork& out, toolchain::CompileRequest asked,
                                                 const ExportedCpuModule* module) {
    asked.language = artifact::Language::Cxx;
    asked.cancelled = out.work.cancelled;
    Result<toolchain::CompileResult> made = compiled_by(out.work, *out.request.tools, asked);
    if (made)
        return std::move(made).value();
    if (made.error().code != "compile-failed") {
        report_environment(out.work, out.work.sink, made.error());
        return std::nullopt;
    }
    if (module)
        report_compile_error(out.work, out.work.sink, *module->script, module->source, made.error());
    else
        out.refuse(out.request.path(), cat("what it calls is in no library of C:\n", made.error().message));
    return std::nullopt;
}

// A module's code for each level, to be linked. False: the reason is in the work's sink.
bool add_objects(ExportWork& out, const ExportedProgram& program, std::vector<std::string>& objects) {
    for (std::size_t i = 0; i < program.cpu_modules.size(); ++i)
        for (const std::string& level : program.levels) {
            toolchain::CompileRequest asked;
            asked.product = toolchain::Product::Object;
            asked.text = cpu_code(out, program, i, level);
            asked.arch = level;
            std::optional<toolchain::CompileResult> object = compiled(out, std::move(asked), &program.cpu_modules[i]);
            if (!object)
                return false;
            objects.push_back(std::move(object->bytes));
        }
    return true;
}

} // namespace

std::optional<std::string> shared_object_of(ExportWork& out, ExportedProgram& program, const std::string& text,
                                            const std::string& link_name) {
    HIDET_CHECK(out.request.tools, "an export that needs a compiler, and no tools");
    out.work.enter("compiling a shared object");
    toolchain::CompileRequest asked;
    asked.product = toolchain::Product::SharedObject;
    asked.text = text;
    asked.arch = "x86-64-v2";
    asked.options = {"-fno-exceptions", "-fno-rtti", "-Wl,--as-needed", "-Wl,--build-id=none", "-s"};
    if (!program.cpu_modules.empty()) {
        toolchain::CompileRequest companion; // apart from headers that declare what it defines
        companion.product = toolchain::Product::Object;
        companion.text = stand_alone_text;
        companion.arch = asked.arch;
        std::optional<toolchain::CompileResult> object = compiled(out, std::move(companion), nullptr);
        if (!object)
            return std::nullopt;
        asked.objects.push_back(std::move(object->bytes));
        asked.options.insert(asked.options.end(), stand_alone_options.begin(), stand_alone_options.end());
    }
    if (!link_name.empty())
        for (std::string option : {cat("-Wl,-soname,", link_name), std::string("-Wl,-z,defs")})
            asked.options.push_back(std::move(option));
    if (!add_objects(out, program, asked.objects))
        return std::nullopt;
    std::optional<toolchain::CompileResult> object = compiled(out, std::move(asked), nullptr);
    if (!object)
        return std::nullopt;
    program.shared_object_compiler = object->compiler;
    return std::move(object->bytes);
}

} // namespace hidet::session
