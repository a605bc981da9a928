// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/cpu_text.h"

#include <algorithm>

#include "app/session/exporting/c_text.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/provenance.h"
#include "app/session/work/work.h"
#include "lang/base/generated_text.h"
#include "lang/base/text.h"

namespace hidet::session {

extern const std::string_view runtime_package_thread_pool_h, runtime_package_thread_pool_cpp;

const char* const cpu_host_text =
#include "app/session/exporting/text/cpu_host_text.inc"
    ;

namespace {

// The pool of threads that packages run with, as text of one file.
std::string thread_pool_text() {
    std::string text = cat(runtime_package_thread_pool_h, "\n", runtime_package_thread_pool_cpp);
    for (const char* line : {"// SPDX-License-Identifier: Apache-2.0\n", "#pragma once\n\n",
                             "#include \"runtime/package/thread_pool.h\"\n\n"})
        text = replaced(std::move(text), line, "");
    text = replaced(std::move(text), "hidet::package {", "{");
    return replaced(std::move(text), " // namespace hidet::package", "");
}

std::string cpu_parameters(const ExportedFunction& function) {
    std::string text = c_parameters(function);
    if (function.result)
        text += cat(text.empty() ? "" : ", ", c_number_type(*function.result), "* result");
    return text.empty() ? "void" : text;
}

std::string code_symbol(const ExportedFunction& function, const std::string& level) {
    return cat(function.name, "_code", level.empty() ? "" : "_", level);
}

// "x86-64-v3" is "v3" in names.
std::string short_level(const std::string& level) {
    return level.substr(level.rfind('-') + 1);
}

// What a processor has that runs a level; both compilers know these names.
std::string level_condition(const std::string& level) {
    std::vector<std::string> features = {"sse4.2", "popcnt"};
    const auto add = [&](std::initializer_list<const char*> more) {
        features.insert(features.end(), more.begin(), more.end());
    };
    if (level != "x86-64-v2")
        add({"avx2", "bmi", "bmi2", "fma"});
    if (level == "x86-64-v4")
        add({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
    for (std::string& feature : features)
        feature = cat("__builtin_cpu_supports(\"", feature, "\")");
    return join(features, " && ");
}

std::string level_choice(const ExportedProgram& program, const std::vector<std::string>& levels) {
    std::string text = "\n/* The best level that this processor runs; -1: none. */\nstatic int @_level(void)\n{\n"
                       "    __builtin_cpu_init();\n";
    for (std::size_t i = levels.size(); i-- > 0;)
        text += cat("    if (", level_condition(levels[i]), ")\n        return ", i, "; /* ", levels[i], " */\n");
    text += "    return -1;\n}\n\n";
    for (const ExportedFunction& function : program.functions) {
        if (!function.is_on_cpu)
            continue;
        std::vector<std::string> names;
        for (const std::string& level : levels)
            names.push_back(code_symbol(function, short_level(level)));
        text += cat("extern \"C\" @_entry ", join(names, ", "), ";\nstatic @_entry* const ", function.name,
                    "_codes[] = {", join(names, ", "), "};\n");
    }
    return text;
}

// A line of the script for each check; nothing: no check is in it.
std::string lines_of(const ExportWork& out, const ExportedCpuModule& module, const std::string& name) {
    std::vector<std::string> lines;
    for (const artifact::RuntimeCheck& check : module.source.checks) {
        const Span span = check.origin.span;
        lines.push_back(
            cat(out.work.sources.holds(span) ? out.work.sources.file(span.file).position(span.begin).line : 0));
    }
    return lines.empty() ? "" : cat("    static const int ", name, "[] = {", join(lines, ", "), "};\n");
}

std::string checks_of(const ExportedFunction& function) {
    std::string text;
    for (const ExportedSymbol& symbol : function.symbols) {
        const std::string most = symbol.is_read_as_i32 ? "INT32_MAX" : "INT64_MAX";
        text += cat("    if (", symbol.name, " < 0", symbol.is_read_as_i32 ? cat(" || ", symbol.name, " > ", most) : "",
                    ")\n        return @_fail(1, \"", function.name, ": ", symbol.name, " is %lld\", (long long)",
                    symbol.name, ");\n");
    }
    return text;
}

std::string function_text(const ExportWork& out, const ExportedProgram& program, const ExportedFunction& function,
                          const std::vector<std::string>& levels) {
    const ExportedCpuModule& module = program.cpu_modules[function.module];
    std::string text = cat("\nint ", function.name, "(", cpu_parameters(function), ")\n{\n", checks_of(function));
    std::vector<std::string> arguments, names, extents;
    for (const ExportedParameter& parameter : function.parameters) {
        if (parameter.kind == ParameterKind::Scalar) {
            arguments.push_back("&" + parameter.name);
            continue;
        }
        const std::string address = cat("argument_", arguments.size());
        text += cat("    void* ", address, " = (void*)", parameter.name, ";\n");
        arguments.push_back("&" + address);
    }
    for (const ExportedSymbol& symbol : function.symbols) {
        names.push_back(c_string(function.body.symbols[symbol.row].name));
        extents.push_back(symbol.name);
    }
    const std::string lines = lines_of(out, module, "lines");
    text += lines;
    if (!names.empty())
        text += cat("    static const char* const names[] = {", join(names, ", "),
                    "};\n    const int64_t extents[] = {", join(extents, ", "), "};\n");
    text += cat("    void* arguments[] = {", arguments.empty() ? "NULL" : join(arguments, ", "), "};\n");
    text += cat("    struct @_call call = {\"", function.name, "\", ", lines.empty() ? "NULL" : "lines", ", ",
                names.empty() ? "NULL, NULL, 0" : cat("names, extents, ", names.size()), ", 0, NULL, {0}};\n");
    std::string code = code_symbol(function, "");
    if (!levels.empty()) {
        text += "    const int level = @_level();\n    if (level < 0)\n";
        text += cat("        return @_fail(4, \"", function.name, ": this processor runs no code for ",
                    join(levels, ", "), "\");\n");
        code = cat(function.name, "_codes[level]");
    }
    return cat(text, "    return @_run(", code, ", &call, arguments, ", function.result ? "result" : "NULL", ");\n}\n");
}

} // namespace

std::vector<std::string> cpu_compile_options() {
    return {"-fno-strict-aliasing", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-finite-loops"};
}

std::string cpu_code(const ExportWork& out, const ExportedProgram& program, std::size_t module,
                     const std::string& level) {
    const ExportedCpuModule& code = program.cpu_modules[module];
    // The names of two modules do not meet.
    std::string text = replaced(code.source.text, "extern \"C\" void hidet_entry_", "void hidet_entry_");
    std::vector<ProvenanceRow> rows = provenance_of(out);
    if (code.of > 1)
        rows.push_back({"module", cat(code.number, " of ", code.of)});
    rows.push_back(
        {"compile with", cat("-std=c++20 -O3 ", join(cpu_compile_options(), " "), ", and the -march= of your choice")});
    text = cat(comment_of(rows, "//"),
               "\n// What is generated is more than what is used.\n"
               "#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
               "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n"
               "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n"
               "#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n\nnamespace {\n\n",
               text, "\n} // namespace\n");
    for (const ExportedFunction& function : program.functions) {
        if (!function.is_on_cpu || function.module != module)
            continue;
        text += cat("\nextern \"C\" __attribute__((visibility(\"hidden\"))) void ",
                    code_symbol(function, level.empty() ? "" : short_level(level)),
                    "(const void* host, void* const* arguments, void* result) {\n    ", function.entry,
                    "(static_cast<const hidet_host*>(host), arguments, result);\n}\n");
    }
    return text;
}

std::string cpu_functions(const ExportWork& out, const ExportedProgram& program,
                          const std::vector<std::string>& levels) {
    std::string text = cat("\n", thread_pool_text(), cpu_host_text);
    if (!levels.empty()) {
        text += level_choice(program, levels);
    } else {
        std::vector<std::string> names;
        for (const ExportedFunction& function : program.functions)
            if (function.is_on_cpu)
                names.push_back(code_symbol(function, ""));
        text += cat("\nextern \"C\" @_entry ", join(names, ", "), ";\n");
    }
    for (const ExportedFunction& function : program.functions)
        if (function.is_on_cpu)
            text += function_text(out, program, function, levels);
    return with_name(std::move(text), out.name);
}

std::string joined_source(const ExportWork& out, const ExportedProgram& program,
                          const std::vector<std::string>& levels) {
    std::string text = cat(c_header(out, program), "\n", c_source(out, program));
    text = replaced(std::move(text), cat("#include \"", out.name, ".h\"\n"), "");
    if (!program.cpu_modules.empty())
        text += cpu_functions(out, program, levels);
    return text;
}

std::vector<std::string> add_kernel_sources(ExportWork& out, const ExportedProgram& program,
                                            const std::string& folder) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < program.cpu_modules.size(); ++i) {
        names.push_back(cat(folder, program.cpu_modules[i].name, "_kernels.cpp"));
        out.add(names.back(), cpu_code(out, program, i));
    }
    if (program.has_gpu_code())
        out.add(cat(folder, out.name, "_images.c"), c_images(out, program));
    return names;
}

std::string cpu_declarations(const ExportWork& out, const ExportedProgram& program) {
    std::string text = with_name("\n/* Functions of the CPU give 0, or what went wrong, which @_error() says in words: "
                                 "1 an argument is wrong; 2 a check of\n"
                                 " * the script failed while it ran, and what it had written stays; 3 there is no "
                                 "memory; 4 there is no code for this\n"
                                 " * processor. They may be called from several threads. Parallel loops run on threads "
                                 "that they share, one loop at a\n"
                                 " * time; what a script prints goes to the standard output. Memory is dense, in C "
                                 "order, at multiples of 16 bytes. */\n"
                                 "void @_set_threads(int count); /* of parallel loops, nothing may be running; 0: as "
                                 "many as there are processors */\n",
                                 out.name);
    for (const ExportedFunction& function : program.functions)
        if (function.is_on_cpu)
            text += cat("\n/* On the CPU.\n", signature_comment(function), " */\nint ", function.name, "(",
                        cpu_parameters(function), ");\n");
    return text;
}

} // namespace hidet::session
