// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/torch_text.h"

#include "app/session/exporting/c_text.h"
#include "app/session/exporting/cpu_text.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/provenance.h"
#include "app/session/exporting/shared_object.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr const char* module_text =
#include "app/session/exporting/text/torch_text.inc"
    ;

const char* torch_type(ir::DType dtype) { // null: PyTorch has no such type
    const std::string name = ir::info(dtype).short_name;
    static constexpr const char* rows[][2] = {
        {"bool", "bool"},         {"i8", "int8"},       {"i16", "int16"},
        {"i32", "int32"},         {"i64", "int64"},     {"u8", "uint8"},
        {"u16", "uint16"},        {"u32", "uint32"},    {"u64", "uint64"},
        {"f16", "float16"},       {"bf16", "bfloat16"}, {"f32", "float32"},
        {"tf32", "float32"},      {"f64", "float64"},   {"f8e4m3", "float8_e4m3fn"},
        {"f8e5m2", "float8_e5m2"}};
    for (const auto& row : rows)
        if (name == row[0])
            return row[1];
    return nullptr;
}

const char* ctypes_type(ir::DType dtype) {
    if (dtype == ir::DType::F32)
        return "float";
    if (dtype == ir::DType::F64)
        return "double";
    if (fraction_of_short(dtype))
        return "uint16";                                                  // its bits
    const char* type = ir::is_float(dtype) ? nullptr : torch_type(dtype); // whole numbers have the same names
    return type ? type : "int64";
}

// C's operators as Python's, for shapes: no division but that of whole numbers is in them.
std::string python_expression(const ExportedFunction& function, artifact::Row row) {
    return artifact::text_of(function.body.expressions, row, function.symbol_texts);
}

class OperatorWriter {
public:
    OperatorWriter(ExportWork& out, const ExportedFunction& function) : m_out(out), m_function(function) {}

