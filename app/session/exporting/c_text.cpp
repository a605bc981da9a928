// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/c_text.h"

#include <algorithm>

#include "app/session/exporting/cpu_text.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/provenance.h"
#include "compiler/artifact/scalars.h"
#include "lang/base/ascii.h"
#include "lang/base/generated_text.h"
#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

using artifact::PlanArgument;
using artifact::PlanStep;
using artifact::Row;

// What every source begins with, and every launcher.
constexpr const char* common_text =
#include "app/session/exporting/text/common_text.inc"
    ;
constexpr const char* driver_text =
#include "app/session/exporting/text/driver_text.inc"
    ;

std::string scalar_c_type(artifact::Scalar type) {
    using artifact::Scalar;
    switch (type) {
    case Scalar::Bool: return "bool";
    case Scalar::F16:
    case Scalar::BF16: return "uint16_t"; // its bits
    case Scalar::F32: return "float";
    case Scalar::F64: return "double";
    default: break;
    }
    const std::string name = artifact::scalar_name(type);
    return cat(name.front() == 'u' ? "uint" : "int", name.substr(1), "_t");
}

// One function: what it checks, then its launches.
class FunctionWriter {
public:
    FunctionWriter(const ExportWork& out, const ExportedFunction& function, std::size_t first_kernel)
        : m_out(out), m_function(function), m_first_kernel(first_kernel) {}

