// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/check.h"

#include "app/session/exporting/c_text.h"
#include "app/session/exporting/exporter.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr const char* check_text =
#include "app/session/exporting/text/check_text.inc"
    ;
constexpr const char* check_gpu_text =
#include "app/session/exporting/text/check_gpu_text.inc"
    ;
constexpr const char* check_cpu_text =
#include "app/session/exporting/text/check_cpu_text.inc"
    ;

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

// The bytes of a result as C has it.
std::string bytes_of(const ReturnValue& value, ir::DType dtype) {
    if (const auto* real = std::get_if<double>(&value)) {
        const std::uint16_t bits = fraction_of_short(dtype) ? short_bits(*real, dtype) : std::uint16_t{};
        if (fraction_of_short(dtype))
            return {reinterpret_cast<const char*>(&bits), sizeof bits};
        const auto single = static_cast<float>(*real);
        const std::size_t size = dtype == ir::DType::F64 ? sizeof *real : sizeof single;
        return {dtype == ir::DType::F64 ? reinterpret_cast<const char*>(real) : reinterpret_cast<const char*>(&single),
                size};
    }
    const auto* whole = std::get_if<std::int64_t>(&value);
    const std::int64_t number = whole ? *whole : 0;
    return {reinterpret_cast<const char*>(&number), static_cast<std::size_t>(ir::bytes_of(dtype))};
}

struct Compared {
    std::string what;   // "result": what it returns
    std::string memory; // as C has it
    ir::DType dtype{};
    std::vector<std::int64_t> shape; // empty: a number
    Tolerance tolerance;
    std::string bytes;
};

std::string comparison(ExportWork& out, const ExportedFunction& function, Compared compared) {
    const bool is_result = compared.what == "result";
    const std::string stem = cat(function.name, ".", compared.what);
    const std::string file = cat(stem, is_result ? ".bin" : ".result.bin");
    const std::string before = is_result ? "NULL" : cat("\"", stem, ".bin\"");
    const std::string extents =
        compared.shape.empty()
            ? "NULL"
            : cat("(const size_t[]){",
                  join(transformed(compared.shape, [](std::int64_t extent) { return cat(extent); }), ", "), "}");
    const std::string line =
        cat("    good &= compare(\"", function.name, "\", (struct tensor){\"", compared.what, "\", ", compared.memory,
            ", \"", file, "\", ", before, ", ", compared.bytes.size(), ", ", compared.shape.size(), ", ", extents, ", ",
            element_of(compared.dtype), "}, ", shortest(compared.tolerance.absolute.value_or(0)), ", ",
            shortest(compared.tolerance.relative.value_or(0)), ");\n");
    out.add("data/" + file, std::move(compared.bytes));
    return line;
}

std::string check_of(ExportWork& out, const ExportedFunction& function, const RecordedCall& call) {
    std::string upload, compare;
    std::vector<std::string> arguments;
    if (!function.is_on_cpu)
        arguments.emplace_back("NULL");
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const ExportedParameter& parameter = function.parameters[i];
        const RecordedArgument& argument = call.arguments[i];
        const std::string name = cat("argument_", i);
        if (!argument.is_memory) {
            arguments.push_back(cat("(", c_number_type(parameter.dtype), ")", argument.number));
            continue;
        }
        const std::string file = cat(function.name, ".", parameter.name, ".bin");
        out.add("data/" + file, argument.before);
        const std::string constness = parameter.is_written ? "" : "const ";
        upload += cat("    void* ", name, " = upload(\"", file, "\", ", argument.before.size(), ");\n");
        arguments.push_back(cat("(", constness, c_type_of(parameter.dtype), "*)", name));
        if (parameter.is_written)
            compare +=
                comparison(out, function,
                           {parameter.name, name, parameter.dtype, argument.shape, argument.tolerance, argument.after});
    }
    for (const std::int64_t symbol : call.symbols)
        arguments.push_back(cat(symbol));
    if (function.result) {
        upload += cat("    ", c_number_type(*function.result), " result = 0;\n");
        arguments.emplace_back("&result");
        compare += comparison(out, function,
                              {"result",
                               "&result",
                               *function.result,
                               {},
                               call.result_tolerance,
                               bytes_of(call.result, *function.result)});
    }
    return cat("static int check_", function.name, "(void)\n{\n    int good = 1;\n", upload, "    if (", function.name,
               "(", join(arguments, ", "), "))\n        return complain(\"", function.name, "\", ", out.name,
               "_error());\n", compare, "    return good;\n}\n\n");
}

} // namespace

void add_check(ExportWork& out, const ExportedProgram& program, const std::vector<RecordedCall>& calls) {
    std::string checks, runs;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (!calls[i].missing.empty())
            continue;
        checks += check_of(out, program.functions[i], calls[i]);
        runs += cat("    good &= check_", program.functions[i].name, "();\n");
    }
    const bool is_on_gpu = program.has_gpu_code();
    std::string text = replaced(check_text, "$MEMORY", is_on_gpu ? check_gpu_text : check_cpu_text);
    text = replaced(std::move(text), "$INCLUDE", is_on_gpu ? "#include <dlfcn.h>\n" : "");
    text = replaced(std::move(text), "$BEGIN", is_on_gpu ? "    open_driver();\n" : "");
    text = replaced(replaced(std::move(text), "$CHECKS", checks), "$RUNS", runs);
    out.add("check.c", c_provenance(out, program) + replaced(std::move(text), "$NAME", out.name));
}

} // namespace hidet::session
