// SPDX-License-Identifier: Apache-2.0
// CUDA C++ as NVRTC compiles it: no includes, the snippets of the prelude that are used come first.
//
// Pointer parameters are not `__restrict__`: a caller may pass one tensor twice, and then the compiler would be told a lie.
// Those that are only read through are `const`, which tells the reader, not the optimiser. It costs little: loads and stores
// of different memory spaces are told apart anyway.
//
// Local arrays stay in registers only when every index is known at compile time, so short loops over their elements are
// unrolled, asked for or not.
#include <algorithm>

#include "compiler/analysis/calls.h"
#include "compiler/codegen/cuda/dialect.h"
#include "compiler/codegen/cuda/generate.h"
#include "compiler/codegen/text/emitter.h"
#include "compiler/codegen/text/functions.h"
#include "compiler/ir/assembly.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/text/print.h"
#include "lang/base/check.h"
#include "lang/base/ranges.h"

namespace hidet::compiler {

namespace text {

using namespace ir;

namespace {

constexpr const char* dynamic_shared = "dynamic_shared";
constexpr std::int64_t tile_bytes = 1024; // swizzled tiles of the copy unit and of warp groups begin at multiples of it

Names::Reserved reserved_for(const Dialect& dialect) {
    Names::Reserved names = dialect.reserved_names();
    names.insert({dynamic_shared, "printf"});
    return names;
}

bool takes_descriptor(IntrinsicId id) {
    return id == IntrinsicId::Wgmma || id == IntrinsicId::WgmmaRegisters || id == IntrinsicId::Tcgen05Mma ||
           id == IntrinsicId::Tcgen05MmaTmem || id == IntrinsicId::Tcgen05Copy;
}

// Whether shared memory is reached through the asynchronous proxy, which knows swizzled tiles.
bool has_tiles(const Module& module) {
    const auto is_of_tile = [](const IntrinsicParameter& parameter) {
        return parameter.proxy == Proxy::Async && parameter.space == MemorySpace::Shared;
    };
    return std::ranges::any_of(module.functions, [&](const FunctionRef& function) {
        return any_of_nodes(function->body, [&](const Intrinsic& e) {
            return takes_descriptor(e.id) || std::ranges::any_of(info(e.id).parameters, is_of_tile);
        });
    });
}

class CudaEmitter : public Emitter {
public:
    CudaEmitter(const ModuleRef& module, const artifact::TargetSpec& target, DiagnosticSink& sink)
        : Emitter(module, cuda_dialect(), reserved_for(cuda_dialect()), sink), m_arch(target.arch),
          m_bounds(launch_bounds(*module)), m_graph(call_graph(*module)) {}

    artifact::Source generate() {
        Selection selection = select_functions(*m_module, FuncKind::CudaKernel);
        for (const VarRef& global : selection.globals)
            declare_global(*global, "__device__ ", "__device__ __align__(16) ");
        for (const FunctionRef& function : selection.functions)
            if (std::count(selection.recursive.begin(), selection.recursive.end(), function->name))
                declare_function(*function);
        for (const FunctionRef& function : selection.functions)
            write_function(legal(function, &m_bounds[function->name]));
        return finished();
    }

private:
    // CUDA's printf() takes a width from an argument, and no precision.
    void print_call(Print print) {
        const auto is_precision = [](const Print::Item& item) { return item.conversion == '.'; };
        const Print precisions{{}, those_in(print.items, is_precision)};
        std::erase_if(print.items, is_precision);
        put("printf(");
        if (precisions.items.empty()) {
            m_out.token(c_string(print.format));
        } else {
            m_snippets.insert("with_precisions");
            put("with_precisions(");
            m_out.token(c_string(print.format));
            print_arguments(precisions);
            put(").text");
        }
        print_arguments(print);
        put(")");
    }

protected:
    const char* language() const override { return "CUDA C++"; }

    bool check_capability(const Capability& needs, const Node& place) override {
        if (m_arch.provides(needs.arch))
            return true;
        m_sink.report(DiagId::CodegenCapability, span_of(place), needs.instruction,
                      artifact::architecture_name(needs.arch), artifact::architecture_name(m_arch));
        return false;
    }

