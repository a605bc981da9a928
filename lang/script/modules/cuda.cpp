// SPDX-License-Identifier: Apache-2.0
// hidet.lang.cuda: thread indices, synchronisation, atomics, asynchronous copies, matrix instructions.
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/mma.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

// ---- functions that are one intrinsic --------------------------------------------------------------------------------

struct Parameter {
    std::string name;
    std::optional<ir::DType> dtype;
    std::optional<std::int64_t> otherwise;
};

std::vector<Parameter> read_parameters(std::string_view text) {
    std::vector<Parameter> out;
    for (const std::string& word : split(text, ' ')) {
        if (word.empty())
            continue;
        Parameter parameter;
        std::size_t colon = word.find(':'), equals = word.find('=');
        parameter.name = word.substr(0, std::min(colon, equals));
        if (colon != std::string::npos)
            parameter.dtype = ir::find_dtype(word.substr(colon + 1, equals - colon - 1));
        if (equals != std::string::npos)
            parameter.otherwise = std::stoll(word.substr(equals + 1));
        out.push_back(std::move(parameter));
    }
    return out;
}

// The value of each parameter: positional, by keyword, or its default.
ir::ExprVec bind_parameters(const std::string& function, const std::vector<Parameter>& parameters, Args& args,
                            Span call, DiagnosticSink& sink) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters)
        names.push_back(parameter.name);
    if (args.asks_signature)
        throw SignatureAnswer{function, names};
    for (std::size_t i = 0; i < args.keywords.size(); ++i)
        if (std::find(names.begin(), names.end(), args.keywords[i].first) == names.end()) {
            Span span = i < args.keyword_name_spans.size() ? args.keyword_name_spans[i] : call;
            throw DiagnosticError(Diagnostic::make(DiagId::UnknownKeyword, span, function, args.keywords[i].first)
                                      .suggest(span, args.keywords[i].first, names));
        }
    if (args.positional.size() > parameters.size())
        fail(DiagId::ScriptArity, args.span_of(parameters.size(), call), function,
             cat(parameters.size(), parameters.size() == 1 ? " argument" : " arguments"), args.positional.size());
    ir::ExprVec out;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Value* value = i < args.positional.size() ? &args.positional[i] : nullptr;
        Span span = args.span_of(i, call);
        for (std::size_t j = 0; !value && j < args.keywords.size(); ++j)
            if (args.keywords[j].first == parameters[i].name) {
                value = &args.keywords[j].second;
                span = j < args.keyword_spans.size() ? args.keyword_spans[j] : call;
            }
        if (!value && !parameters[i].otherwise)
            fail(DiagId::MissingArgument, call, function, parameters[i].name);
        ir::ExprRef expr = value ? to_expr(*value, span) : ir::int_constant(*parameters[i].otherwise);
        if (parameters[i].dtype == ir::DType::Bool)
            expr = typed(span, [&] { return ir::as_condition(expr); });
        else if (parameters[i].dtype)
            expr = convert_to(expr, ir::data_type(*parameters[i].dtype), span, sink);
        out.push_back(expr);
    }
    return out;
}

ir::TypeRef result_type(ir::IntrinsicId id, const ir::ExprVec& args) {
    switch (ir::info(id).result) {
    case ir::IntrinsicResult::Void: return ir::void_type();
    case ir::IntrinsicResult::Arg0: return args.at(0)->type;
    case ir::IntrinsicResult::Arg1: return args.at(1)->type;
    case ir::IntrinsicResult::Bool: return ir::data_type(ir::DType::Bool);
    case ir::IntrinsicResult::I32: return ir::data_type(ir::DType::I32);
    case ir::IntrinsicResult::U32: return ir::data_type(ir::DType::U32);
    case ir::IntrinsicResult::Given: break;
    }
    return ir::void_type();
}

Value intrinsic(Evaluator& evaluator, std::string_view name, ir::IntrinsicId id, ir::ExprVec args, Span call,
                std::string attr = {}, ir::TypeRef type = nullptr) {
    Operations::of(evaluator).need_gpu(name, call);
    if (!type)
        type = result_type(id, args);
    return Value::expr(typed(call, [&] { return ir::make_intrinsic(id, std::move(args), type, std::move(attr)); }));
}

