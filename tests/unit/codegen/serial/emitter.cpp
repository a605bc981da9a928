// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "compiler/codegen/text/emitter.h"
#include "compiler/codegen/text/functions.h"
#include "tests/unit/codegen/serial/dialect.h"
#include "tests/unit/codegen/serial/generate.h"

namespace hidet::test {

using namespace ir;
using namespace compiler::text;

namespace {

constexpr const char* declarations = R"(struct index3 {
    unsigned x, y, z;
};
struct thread_place {
    index3 grid_dim, block_dim, block, thread;
};

)";
constexpr const char* place_parameter = "const thread_place& at";

class SerialEmitter final : public Emitter {
public:
    SerialEmitter(const ModuleRef& module, DiagnosticSink& sink)
        : Emitter(module, serial_dialect(), serial_dialect().reserved_names(), sink),
          m_bounds(compiler::launch_bounds(*module)) {}

    artifact::Source generate() {
        Selection selection = select_functions(*m_module, FuncKind::CudaKernel);
        for (const VarRef& global : selection.globals)
            unsupported(*global, cat("the variable '", global->name, "' of the module"));
        for (const FunctionRef& function : selection.functions) {
            write_function(legal(function, &m_bounds[function->name]));
            if (function->func_kind == FuncKind::CudaKernel)
                write_entry(*function);
        }
        return assembled(artifact::Language::Cxx, declarations, std::move(m_entries));
    }

protected:
    const char* language() const override { return "serial C++"; }
    bool check_capability(const compiler::Capability&, const Node&) override { return true; }
    bool intrinsic_special(const Intrinsic&, compiler::text::Level) override { return false; }
    bool call_prefix(const Call& e) override {
        if (!find_function(*m_module, e.callee))
            return false;
        put("at");
        return true;
    }

    void function_head(const Function& function) override {
        put(cat("static ", type(function.ret, function), " ", function_name(function.name)));
        params(function, place_parameter);
    }

    bool is_special_declaration(const DeclareStmt& s) const override { return s.scope == Scope::Shared; }
    void declare_array(const DeclareStmt& s, std::int64_t count) override {
        if (s.scope == Scope::Shared)
            return unsupported(*s.var, cat("the tensor '", s.var->name, "' in shared memory"));
        m_out.begin_line();
        put(declarator(element_of(s.var->type), m_names.define(*s.var), *s.var));
        put(cat("[", std::max<std::int64_t>(count, 1), "]"));
        end_statement();
    }
    void assert_stmt(const AssertStmt& s) override {
        m_out.begin_line();
        put("if (!("), expr(s.condition), put("))");
        m_out.end_line();
        m_out.indent();
        line("__builtin_trap();");
        m_out.dedent();
    }
    void asm_stmt(const AsmStmt& s) override { unsupported(s, "inline assembly of a GPU"); }

private:
    void write_function(const Function& function) {
        Writer::At at(m_out, function.origin);
        begin_function(function);
        function_head(function);
        block(function.body);
        m_out.end_line();
        end_function();
    }
    void write_entry(const Function& kernel) {
        auto entry = entry_point(kernel, cat("run_", function_name(kernel.name)));
        if (!entry)
            return unsupported(kernel, "a kernel with a parameter of such a type");
        Writer::At at(m_out, kernel.origin);
        line(cat("extern \"C\" void ", entry->symbol, "(const unsigned* launch, void* const* args) {"));
        m_out.indent();
        line("thread_place at{{launch[0], launch[1], launch[2]}, {launch[3], launch[4], launch[5]}, {}, {}};");
        for (const char* extents : {"grid_dim", "block_dim"})
            for (const char* axis : {"z", "y", "x"}) {
                std::string index = cat(extents[0] == 'g' ? "at.block." : "at.thread.", axis);
                line(cat("for (", index, " = 0; ", index, " < at.", extents, ".", axis, "; ++", index, ")"));
                m_out.indent();
            }
        std::string call = cat(function_name(kernel.name), "(at");
        for (std::size_t i = 0; i < kernel.params.size(); ++i) {
            const Var& param = *kernel.params[i];
            call += cat(", *static_cast<", type(value_type(param.type), param), "*>(args[", i, "])");
        }
        line(call + ");");
        for (int loop = 0; loop < 6; ++loop)
            m_out.dedent();
        m_out.dedent();
        line("}");
        m_out.end_line();
        m_entries.push_back(std::move(*entry));
    }

    std::map<std::string, compiler::LaunchBounds> m_bounds;
    std::vector<artifact::EntryPoint> m_entries;
};

} // namespace

std::optional<artifact::Source> generate_serial(const ModuleRef& module, DiagnosticSink& sink) {
    int before = sink.error_count();
    artifact::Source source = SerialEmitter(module, sink).generate();
    if (sink.error_count() > before)
        return std::nullopt;
    return source;
}

} // namespace hidet::test
