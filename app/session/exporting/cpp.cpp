// SPDX-License-Identifier: Apache-2.0
// A C++20 header over the C one: spans whose sizes are checked, results that cannot be forgotten.
#include "app/session/exporting/c_text.h"
#include "app/session/exporting/exporter.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::string element_type(ir::DType dtype) {
    const std::string type = c_type_of(dtype);
    if (type != "void")
        return type.ends_with("_t") ? "std::" + type : type;
    const int bits = ir::info(dtype).bits;
    return bits == 32 ? "float" : bits == 16 ? "std::uint16_t" : "std::uint8_t"; // the bits of the number
}

std::string function_text(const ExportedFunction& function) {
    std::vector<std::string> parameters = {"Stream stream"}, arguments = {"stream"};
    std::string checks;
    for (const ExportedParameter& parameter : function.parameters) {
        if (parameter.kind == ParameterKind::Scalar) {
            parameters.push_back(element_type(parameter.dtype) + " " + parameter.name);
            arguments.push_back(parameter.name);
            continue;
        }
        parameters.push_back(cat("std::span<", parameter.is_written ? "" : "const ", element_type(parameter.dtype),
                                 "> ", parameter.name));
        arguments.push_back(parameter.name + ".data()");
        if (parameter.kind != ParameterKind::Tensor || ir::is_subbyte(parameter.dtype) ||
            ir::info(parameter.dtype).lanes > 1)
            continue;
        std::vector<std::string> extents;
        for (const artifact::Row row : parameter.shape)
            extents.push_back(cat("(", c_expression(function, row), ")"));
        const std::string count = extents.empty() ? "1" : join(extents, " * ");
        if (count.find("&wrong") != std::string::npos)
            continue; // the launcher divides, and says what is wrong
        checks +=
            cat("    if (static_cast<int64_t>(", parameter.name, ".size()) != ", count, ")\n        return {1, \"",
                parameter.name, " has another number of elements than its shape\"};\n");
    }
    for (const ExportedSymbol& symbol : function.symbols) {
        parameters.push_back("std::int64_t " + symbol.name);
        arguments.push_back(symbol.name);
    }
    return cat("inline Result ", function.name, "(", join(parameters, ", "), ")\n{\n    using std::int64_t;\n", checks,
               "    return from(::", function.name, "(", join(arguments, ", "), "));\n}\n\n");
}

} // namespace

bool export_cpp(ExportWork& out) {
    std::optional<ExportedProgram> program = exported_program(out);
    if (!program || !add_images(out, *program))
        return false;
    std::string text =
        cat(c_provenance(out, *program), "#pragma once\n\n#include <cstdint>\n#include <span>\n\n#include \"", out.name,
            ".h\"\n\nnamespace ", out.name,
            "_kernels {\n\nusing Stream = CUstream_st*; // CUstream and cudaStream_t\n\n"
            "struct [[nodiscard]] Result {\n    int code = 0; // a CUresult\n    const char* text = \"\";\n"
            "    explicit operator bool() const { return code == 0; }\n};\n\n"
            "inline Result from(int code)\n{\n    return code ? Result{code, ",
            out.name, "_error()} : Result{};\n}\n\n");
    for (const ExportedFunction& function : program->functions)
        text += function_text(function);
    out.add(out.name + ".hpp", cat(text, "} // namespace ", out.name, "_kernels\n"));
    add_launcher(out, *program);
    const ExportedFunction& first = program->functions.front();
    out.add_next(cat("#include \"", out.name, ".hpp\""));
    out.add_next(cat("if (auto done = ", out.name, "_kernels::", first.name, "(stream, ", c_arguments(first),
                     "); !done) std::puts(done.text);"));
    return true;
}

} // namespace hidet::session