NativeFunction one_intrinsic(const std::string& name, ir::IntrinsicId id, const char* text) {
    return [name, id, parameters = read_parameters(text)](Evaluator& evaluator, Args& args, Span call) {
        return intrinsic(evaluator, name, id, bind_parameters(name, parameters, args, call, evaluator.sink()), call);
    };
}

// ---- memory ----------------------------------------------------------------------------------------------------------

ir::ExprRef pointer_argument(const Value& value, Span span) {
    ir::ExprRef expr = to_expr(value, span);
    if (ir::as<ir::TensorType>(expr->type) || ir::is_pointer(expr->type))
        return expr;
    fail(DiagId::ScriptNotAPointer, span, describe(value));
}

ir::TypeRef pointee(const ir::ExprRef& pointer, Span span) {
    ir::TypeRef type = ir::element_of(pointer->type);
    if (!type || ir::as<ir::VoidType>(type))
        fail(DiagId::ScriptVoidPointer, span, type_text(pointer->type));
    return type;
}

std::string choice(const Arguments& a, std::size_t i, std::string_view otherwise,
                   std::initializer_list<const char*> known, std::string_view what) {
    if (!a.given(i) || a[i].is(ValueKind::None))
        return std::string(otherwise);
    std::string text = to_text(a[i], a.span(i), what);
    std::vector<std::string> names(known.begin(), known.end());
    if (std::find(names.begin(), names.end(), text) == names.end())
        throw DiagnosticError(Diagnostic::make(DiagId::ScriptUnknownChoice, a.span(i), what, text, join(names, ", "))
                                  .suggest(a.span(i), text, names));
    return text;
}

NativeFunction atomic(const std::string& name, ir::IntrinsicId id) {
    return [name, id](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {"addr", "value", "sem=", "space=", "scope="});
        ir::ExprRef address = pointer_argument(a[0], a.span(0));
        ir::TypeRef type = pointee(address, a.span(0));
        ir::ExprRef value = convert_to(to_expr(a[1], a.span(1)), type, a.span(1), evaluator.sink());
        std::string sem = choice(a, 2, "relaxed", {"relaxed", "acquire", "release", "acq_rel"}, "sem");
        std::string space = choice(a, 3, "global", {"global", "shared", "generic"}, "space");
        std::string scope = choice(a, 4, "gpu", {"cta", "cluster", "gpu", "sys"}, "scope");
        bool plain = sem == "relaxed" && scope == "gpu";
        return intrinsic(evaluator, name, id, {address, value}, call, plain ? "" : sem + "." + space + "." + scope);
    };
}

Value atomic_cas(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "atomic_cas", {"addr", "compare", "value", "sem=", "space=", "scope="});
    ir::ExprRef address = pointer_argument(a[0], a.span(0));
    ir::TypeRef type = pointee(address, a.span(0));
    ir::ExprRef compare = convert_to(to_expr(a[1], a.span(1)), type, a.span(1), evaluator.sink());
    ir::ExprRef value = convert_to(to_expr(a[2], a.span(2)), type, a.span(2), evaluator.sink());
    std::string sem = choice(a, 3, "relaxed", {"relaxed", "acquire", "release", "acq_rel"}, "sem");
    std::string space = choice(a, 4, "global", {"global", "shared", "generic"}, "space");
    std::string attr = sem == "relaxed" ? "" : sem + "." + space + ".gpu";
    return intrinsic(evaluator, "atomic_cas", ir::IntrinsicId::AtomicCas, {address, compare, value}, call, attr);
}

ir::ExprRef acquire(Evaluator& evaluator, const ir::ExprRef& address, Span call, std::string attr) {
    ir::TypeRef type = pointee(address, call);
    return intrinsic(evaluator, "load", ir::IntrinsicId::LoadAcquire, {address}, call, std::move(attr), type).as_expr();
}

