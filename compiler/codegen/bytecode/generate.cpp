// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/bytecode/generate.h"

#include "compiler/codegen/bytecode/assembly.h"
#include "compiler/codegen/bytecode/generator.h"
#include "compiler/ir/grid_wait.h"
#include "compiler/ir/rewrite.h"

namespace hidet::compiler {

namespace bytecode {

void Generator::generate(const ir::Function& function) {
    m_is_kernel = m_out.kind == artifact::FunctionKind::Kernel;
    m_root.function = &function;
    m_instance = &m_root;
    m_builder.set_origin(function.origin);
    analyse(*this, function);
    m_end_label = m_builder.new_label();
    std::vector<std::int32_t> registers;
    for (std::size_t i = 0; i < function.params.size(); ++i)
        registers.push_back(m_builder.parameter());
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        const ir::VarRef& param = function.params[i];
        Variable& info = variable(*param);
        Scalar type = m_out.params[i].type;
        Value value = in_register(registers[i], type);
        info.array = info.shared = -1;
        if (!info.assigned && !info.escapes) {
            info.value = value;
            continue;
        }
        ir::DeclareStmt declaration;
        declaration.var = param;
        declare(declaration);
        if (info.array >= 0)
            store(*place_of_variable(*param), param->type, value);
        else
            assign(info, value);
    }
    gen(function.body);
    m_builder.place(m_end_label);
    m_builder.emit({.op = Op::Return, .type = m_out.return_type});
    m_builder.items.insert(m_builder.items.begin(), m_prologue.begin(), m_prologue.end());
    m_builder.optimise();
    m_builder.finish();
}

} // namespace bytecode

namespace {

artifact::Function signature(const ir::Function& function) {
    artifact::Function out;
    out.name = function.name;
    out.kind =
        function.func_kind == ir::FuncKind::CudaKernel ? artifact::FunctionKind::Kernel : artifact::FunctionKind::Host;
    out.is_public = function.func_kind == ir::FuncKind::Public;
    for (const ir::VarRef& param : function.params)
        out.params.push_back({.name = param->name,
                              .type = bytecode::scalar_of_type(param->type),
                              .is_pointer = !ir::scalar_of(param->type) && !ir::is_tensor_map(param->type),
                              .is_tensor_map = ir::is_tensor_map(param->type)});
    out.returns_value = function.ret && !ir::as<ir::VoidType>(function.ret);
    if (out.returns_value)
        out.return_type = bytecode::scalar_of_type(function.ret);
    out.overlaps = out.kind == artifact::FunctionKind::Kernel && ir::waits_for_grid(function);
    return out;
}

} // namespace

std::optional<artifact::Program> generate_bytecode(const ir::ModuleRef& lowered, DiagnosticSink& sink,
                                                   const BytecodeOptions& options) {
    const ir::ModuleRef module = bytecode::without_assembly(lowered);
    artifact::Program program;
    program.name = module->name;
    for (const ir::VarRef& global : module->globals) {
        ir::TypeRef element = ir::element_of(global->type) ? ir::element_of(global->type) : global->type;
        std::int64_t bytes = ir::size_in_bytes(global->type);
        program.globals.push_back({.name = global->name,
                                   .element = bytecode::stored(element, 1).scalar,
                                   .bytes = std::max<std::int64_t>(bytes, 0)});
    }
    std::vector<const ir::Function*> functions;
    for (const ir::FunctionRef& function : module->functions) {
        // Device functions exist only where they are inlined.
        if (function->func_kind == ir::FuncKind::CudaInternal || !function->body)
            continue;
        try {
            program.functions.push_back(signature(*function));
            functions.push_back(function.get());
        } catch (const InternalError&) {
            sink.report(DiagId::EmulateUnsupported, function->origin.span, "a parameter of this type");
        }
    }
    if (options.notes)
        options.notes->assign(functions.size(), {});
    for (std::size_t i = 0; i < functions.size() && !sink.has_errors(); ++i) {
        artifact::Function out = program.functions[i];
        try {
            bytecode::Generator generator(*module, program, out, options);
            if (options.notes)
                generator.note_variables((*options.notes)[i]);
            generator.generate(*functions[i]);
        } catch (const DiagnosticError& error) {
            sink.report(error.diagnostic);
            return std::nullopt;
        }
        program.functions[i] = std::move(out);
    }
    if (sink.has_errors())
        return std::nullopt;
    return program;
}

} // namespace hidet::compiler