    bool intrinsic_special(const Intrinsic& e, Level) override {
        if (e.id == IntrinsicId::Printf) {
            print_call(print_of(e));
            return true;
        }
        if (e.id != IntrinsicId::DynamicSharedMemory)
            return false;
        m_uses_dynamic_shared = true;
        put(cat("reinterpret_cast<", type(e.type, e), ">(", dynamic_shared));
        if (!is_constant(e.args[0], 0)) {
            put(" + ");
            expr(e.args[0], Level::Product);
        }
        put(")");
        return true;
    }

    void function_head(const Function& function) override;

    // ---- statements ----

    bool is_special_declaration(const DeclareStmt& s) const override { return s.scope == Scope::Shared; }

    void declare_array(const DeclareStmt& s, std::int64_t count) override {
        bool is_shared = s.scope == Scope::Shared;
        if (s.scope == Scope::Global || s.scope == Scope::Host)
            return unsupported(*s.var, cat("the tensor '", s.var->name, "' in ", scope_name(s.scope), " memory here"));
        const bool holds_slots = is_array(s.var->type);
        TypeRef element = holds_slots ? element_of(s.var->type) : s.var->type;
        // Vectors and matrix instructions read 16 bytes at a time.
        bool is_wide = holds_slots && (is_shared || has_address(*s.var));
        m_out.begin_line();
        const std::int64_t all_bytes = std::max<std::int64_t>(size_in_bytes(element), 1) * count;
        const bool is_tile = is_shared && m_has_tiles && all_bytes >= tile_bytes;
        put(cat(is_shared     ? "__shared__ "
                : s.is_static ? "static "
                              : "",
                is_tile   ? cat("__align__(", tile_bytes, ") ")
                : is_wide ? "__align__(16) "
                          : ""));
        put(declarator(element, m_names.define(*s.var), *s.var));
        if (holds_slots)
            put(cat("[", std::max<std::int64_t>(count, 1), "]"));
        end_statement();
        if (is_shared) {
            std::int64_t bytes = std::max<std::int64_t>(size_in_bytes(element), 1) * std::max<std::int64_t>(count, 1);
            m_shared_bytes = (m_shared_bytes + 15) / 16 * 16 + bytes;
        }
    }

    void for_loop(const ForStmt& s) override {
        bool is_asked = s.attr.what == LoopAttr::What::Unroll;
        if (is_asked || wants_unrolling(s)) {
            m_out.begin_line();
            m_out.token(is_asked && s.attr.count > 0 ? cat("#pragma unroll ", s.attr.count) : "#pragma unroll");
            m_out.end_line();
        }
        Emitter::for_loop(s);
    }

    void assert_stmt(const AssertStmt& s) override {
        m_snippets.insert("check");
        m_out.begin_line();
        put("check("), expr(s.condition), put(", ");
        m_out.token(c_string(s.message.empty() ? "assertion failed" : s.message));
        put(", ");
        m_out.token(c_string(m_function->name));
        put(")");
        end_statement();
    }
    void asm_stmt(const AsmStmt& s) override;

private:
    void asm_operands(const std::vector<std::string>& labels, const ExprVec& operands,
                      const std::vector<std::string>& names);
    void write_function(const Function& function);
    void kernel_head(const Function& function);
    std::int64_t shared_bytes_below(const std::string& name) const;
    artifact::Source finished();

