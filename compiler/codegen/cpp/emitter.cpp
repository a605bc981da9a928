// SPDX-License-Identifier: Apache-2.0
// C++ for the CPU, compiled by the system's compiler with -fno-strict-aliasing: memory may be read as another type, as in the
// IR. No headers; what the generated functions ask of the program that runs them is a table of functions, `host`, which those
// that need it have as their first parameter.
//
// Arrays that are larger than the stack should hold live on the heap. A loop with the attribute `p` becomes the body of
// parallel_for: a lambda that copies the scalars and pointers it uses, so that the compiler can keep them in registers.
// A loop that cannot be split (it is left early, or its iterations assign a variable that they share) runs as written.
#include <algorithm>

#include "compiler/analysis/calls.h"
#include "compiler/codegen/cpp/dialect.h"
#include "compiler/codegen/cpp/generate.h"
#include "compiler/codegen/text/emitter.h"
#include "compiler/codegen/text/functions.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"
#include "lang/base/finding_words.h"

namespace hidet::compiler {

namespace text {

using namespace ir;

namespace {

constexpr std::int64_t stack_bytes = 256 * 1024; // of one local array
constexpr std::int64_t vector_bytes = 64;

// ---- which functions ----------------------------------------------------------------------------------------------------

bool is_host_intrinsic(const Intrinsic& e) {
    if (e.id == IntrinsicId::MemcpyAsync)
        return attribute<CopyKind>(e.attr) == CopyKind::cpu_to_cpu;
    if (e.id == IntrinsicId::RequestWorkspace)
        return attribute<MemoryDevice>(e.attr) == MemoryDevice::cpu;
    return e.id != IntrinsicId::SetSymbolValue;
}

// Launches, and work on the memory of a device, are for the virtual machine.
bool does_device_work(const Function& function) {
    return any_of_nodes(
        function.body, [](const LaunchStmt&) { return true; },
        [](const Intrinsic& e) { return !is_host_intrinsic(e); });
}

// GCC keeps arrays in registers through the loops of a function that has little else.
bool keeps_registers(const Function& function) {
    return any_of_nodes(function.body,
                        [](const DeclareStmt& s) { return s.scope == Scope::Register && is_array(s.var->type); });
}

bool is_public(const Function& function) {
    return function.func_kind == FuncKind::Public;
}

// Public functions that are left out: they or what they call do device work.
std::set<std::string> left_out(const Module& module) {
    std::set<std::string> names;
    for (const FunctionRef& function : module.functions)
        if (!runs_on_gpu(function->func_kind) && does_device_work(*function))
            names.insert(function->name);
    CallGraph graph = call_graph(module);
    for (std::size_t before = names.size() + 1; before != names.size();) {
        before = names.size();
        for (const auto& [caller, callees] : graph)
            for (const std::string& callee : callees)
                if (names.contains(callee))
                    names.insert(caller);
    }
    return names;
}

// ---- parallel loops ---------------------------------------------------------------------------------------------------

// What stands in the way of running the iterations of a loop on several threads, and what its body uses from outside.
class ParallelBody : public Walker {
public:
    ParallelBody(const ForStmt& loop, const Module& module) : m_module(module) {
        m_own.insert(loop.var.get());
        walk(NodeRef(loop.body));
    }
    std::string why_serial;       // empty: none
    std::vector<const Var*> used; // from outside, in the order of their first use

protected:
    using Walker::visit;
    void define(const Var& var) override { m_own.insert(&var); }
    void visit(const Var& var) override {
        if (!m_own.contains(&var) && m_seen.insert(&var).second)
            used.push_back(&var);
    }
    void visit(const DeclareStmt& s) override {
        define(*s.var);
        if (s.init)
            walk(*s.init);
    }
    void visit(const ForStmt& s) override {
        walk(*s.extent);
        define(*s.var);
        nested(s.body);
    }
    void visit(const WhileStmt& s) override {
        walk(*s.condition);
        nested(s.body);
    }
    void visit(const BreakStmt&) override {
        if (m_loops == 0)
            why_serial = "it is left early";
    }
    void visit(const ReturnStmt&) override { why_serial = "it is left early"; }
    void visit(const AssignStmt& s) override {
        assigned(s.var);
        walk_children(s);
    }
    void visit(const Call& e) override {
        const Function* callee = find_function(m_module, e.callee);
        for (std::size_t i = 0; callee && i < e.args.size() && i < callee->params.size(); ++i)
            if (callee->params[i]->type->kind == Kind::ReferenceType)
                assigned(e.args[i]);
        walk_children(e);
    }

private:
    void nested(const StmtRef& body) {
        ++m_loops;
        walk(NodeRef(body));
        --m_loops;
    }
    void assigned(const ExprRef& place) {
        const auto* var = as<Var>(place);
        if (var && !m_own.contains(var))
            why_serial = cat("its iterations assign '", var->name, "'");
    }
    const Module& m_module;
    std::unordered_set<const Var*> m_own, m_seen;
    int m_loops = 0;
};

class CppEmitter : public Emitter {
public:
    CppEmitter(const ModuleRef& module, DiagnosticSink& sink)
        : Emitter(module, cpp_dialect(), cpp_dialect().reserved_names(), sink), m_host_name(m_names.add("host")) {}

