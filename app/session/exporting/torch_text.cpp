// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/torch_text.h"

#include "app/session/exporting/c_text.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/provenance.h"
#include "app/session/exporting/shared_object.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr const char* module_text =
#include "app/session/exporting/torch_text.inc"
    ;

const char* torch_type(ir::DType dtype) { // null: PyTorch has no such type
    const std::string name = ir::info(dtype).short_name;
    struct Row {
        const char* name;
        const char* type;
    };
    static constexpr Row rows[] = {{"bool", "bool"},         {"i8", "int8"},       {"i16", "int16"},
                                   {"i32", "int32"},         {"i64", "int64"},     {"u8", "uint8"},
                                   {"u16", "uint16"},        {"u32", "uint32"},    {"u64", "uint64"},
                                   {"f16", "float16"},       {"bf16", "bfloat16"}, {"f32", "float32"},
                                   {"tf32", "float32"},      {"f64", "float64"},   {"f8e4m3", "float8_e4m3fn"},
                                   {"f8e5m2", "float8_e5m2"}};
    for (const Row& row : rows)
        if (name == row.name)
            return row.type;
    return nullptr;
}

const char* ctypes_type(ir::DType dtype) {
    if (dtype == ir::DType::F32)
        return "float";
    if (dtype == ir::DType::F64)
        return "double";
    const std::string name = ir::info(dtype).short_name;
    static constexpr const char* rows[][2] = {{"bool", "bool"},  {"i8", "int8"},    {"i16", "int16"},
                                              {"i32", "int32"},  {"i64", "int64"},  {"u8", "uint8"},
                                              {"u16", "uint16"}, {"u32", "uint32"}, {"u64", "uint64"}};
    for (const auto& row : rows)
        if (name == row[0])
            return row[1];
    return "int64";
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
                values.push_back(parameter.name);
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
        const std::string& name = m_function.name;
        const std::string taken = join(names, ", ");
        line(cat("_", name, "_c = _c.", name));
        line(cat("_", name, "_c.argtypes = [",
                 join(
                     [&] {
                         auto all = types;
                         all.insert(all.begin(), "ctypes.c_void_p");
                         return all;
                     }(),
                     ", "),
                 "]"));
        line(cat("_", name, "_c.restype = ctypes.c_int\n\n"));
        line(cat("def _", name, "_check(", taken, "):"));
        checks();
        line(cat("\n\ndef _", name, "_cuda(", taken, "):"));
        line(cat("    _", name, "_check(", taken, ")"));
        dimensions();
        const std::string first = first_tensor();
        if (first.empty()) {
            line("    index = torch.cuda.current_device()");
        } else {
            for (const ExportedParameter& parameter : m_function.parameters)
                if (parameter.kind != ParameterKind::Scalar)
                    line(cat("    _check_memory(\"", name, "\", \"", parameter.name, "\", ", parameter.name, ", ",
                             first, ")"));
            line(cat("    index = ", first, ".get_device()"));
        }
        line("    if index != torch._C._cuda_getDevice():");
        line("        with torch.cuda.device(index):");
        line(cat("            return _call(_", name, "_c(_stream(index), ", join(values, ", "), "))"));
        line(cat("    _call(_", name, "_c(_stream(index), ", join(values, ", "), "))\n\n"));
        line(cat("def _", name, "_fake(", taken, "):"));
        line(cat("    _", name, "_check(", taken, ")\n\n"));
        line(cat("_library.define(\"", name, "(", join(schema, ", "), ") -> ()\")"));
        line(cat("_library.impl(\"", name, "\", _", name, "_cuda, \"CUDA\")"));
        line(cat("torch.library.register_fake(f\"{_space}::", name, "\", _", name, "_fake, lib=_library)"));
        line(cat("_", name, "_op = getattr(torch.ops, _space).", name, ".default\n\n"));
        line(cat("def ", name, "(", taken, "):"));
        line(cat("    \"\"\"", documentation(), "\"\"\""));
        line(cat("    _", name, "_op(", taken, ")"));
        return std::move(m_text);
    }

private:
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

std::optional<std::string> c_object(ExportWork& out, const ExportedProgram& program) {
    std::string text = cat(c_header(out, program), "\n", c_source(out, program), c_images(out, program));
    const std::string include = cat("#include \"", out.name, ".h\"\n");
    text.replace(text.find(include), include.size(), "");
    return shared_object_of(out, program, text);
}

std::optional<std::string> torch_module(ExportWork& out, const ExportedProgram& program, const std::string& space) {
    std::string text = module_text;
    const auto put = [&](const std::string& mark, const std::string& what) {
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + what.size()))
            text.replace(at, mark.size(), what);
    };
    put("$NAME", out.name);
    put("$SPACE", space);
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
    rows.push_back({"compiler", program.images.front().front().compiler});
    return cat(comment_of(rows, "#"), text, operators, "__all__ = [", join(names, ", "), "]\n");
}

} // namespace hidet::session