    std::string run() {
        for (const ExportedSymbol& symbol : m_function.symbols) {
            line(cat("    if (", symbol.name, " < 0)"));
            line(cat("        return @_fail(1, \"", symbol.name, " is negative\");"));
        }
        for (const artifact::PlanRequirement& requirement : m_function.body.requirements)
            add_requirement(requirement);
        for (const PlanStep& step : m_function.body.steps)
            add_launch(step);
        line("    return result;");
        line("}");
        return head() + m_text;
    }

private:
    void line(const std::string& text) { m_text += with_name(text, m_out.name) + "\n"; }
    bool uses(const std::string& name) const {
        for (std::size_t at = m_text.find(name); at != std::string::npos; at = m_text.find(name, at + 1))
            if ((at == 0 || !is_word(m_text[at - 1])) && !is_word(m_text[at + name.size()]))
                return true;
        return false;
    }
    std::string head() const {
        std::string text = cat("int ", m_function.name, "(struct CUstream_st* stream, ", c_parameters(m_function),
                               ")\n{\n    int result = @_load()", uses("wrong") ? ", wrong = 0;\n" : ";\n");
        for (const std::string& name : names_of_all())
            if (!uses(name))
                text += cat("    (void)", name, ";\n");
        if (!uses("stream"))
            text += "    (void)stream;\n";
        return with_name(text + "    if (result)\n        return result;\n", m_out.name);
    }
    std::string text_of(Row row) const { return c_expression(m_function, row); }
    std::vector<std::string> names_of_all() const {
        std::vector<std::string> names = transformed(m_function.parameters, &ExportedParameter::name);
        for (const ExportedSymbol& symbol : m_function.symbols)
            names.push_back(symbol.name);
        return names;
    }
    void add_requirement(const artifact::PlanRequirement& requirement) {
        std::vector<std::string> values;
        std::string format = requirement.message;
        for (std::size_t at = format.find('%'); at != std::string::npos; at = format.find('%', at + 2))
            format.replace(at, 1, "%%");
        for (const Row row : requirement.values) {
            if (const std::size_t at = format.find("{}"); at != std::string::npos)
                format.replace(at, 2, "%lld");
            values.push_back(cat(", (long long)(", text_of(row), ")"));
        }
        line(cat("    if (!(", text_of(requirement.condition), "))"));
        line(cat("        return @_fail(1, ", c_string(format), join(values, ""), ");"));
    }
    void add_launch(const PlanStep& step) {
        const std::string kernel = cat("@_kernels[", m_first_kernel + step.function, "]");
        line(cat("    { /* ", comment_text(step.kernels.front()), " */"));
        std::vector<std::string> pointers;
        for (std::size_t i = 0; i < step.arguments.size(); ++i) {
            add_argument(i, step.arguments[i]);
            pointers.push_back(step.arguments[i].kind == artifact::ArgumentKind::TensorMap
                                   ? cat("argument_", i, ".bytes")
                                   : cat("&argument_", i));
        }
        line(cat("        void* arguments[] = {", pointers.empty() ? "NULL" : join(pointers, ", "), "};"));
        line("        struct @_launch launch = {");
        line(cat("            {", three(step.grid), "},"));
        line(cat("            {", three(step.block), "},"));
        line(cat("            {", three(step.cluster), "},"));
        line(cat("            ", step.dynamic_shared == artifact::no_row ? "0" : text_of(step.dynamic_shared), ", ",
                 step.overlaps ? 1 : 0, "};"));
        if (uses("wrong")) {
            line("        if (wrong)");
            line("            return @_fail(1, \"a size divides by zero\");");
        }
        line(cat("        result = @_start(&", kernel, ", stream, &launch, arguments);"));
        line("        if (result)");
        line("            return result;");
        line("    }");
    }
    std::string three(const std::vector<Row>& rows) const {
        return cat(text_of(rows[0]), ", ", text_of(rows[1]), ", ", text_of(rows[2]));
    }
    std::string address_of(const PlanArgument& argument) const {
        const std::string& name = m_function.parameters[argument.value].name;
        return argument.expression == artifact::no_row
                   ? cat("(uint64_t)(uintptr_t)", name)
                   : cat("(uint64_t)(uintptr_t)", name, " + (uint64_t)(", text_of(argument.expression), ")");
    }
    void add_argument(std::size_t i, const PlanArgument& argument) {
        switch (argument.kind) {
        case artifact::ArgumentKind::Address:
            return line(cat("        uint64_t argument_", i, " = ", address_of(argument), ";"));
        case artifact::ArgumentKind::Scalar: {
            const std::string type = scalar_c_type(argument.type);
            const std::string value = text_of(argument.expression);
            const bool is_short = argument.type == artifact::Scalar::F16 || argument.type == artifact::Scalar::BF16;
            line(is_short ? cat("        uint16_t argument_", i, " = short_bits(", value, ", ",
                                argument.type == artifact::Scalar::F16 ? 10 : 7, ");")
                          : cat("        ", type, " argument_", i, " = (", type, ")(", value, ");"));
            if (may_not_fit(argument)) {
                line(cat("        if ((int64_t)argument_", i, " != (", text_of(argument.expression), "))"));
                line(cat("            return @_fail(1, \"a size does not fit ", artifact::scalar_name(argument.type),
                         "\");"));
            }
            return;
        }
        case artifact::ArgumentKind::TensorMap: return add_map(i, argument);
        }
    }
    // A parameter fits itself.
    bool may_not_fit(const PlanArgument& argument) const {
        if (artifact::is_real(argument.type) || argument.type == artifact::Scalar::Bool ||
            artifact::scalar_bytes(argument.type) == 8)
            return false;
        const auto& expression = m_function.body.expressions[argument.expression];
        if (artifact::constant_of(expression))
            return false;
        const auto symbol = artifact::symbol_of(expression);
        return !symbol || !m_function.body.symbols[*symbol].name.starts_with(".");
    }
    std::string list(const std::vector<Row>& rows) const {
        const std::vector<std::string> texts =
            transformed(rows, [&](const Row row) { return cat("(uint64_t)(", text_of(row), ")"); });
        return texts.empty() ? "0" : join(texts, ", ");
    }
    template <class T>
    static std::string numbers(const std::vector<T>& values) {
        const std::vector<std::string> texts = transformed(values, [](const T value) { return cat(value); });
        return texts.empty() ? "0" : join(texts, ", ");
    }
    void add_map(std::size_t i, const PlanArgument& argument) {
        const artifact::PlanTensorMap& map = m_function.body.maps[argument.map];
        line(cat("        struct @_tensor_map argument_", i, ";"));
        line(cat("        const struct @_box box_", i, " = {"));
        line(cat("            ", static_cast<int>(map.element), ", ", map.extents.size(), ", ", map.interleave / 16,
                 ", ", map.swizzle == 128 ? 3 : map.swizzle / 32, ", ",
                 map.l2_promotion == 256 ? 3 : map.l2_promotion / 64, ", ", map.pixels, ","));
        line(cat("            {", list(map.extents), "}, {", list(map.strides), "},"));
        line(cat("            {", numbers(map.box), "}, {", numbers(map.element_strides), "}, {", numbers(map.lower),
                 "}, {", numbers(map.upper), "}};"));
        line(cat("        result = @_encode(&argument_", i, ", &box_", i, ", ", address_of(argument), ");"));
        line("        if (result)");
        line("            return result;");
    }