Value load(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "load", {"addr", "space=", "sync=", "scope="});
    std::string space = choice(a, 1, "generic", {"generic", "global", "shared"}, "space");
    std::string sync = choice(a, 2, "", {"acquire", "relaxed"}, "sync");
    std::string scope = choice(a, 3, "gpu", {"cta", "cluster", "gpu", "sys"}, "scope");
    std::string attr = sync.empty() ? "" : sync + "." + space + "." + scope;
    return Value::expr(acquire(evaluator, pointer_argument(a[0], a.span(0)), call, attr));
}

Value store(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "store", {"addr", "value", "space=", "sync=", "scope="});
    ir::ExprRef address = pointer_argument(a[0], a.span(0));
    ir::ExprRef value = convert_to(to_expr(a[1], a.span(1)), pointee(address, a.span(0)), a.span(1), evaluator.sink());
    std::string space = choice(a, 2, "generic", {"generic", "global", "shared"}, "space");
    std::string sync = choice(a, 3, "release", {"release", "relaxed"}, "sync");
    std::string scope = choice(a, 4, "gpu", {"cta", "cluster", "gpu", "sys"}, "scope");
    return intrinsic(evaluator, "store", ir::IntrinsicId::StoreRelease, {address, value}, call,
                     sync + "." + space + "." + scope);
}

Value dynamic_shared_memory(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "dynamic_shared_memory", {"byte_offset", "dtype"});
    ir::ExprRef offset = to_extent(a[0], a.span(0));
    ir::TypeRef type = ir::pointer_type(ir::data_type(to_dtype(a[1], a.span(1))));
    return intrinsic(evaluator, "dynamic_shared_memory", ir::IntrinsicId::DynamicSharedMemory, {offset}, call, {},
                     type);
}

Value cp_async(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "cp_async",
                {"dst", "src", "cp_size", "src_size=", "cache_level=", "prefetch_bytes=", "evict_policy="});
    std::int64_t bytes = to_int(a[2], a.span(2), "'cp_size'");
    if (bytes != 4 && bytes != 8 && bytes != 16)
        fail(DiagId::ScriptUnknownChoice, a.span(2), "cp_size", bytes, "4, 8, 16");
    std::string level = choice(a, 4, "always", {"always", "global"}, "cache_level");
    if (level == "global" && bytes != 16)
        fail(DiagId::ScriptUnknownChoice, a.span(4), "cache_level of fewer than 16 bytes", level, "always");
    std::int64_t prefetch = a.given(5) ? to_int(a[5], a.span(5), "'prefetch_bytes'") : 0;
    if (prefetch != 0 && prefetch != 64 && prefetch != 128 && prefetch != 256)
        fail(DiagId::ScriptUnknownChoice, a.span(5), "prefetch_bytes", prefetch, "0, 64, 128, 256");
    ir::ExprVec values{pointer_argument(a[0], a.span(0)), pointer_argument(a[1], a.span(1))};
    if (a.given(3) && !a[3].is(ValueKind::None))
        values.push_back(
            convert_to(to_expr(a[3], a.span(3)), ir::data_type(ir::DType::I32), a.span(3), evaluator.sink()));
    return intrinsic(evaluator, "cp_async", ir::IntrinsicId::CpAsync, std::move(values), call,
                     cat(bytes, " ", level, " ", prefetch));
}

Value cp_async_wait_group(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "cp_async_wait_group", {"allow_on_fly_groups"});
    std::int64_t groups = to_int(a[0], a.span(0), "the number of groups");
    if (groups < 0 || groups > 9)
        fail(DiagId::ScriptUnknownChoice, a.span(0), "the number of groups", groups, "0 to 9");
    return intrinsic(evaluator, "cp_async_wait_group", ir::IntrinsicId::CpAsyncWait, {ir::int_constant(groups)}, call);
}

// ---- barriers --------------------------------------------------------------------------------------------------------

