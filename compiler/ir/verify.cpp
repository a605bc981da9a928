// SPDX-License-Identifier: Apache-2.0
// One walk over the module. It keeps the variables in scope as it goes; texts are only made for violations.
#include "compiler/ir/verify.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/assembly.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/names.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/text/print.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::ir {

namespace {

constexpr std::size_t max_violations = 50;

bool is_bool(const ExprRef& expr) {
    return expr && scalar_of(expr->type) == DType::Bool;
}

bool is_int(const ExprRef& expr) {
    auto dtype = expr ? scalar_of(expr->type) : std::nullopt;
    return dtype && is_integer(*dtype);
}

bool are_ints(const ExprVec& exprs) {
    return std::ranges::all_of(exprs, is_int);
}

const TypeRef& type_of(const ExprRef& value) {
    return value->type;
}

bool are_compatible(const ExprVec& args, const VarVec& params) {
    return std::ranges::equal(args, params, is_compatible, type_of, type_of);
}

bool is_fit(const IntrinsicParameter& parameter, const ExprRef& operand) {
    if (parameter.role == ParameterRole::Text) {
        const auto* constant = as<Constant>(operand);
        return constant && std::holds_alternative<std::string>(constant->value);
    }
    auto number = constant_int(operand);
    return parameter.role != ParameterRole::Constant || (number && parameter.allows(*number));
}

// Of an operand of assembly.
bool is_constraint(char letter) {
    return std::string_view("hrlfd").find(letter) != std::string_view::npos;
}

// What holds of each node by itself, and of where it runs.
class NodeVerifier : public Walker {
protected:
    explicit NodeVerifier(const Module& module) : m_module(module) {}

    // ---- reporting ----

    void violation(const Node& node, std::string_view what) {
        if (m_violations.size() == max_violations)
            return;
        std::string text = to_string(NodeRef(&node));
        text = text.substr(0, std::min(text.find('\n'), std::size_t(120)));
        std::string where = m_function ? cat("function '", m_function->name, "': ") : "module: ";
        m_violations.push_back({cat(where, what, ": ", text), place_of(node)});
    }
    // Types have no places of their own in a text; they are in that of the function.
    Span place_of(const Node& node) const {
        return node.origin.known() || !m_function ? node.origin.span : m_function->origin.span;
    }
    void require(bool condition, const Node& node, const char* what) {
        if (!condition)
            violation(node, what);
    }

    bool at_least(Level level) const { return m_module.level >= level; }

    // ---- types ----

    void visit(const TensorType& type) override {
        require(are_ints(type.shape), type, "the dims of a tensor are integers");
        if (type.layout)
            require(rank_of(type.layout) == type.shape.size(), type,
                    "a tensor and its layout have the same number of dims");
        walk_children(type);
    }

    void visit(const OpaqueType& type) override {
        require(is_opaque_name(type.name), type, "the name of an opaque type is an identifier");
        for (const std::string& modifier : type.modifiers)
            require(is_opaque_modifier(modifier), type, "a modifier of a type is a word of C++");
    }

    // ---- expressions ----