    const Architecture m_arch;
    std::map<std::string, LaunchBounds> m_bounds;
    const CallGraph m_graph;
    std::vector<artifact::EntryPoint> m_entries;
    std::int64_t m_shared_bytes = 0; // of this function
    std::map<std::string, std::int64_t> m_shared_of;
    bool m_uses_dynamic_shared = false;
    const bool m_has_tiles = has_tiles(*m_module);
};

// ---- inline assembly ----------------------------------------------------------------------------------------------------

// The register that stands for a value of a type that `asm` does not take, or null.
const char* register_type(DType dtype) {
    if (dtype == DType::F32 || dtype == DType::F64 || is_vector(dtype))
        return nullptr;
    if (dtype == DType::Bool || (is_integer(dtype) && bytes_of(dtype) == 1))
        return "unsigned short"; // converted
    if (is_float(dtype) && bytes_of(dtype) <= 2)
        return "unsigned short"; // its bits
    return dtype == DType::TF32 ? "unsigned" : nullptr;
}

void CudaEmitter::asm_operands(const std::vector<std::string>& labels, const ExprVec& operands,
                               const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        put(i ? ", " : "");
        m_out.token(c_string(labels[i]));
        put("(");
        if (names[i].empty())
            expr(operands[i]);
        else
            put(names[i]);
        put(")");
    }
}

// Values of narrow types go through registers of 16 bits: {const unsigned short r = ...; asm(...); x = ...;}
void CudaEmitter::asm_stmt(const AsmStmt& s) {
    const Assembly assembly = read_assembly(s);
    HIDET_CHECK(assembly.complaint.empty(), assembly.complaint);
    std::size_t scope = m_names.mark();
    std::vector<std::string> outputs(s.outputs.size()), inputs(s.inputs.size());
    bool has_registers = false;
    auto register_for = [&](const ExprRef& operand) -> const char* {
        auto scalar = scalar_of(operand->type);
        bool is_immediate = operand->kind == Kind::Constant && scalar && !is_float(*scalar);
        return scalar && !is_immediate ? register_type(*scalar) : nullptr;
    };
    for (const ExprVec* operands : {&s.outputs, &s.inputs})
        for (const ExprRef& operand : *operands)
            has_registers = has_registers || register_for(operand);
    if (has_registers) {
        line("{");
        m_out.indent();
    }
    auto bits_of = [&](const ExprRef& operand) {
        DType scalar = scalar_of(operand->type).value();
        if (is_integer(scalar))
            return expr(operand);
        DType bits = bytes_of(scalar) == 1 ? DType::U8 : bytes_of(scalar) == 2 ? DType::U16 : DType::U32;
        expr(keep(make_intrinsic(IntrinsicId::Bitcast, {operand}, data_type(bits))));
    };
    auto declare = [&](const ExprRef& operand, const std::string& label, bool is_output) {
        const char* type = register_for(operand);
        if (!type)
            return std::string();
        std::string name = m_names.add(is_output ? "out" : "in");
        m_out.begin_line();
        put(cat(type, " ", name));
        if (!is_output || label.starts_with('+'))
            put(" = "), bits_of(operand);
        end_statement();
        return name;
    };
    for (std::size_t i = 0; i < outputs.size(); ++i)
        outputs[i] = declare(s.outputs[i], s.output_labels[i], true);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        inputs[i] = declare(s.inputs[i], s.input_labels[i], false);
    m_out.begin_line();
    put(s.is_volatile ? "asm volatile(" : "asm(");
    m_out.token(c_string(assembly.text()));
    if (!s.outputs.empty() || !s.inputs.empty() || s.memory_fence)
        put(" : "), asm_operands(s.output_labels, s.outputs, outputs);
    if (!s.inputs.empty() || s.memory_fence)
        put(" : "), asm_operands(s.input_labels, s.inputs, inputs);
    put(s.memory_fence ? " : \"memory\")" : ")");
    end_statement();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].empty())
            continue;
        DType scalar = scalar_of(s.outputs[i]->type).value();
        m_out.begin_line();
        expr(s.outputs[i]);
        put(" = ");
        if (is_integer(scalar)) {
            put(outputs[i]);
        } else {
            DType bits = bytes_of(scalar) == 4 ? DType::U32 : bytes_of(scalar) == 2 ? DType::U16 : DType::U8;
            VarRef var = make_var(outputs[i], data_type(bits));
            m_names.alias(*var, outputs[i]);
            expr(keep(make_intrinsic(IntrinsicId::Bitcast, {var}, s.outputs[i]->type)));
        }
        end_statement();
    }
    if (has_registers) {
        m_out.dedent();
        line("}");
    }
    m_names.restore(scope);
}

// ---- functions ----------------------------------------------------------------------------------------------------------