    artifact::Source generate() {
        std::set<std::string> without = left_out(*m_module);
        std::vector<std::string> roots;
        for (const FunctionRef& function : m_module->functions)
            if (function->func_kind == FuncKind::CpuKernel ||
                (is_public(*function) && !without.contains(function->name)))
                roots.push_back(function->name);
        Selection selection = select_functions(*m_module, roots);
        for (const VarRef& global : selection.globals)
            declare_global(*global, "static ", "alignas(64) static ");
        declare_externs(selection);
        m_needs_host.insert(selection.recursive.begin(), selection.recursive.end());
        for (const FunctionRef& function : selection.functions)
            if (m_needs_host.contains(function->name))
                declare_function(*function);
        for (const FunctionRef& function : selection.functions)
            write_function(legal(function, nullptr));
        for (const FunctionRef& function : m_module->functions)
            if (std::count(roots.begin(), roots.end(), function->name))
                write_entry(*function);
        artifact::Source source = assembled(artifact::Language::Cxx, "", std::move(m_entries));
        source.checks = std::move(m_checks);
        return source;
    }

protected:
    const char* language() const override { return "C++ for the CPU"; }
    bool check_capability(const Capability&, const Node&) override { return true; }

    bool intrinsic_special(const Intrinsic& e, Level) override;
    void checked_division(const Binary& e, Level place) override;
    bool call_prefix(const Call& e) override {
        if (!m_needs_host.contains(e.callee))
            return false;
        host();
        return true;
    }

    void function_head(const Function& function) override;

    // ---- statements ----

    bool is_special_declaration(const DeclareStmt& s) const override { return s.scope == Scope::Shared; }
    void declare_array(const DeclareStmt& s, std::int64_t count) override;
    void for_loop(const ForStmt& s) override;
    void leave_loop(const Stmt& s) override {
        bool leaves_lambda = s.kind == Kind::ContinueStmt && m_loops == 0;
        leaves_lambda ? line("return;") : Emitter::leave_loop(s);
    }
    void while_loop(const WhileStmt& s) override {
        ++m_loops;
        Emitter::while_loop(s);
        --m_loops;
    }
    void assert_stmt(const AssertStmt& s) override {
        m_out.begin_line();
        host_call("check"), put(", "), expr(s.condition), put(", ");
        m_out.token(c_string(failed_assertion(s.message)));
        put(cat(", ", check_row(artifact::RuntimeCheck::Kind::Assertion), ")"));
        end_statement();
    }
    void asm_stmt(const AsmStmt& s) override { unsupported(s, "inline assembly of a GPU"); }

private:
    void host() {
        m_uses_host = true;
        m_snippets.insert("hidet_host");
        put(m_host_name);
    }
    void host_call(const char* helper) { // up to its first argument
        m_snippets.insert(helper);
        put(cat(helper, "("));
        host();
    }
    int check_row(artifact::RuntimeCheck::Kind kind, std::string tensor = "", bool is_store = false) {
        m_checks.push_back({kind, m_out.origin(), m_function->name, std::move(tensor), is_store});
        return static_cast<int>(m_checks.size()) - 1;
    }
    void inside(const Intrinsic& e);
    void serial_loop(const ForStmt& s);
    void parallel_loop(const ForStmt& s, const ParallelBody& body);
    void declare_externs(const Selection& selection);
    void write_function(const Function& function);
    void write_entry(const Function& function);

