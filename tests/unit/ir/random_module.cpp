// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ir/random_module.h"

#include <bit>
#include <unordered_set>

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"

namespace hidet::test {

using namespace ir;

namespace {

class Generator {
public:
    Generator(std::uint64_t seed, const RandomModuleOptions& options) : m_state(seed * 2 + 1), m_options(options) {}

    ModuleRef module() {
        Module node;
        node.name = pick<std::string>({"gemm", "", "it's", "a \"b\" \\ c\n"});
        node.level = m_options.level;
        for (int i = below(3); i > 0; --i)
            node.globals.push_back(make_var(hint(), variable_type()));
        if (chance(50))
            node.externs.push_back(
                make_var("labs", func_type({data_type(DType::I32), pointer_type(void_type())}, random_data())));
        m_globals = node.globals;
        m_externs = node.externs;
        for (int i = 1 + below(3); i > 0; --i)
            node.functions.push_back(function(static_cast<int>(node.functions.size())));
        m_functions = node.functions;
        return make<Module>(std::move(node));
    }

private:
    // ---- chance ----
    std::uint64_t next() { // splitmix64
        std::uint64_t z = m_state += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    int below(int limit) { return static_cast<int>(next() % static_cast<std::uint64_t>(limit)); }
    bool chance(int percent) { return below(100) < percent; }
    template <class T>
    T pick(std::initializer_list<T> items) {
        return *(items.begin() + below(static_cast<int>(items.size())));
    }
    std::string hint() {
        return pick<std::string>(
            {"i", "i", "x", "x_1", "acc", "for", "f32", "threadIdx", "a b", "", "9", "gr\xc3\xbc\xc3\x9f"});
    }

    // ---- types ----
    DType random_dtype() {
        return all_dtypes()[static_cast<std::size_t>(below(static_cast<int>(all_dtypes().size())))].dtype;
    }
    TypeRef random_data() { return data_type(random_dtype()); }
    bool at(Level level) const { return m_options.level == level; }
    bool is_flat() const { return m_options.level >= Level::Flat; }

    ExprVec constant_shape(int rank) {
        ExprVec shape;
        for (int d = 0; d < rank; ++d)
            shape.push_back(int_constant(pick({1, 2, 4, 8, 16})));
        return shape;
    }
    LayoutRef layout(int rank, int depth) {
        switch (depth > 0 ? below(7) : below(3)) {
        case 0: return row_major(constant_shape(rank));
        case 1: return column_major(constant_shape(rank));
        case 2: return local_layout(constant_shape(rank));
        case 3: return compose(layout(rank, depth - 1), layout(rank, depth - 1));
        case 4: {
            if (rank < 2)
                return strides_layout(constant_shape(rank), constant_shape(rank));
            LayoutRef base = row_major(constant_shape(rank));
            return swizzle(base, 0, 1, below(3));
        }
        case 5: {
            std::vector<std::int64_t> perm;
            for (int d = 0; d < rank; ++d)
                perm.push_back((d + 1) % rank);
            return permute(layout(rank, depth - 1), perm);
        }
        default: {
            if (rank < 2)
                return reshape(row_major({int_constant(8), int_constant(2)}), {int_constant(16)});
            LayoutRef first = layout(1, 0);
            return concat(first, layout(rank - 1, depth - 1));
        }
        }
    }
    Ref<const TensorType> random_tensor() {
        int rank = is_flat() ? 1 : 1 + below(3);
        TypeRef element = chance(15) ? pointer_type(random_data()) : random_data();
        if (!is_flat() && chance(40)) {
            LayoutRef tensor_layout = layout(rank, 2);
            ExprVec shape = shape_of(tensor_layout);
            return tensor_type(element, shape, tensor_layout);
        }
        ExprVec shape = constant_shape(rank);
        if (!is_flat() && chance(20))
            shape[0] = symbol();
        return tensor_type(element, shape);
    }
    TypeRef variable_type() {
        switch (below(9)) {
        case 0: return random_tensor();
        case 1: return pointer_type(random_data());
        case 2: return is_flat() ? pointer_type(random_data()) : tensor_pointer_type(random_tensor());
        case 3: return array_type(pointer_type(void_type()), 1 + below(9));
        case 4: return pointer_type(pointer_type(random_data()));
        case 5: return opaque_type("CUtensorMap", {"const", "__grid_constant__"});
        default: return random_data();
        }
    }
    TypeRef parameter_type() {
        if (chance(5))
            return reference_type(random_data());
        TypeRef type = variable_type();
        return type->kind == Kind::TensorType ? pointer_type(element_of(type)) : type;
    }

    // ---- expressions ----
    ExprRef symbol() {
        if (m_options.level == Level::Kernel)
            return int_constant(7);
        return chance(80) ? make_symbol(pick<std::string>({"m", "n"}), data_type(DType::I32))
                          : make_symbol("big dim", data_type(DType::I64));
    }
    ExprRef constant(DType dtype) {
        if (is_integer(dtype) || is_subbyte(dtype)) {
            if (chance(70))
                return int_constant(below(9) - 4, dtype);
            return int_constant(static_cast<std::int64_t>(next()), dtype);
        }
        if (!is_float(dtype))
            return make_constant(static_cast<double>(below(100)) / 8, data_type(dtype));
        if (chance(30))
            return float_constant(std::bit_cast<double>(next()), dtype);
        if (chance(30))
            return float_constant(std::bit_cast<float>(static_cast<std::uint32_t>(next())), dtype);
        return float_constant(static_cast<double>(below(2000) - 1000) / 64, dtype);
    }
    VarRef variable_of(const TypeRef& type) {
        for (int attempt = 0; attempt < 4 && !m_scope.empty(); ++attempt) {
            VarRef var = m_scope[static_cast<std::size_t>(below(static_cast<int>(m_scope.size())))];
            if (same_type(value_type(var->type), type))
                return var;
        }
        return nullptr;
    }
    VarRef tensor_variable() {
        for (int attempt = 0; attempt < 4 && !m_scope.empty(); ++attempt) {
            VarRef var = m_scope[static_cast<std::size_t>(below(static_cast<int>(m_scope.size())))];
            TypeRef element = element_of(var->type);
            if (element && element->kind == Kind::DataType)
                return var;
        }
        return nullptr;
    }
    ExprVec indices_for(const TypeRef& type, int depth) {
        const TensorType* tensor = tensor_of(type);
        ExprVec indices;
        for (std::size_t d = tensor ? tensor->shape.size() : 1; d > 0; --d)
            indices.push_back(scalar(DType::I32, depth));
        return indices;
    }
    ExprRef condition(int depth) { return scalar(DType::Bool, depth); }

    ExprRef scalar(DType dtype, int depth) {
        TypeRef type = data_type(dtype);
        if (depth <= 0 || chance(15)) {
            if (dtype == DType::I32 && chance(20))
                return chance(50) && !m_on_host ? make_builtin(static_cast<Builtin>(below(16))) : i32_symbol();
            VarRef var = chance(60) ? variable_of(type) : nullptr;
            return var ? ExprRef(var) : constant(dtype);
        }
        --depth;
        switch (below(10)) {
        case 0: return make_cast(scalar(any_plain(), depth), type);
        case 1: return make_select(condition(depth), scalar(dtype, depth), scalar(dtype, depth));
        case 2: {
            VarRef var = make_var(hint(), random_data());
            ExprRef value = scalar(*scalar_of(var->type), depth);
            m_scope.push_back(var);
            m_fixed.insert(var.get());
            ExprRef body = scalar(dtype, depth);
            m_scope.pop_back();
            return make_let(var, value, body);
        }
        case 3: return make_deref(pointer(type, depth));
        case 4: return make_element(pointer(type, depth), {scalar(DType::I32, depth)});
        case 5: {
            VarRef tensor = tensor_variable();
            if (!tensor)
                return constant(dtype);
            bool is_protected = at(Level::Script) && chance(20);
            return convert_to(make_element(tensor, indices_for(tensor->type, depth), is_protected), dtype);
        }
        case 6: return call_or_intrinsic(dtype, depth);
        default: return operation(dtype, depth);
        }
    }
    ExprRef i32_symbol() {
        return m_options.level == Level::Kernel ? int_constant(3) : make_symbol("k", data_type(DType::I32));
    }
    ExprRef convert_to(const ExprRef& value, DType dtype) {
        return scalar_of(value->type) == dtype ? value : make_cast(value, data_type(dtype));
    }
    DType any_plain() {
        return pick({DType::I32, DType::F32, DType::U8, DType::I64, DType::F16, DType::Bool, DType::U64, DType::I4,
                     DType::F8E4M3});
    }
    ExprRef operation(DType dtype, int depth) {
        if (dtype == DType::Bool) {
            DType operands = pick({DType::I32, DType::F32, DType::U64, DType::BF16});
            switch (below(4)) {
            case 0: return make_unary(UnOp::Not, condition(depth));
            case 1: return make_binary(pick({BinOp::And, BinOp::Or}), condition(depth), condition(depth));
            default:
                return make_binary(pick({BinOp::Lt, BinOp::Le, BinOp::Eq, BinOp::Ne}), scalar(operands, depth),
                                   scalar(operands, depth));
            }
        }
        if (is_integer(dtype)) {
            if (chance(15))
                return make_unary(pick({UnOp::Neg, UnOp::BitNot}), scalar(dtype, depth));
            if (chance(15))
                return make_binary(pick({BinOp::Shl, BinOp::Shr}), scalar(dtype, depth), scalar(DType::I32, depth));
            return make_binary(pick({BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Mod, BinOp::FloorDiv,
                                     BinOp::FloorMod, BinOp::BitAnd, BinOp::BitOr, BinOp::BitXor}),
                               scalar(dtype, depth), scalar(dtype, depth));
        }
        if (is_float(dtype)) {
            if (chance(15))
                return make_unary(UnOp::Neg, scalar(dtype, depth));
            return make_binary(
                pick({BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Mod, BinOp::FloorDiv, BinOp::FloorMod}),
                scalar(dtype, depth), scalar(dtype, depth));
        }
        return constant(dtype);
    }
    ExprRef call_or_intrinsic(DType dtype, int depth) {
        const DTypeInfo& row = info(dtype);
        if (is_vector(dtype)) {
            ExprVec lanes;
            for (int i = 0; i < row.lanes; ++i)
                lanes.push_back(constant(row.lane));
            return make_intrinsic(IntrinsicId::MakeVector, lanes, data_type(dtype));
        }
        if (is_float(dtype) && chance(50))
            return make_intrinsic(pick({IntrinsicId::Exp, IntrinsicId::Sqrt, IntrinsicId::Abs}), {scalar(dtype, depth)},
                                  nullptr);
        if (dtype == DType::F32 || dtype == DType::I32) {
            if (chance(30))
                return make_intrinsic(IntrinsicId::Bitcast,
                                      {scalar(dtype == DType::F32 ? DType::I32 : DType::F32, depth)}, data_type(dtype));
            if (chance(30))
                return make_intrinsic(
                    IntrinsicId::ShflXorSync,
                    {int_constant(-1, DType::U32), scalar(dtype, depth), int_constant(1), int_constant(32)}, nullptr);
        }
        if (is_integer(dtype) || is_float(dtype))
            if (chance(40))
                return make_intrinsic(pick({IntrinsicId::Min, IntrinsicId::Max}),
                                      {scalar(dtype, depth), scalar(dtype, depth)}, nullptr);
        for (const FunctionRef& callee : m_functions)
            if (callee->func_kind != FuncKind::CudaKernel && scalar_of(callee->ret) == dtype &&
                runs_on_gpu(callee->func_kind) != m_on_host)
                return make_call(callee->name, arguments_of(*callee, depth), callee->ret);
        if (!m_externs.empty())
            if (const auto* type = as<FuncType>(m_externs[0]->type); scalar_of(type->ret) == dtype)
                return make_call("labs", {scalar(DType::I32, depth), pointer(void_type(), depth)}, type->ret);
        return constant(dtype);
    }
    ExprVec arguments_of(const Function& callee, int depth) {
        ExprVec args;
        for (const VarRef& param : callee.params)
            args.push_back(value_of(value_type(param->type), depth));
        return args;
    }
    ExprRef pointer(const TypeRef& base, int depth) {
        TypeRef type = pointer_type(base);
        VarRef var = variable_of(type);
        if (var && chance(60))
            return depth > 0 && chance(30) && base->kind != Kind::VoidType
                       ? make_binary(BinOp::Add, var, scalar(DType::I64, depth - 1))
                       : ExprRef(var);
        if (VarRef place = variable_of(base); place && !m_fixed.contains(place.get()) && chance(50))
            return make_address(place);
        if (depth > 0 && chance(20))
            return make_intrinsic(IntrinsicId::DynamicSharedMemory, {scalar(DType::I32, depth - 1)}, type);
        if (!is_flat() && at(Level::Script) && chance(20))
            if (VarRef tensor = tensor_variable(); tensor && tensor_of(tensor->type))
                return make_cast(slice_of(tensor, depth - 1), type);
        return make_constant(std::int64_t{0}, type);
    }
    ExprRef slice_of(const VarRef& tensor, int depth) {
        ExprVec indices, starts, stops;
        for (std::size_t d = tensor_of(tensor->type)->shape.size(); d > 0; --d) {
            bool is_range = chance(60);
            indices.push_back(is_range ? nullptr : scalar(DType::I32, depth));
            starts.push_back(is_range && chance(50) ? scalar(DType::I32, depth) : nullptr);
            stops.push_back(is_range && chance(50) ? scalar(DType::I32, depth) : nullptr);
        }
        return make_slice(tensor, indices, starts, stops);
    }
    ExprRef value_of(const TypeRef& type, int depth) {
        if (auto dtype = scalar_of(type))
            return scalar(*dtype, depth);
        if (is_pointer(type))
            return pointer(element_of(type), depth);
        return make_constant(std::int64_t{0}, type);
    }

    // ---- statements ----
    StmtRef block(int depth) {
        std::size_t outer = m_scope.size();
        StmtVec stmts;
        for (int i = 1 + below(4); i > 0; --i)
            stmts.push_back(statement(depth));
        m_scope.resize(outer);
        return make_seq(std::move(stmts));
    }
    StmtRef declaration(int depth) {
        TypeRef type = variable_type();
        VarRef var = make_var(hint(), type);
        bool has_init = type->kind == Kind::DataType || type->kind == Kind::PointerType;
        ExprRef init = has_init && chance(80) ? value_of(type, depth) : nullptr;
        m_scope.push_back(var);
        if (init && chance(30)) {
            m_fixed.insert(var.get());
            return make_let_stmt(var, init);
        }
        Scope scope =
            type->kind == Kind::TensorType ? pick({Scope::Default, Scope::Shared, Scope::Register}) : Scope::Default;
        return make_declare(var, init, scope, chance(5));
    }
    StmtRef loop(int depth) {
        std::size_t outer = m_scope.size();
        VarRef var = make_var(hint(), data_type(chance(80) ? DType::I32 : DType::I64));
        LoopAttr attr = pick({LoopAttr{}, LoopAttr{LoopAttr::What::Unroll, 0}, LoopAttr{LoopAttr::What::Unroll, 4},
                              LoopAttr{LoopAttr::What::Parallel, 8}});
        if (m_options.level != Level::Kernel && chance(20))
            attr = {LoopAttr::What::UnrollExplicit, 0};
        ExprRef extent = attr.what == LoopAttr::What::UnrollExplicit ? int_constant(3, *scalar_of(var->type))
                                                                     : scalar(*scalar_of(var->type), 2);
        m_scope.push_back(var);
        m_fixed.insert(var.get());
        StmtRef body = loop_body(depth);
        m_scope.resize(outer);
        return make_for(var, extent, attr, body);
    }
    StmtRef loop_body(int depth) {
        ++m_loops;
        StmtRef body = chance(5) ? make_seq({}) : block(depth - 1);
        --m_loops;
        return body;
    }
    MappingRef mapping(int rank, int depth) {
        std::vector<std::int64_t> ranks =
            chance(30) ? column_ranks(static_cast<std::size_t>(rank)) : std::vector<std::int64_t>{};
        switch (depth > 0 ? below(5) : below(2)) {
        case 0: return spatial(constant_shape(rank), ranks);
        case 1: {
            std::vector<LoopAttr> attrs(chance(30) ? static_cast<std::size_t>(rank) : 0,
                                        LoopAttr{LoopAttr::What::Unroll, 2});
            return repeat(constant_shape(rank), ranks, attrs);
        }
        case 2: return project(mapping(rank, depth - 1), {below(rank)});
        default: return compose(mapping(rank, depth - 1), mapping(rank, depth - 1));
        }
    }
    StmtRef mapping_loop(int depth) {
        std::size_t outer = m_scope.size();
        int rank = 1 + below(3);
        VarVec vars;
        for (int d = 0; d < rank; ++d)
            m_fixed.insert(vars.emplace_back(make_var(hint(), data_type(DType::I32))).get());
        MappingRef tasks = mapping(rank, 2);
        ExprRef worker = scalar(DType::I32, 2);
        m_scope.insert(m_scope.end(), vars.begin(), vars.end());
        StmtRef body = loop_body(depth);
        m_scope.resize(outer);
        return make_for_mapping(vars, tasks, worker, body);
    }
    StmtRef store(int depth) {
        VarRef tensor = tensor_variable();
        if (!tensor)
            return make_store(pointer(data_type(DType::F32), depth), {scalar(DType::I32, depth)},
                              scalar(DType::F32, depth));
        ExprVec indices = indices_for(tensor->type, depth);
        ExprRef value = scalar(*scalar_of(element_of(tensor->type)), depth);
        return make_store(tensor, std::move(indices), value, at(Level::Script) && chance(20));
    }
    StmtRef assembly() {
        AsmStmt node;
        node.text = "nanosleep.u32 %0;";
        if (VarRef out = variable_of(data_type(DType::U32)); out && !m_fixed.contains(out.get())) {
            node.text = "mov.u32 %0, %1;";
            node.output_labels = {"=r"};
            node.outputs = {out};
        }
        node.input_labels = {"r", "l"};
        node.inputs = {scalar(DType::U32, 1), scalar(DType::I64, 1)};
        node.is_volatile = chance(50);
        node.memory_fence = chance(50);
        return make<AsmStmt>(std::move(node));
    }
    StmtRef assign(int depth) {
        VarVec visible = m_scope;
        for (const VarRef& var : visible)
            if (chance(30) && scalar_of(var->type) && !m_fixed.contains(var.get()))
                return make_assign(var, scalar(*scalar_of(var->type), depth));
        return make_comment(pick<std::string>({"plain", " padded ", "two\nlines", "#'\"", ""}));
    }
    StmtRef launch(int depth) {
        for (const FunctionRef& callee : m_functions)
            if (callee->func_kind == FuncKind::CudaKernel) {
                LaunchStmt node;
                node.kernel = callee->name;
                node.args = arguments_of(*callee, depth);
                for (ExprVec* dims : {&node.grid, &node.cluster, &node.block})
                    *dims = {scalar(DType::I32, 1), int_constant(1), int_constant(1)};
                node.dynamic_smem_bytes = int_constant(0);
                return make<LaunchStmt>(std::move(node));
            }
        return make_evaluate(
            make_intrinsic(IntrinsicId::Printf, {string_constant("%d\n"), scalar(DType::I32, depth)}, nullptr));
    }
    StmtRef branch(int depth) { // one statement, so that `elif` occurs
        std::size_t outer = m_scope.size();
        StmtRef stmt = statement(depth);
        m_scope.resize(outer);
        return stmt;
    }
    StmtRef statement(int depth) {
        bool is_leaf = depth <= 0;
        switch (is_leaf ? below(9) : below(14)) {
        case 0:
        case 1: return declaration(2);
        case 2:
        case 3: return store(3);
        case 4: return assign(3);
        case 5: return m_on_host ? launch(1) : make_evaluate(make_intrinsic(IntrinsicId::SyncThreads, {}, nullptr));
        case 6: return make_assert(condition(2), "must 'hold'");
        case 7: return assembly();
        case 8:
            if (m_loops > 0 && chance(50))
                return chance(50) ? make_break() : make_continue();
            return chance(30) ? make_return(m_returns->kind == Kind::VoidType ? nullptr : value_of(m_returns, 2))
                              : make_evaluate(scalar(random_dtype(), 3));
        case 9: return make_if(condition(2), block(depth - 1), chance(50) ? branch(depth - 1) : nullptr);
        case 10: return make_if(condition(2), block(depth - 1), chance(50) ? block(depth - 1) : nullptr);
        case 11: {
            ExprRef test = condition(2);
            return make_while(test, loop_body(depth));
        }
        case 12: return at(Level::Script) ? mapping_loop(depth) : loop(depth);
        default: return loop(depth);
        }
    }

    FunctionRef function(int number) {
        Function node;
        node.name = number == 0 && chance(20) ? "9 odd name" : "f" + std::to_string(number);
        node.func_kind = static_cast<FuncKind>(below(5));
        bool is_kernel = node.func_kind == FuncKind::CudaKernel;
        m_on_host = !runs_on_gpu(node.func_kind);
        m_scope = m_globals;
        VarRef length = make_var("length", data_type(DType::I32));
        if (!is_flat() && chance(30)) // its type mentions a later parameter
            node.params.push_back(
                make_var(hint(), tensor_pointer_type(tensor_type(random_data(), {length, int_constant(4)}))));
        for (int i = below(5); i > 0; --i)
            node.params.push_back(make_var(hint(), parameter_type()));
        node.params.push_back(length);
        m_scope.insert(m_scope.end(), node.params.begin(), node.params.end());
        node.ret = is_kernel || chance(40) ? void_type() : random_data();
        m_returns = node.ret;
        if (is_kernel) {
            node.grid_dim = {length, int_constant(2), symbol_free(DType::I32)};
            node.block_dim = {int_constant(128), int_constant(1), int_constant(1)};
            if (chance(30))
                node.cluster_dim = {int_constant(2), int_constant(1), int_constant(1)};
            if (chance(50))
                node.dynamic_smem_bytes = make_binary(BinOp::Mul, length, int_constant(4));
            node.min_blocks = below(3);
        }
        if (chance(30))
            node.label = "wgmma 'x'";
        StmtVec stmts;
        for (int i = 1 + below(m_options.statements); i > 0; --i)
            stmts.push_back(statement(3));
        if (node.ret->kind != Kind::VoidType)
            stmts.push_back(make_return(value_of(node.ret, 2)));
        node.body = make_seq(std::move(stmts));
        m_scope.clear();
        FunctionRef made = make<Function>(std::move(node));
        m_functions.push_back(made);
        return made;
    }
    ExprRef symbol_free(DType dtype) { return constant(dtype); }

    std::uint64_t m_state;
    RandomModuleOptions m_options;
    VarVec m_globals, m_externs, m_scope;
    std::vector<FunctionRef> m_functions;
    TypeRef m_returns;
    std::unordered_set<const Var*> m_fixed; // neither assigned nor addressed
    int m_loops = 0;
    bool m_on_host = false;
};

} // namespace

ModuleRef random_module(std::uint64_t seed, const RandomModuleOptions& options) {
    return Generator(seed, options).module();
}

} // namespace hidet::test