Value barrier_sync(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "barrier_sync", {"barrier", "count=", "aligned="});
    ir::ExprVec values{to_expr(a[0], a.span(0))};
    if (a.given(1) && !a[1].is(ValueKind::None))
        values.push_back(to_expr(a[1], a.span(1)));
    return intrinsic(evaluator, "barrier_sync", ir::IntrinsicId::BarrierSync, std::move(values), call);
}

Value barrier_arrive(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "barrier_arrive", {"barrier", "count", "aligned="});
    return intrinsic(evaluator, "barrier_arrive", ir::IntrinsicId::BarrierArrive,
                     {to_expr(a[0], a.span(0)), to_expr(a[1], a.span(1))}, call);
}

Value bar_sync(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "bar_sync", {"num_participating_threads"});
    return intrinsic(evaluator, "bar_sync", ir::IntrinsicId::BarrierSync,
                     {ir::int_constant(1), to_expr(a[0], a.span(0))}, call);
}

Value fence(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "fence", {"sem=", "scope="});
    std::string sem = choice(a, 0, "acq_rel", {"acq_rel", "sc"}, "sem");
    std::string scope = choice(a, 1, "gpu", {"cta", "cluster", "gpu", "sys"}, "scope");
    return intrinsic(evaluator, "fence", ir::IntrinsicId::ThreadFence, {}, call, sem + "." + scope);
}

// Spin until the word has the expected value; thread 0 does it, the block waits.
Value wait_for(Evaluator& evaluator, const ir::ExprRef& address, const ir::ExprRef& expected, Span call) {
    ir::ExprRef first = ir::equal(ir::make_builtin(ir::Builtin::ThreadIdxX), ir::int_constant(0));
    ir::ExprRef word = acquire(evaluator, address, call, "acquire.global.gpu");
    ir::StmtRef spin = ir::make_while(ir::not_equal(word, expected), ir::make_seq({}));
    ir::ExprRef barrier = intrinsic(evaluator, "syncthreads", ir::IntrinsicId::SyncThreads, {}, call).as_expr();
    return Value::stmt(ir::make_seq({ir::make_if(first, spin), ir::make_evaluate(barrier)}));
}

Value set_word(Evaluator& evaluator, const ir::ExprRef& address, const ir::ExprRef& value, Span call) {
    ir::ExprRef first = ir::equal(ir::make_builtin(ir::Builtin::ThreadIdxX), ir::int_constant(0));
    ir::ExprRef barrier = intrinsic(evaluator, "syncthreads", ir::IntrinsicId::SyncThreads, {}, call).as_expr();
    ir::ExprRef write =
        intrinsic(evaluator, "store", ir::IntrinsicId::StoreRelease, {address, value}, call, "release.global.gpu")
            .as_expr();
    return Value::stmt(ir::make_seq({ir::make_evaluate(barrier), ir::make_if(first, ir::make_evaluate(write))}));
}

NativeFunction semaphore(const std::string& name, bool acquires) {
    return [name, acquires](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {"semaphore", "value"});
        ir::ExprRef address = pointer_argument(a[0], a.span(0));
        ir::ExprRef value =
            convert_to(to_expr(a[1], a.span(1)), pointee(address, a.span(0)), a.span(1), evaluator.sink());
        return acquires ? wait_for(evaluator, address, value, call) : set_word(evaluator, address, value, call);
    };
}

Value acquire_lock(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "acquire_lock", {"addr"});
    ir::ExprRef address = pointer_argument(a[0], a.span(0));
    ir::TypeRef type = pointee(address, a.span(0));
    ir::ExprRef zero = ir::cast_to(ir::int_constant(0), type), one = ir::cast_to(ir::int_constant(1), type);
    ir::ExprRef swap =
        intrinsic(evaluator, "atomic_cas", ir::IntrinsicId::AtomicCas, {address, zero, one}, call, "acquire.global.gpu")
            .as_expr();
    ir::ExprRef first = ir::equal(ir::make_builtin(ir::Builtin::ThreadIdxX), ir::int_constant(0));
    ir::StmtRef spin = ir::make_while(ir::not_equal(swap, zero), ir::make_seq({}));
    ir::ExprRef barrier = intrinsic(evaluator, "syncthreads", ir::IntrinsicId::SyncThreads, {}, call).as_expr();
    return Value::stmt(ir::make_seq({ir::make_if(first, spin), ir::make_evaluate(barrier)}));
}