    const ExportWork& m_out;
    const ExportedFunction& m_function;
    const std::size_t m_first_kernel;
    std::string m_text;
};

} // namespace

bool is_own_name(const std::string& word) {
    const std::string wanted = "@_" + word;
    for (const std::string_view text :
         {std::string_view(common_text), std::string_view(driver_text), std::string_view(cpu_host_text)})
        for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1))
            if (!is_word(text[at + wanted.size()]))
                return true;
    return false;
}

std::string replaced(std::string text, const std::string& mark, const std::string& what) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + what.size()))
        text.replace(at, mark.size(), what);
    return text;
}

std::string with_name(std::string text, const std::string& name) {
    return replaced(std::move(text), "@", name);
}

std::string c_type_of(ir::DType dtype) {
    const auto scalar = artifact::find_scalar(ir::info(dtype).short_name);
    if (!scalar || (artifact::is_real(*scalar) && *scalar != artifact::Scalar::F32 && *scalar != artifact::Scalar::F64))
        return "void";
    return scalar_c_type(*scalar);
}

std::string c_number_type(ir::DType dtype) {
    return fraction_of_short(dtype) ? "uint16_t" : c_type_of(dtype);
}

std::string c_parameter(const ExportedParameter& parameter) {
    if (parameter.kind == ParameterKind::Scalar)
        return cat(c_number_type(parameter.dtype), " ", parameter.name);
    return cat(parameter.is_written ? "" : "const ", c_type_of(parameter.dtype), "* ", parameter.name);
}

std::string c_parameters(const ExportedFunction& function) {
    std::vector<std::string> all =
        transformed(function.parameters, [&](const ExportedParameter& parameter) { return c_parameter(parameter); });
    for (const ExportedSymbol& symbol : function.symbols)
        all.push_back("int64_t " + symbol.name);
    return join(all, ", ");
}

std::string c_arguments(const ExportedFunction& function) {
    std::vector<std::string> all = transformed(function.parameters, &ExportedParameter::name);
    for (const ExportedSymbol& symbol : function.symbols)
        all.push_back(symbol.name);
    return join(all, ", ");
}

std::string c_bytes(const std::string& name, const std::string& bytes) {
    std::string out = cat("const unsigned char ", name, "[", bytes.size(), "] = {");
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i % 32 == 0)
            out += "\n    ";
        out += cat(static_cast<int>(static_cast<unsigned char>(bytes[i])), ",");
    }
    return out + "\n};\n";
}

std::string image_symbol(const ExportWork& out, std::size_t module) {
    return cat(out.name, "_image_", module);
}

std::string c_provenance(const ExportWork& out, const ExportedProgram& program) {
    std::vector<ProvenanceRow> rows = provenance_of(out);
    std::vector<std::string> names;
    for (std::size_t i = 0; program.has_gpu_code() && i < program.modules.front().code.size(); ++i)
        names.push_back(artifact::architecture_name(program.modules.front().code[i].target.arch));
    names.insert(names.end(), program.levels.begin(), program.levels.end());
    rows.push_back({"architectures", join(names, ", ")});
    if (!program.images.empty())
        rows.push_back({"compiler", program.images.front().front().compiler});
    if (!program.shared_object_compiler.empty())
        rows.push_back({"shared object", program.shared_object_compiler});
    std::string text = "/*\n";
    for (const ProvenanceRow& row : rows)
        text += cat(" * ", row.what, ": ", comment_text(row.value), "\n");
    return text + " */\n";
}