    void visit(const SymbolVar& e) override {
        require(!at_least(Level::Kernel), e, "symbols are parameters by this level");
    }
    void visit(const BuiltinVar& e) override {
        require(m_in_gpu_body, e, "threads and blocks have their indices only in what runs on the GPU");
    }
    void visit(const Constant& e) override {
        const auto* data = as<DataType>(e.type);
        if (std::holds_alternative<std::string>(e.value))
            return require(e.type->kind == Kind::StringType, e, "a text constant is a str");
        bool is_number = std::holds_alternative<double>(e.value);
        bool fits = !data || is_vector(data->dtype) || is_complex(data->dtype) || is_float(data->dtype) == is_number;
        require(fits && e.type->kind != Kind::StringType, e, "the value of a constant fits its type");
    }
    void visit(const Unary& e) override {
        auto dtype = scalar_of(e.a->type);
        switch (e.op) {
        case UnOp::Not: require(is_bool(e.a), e, "'not' is for bools"); break;
        case UnOp::BitNot: require(is_int(e.a), e, "'bitwise_not' is for integers"); break;
        case UnOp::Neg: require(dtype && !is_subbyte(*dtype), e, "'-' is for numbers"); break;
        }
        walk_children(e);
    }
    void visit(const Binary& e) override {
        walk_children(e);
        TypeRef a = value_type(e.a->type);
        TypeRef b = value_type(e.b->type);
        switch (e.op) {
        case BinOp::And:
        case BinOp::Or: return require(is_bool(e.a) && is_bool(e.b), e, "'and' and 'or' are for bools");
        case BinOp::Shl:
        case BinOp::Shr: return require(is_int(e.a) && is_int(e.b), e, "shifts are for integers");
        default: break;
        }
        if (is_pointer(a) || is_pointer(b))
            return check_pointer_operation(e);
        require(scalar_of(a).has_value() && same_type(a, b), e, "both operands have the same type");
    }
    void check_pointer_operation(const Binary& e) {
        bool both = is_pointer(e.a->type) && is_pointer(e.b->type);
        if (is_comparison(e.op) || (e.op == BinOp::Sub && both))
            return require(both && is_compatible(e.a->type, e.b->type), e,
                           "pointers to the same type are compared or subtracted");
        bool is_offset = is_pointer(e.a->type) ? is_int(e.b) : is_int(e.a) && e.op == BinOp::Add;
        require(is_offset && (e.op == BinOp::Add || e.op == BinOp::Sub), e, "an integer is added to a pointer");
    }

    void check_access(const Node& node, const ExprRef& base, const ExprVec& indices, bool is_protected) {
        require(are_ints(indices), node, "indices are integers");
        const TensorType* tensor = tensor_of(base->type);
        require(indices.size() == (tensor ? tensor->shape.size() : 1), node, "as many indices as the base has dims");
        require(element_of(base->type) != nullptr, node, "the base has elements");
        if (is_protected)
            require(!at_least(Level::Loop), node, "protected access is lowered by this level");
        if (at_least(Level::Flat))
            require(indices.size() == 1 && value_type(base->type)->kind != Kind::TensorPointerType, node,
                    "elements of this level have one index and a pointer or an array as base");
    }
    void visit(const TensorElement& e) override {
        check_access(e, e.base, e.indices, e.is_protected);
        walk_children(e);
    }
    void visit(const TensorSlice& e) override {
        const TensorType* tensor = tensor_of(e.base->type);
        bool is_right = e.indices.size() == e.starts.size() && e.indices.size() == e.stops.size();
        require(is_right && e.indices.size() == (tensor ? tensor->shape.size() : 1), e,
                "a slice has one item for each dim");
        require(!at_least(Level::Loop), e, "slices are lowered by this level");
        walk_children(e);
    }
    void visit(const Call& e) override {
        walk_children(e);
        if (const Function* callee = find_function(m_module, e.callee)) {
            require(callee->func_kind != FuncKind::CudaKernel, e, "a kernel is launched, not called");
            require(runs_on_gpu(callee->func_kind) == m_in_gpu_body, e, "functions call functions on their own side");
            require(same_type(callee->ret, e.type), e, "a call has the type that the function returns");
            require(are_compatible(e.args, callee->params), e, "arguments have the types of the parameters");
            return;
        }
        for (const VarRef& var : m_module.externs)
            if (const auto* type = as<FuncType>(var->type); type && var->name == e.callee) {
                require(same_type(type->ret, e.type), e, "a call has the type that the function returns");
                return require(std::ranges::equal(e.args, type->params, is_compatible, type_of), e,
                               "arguments have the types of the parameters");
            }
        violation(e, "no such function");
    }
    void visit(const Intrinsic& e) override {
        const IntrinsicInfo& row = info(e.id);
        auto count = static_cast<int>(e.args.size());
        bool fits = count >= row.min_args && (row.max_args < 0 || count <= row.max_args);
        require(fits, e, "the number of arguments");
        require(e.attr.id == e.id && parse_attr(e.id, to_text(e.attr)) == e.attr, e, "attributes are those of the row");
        for (std::size_t i = 0; fits && i < e.args.size(); ++i)
            require(is_fit(parameter_of(row, i, e.args.size()), e.args[i]), e,
                    "a constant operand is one of its range");
        walk_children(e);
    }
    void visit(const Select& e) override {
        require(is_bool(e.condition), e, "a condition is a bool");
        require(is_compatible(e.a->type, e.b->type), e, "both values have the same type");
        walk_children(e);
    }

