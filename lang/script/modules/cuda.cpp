// SPDX-License-Identifier: Apache-2.0
// hidet.lang.cuda: thread indices, clusters, and calls that are more than one intrinsic. Those that are one are bound by
// their rows (intrinsics.cpp).
#include "compiler/ir/intrinsic.h"
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"
#include "lang/script/modules/mma.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

ir::IntrinsicAttr ordered(ir::IntrinsicId id, ir::MemoryOrder order) {
    return ir::with(ir::with(ir::default_attr(id), order), ir::AddressSpace::global);
}

Value dynamic_shared_memory(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "dynamic_shared_memory", {"byte_offset", "dtype"});
    ir::ExprRef offset = to_extent(a[0], a.span(0));
    ir::TypeRef type = ir::pointer_type(ir::data_type(to_dtype(a[1], a.span(1))));
    return on_gpu(evaluator, "dynamic_shared_memory", ir::default_attr(ir::IntrinsicId::DynamicSharedMemory), {offset},
                  call, type);
}

// ---- barriers, locks ---------------------------------------------------------------------------------------------

Value bar_sync(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "bar_sync", {"num_participating_threads"});
    ir::ExprRef threads = converted(evaluator, a[0], ir::DType::I32, a.span(0));
    return on_gpu(evaluator, "bar_sync", ir::default_attr(ir::IntrinsicId::BarrierSync), {ir::int_constant(1), threads},
                  call);
}

ir::ExprRef block_barrier(Evaluator& evaluator, Span call) {
    return on_gpu(evaluator, "syncthreads", ir::default_attr(ir::IntrinsicId::SyncThreads), {}, call).as_expr();
}

// Spin until the word has the expected value; thread 0 does it, the block waits.
Value wait_for(Evaluator& evaluator, const ir::ExprRef& address, const ir::ExprRef& expected, Span call) {
    pointee(address, call);
    ir::ExprRef first = ir::equal(ir::make_builtin(ir::Builtin::ThreadIdxX), ir::int_constant(0));
    ir::ExprRef word =
        on_gpu(evaluator, "load", ordered(ir::IntrinsicId::LoadAcquire, ir::MemoryOrder::acquire), {address}, call)
            .as_expr();
    ir::StmtRef spin = ir::make_while(ir::not_equal(word, expected), ir::make_seq({}));
    ir::ExprRef barrier = block_barrier(evaluator, call);
    return Value::stmt(ir::make_seq({ir::make_if(first, spin), ir::make_evaluate(barrier)}));
}

Value set_word(Evaluator& evaluator, const ir::ExprRef& address, const ir::ExprRef& value, Span call) {
    ir::ExprRef first = ir::equal(ir::make_builtin(ir::Builtin::ThreadIdxX), ir::int_constant(0));
    ir::ExprRef barrier = block_barrier(evaluator, call);
    ir::ExprRef write = on_gpu(evaluator, "store", ordered(ir::IntrinsicId::StoreRelease, ir::MemoryOrder::release),
                               {address, value}, call)
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
    ir::ExprRef swap = on_gpu(evaluator, "atomic_cas", ordered(ir::IntrinsicId::AtomicCas, ir::MemoryOrder::acquire),
                              {address, zero, one}, call)
                           .as_expr();
    ir::ExprRef first = ir::equal(ir::make_builtin(ir::Builtin::ThreadIdxX), ir::int_constant(0));
    ir::StmtRef spin = ir::make_while(ir::not_equal(swap, zero), ir::make_seq({}));
    ir::ExprRef barrier = block_barrier(evaluator, call);
    return Value::stmt(ir::make_seq({ir::make_if(first, spin), ir::make_evaluate(barrier)}));
}

Value release_lock(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "release_lock", {"addr"});
    ir::ExprRef address = pointer_argument(a[0], a.span(0));
    return set_word(evaluator, address, ir::cast_to(ir::int_constant(0), pointee(address, a.span(0))), call);
}

// ldmatrix and stmatrix: registers, and rows in shared memory.
Value move_matrices(ir::IntrinsicId id, Evaluator& evaluator, Args& args, Span call) {
    const std::string_view name = ir::info(id).short_name();
    Arguments a(args, call, name, {"regs", "smem_addr", "shared_space_addr=", "trans="});
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
    values.push_back(is_shared_address ? converted(evaluator, a[1], ir::DType::U32, a.span(1))
                                       : pointer_argument(a[1], a.span(1)));
    bool transposed = a.given(3) && to_bool(a[3], a.span(3), "'trans'");
    ir::IntrinsicAttr attr =
        ir::with(ir::default_attr(id), transposed ? ir::MatrixOrder::trans : ir::MatrixOrder::plain);
    return on_gpu(evaluator, name, attr, std::move(values), call);
}

// ---- thread block clusters -------------------------------------------------------------------------------------------

Value map_shared_rank(Evaluator& evaluator, Args& args, Span call) {
    Arguments a(args, call, "map_shared_rank", {"addr", "cta_rank", "dtype"});
    ir::TypeRef type = ir::pointer_type(ir::data_type(to_dtype(a[2], a.span(2))));
    ir::ExprRef address = ir::cast_to(pointer_argument(a[0], a.span(0)), type);
    ir::ExprRef rank = converted(evaluator, a[1], ir::DType::I32, a.span(1));
    return on_gpu(evaluator, "map_shared_rank", ir::default_attr(ir::IntrinsicId::MapSharedRank), {address, rank},
                  call);
}

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
        if (name == "sync")
            return std::make_unique<Value>(
                Value::native("this_cluster.sync", intrinsic_function(ir::IntrinsicId::ClusterSync, "sync")));
        if (name == "map_shared_rank")
            return std::make_unique<Value>(Value::native("this_cluster.map_shared_rank", map_shared_rank));
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
    export_intrinsics(module, "cuda");
    module.add("threadIdx", new_extension<Dim3Object>("threadIdx", ir::Builtin::ThreadIdxX));
    module.add("blockIdx", new_extension<Dim3Object>("blockIdx", ir::Builtin::BlockIdxX));
    module.add("blockDim", new_extension<Dim3Object>("blockDim", ir::Builtin::BlockDimX));
    module.add("gridDim", new_extension<Dim3Object>("gridDim", ir::Builtin::GridDimX));
    module.add("this_cluster", new_extension<Cluster>());
    module.function("dynamic_shared_memory", dynamic_shared_memory);
    module.function("bar_sync", bar_sync);
    module.function("acquire_seq_semaphore", semaphore("acquire_seq_semaphore", true));
    module.function("release_seq_semaphore", semaphore("release_seq_semaphore", false));
    module.function("acquire_lock", acquire_lock);
    module.function("release_lock", release_lock);
    for (const ir::IntrinsicId id : {ir::IntrinsicId::LdMatrix, ir::IntrinsicId::StMatrix})
        module.function(std::string(ir::info(id).short_name()), [id](Evaluator& evaluator, Args& args, Span call) {
            return move_matrices(id, evaluator, args, call);
        });
    module.add("MmaConfig", make_mma_configs());
    export_bulk_copies(module);
    export_warp_group_products(module);
    export_tensor_memory(module);
}

} // namespace hidet::lang