std::string signature_comment(const ExportedFunction& function) {
    std::vector<std::string> rows;
    for (const ExportedParameter& parameter : function.parameters) {
        const std::vector<std::string> extents =
            transformed(parameter.shape, [&](const Row row) { return c_expression(function, row); });
        const char* use = parameter.kind == ParameterKind::Scalar ? ""
                          : !parameter.is_written                 ? ", read"
                          : parameter.is_read                     ? ", read and written"
                                                                  : ", written";
        const bool is_bits = parameter.kind == ParameterKind::Scalar && fraction_of_short(parameter.dtype);
        rows.push_back(cat(" *   ", parameter.name, ": ", ir::info(parameter.dtype).short_name,
                           parameter.kind == ParameterKind::Tensor    ? cat("[", join(extents, ", "), "]")
                           : parameter.kind == ParameterKind::Pointer ? " in memory"
                                                                      : "",
                           use, is_bits ? ", as its 16 bits" : "", "\n"));
    }
    return join(rows, "");
}

std::string c_header(const ExportWork& out, const ExportedProgram& program) {
    std::string guard = out.name + "_h";
    std::string text =
        cat(c_provenance(out, program), "#ifndef ", guard, "\n#define ", guard,
            "\n\n#include <stdbool.h>\n#include <stdint.h>\n\n", "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    text += with_name("const char* @_error(void); /* of the last call of this thread that failed */\n", out.name);
    if (program.has_gpu_code())
        text += with_name("\nstruct CUstream_st; /* what CUstream and cudaStream_t point to */\n\n"
                          "/* Loads the machine code, for all devices; the first call does so by itself. No context "
                          "has to be current.\n"
                          " * Functions that take a stream give a CUresult: 0 is success. */\n"
                          "int @_load(void);\n"
                          "void @_unload(void); /* nothing may be running */\n"
                          "/* Makes a context of the device current in this thread, if none of it is. */\n"
                          "int @_use_device(int device);\n",
                          out.name);
    if (!program.cpu_modules.empty())
        text += cpu_declarations(out, program);
    for (const ExportedFunction& function : program.functions)
        if (!function.is_on_cpu)
            text += cat("\n/* Launches in the stream; the memory is the device's, dense, in C order.\n",
                        signature_comment(function), " */\nint ", function.name, "(struct CUstream_st* stream, ",
                        c_parameters(function), ");\n");
    return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

static std::string image_declaration(const ExportWork& out, std::size_t module) {
    return cat("#ifdef __cplusplus\nextern \"C\"\n#else\nextern\n#endif\nconst unsigned char ",
               image_symbol(out, module), "[];\n");
}

std::string c_source(const ExportWork& out, const ExportedProgram& program) {
    std::string text = cat(c_provenance(out, program), "#include \"", out.name, ".h\"\n",
                           program.has_gpu_code() ? "\n#include <dlfcn.h>\n" : "", with_name(common_text, out.name));
    if (!program.has_gpu_code())
        return text;
    std::string images, kernels, functions;
    for (std::size_t i = 0; i < program.modules.size(); ++i) {
        text += image_declaration(out, i);
        images += cat("    {", image_symbol(out, i), ", NULL},\n");
    }
    std::size_t count = 0;
    for (const ExportedFunction& function : program.functions) {
        if (function.is_on_cpu)
            continue;
        functions += "\n" + FunctionWriter(out, function, count).run();
        count += function.kernels.size();
        for (const std::string& symbol : function.kernels)
            kernels += cat("    {\"", symbol, "\", ", function.module, ", NULL, {0}, 0},\n");
    }
    std::string driver = replaced(replaced(driver_text, "$IMAGES\n", images), "$KERNELS\n", kernels);
    return text + with_name(std::move(driver), out.name) + functions;
}

std::string c_images(const ExportWork& out, const ExportedProgram& program) {
    std::string text = c_provenance(out, program);
    for (std::size_t i = 0; i < program.modules.size(); ++i)
        text += cat("\n", image_declaration(out, i), c_bytes(image_symbol(out, i), joined_image(program.images[i])));
    return text;
}

void add_launcher(ExportWork& out, const ExportedProgram& program) {
    out.add(out.name + ".h", c_header(out, program));
    out.add(out.name + ".c", c_source(out, program));
    out.add(out.name + "_images.c", c_images(out, program));
    out.add_next(cat("cc -std=c11 -O2 -c ", out.name, ".c ", out.name, "_images.c"));
}

} // namespace hidet::session