    // ---- statements ----

    void visit(const StoreStmt& s) override {
        check_access(s, s.base, s.indices, s.is_protected);
        TypeRef element = element_of(s.base->type);
        require(element && is_compatible(s.value->type, element), s, "a value has the type of the element");
        walk_children(s);
    }
    void visit(const ReturnStmt& s) override {
        bool is_void = m_function->ret->kind == Kind::VoidType;
        require(is_void == !s.value, s, "a function returns a value unless it is void");
        if (s.value && !is_void)
            require(is_compatible(s.value->type, m_function->ret), s, "a value has the type that the function returns");
        walk_children(s);
    }
    void visit(const AssertStmt& s) override {
        require(is_bool(s.condition), s, "a condition is a bool");
        walk_children(s);
    }
    void visit(const SeqStmt& s) override {
        require(s.stmts.size() != 1, s, "a Seq of one statement is that statement");
        for (const StmtRef& stmt : s.stmts) {
            if (!stmt) {
                violation(s, "a Seq holds no nulls");
                continue;
            }
            require(stmt->kind != Kind::SeqStmt, s, "a Seq holds no Seq");
            walk(*stmt);
        }
    }
    void visit(const LaunchStmt& s) override {
        walk_children(s);
        require(!m_in_gpu_body, s, "kernels are launched from the host");
        bool has_dims = s.grid.size() == 3 && s.block.size() == 3 && (s.cluster.empty() || s.cluster.size() == 3);
        require(has_dims && are_ints(s.grid) && are_ints(s.block) && are_ints(s.cluster), s,
                "a launch has three dims of each kind");
        require(!s.dynamic_smem_bytes || is_int(s.dynamic_smem_bytes), s, "a number of bytes is an integer");
        const Function* kernel = find_function(m_module, s.kernel);
        if (!kernel || kernel->func_kind != FuncKind::CudaKernel)
            return violation(s, "no such kernel");
        require(are_compatible(s.args, kernel->params), s, "arguments have the types of the parameters");
    }

    const Module& m_module;
    const Function* m_function = nullptr;
    bool m_in_gpu_body = false;
    std::vector<Violation> m_violations;
};

// Names, and which variables and loops are around a node.
class Verifier final : public NodeVerifier {
public:
    explicit Verifier(const Module& module) : NodeVerifier(module) {}

    std::vector<Violation> run() {
        for (const VarVec* vars : {&m_module.globals, &m_module.externs})
            for (const VarRef& var : *vars)
                introduce(*var);
        for (const VarRef& var : m_module.externs) {
            claim_name(var->name, *var);
            if (!is_extern_function(var->name))
                m_violations.push_back(
                    {cat("module: ", quote(var->name), " is none of the functions of extern_functions.def"),
                     var->origin.span});
        }
        for (const FunctionRef& function : m_module.functions)
            claim_name(function->name, *function);
        for (const FunctionRef& function : m_module.functions)
            check_function(*function);
        return std::move(m_violations);
    }

private:
    enum class VarState : std::uint8_t { InScope, Left };

    void claim_name(const std::string& name, const Node& owner) {
        if (name.empty() || !m_names.insert(name).second)
            m_violations.push_back({cat("module: the name '", name, "' is empty or taken"), owner.origin.span});
    }

    // ---- variables ----