void CudaEmitter::function_head(const Function& function) {
    if (function.func_kind == FuncKind::CudaKernel)
        return kernel_head(function);
    put(cat("static __device__ __forceinline__ ", type(function.ret, function), " "));
    put(function_name(function.name));
    params(function, "");
}

// Shared arrays of the function and of those that it calls.
std::int64_t CudaEmitter::shared_bytes_below(const std::string& name) const {
    std::int64_t bytes = 0;
    std::vector<std::string> pending = {name};
    std::set<std::string> seen = {name};
    while (!pending.empty()) {
        std::string next = std::move(pending.back());
        pending.pop_back();
        if (auto own = m_shared_of.find(next); own != m_shared_of.end())
            bytes = (bytes + 15) / 16 * 16 + own->second;
        if (auto callees = m_graph.find(next); callees != m_graph.end())
            for (const std::string& callee : callees->second)
                if (seen.insert(callee).second)
                    pending.push_back(callee);
    }
    return bytes;
}

// The dimensions in the words of the script, without those at the end that are 1.
std::string text_of(const ExprVec& dims) {
    std::size_t count = dims.size();
    while (count > 1 && is_constant(dims[count - 1], 1))
        --count;
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += (i ? ", " : "") + to_string(NodeRef(dims[i]));
    return text;
}

void CudaEmitter::kernel_head(const Function& function) {
    std::string shape = cat("grid [", text_of(function.grid_dim), "], block [", text_of(function.block_dim), "]");
    if (function.dynamic_smem_bytes && !is_constant(function.dynamic_smem_bytes, 0))
        shape += cat(", ", to_string(NodeRef(function.dynamic_smem_bytes)), " bytes of dynamic shared memory");
    std::string cluster = function.cluster_dim.empty() ? "1" : text_of(function.cluster_dim);
    comment(function.label.empty() ? shape : cat(function.label, ": ", shape));
    put("extern \"C\" __global__ void ");
    std::int64_t threads = 1;
    for (const ExprRef& dim : function.block_dim)
        threads *= constant_int(dim).value_or(0);
    if (threads > 0 && function.min_blocks > 0)
        put(cat("__launch_bounds__(", threads, ", ", function.min_blocks, ") "));
    else if (threads > 0)
        put(cat("__launch_bounds__(", threads, ") "));
    auto is_fixed = [](const ExprRef& dim) { return constant_int(dim).has_value(); };
    if (cluster != "1" && std::all_of(function.cluster_dim.begin(), function.cluster_dim.end(), is_fixed)) {
        check_capability({.arch = {90}, .instruction = "cluster launch"}, function);
        put("__cluster_dims__(");
        exprs(function.cluster_dim);
        put(") ");
    }
    put(function_name(function.name));
    params(function, "");
}

void CudaEmitter::write_function(const Function& function) {
    Writer::At at(m_out, function.origin);
    begin_function(function);
    m_shared_bytes = 0;
    function_head(function);
    block(function.body);
    m_out.end_line();
    m_shared_of[function.name] = m_shared_bytes;
    if (function.func_kind == FuncKind::CudaKernel) {
        auto entry = entry_point(function, function_name(function.name));
        if (entry) {
            entry->static_shared_bytes = shared_bytes_below(function.name);
            m_entries.push_back(std::move(*entry));
        } else if (!m_sink.has_errors()) {
            unsupported(function, "a kernel with a parameter of such a type");
        }
    }
    end_function();
}

artifact::Source CudaEmitter::finished() {
    std::string dynamic = cat("extern __shared__ __align__(", m_has_tiles ? tile_bytes : 128, ") unsigned char ",
                              dynamic_shared, "[];\n\n");
    return assembled(artifact::Language::CudaCxx, m_uses_dynamic_shared ? dynamic : "", std::move(m_entries));
}

} // namespace

} // namespace text

std::optional<artifact::Source> generate_cuda(const ir::ModuleRef& module, const artifact::TargetSpec& target,
                                              DiagnosticSink& sink) {
    int before = sink.error_count();
    artifact::Source source = text::CudaEmitter(module, target, sink).generate();
    if (sink.error_count() > before)
        return std::nullopt;
    return source;
}

} // namespace hidet::compiler