    std::string m_host_name;
    std::set<std::string> m_needs_host; // functions with the parameter
    bool m_uses_host = false;           // this function
    std::vector<artifact::EntryPoint> m_entries;
    std::vector<artifact::RuntimeCheck> m_checks;
    std::unordered_set<const Var*> m_on_heap;
    int m_loops = 0; // around the statement, up to the lambda that it is in
    int m_lambdas = 0;
};

// ---- expressions --------------------------------------------------------------------------------------------------------

bool CppEmitter::intrinsic_special(const Intrinsic& e, Level) {
    switch (e.id) {
    case IntrinsicId::Printf: {
        Print print = print_of(e);
        host_call("print");
        put(", ");
        m_out.token(c_string(print.format));
        print_arguments(print);
        put(")");
        return true;
    }
    case IntrinsicId::Inside: inside(e); return true;
    case IntrinsicId::GetSymbolValue:
        put(cat(dtype(scalar_of(e.type).value_or(DType::I32), e), "("));
        host(), put("->symbol("), host(), put("->self, "), expr(e.args[0]), put("))");
        return true;
    case IntrinsicId::MemcpyAsync:
        if (!is_host_intrinsic(e))
            return false;
        put("__builtin_memmove("), exprs(e.args), put(")");
        return true;
    case IntrinsicId::CpuAllocate:
        put(cat("static_cast<", type(e.type, e), ">("));
        host_call("aligned_memory"), put(", "), exprs(e.args), put("))");
        return true;
    case IntrinsicId::RequestWorkspace: {
        if (!is_host_intrinsic(e))
            return false;
        put(cat("static_cast<", type(e.type, e), ">("));
        host_call("workspace"), put(", "), expr(e.args[0]);
        put(e.args.size() > 1 && !is_constant(e.args[1], 0) ? ", 1))" : ", 0))");
        return true;
    }
    default: return false;
    }
}

// inside<2>(host, 7, slot, {i, j}, {m, n})
void CppEmitter::inside(const Intrinsic& e) {
    const std::size_t rank = (e.args.size() - 4) / 2;
    const auto list = [&](std::size_t first) {
        put("{");
        for (std::size_t i = 0; i < rank; ++i)
            put(i ? ", " : ""), expr(e.args[first + i]);
        put("}");
    };
    m_snippets.insert("inside");
    put(cat("inside<", *constant_int(e.args[3]), ">("));
    host();
    const std::string& tensor = std::get<std::string>(as<Constant>(e.args[1])->value);
    put(cat(", ", check_row(artifact::RuntimeCheck::Kind::Bounds, tensor, is_constant(e.args[2], 1)), ", "));
    expr(e.args[0]), put(", "), list(4), put(", "), list(4 + rank), put(")");
}

const char* checked(BinOp division) {
    switch (division) {
    case BinOp::Div: return "checked_div";
    case BinOp::Mod: return "checked_rem";
    case BinOp::FloorDiv: return "checked_floor_div";
    default: return "checked_floor_mod";
    }
}

void CppEmitter::checked_division(const Binary& e, Level place) {
    DType scalar = *scalar_of(e.type);
    DType wide = bytes_of(scalar) < 4 ? DType::I32 : scalar;
    narrowed(scalar, e, place, [&](Level) {
        host_call(checked(e.op));
        put(", "), convert(e.a, wide, Level::Any);
        put(", "), convert(e.b, wide, Level::Any);
        put(cat(", ", check_row(artifact::RuntimeCheck::Kind::Division), ")"));
    });
}

// ---- statements ---------------------------------------------------------------------------------------------------------

void CppEmitter::declare_array(const DeclareStmt& s, std::int64_t count) {
    if (s.scope == Scope::Shared || s.scope == Scope::Global)
        return unsupported(*s.var, cat("the tensor '", s.var->name, "' in ", scope_name(s.scope), " memory"));
    TypeRef element = element_of(s.var->type);
    std::string element_type = type(element, *s.var);
    count = std::max<std::int64_t>(count, 1);
    std::int64_t element_bytes = std::max<std::int64_t>(size_in_bytes(element), 1);
    std::string name = m_names.define(*s.var);
    m_out.begin_line();
    if (count > stack_bytes / element_bytes && !s.is_static) {
        m_snippets.insert("heap_array");
        std::string memory = m_names.add(name + "_memory");
        put(cat("const heap_array<", element_type, "> ", memory, "("));
        host(), put(cat(", ", count, ")"));
        end_statement();
        m_out.begin_line();
        put(cat(element_type, "* const ", name, " = ", memory, ".data"));
        m_on_heap.insert(s.var.get());
        return end_statement();
    }
    bool is_wide = count * element_bytes >= vector_bytes;
    put(cat(is_wide ? "alignas(64) " : "", s.is_static ? "static " : ""));
    put(cat(declarator(element, name, *s.var), "[", count, "]"));
    end_statement();
}

void CppEmitter::for_loop(const ForStmt& s) {
    if (s.attr.what != LoopAttr::What::Parallel || m_lambdas > 0)
        return serial_loop(s);
    ParallelBody body(s, *m_module);
    if (body.why_serial.empty())
        return parallel_loop(s, body);
    comment(cat("not run in parallel: ", body.why_serial));
    serial_loop(s);
}

void CppEmitter::serial_loop(const ForStmt& s) {
    auto extent = constant_int(s.extent);
    std::int64_t factor = s.attr.what != LoopAttr::What::Unroll ? 0 : s.attr.count ? s.attr.count : extent.value_or(0);
    if (factor > 0) {
        m_out.begin_line();
        m_out.token(cat("#pragma GCC unroll ", std::min<std::int64_t>(factor, 65534)));
        m_out.end_line();
    }
    ++m_loops;
    Emitter::for_loop(s);
    --m_loops;
}

// parallel_for(host, n, 0, [=](int i) { ... });
void CppEmitter::parallel_loop(const ForStmt& s, const ParallelBody& body) {
    std::size_t names = m_names.mark();
    m_out.begin_line();
    host_call("parallel_for");
    put(", "), convert(s.extent, scalar_of(s.var->type).value(), Level::Any);
    put(cat(", ", s.attr.count, ", [="));
    for (const Var* var : body.used) // arrays and what has an address are not copied
        if (std::none_of(m_module->globals.begin(), m_module->globals.end(),
                         [&](const VarRef& g) { return g.get() == var; }) &&
            !m_on_heap.contains(var) && (is_array(var->type) || (m_uses.of(*var).addressed && !is_pointer(var->type))))
            put(cat(", &", m_names.of(*var)));
    put("](");
    put(cat(type(s.var->type, *s.var), " ", m_names.define(*s.var), ")"));
    int outer = std::exchange(m_loops, 0);
    ++m_lambdas;
    block_without_end(s.body);
    --m_lambdas;
    m_loops = outer;
    put(")");
    end_statement();
    m_names.restore(names);
}

// ---- functions ----------------------------------------------------------------------------------------------------------

// Functions of other libraries, C's by their names, others by their namespaces.
void CppEmitter::declare_externs(const Selection& selection) {
    CallGraph graph = call_graph(*m_module);
    std::set<std::string> called;
    for (const FunctionRef& function : selection.functions)
        called.insert(graph[function->name].begin(), graph[function->name].end());
    for (const VarRef& var : m_module->externs) {
        const auto* function = as<FuncType>(var->type);
        if (!function || !called.contains(var->name))
            continue;
        Writer::At at(m_out, var->origin);
        std::string name = function_name(var->name);
        std::size_t space = name.rfind("::");
        put(space == std::string::npos ? "extern \"C\" " : cat("namespace ", name.substr(0, space), " { "));
        put(cat(type(function->ret, *var), " ", space == std::string::npos ? name : name.substr(space + 2), "("));
        for (std::size_t i = 0; i < function->params.size(); ++i)
            put(cat(i ? ", " : "", type(function->params[i], *var)));
        put(space == std::string::npos ? ");" : "); }");
        m_out.end_line();
        m_out.end_line();
    }
}

void CppEmitter::function_head(const Function& function) {
    const bool is_internal = function.func_kind == FuncKind::CpuInternal;
    const char* linkage = !is_internal                ? "static "
                          : keeps_registers(function) ? "[[gnu::noinline]] static "
                                                      : "static inline ";
    put(cat(linkage, type(function.ret, function), " "));
    put(function_name(function.name));
    bool has_host = m_needs_host.contains(function.name);
    if (has_host)
        m_snippets.insert("hidet_host");
    params(function, has_host ? cat("const hidet_host* ", m_host_name) : "");
}

// The body first: whether it needs the host is known after it.
void CppEmitter::write_function(const Function& function) {
    Writer::At at(m_out, function.origin);
    begin_function(function);
    m_uses_host = false;
    Writer head;
    std::swap(head, m_out);
    {
        Writer::At body_at(m_out, function.origin);
        block(function.body);
    }
    std::swap(head, m_out);
    if (m_uses_host)
        m_needs_host.insert(function.name);
    if (!function.label.empty())
        comment(function.label);
    function_head(function);
    m_out.append(head);
    m_out.end_line();
    end_function();
}

void CppEmitter::write_entry(const Function& function) {
    std::string symbol = cat("hidet_entry_", function_name(function.name));
    auto entry = entry_point(function, symbol);
    if (!entry && !m_sink.has_errors())
        unsupported(function, "a function that is called with, or returns, a value of such a type");
    if (!entry)
        return;
    m_entries.push_back(std::move(*entry));
    Writer::At at(m_out, function.origin);
    std::size_t scope = m_names.mark();
    std::string args = m_names.add("args"), result = m_names.add("result");
    bool has_host = m_needs_host.contains(function.name);
    m_snippets.insert("hidet_host");
    put(cat("extern \"C\" void ", symbol, "(const hidet_host* ", m_host_name, ", void* const* ", args, ", void* ",
            result, ") {"));
    m_out.end_line();
    m_out.indent();
    if (has_host) {
        m_snippets.insert("failure");
        line("try {");
        m_out.indent();
    }
    m_out.begin_line();
    bool returns = function.ret->kind != Kind::VoidType;
    if (returns)
        put(cat("*static_cast<", type(function.ret, function), "*>(", result, ") = "));
    put(cat(function_name(function.name), "("));
    put(has_host ? m_host_name : "");
    bool is_long = function.params.size() > 3; // one on a line
    m_out.indent();
    for (std::size_t i = 0; i < function.params.size(); ++i) {
        const Var& param = *function.params[i];
        put(i || has_host ? "," : "");
        if (is_long)
            m_out.end_line(), m_out.begin_line();
        else
            m_out.layout(i || has_host ? " " : "");
        put(cat("*static_cast<", type(value_type(param.type), param), "*>(", args, "[", i, "])"));
    }
    m_out.dedent();
    put(")");
    end_statement();
    if (has_host) {
        m_out.dedent();
        line("} catch (const failure&) {"); // the host knows
        line("}");
    }
    m_out.dedent();
    line("}");
    m_out.end_line();
    m_names.restore(scope);
}

} // namespace

} // namespace text

std::optional<artifact::Source> generate_cpp(const ir::ModuleRef& module, DiagnosticSink& sink) {
    int before = sink.error_count();
    artifact::Source source = text::CppEmitter(module, sink).generate();
    if (sink.error_count() > before)
        return std::nullopt;
    return source;
}

} // namespace hidet::compiler