    void introduce(const Var& var) {
        open(var);
        require(var.type->kind != Kind::VoidType, var, "a variable of type void");
        check_type(var);
    }
    void open(const Var& var) {
        if (!m_vars.emplace(&var, VarState::InScope).second)
            violation(var, "this variable is defined twice");
        m_open.push_back(&var);
    }
    void define(const Var& var) override { introduce(var); }
    void introduce_constant(const Var& var) {
        introduce(var);
        m_constant.insert(&var);
    }
    void check_type(const Var& var) {
        const auto* tensor = as<TensorType>(var.type);
        bool is_flat =
            var.type->kind != Kind::TensorPointerType && (!tensor || (tensor->shape.size() == 1 && !tensor->layout));
        require(is_flat || !at_least(Level::Flat), var, "a tensor of this level has one dim and no layout");
        walk(*var.type);
    }
    void leave(std::size_t around) {
        for (std::size_t i = around; i < m_open.size(); ++i)
            m_vars[m_open[i]] = VarState::Left;
        m_open.resize(around);
    }

    void visit(const Var& var) override {
        auto found = m_vars.find(&var);
        if (found == m_vars.end())
            violation(var, "this variable is defined nowhere before its use");
        else if (found->second == VarState::Left)
            violation(var, "this variable is used outside of its scope");
    }

    void visit(const Let& e) override {
        walk(*e.value);
        std::size_t around = m_open.size();
        introduce_constant(*e.var);
        require(is_compatible(e.value->type, e.var->type), e, "a value has the type of its variable");
        walk(*e.body);
        leave(around);
    }
    void visit(const Address& e) override {
        Kind kind = e.place->kind;
        require(kind == Kind::Var || kind == Kind::TensorElement || kind == Kind::Deref, e,
                "only places have addresses");
        if (const auto* var = as<Var>(e.place))
            require(!m_constant.contains(var), e, "lets and loop variables have no address");
        walk_children(e);
    }

    // ---- statements ----

    void visit(const DeclareStmt& s) override {
        if (s.init) {
            walk(*s.init);
            require(is_compatible(s.init->type, s.var->type), s, "a value has the type of its variable");
        }
        require(!s.is_let || s.init, s, "a let has a value");
        introduce(*s.var);
        if (s.is_let)
            m_constant.insert(s.var.get());
    }
    void visit(const AssignStmt& s) override {
        require(is_compatible(s.value->type, s.var->type), s, "a value has the type of its variable");
        require(!m_constant.contains(s.var.get()), s, "lets and loop variables are not assigned");
        require(s.var->type->kind != Kind::TensorType, s, "a tensor is not assigned as a whole");
        walk_children(s);
    }
    void visit(const ForStmt& s) override {
        walk(*s.extent);
        require(is_int(s.var) && same_type(s.var->type, value_type(s.extent->type)), s,
                "loop variable and extent are the same kind of integer");
        if (s.attr.what == LoopAttr::What::UnrollExplicit)
            require(!at_least(Level::Kernel), s, "loops are unrolled by this level");
        std::size_t around = m_open.size();
        introduce_constant(*s.var);
        loop_body(s.body);
        leave(around);
    }
    void visit(const ForMappingStmt& s) override {
        require(!at_least(Level::Loop), s, "task mappings are lowered by this level");
        walk(*s.mapping);
        walk(*s.worker);
        require(is_int(s.worker), s, "a worker is an integer");
        require(s.vars.size() == rank_of(s.mapping), s, "one loop variable for each dim");
        std::size_t around = m_open.size();
        for (const VarRef& var : s.vars) {
            require(is_int(var), s, "loop variables are integers");
            introduce_constant(*var);
        }
        loop_body(s.body);
        leave(around);
    }
    void visit(const WhileStmt& s) override {
        require(is_bool(s.condition), s, "a condition is a bool");
        walk(*s.condition);
        loop_body(s.body);
    }
    void loop_body(const StmtRef& body) {
        ++m_loops;
        block(body);
        --m_loops;
    }
    void visit(const BreakStmt& s) override { require(m_loops > 0, s, "only loops are left"); }
    void visit(const ContinueStmt& s) override { require(m_loops > 0, s, "only loops are continued"); }
    void visit(const IfStmt& s) override {
        require(is_bool(s.condition), s, "a condition is a bool");
        walk(*s.condition);
        block(s.then_body);
        if (s.else_body)
            block(s.else_body);
    }
    void visit(const AsmStmt& s) override {
        bool is_right = s.output_labels.size() == s.outputs.size() && s.input_labels.size() == s.inputs.size();
        require(is_right, s, "one label for each operand");
        if (const std::string complaint = read_assembly(s).complaint; !complaint.empty())
            violation(s, complaint);
        for (const std::string& label : s.output_labels)
            require(label.size() == 2 && (label[0] == '=' || label[0] == '+') && is_constraint(label[1]), s,
                    "the label of an output is '=' or '+' and a letter");
        for (const std::string& label : s.input_labels)
            require(label.size() == 1 && (is_constraint(label[0]) || label[0] == 'n'), s,
                    "the label of an input is a letter");
        for (const ExprRef& output : s.outputs) {
            Kind kind = output->kind;
            require(kind == Kind::Var || kind == Kind::TensorElement || kind == Kind::Deref, s, "an output is a place");
            if (const auto* var = as<Var>(output))
                require(!m_constant.contains(var), s, "lets and loop variables are not assigned");
        }
        walk_children(s);
    }
    void block(const StmtRef& body) {
        std::size_t around = m_open.size();
        walk(body);
        leave(around);
    }

