// SPDX-License-Identifier: Apache-2.0
// One shared object with the stable C interface of tvm-ffi: a function for each of the script's, which takes tensors of any
// library that knows DLPack, and launches in the stream of its caller.
#include "app/session/exporting/c_text.h"
#include "app/session/exporting/cpu_text.h"
#include "app/session/exporting/exporter.h"
#include "app/session/exporting/shared_object.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr const char* ffi_text =
#include "app/session/exporting/text/tvm_ffi_text.inc"
    ;
constexpr const char* ffi_gpu_text =
#include "app/session/exporting/text/tvm_ffi_gpu_text.inc"
    ;

// Codes of DLPack; nothing: it has no such type.
std::optional<std::string> dlpack_of(ir::DType dtype) {
    const std::string name = ir::info(dtype).short_name;
    if (name == "bool")
        return "6, 8";
    if (name == "bf16")
        return "4, 16";
    if (name == "tf32")
        return "2, 32";
    if (name == "f8e4m3")
        return "10, 8";
    if (name == "f8e5m2")
        return "12, 8";
    if (ir::is_subbyte(dtype) || ir::info(dtype).lanes > 1)
        return std::nullopt;
    const char* code = name[0] == 'f' ? "2" : name[0] == 'i' ? "0" : "1";
    return cat(code, ", ", name.substr(1));
}

class Wrapper {
public:
    Wrapper(const ExportWork& out, const ExportedFunction& function) : m_out(out), m_function(function) {}

    std::optional<std::string> run() {
        const std::size_t given = m_function.parameters.size() + free_symbols();
        line(cat("extern \"C\" __attribute__((visibility(\"default\"))) int __tvm_ffi_", m_function.name,
                 "(void* self, const @_any* args, int32_t count, @_any* ret)"));
        line("{");
        if (!m_function.is_on_cpu)
            line("    int32_t device = -1;");
        line("    (void)self;");
        line(cat("    if (count != ", given, ")"));
        line(cat("        return @_raise(\"TypeError\", \"", m_function.name, " takes ", given,
                 " arguments, and was given %d\", (int)count);"));
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i)
            if (!take(i))
                return std::nullopt;
        take_symbols();
        for (const ExportedParameter& parameter : m_function.parameters)
            check_shape(parameter);
        line("    ret->type_index = 0;");
        m_function.is_on_cpu ? call() : launch();
        line("    return result ? @_raise(\"RuntimeError\", \"%s\", @_error()) : 0;");
        line("}\n");
        return with_name(std::move(m_text), m_out.name);
    }