Value release_lock(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "release_lock", {"addr"});
    ir::ExprRef address = pointer_argument(a[0], a.span(0));
    return set_word(evaluator, address, ir::cast_to(ir::int_constant(0), pointee(address, a.span(0))), call);
}

// ---- matrix instructions ---------------------------------------------------------------------------------------------

Value ldmatrix(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "ldmatrix", {"regs", "smem_addr", "shared_space_addr=", "trans="});
    if (a[0].is(ValueKind::Unknown))
        throw UnknownValue{};
    std::vector<Value> regs = evaluator.iterate(a[0], a.span(0));
    if (regs.size() != 1 && regs.size() != 2 && regs.size() != 4)
        fail(DiagId::ScriptUnknownChoice, a.span(0), "the number of registers", regs.size(), "1, 2, 4");
    ir::ExprVec values;
    for (const Value& reg : regs) {
        ir::ExprRef place = to_expr(reg, a.span(0));
        if (ir::size_in_bytes(place->type) != 4)
            fail(DiagId::ScriptRegisterSize, a.span(0), type_text(place->type));
        values.push_back(Operations::of(evaluator).unary(ast::UnaryOp::Invert, reg, a.span(0)).as_expr());
    }
    bool is_shared_address = a.given(2) && to_bool(a[2], a.span(2), "'shared_space_addr'");
    values.push_back(is_shared_address ? convert_to(to_expr(a[1], a.span(1)), ir::data_type(ir::DType::U32), a.span(1),
                                                    evaluator.sink())
                                       : pointer_argument(a[1], a.span(1)));
    bool transposed = a.given(3) && to_bool(a[3], a.span(3), "'trans'");
    return intrinsic(evaluator, "ldmatrix", ir::IntrinsicId::LdMatrix, std::move(values), call,
                     transposed ? "trans" : "");
}

Value mma_sync(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "mma_sync", {"config", "a_addr", "b_addr", "c_addr"});
    auto* config = a[0].extension<MmaConfig>();
    if (!config)
        fail(DiagId::ScriptNotAConfig, a.span(0), describe(a[0]));
    ir::ExprVec values;
    for (std::size_t i = 1; i < 4; ++i)
        values.push_back(pointer_argument(a[i], a.span(i)));
    return intrinsic(evaluator, "mma_sync", ir::IntrinsicId::MmaSync, std::move(values), call, config->name());
}

// ---- thread block clusters -------------------------------------------------------------------------------------------

class Cluster final : public NativeObject {
public:
    std::string type_name() const override { return "this_cluster"; }
    std::vector<std::string> attributes() const override {
        return {"thread_rank", "block_rank", "dim_threads", "dim_blocks", "sync", "map_shared_rank"};
    }
    std::unique_ptr<Value> attribute(Evaluator& evaluator, std::string_view name, Span span) override {
        static const std::pair<std::string_view, ir::Builtin> rows[] = {{"thread_rank", ir::Builtin::ClusterThreadRank},
                                                                        {"block_rank", ir::Builtin::ClusterBlockRank},
                                                                        {"dim_threads", ir::Builtin::ClusterDimThreads},
                                                                        {"dim_blocks", ir::Builtin::ClusterDimBlocks}};
        for (const auto& [known, which] : rows)
            if (known == name) {
                Operations::of(evaluator).need_gpu("this_cluster", span);
                return std::make_unique<Value>(Value::expr(ir::make_builtin(which)));
            }
        if (name == "sync" || name == "map_shared_rank")
            return std::make_unique<Value>(new_extension<UnsupportedObject>(cat("this_cluster.", name)));
        return nullptr;
    }
};