    std::optional<std::string> run() {
        std::vector<std::string> names, schema, types, values;
        for (const ExportedParameter& parameter : m_function.parameters) {
            names.push_back(parameter.name);
            if (parameter.kind == ParameterKind::Scalar) {
                const bool is_real = ir::is_float(parameter.dtype);
                schema.push_back(cat(is_real                              ? "float "
                                     : parameter.dtype == ir::DType::Bool ? "bool "
                                                                          : "int ",
                                     parameter.name));
                types.push_back(cat("ctypes.c_", ctypes_type(parameter.dtype)));
                const std::optional<int> fraction = fraction_of_short(parameter.dtype);
                values.push_back(fraction ? cat("_short_bits(", parameter.name, ", ", *fraction, ")") : parameter.name);
                continue;
            }
            if (!torch_type(parameter.dtype)) {
                m_out.refuse(m_function.script_name,
                             cat("PyTorch has no type for the elements of '", parameter.name, "'"));
                return std::nullopt;
            }
            schema.push_back(parameter.is_written ? cat("Tensor(", letter(), "!) ", parameter.name)
                                                  : "Tensor " + parameter.name);
            types.push_back("ctypes.c_void_p");
            values.push_back(parameter.name + ".data_ptr()");
        }
        for (const ExportedSymbol& symbol : m_function.symbols) {
            types.push_back("ctypes.c_int64");
            values.push_back(symbol.name);
            if (symbol.is_in_a_shape)
                continue;
            names.push_back(symbol.name);
            schema.push_back("SymInt " + symbol.name);
        }
        const std::string taken = join(names, ", "), given = join(values, ", ");
        if (!m_function.is_on_cpu)
            types.insert(types.begin(), "ctypes.c_void_p"); // the stream
        if (m_function.result)
            types.push_back(cat("ctypes.POINTER(ctypes.c_", ctypes_type(*m_function.result), ")"));
        bind(types);
        line(cat("def _", m_function.name, "_check(", taken, "):"));
        checks();
        m_function.is_on_cpu ? call(taken, given) : launch(taken, given);
        m_function.result || first_tensor().empty() ? add_plain(taken) : add_operator(taken, join(schema, ", "));
        return std::move(m_text);
    }

private:
    void bind(const std::vector<std::string>& types) {
        line(cat("_", m_function.name, "_c = _c.", m_function.name));
        line(cat("_", m_function.name, "_c.argtypes = [", join(types, ", "), "]"));
        line(cat("_", m_function.name, "_c.restype = ctypes.c_int\n\n"));
    }
    void check_memory() {
        for (const ExportedParameter& parameter : m_function.parameters)
            if (parameter.kind != ParameterKind::Scalar)
                line(cat("    _check_memory(\"", m_function.name, "\", \"", parameter.name, "\", ", parameter.name,
                         ", ", first_tensor(), ")"));
    }
    void launch(const std::string& taken, const std::string& given) {
        const std::string& name = m_function.name;
        line(cat("\n\ndef _", name, "_cuda(", taken, "):"));
        line(cat("    _", name, "_check(", taken, ")"));
        dimensions();
        check_memory();
        line(first_tensor().empty() ? "    index = torch.cuda.current_device()"
                                    : cat("    index = ", first_tensor(), ".get_device()"));
        line("    if index != torch._C._cuda_getDevice():");
        line("        with torch.cuda.device(index):");
        line(cat("            return _call(_", name, "_c(_stream(index), ", given, "))"));
        line(cat("    _call(_", name, "_c(_stream(index), ", given, "))\n\n"));
    }
    void call(const std::string& taken, const std::string& given) {
        const std::string& name = m_function.name;
        line(cat("\n\ndef _", name, "_cpu(", taken, "):"));
        line(cat("    _", name, "_check(", taken, ")"));
        dimensions();
        check_memory();
        if (!m_function.result)
            return line(cat("    _call(_", name, "_c(", given, "))\n\n"));
        if (const std::string first = first_tensor(); !first.empty()) { // no dispatcher looks at devices
            line(cat("    if ", first, ".device.type != \"cpu\":"));
            line(cat("        raise ValueError(f\"", name, ": ", first, " must be on the CPU, and is on {", first,
                     ".device}\")"));
        }
        line(cat("    result = ctypes.c_", ctypes_type(*m_function.result), "()"));
        line(cat("    _call(_", name, "_c(", given, given.empty() ? "" : ", ", "ctypes.byref(result)))"));
        const std::optional<int> fraction = fraction_of_short(*m_function.result);
        line(fraction ? cat("    return _short_value(result.value, ", *fraction, ")\n\n")
                      : "    return result.value\n\n");
    }
    // What returns a number, or takes no tensor, is no operator: nothing would say which device runs it.
    void add_plain(const std::string& taken) {
        line(cat("def ", m_function.name, "(", taken, "):"));
        line(cat("    \"\"\"", documentation(), "\"\"\""));
        line(cat("    return _", m_function.name, m_function.is_on_cpu ? "_cpu(" : "_cuda(", taken, ")"));
    }
    void add_operator(const std::string& taken, const std::string& schema) {
        const std::string& name = m_function.name;
        line(cat("def _", name, "_fake(", taken, "):"));
        line(cat("    _", name, "_check(", taken, ")\n\n"));
        line(cat("_library.define(\"", name, "(", schema, ") -> ()\")"));
        line(
            cat("_library.impl(\"", name, "\", _", name, m_function.is_on_cpu ? "_cpu, \"CPU\")" : "_cuda, \"CUDA\")"));
        line(cat("torch.library.register_fake(f\"{_space}::", name, "\", _", name, "_fake, lib=_library)"));
        line(cat("_", name, "_op = getattr(torch.ops, _space).", name, ".default\n\n"));
        line(cat("def ", name, "(", taken, "):"));
        line(cat("    \"\"\"", documentation(), "\"\"\""));
        line(cat("    _", name, "_op(", taken, ")"));
    }
    void line(const std::string& text) { m_text += text + "\n"; }
    std::string letter() { return std::string(1, static_cast<char>('a' + m_written++ % 26)); }
    std::string first_tensor() const {
        for (const ExportedParameter& parameter : m_function.parameters)
            if (parameter.kind != ParameterKind::Scalar)
                return parameter.name;
        return "";
    }
    std::string shape_text(const ExportedParameter& parameter) const {
        std::vector<std::string> extents;
        for (const artifact::Row row : parameter.shape)
            extents.push_back(python_expression(m_function, row));
        return cat("(", join(extents, ", "), extents.size() == 1 ? ",)" : ")");
    }
    void dimensions() {
        for (const ExportedSymbol& symbol : m_function.symbols)
            if (symbol.is_in_a_shape)
                line(cat("    ", symbol.name, " = ", m_function.parameters[symbol.tensor].name, ".shape[",
                         symbol.dimension, "]"));
    }
    void checks() {
        bool any = false;
        for (const ExportedParameter& parameter : m_function.parameters) {
            if (parameter.kind == ParameterKind::Scalar)
                continue;
            any = true;
            line(cat("    if ", parameter.name, ".dtype is not torch.", torch_type(parameter.dtype), ":"));
            line(cat("        raise TypeError(f\"", m_function.name, ": ", parameter.name, " must be ",
                     torch_type(parameter.dtype), ", and is {", parameter.name, ".dtype}\")"));
            if (parameter.kind != ParameterKind::Tensor)
                continue;
            line(cat("    if ", parameter.name, ".dim() != ", parameter.shape.size(), ":"));
            line(cat("        raise ValueError(f\"", m_function.name, ": ", parameter.name, " must have ",
                     parameter.shape.size(), " dimensions, and has {", parameter.name, ".dim()}\")"));
        }
        dimensions();
        for (const ExportedParameter& parameter : m_function.parameters) {
            if (parameter.kind != ParameterKind::Tensor)
                continue;
            line(cat("    if ", parameter.name, ".shape != ", shape_text(parameter), ":"));
            line(cat("        raise ValueError(f\"", m_function.name, ": the shape of ", parameter.name, " must be {",
                     shape_text(parameter), "}, and is {tuple(", parameter.name, ".shape)}\")"));
        }
        if (!any)
            line("    pass");
    }
    std::string documentation() const {
        std::vector<std::string> rows;
        for (const ExportedParameter& parameter : m_function.parameters)
            rows.push_back(cat(parameter.name, ": ", ir::info(parameter.dtype).name,
                               parameter.kind == ParameterKind::Tensor ? shape_text(parameter) : "",
                               parameter.is_written ? ", written" : ""));
        return join(rows, "; ");
    }

    ExportWork& m_out;
    const ExportedFunction& m_function;
    std::string m_text;
    int m_written = 0;
};

} // namespace

std::optional<std::string> c_object(ExportWork& out, ExportedProgram& program) {
    return shared_object_of(
        out, program,
        cat(joined_source(out, program, program.levels), program.has_gpu_code() ? c_images(out, program) : ""));
}

std::optional<std::string> torch_module(ExportWork& out, const ExportedProgram& program, const std::string& space) {
    const std::string text = replaced(replaced(module_text, "$NAME", out.name), "$SPACE", space);
    std::vector<std::string> names;
    std::string operators;
    for (const ExportedFunction& function : program.functions) {
        const std::optional<std::string> one = OperatorWriter(out, function).run();
        if (!one)
            return std::nullopt;
        operators += *one + "\n\n";
        names.push_back(cat("\"", function.name, "\""));
    }
    std::vector<ProvenanceRow> rows = provenance_of(out);
    if (program.has_gpu_code())
        rows.push_back({"compiler", program.images.front().front().compiler});
    return cat(comment_of(rows, "#"), text, operators, "__all__ = [", join(names, ", "), "]\n");
}

} // namespace hidet::session