private:
    void line(const std::string& text) { m_text += text + "\n"; }
    void launch() {
        line("    if (device < 0)");
        line("        device = 0;");
        line("    @_switch where(device);");
        line("    int result = where.result;");
        line("    if (!result)");
        const std::string all = c_arguments(m_function);
        line(cat("        result = ", m_function.name, "((struct CUstream_st*)TVMFFIEnvGetStream(2, device)",
                 all.empty() ? "" : ", ", all, ");"));
    }
    void call() {
        std::string all = c_arguments(m_function);
        if (m_function.result) {
            line(cat("    ", c_number_type(*m_function.result), " number = 0;"));
            all += cat(all.empty() ? "" : ", ", "&number");
        }
        line(cat("    const int result = ", m_function.name, "(", all, ");"));
        if (!m_function.result)
            return;
        const bool is_real = ir::is_float(*m_function.result);
        line(cat("    ret->type_index = ", is_real ? 3 : *m_function.result == ir::DType::Bool ? 2 : 1, ";"));
        const std::optional<int> fraction = fraction_of_short(*m_function.result);
        line(fraction  ? cat("    ret->value.real = short_value(number, ", *fraction, ");")
             : is_real ? "    ret->value.real = (double)number;"
                       : "    ret->value.whole = (int64_t)number;");
    }
    std::size_t free_symbols() const {
        std::size_t count = 0;
        for (const ExportedSymbol& symbol : m_function.symbols)
            count += !symbol.is_in_a_shape;
        return count;
    }
    bool take(std::size_t i) {
        const ExportedParameter& parameter = m_function.parameters[i];
        const std::string& name = parameter.name;
        if (parameter.kind == ParameterKind::Scalar) {
            const bool is_real = ir::is_float(parameter.dtype);
            const std::string type = c_number_type(parameter.dtype);
            line(cat("    ", type, " ", name, ";"));
            line(cat("    {\n        ", is_real ? "double" : "int64_t", " value;"));
            line(cat("        if (!@_", is_real ? "real" : "whole", "(&args[", i, "], &value))"));
            line(cat("            return @_raise(\"TypeError\", \"", m_function.name, ": ", name,
                     " must be a number\");"));
            const std::optional<int> fraction = fraction_of_short(parameter.dtype);
            line(fraction ? cat("        ", name, " = short_bits(value, ", *fraction, ");")
                          : cat("        ", name, " = (", type, ")value;"));
            if (!is_real) {
                line(cat("        if ((int64_t)", name, " != value)"));
                line(cat("            return @_raise(\"ValueError\", \"", m_function.name, ": ", name, " does not fit ",
                         ir::info(parameter.dtype).short_name, "\");"));
            }
            line("    }");
            return true;
        }
        const auto code = dlpack_of(parameter.dtype);
        if (!code)
            return false;
        const bool is_tensor = parameter.kind == ParameterKind::Tensor;
        const std::string constness = parameter.is_written ? "" : "const ";
        line(cat("    const @_tensor* ", name, "_tensor = @_take(&args[", i, "], \"", m_function.name, "\", \"", name,
                 "\", ", *code, ", \"", ir::info(parameter.dtype).short_name, "\", ",
                 is_tensor ? cat(parameter.shape.size()) : "-1", m_function.is_on_cpu ? ", NULL);" : ", &device);"));
        line(cat("    if (!", name, "_tensor)"));
        line("        return -1;");
        line(cat("    ", constness, c_type_of(parameter.dtype), "* ", name, " = (", constness,
                 c_type_of(parameter.dtype), "*)((char*)", name, "_tensor->data + ", name, "_tensor->byte_offset);"));
        return true;
    }
    void take_symbols() {
        std::size_t next = m_function.parameters.size();
        for (const ExportedSymbol& symbol : m_function.symbols) {
            if (symbol.is_in_a_shape) {
                line(cat("    const int64_t ", symbol.name, " = ", m_function.parameters[symbol.tensor].name,
                         "_tensor->shape[", symbol.dimension, "];"));
                continue;
            }
            line(cat("    int64_t ", symbol.name, ";"));
            line(cat("    if (!@_whole(&args[", next++, "], &", symbol.name, "))"));
            line(cat("        return @_raise(\"TypeError\", \"", m_function.name, ": ", symbol.name,
                     " must be a whole number\");"));
        }
    }
    void check_shape(const ExportedParameter& parameter) {
        if (parameter.shape.empty())
            return;
        line("    {\n        int wrong = 0;");
        for (std::size_t d = 0; d < parameter.shape.size(); ++d)
            line(cat("        if (!@_has(", parameter.name, "_tensor, ", d, ", ",
                     c_expression(m_function, parameter.shape[d]), ", \"", m_function.name, "\", \"", parameter.name,
                     "\"))\n            return -1;"));
        line("        (void)wrong;\n    }");
    }

    const ExportWork& m_out;
    const ExportedFunction& m_function;
    std::string m_text;
};

} // namespace

bool export_tvm_ffi(ExportWork& out) {
    std::optional<ExportedProgram> program = exported_program(out, Devices::Both);
    if (!program || !add_images(out, *program))
        return false;
    std::string wrappers = with_name(ffi_text, out.name);
    if (program->has_gpu_code())
        wrappers += with_name(ffi_gpu_text, out.name);
    for (const ExportedFunction& function : program->functions) {
        const std::optional<std::string> wrapper = Wrapper(out, function).run();
        if (!wrapper)
            return out.refuse(function.script_name, "DLPack has no type for the elements of one of its parameters");
        wrappers += "\n" + *wrapper;
    }
    const std::optional<std::string> object =
        shared_object_of(out, *program,
                         joined_source(out, *program, program->levels) + "\n" + wrappers +
                             (program->has_gpu_code() ? c_images(out, *program) : ""));
    if (!object)
        return false;
    out.add(out.name + ".so", *object);
    out.add("source/" + out.name + ".cpp", joined_source(out, *program, {}) + "\n" + wrappers);
    add_kernel_sources(out, *program, "source/");
    out.add_next("pip install apache-tvm-ffi");
    out.add_next(cat("module = tvm_ffi.load_module(\"", out.name, ".so\")"));
    out.add_next(cat("module.", program->functions.front().name,
                     program->functions.front().is_on_cpu
                         ? "(...)  # tensors of PyTorch, JAX or NumPy, in the order of the script's parameters"
                         : "(...)  # tensors of PyTorch, JAX or CuPy, in the order of the script's parameters"));
    return true;
}

} // namespace hidet::session