    // ---- functions ----

    void check_function(const Function& f) {
        m_function = &f;
        std::size_t around = m_open.size();
        for (const VarRef& param : f.params) // types may mention parameters that come later
            open(*param);
        for (const VarRef& param : f.params) {
            bool is_value = param->type->kind != Kind::VoidType && param->type->kind != Kind::TensorType;
            require(is_value, *param, "a parameter is no tensor by value and not void");
            check_type(*param);
        }
        check_attributes(f);
        m_in_gpu_body = runs_on_gpu(f.func_kind);
        if (f.body)
            block(f.body);
        else
            violation(*f.ret, "a function has a body");
        m_in_gpu_body = false;
        leave(around);
        m_function = nullptr;
    }
    void check_attributes(const Function& f) {
        walk(*f.ret);
        for (const ExprVec* dims : {&f.grid_dim, &f.cluster_dim, &f.block_dim}) {
            bool has_three =
                dims->size() == 3 || (dims->empty() && (dims == &f.cluster_dim || f.func_kind != FuncKind::CudaKernel));
            bool is_kernel = f.func_kind == FuncKind::CudaKernel || dims->empty();
            if (!has_three || !is_kernel || !are_ints(*dims))
                violation(*f.ret, "a kernel, and nothing else, has three grid and three block dims");
            for (const ExprRef& dim : *dims)
                walk(dim);
        }
        if (f.func_kind == FuncKind::CudaKernel)
            require(f.ret->kind == Kind::VoidType, *f.ret, "a kernel returns nothing");
        walk(f.dynamic_smem_bytes);
    }

    int m_loops = 0;
    std::unordered_map<const Var*, VarState> m_vars;
    std::vector<const Var*> m_open; // in the order of their definitions
    std::unordered_set<const Var*> m_constant;
    std::unordered_set<std::string> m_names;
};

} // namespace

std::vector<Violation> violations_of(const Module& module) {
    return Verifier(module).run();
}

std::vector<std::string> verify(const Module& module) {
    return transformed(violations_of(module), &Violation::what);
}

bool is_well_formed(const Module& module, DiagnosticSink& sink) {
    const std::vector<Violation> violations = violations_of(module);
    for (const Violation& violation : violations)
        sink.report(DiagId::IrInvalid, violation.span, violation.what);
    return violations.empty();
}

} // namespace hidet::ir