Value warp_groups(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "warp_groups", {"group_ids"});
    std::vector<std::int64_t> ids = to_ints(a[0], a.span(0), "a warp group");
    std::vector<std::int64_t> sorted = ids;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] != sorted[0] + static_cast<std::int64_t>(i))
            fail(DiagId::ScriptWarpGroups, a.span(0));
    if (ids.empty() || sorted[0] < 0 || sorted[0] > 7)
        fail(DiagId::ScriptWarpGroups, a.span(0));
    constexpr std::int64_t threads = 128;
    auto count = static_cast<std::int64_t>(ids.size());
    Operations::of(evaluator).need_gpu("warp_groups", call);
    ir::ExprRef thread = ir::make_builtin(ir::Builtin::ThreadIdxX);
    ir::ExprRef first = ir::int_constant(threads * sorted[0]), last = ir::int_constant(threads * (sorted[0] + count));
    ir::ExprRef inside = ir::logical_and(ir::less_equal(first, thread), ir::less(thread, last));
    ir::set_origin(inside, {call, 0});
    ir::ExprRef index = ir::floor_mod(ir::sub(thread, first), ir::int_constant(threads * count));
    ir::set_origin(index, {call, 0});
    return new_extension<GuardContext>(inside, index, "warp_groups");
}

} // namespace

void export_cuda_contexts(HostModule& module) {
    module.function("warp_groups", warp_groups);
    for (const char* name : {"warp_groups_producer", "warp_groups_consumer"})
        module.add(name, new_extension<UnsupportedObject>(name));
}

void export_cuda(HostModule& module) {
    export_unsupported(module, "cuda");
#define HIDET_SCRIPT_CUDA(name, Id, parameters, sentence)                                                              \
    module.function(name, one_intrinsic(name, ir::IntrinsicId::Id, parameters));
#include "lang/script/cuda.def"
#undef HIDET_SCRIPT_CUDA
    module.add("threadIdx", new_extension<Dim3Object>("threadIdx", ir::Builtin::ThreadIdxX));
    module.add("blockIdx", new_extension<Dim3Object>("blockIdx", ir::Builtin::BlockIdxX));
    module.add("blockDim", new_extension<Dim3Object>("blockDim", ir::Builtin::BlockDimX));
    module.add("gridDim", new_extension<Dim3Object>("gridDim", ir::Builtin::GridDimX));
    module.add("this_cluster", new_extension<Cluster>());
    module.function("atomic_add", atomic("atomic_add", ir::IntrinsicId::AtomicAdd));
    module.function("atomic_sub", atomic("atomic_sub", ir::IntrinsicId::AtomicSub));
    module.function("atomic_min", atomic("atomic_min", ir::IntrinsicId::AtomicMin));
    module.function("atomic_max", atomic("atomic_max", ir::IntrinsicId::AtomicMax));
    module.function("atomic_exchange", atomic("atomic_exchange", ir::IntrinsicId::AtomicExchange));
    module.function("atomic_and", atomic("atomic_and", ir::IntrinsicId::AtomicAnd));
    module.function("atomic_or", atomic("atomic_or", ir::IntrinsicId::AtomicOr));
    module.function("atomic_xor", atomic("atomic_xor", ir::IntrinsicId::AtomicXor));
    module.function("atomic_cas", atomic_cas);
    module.function("load", load);
    module.function("store", store);
    module.function("dynamic_shared_memory", dynamic_shared_memory);
    module.function("cp_async", cp_async);
    module.function("cp_async_wait_group", cp_async_wait_group);
    module.function("barrier_sync", barrier_sync);
    module.function("barrier_arrive", barrier_arrive);
    module.function("bar_sync", bar_sync);
    module.function("fence", fence);
    module.function("acquire_seq_semaphore", semaphore("acquire_seq_semaphore", true));
    module.function("release_seq_semaphore", semaphore("release_seq_semaphore", false));
    module.function("acquire_lock", acquire_lock);
    module.function("release_lock", release_lock);
    module.function("ldmatrix", ldmatrix);
    module.add("MmaConfig", make_mma_configs());
    module.function("mma_sync", mma_sync);
}

} // namespace hidet::lang
