// SPDX-License-Identifier: Apache-2.0
// hidet.lang.cuda: thread indices, clusters, and calls that are more than one intrinsic. Those that are one are bound by
// their rows (intrinsics.cpp).
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/packing.h"
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

Value dynamic_shared_memory(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprRef offset = to_extent(a[0], a.span(0));
    ir::TypeRef type = ir::pointer_type(ir::data_type(to_dtype(a[1], a.span(1))));
    return on_gpu(evaluator, "dynamic_shared_memory", ir::default_attr(ir::IntrinsicId::DynamicSharedMemory), {offset},
                  call, type);
}

// ---- barriers, locks ---------------------------------------------------------------------------------------------

Value bar_sync(Evaluator& evaluator, const Arguments& a, Span call) {
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

BoundFunction semaphore(bool acquires) {
    return [acquires](Evaluator& evaluator, const Arguments& a, Span call) {
        ir::ExprRef address = pointer_argument(a[0], a.span(0));
        ir::ExprRef value =
            convert_to(to_expr(a[1], a.span(1)), pointee(address, a.span(0)), a.span(1), evaluator.sink());
        return acquires ? wait_for(evaluator, address, value, call) : set_word(evaluator, address, value, call);
    };
}

// All blocks of the grid. The highest bit of the counter turns over when the last block has come, and nobody has to reset it:
// block 0 adds what the others leave to 2^31 (as cooperative groups do; so that launches of several sizes can share a counter).
Value grid_sync(Evaluator& evaluator, const Arguments& a, Span call) {
    const ir::ExprRef address = pointer_argument(a[0], a.span(0));
    const ir::TypeRef word = ir::data_type(ir::DType::U32);
    if (!ir::same_type(pointee(address, a.span(0)), word))
        fail(DiagId::BadType, a.span(0), "grid_sync() wants the address of a 'u32'");
    const auto product = [](ir::Builtin x, ir::Builtin y, ir::Builtin z) {
        return ir::mul(ir::mul(ir::make_builtin(x), ir::make_builtin(y)), ir::make_builtin(z));
    };
    const auto is_first = [](ir::Builtin x, ir::Builtin y, ir::Builtin z) {
        const auto is_zero = [](ir::Builtin b) { return ir::equal(ir::make_builtin(b), ir::int_constant(0)); };
        return ir::logical_and(ir::logical_and(is_zero(x), is_zero(y)), is_zero(z));
    };
    const auto number = [](std::int64_t value) { return ir::int_constant(value, ir::DType::U32); };
    const ir::ExprRef blocks =
        ir::cast_to(product(ir::Builtin::GridDimX, ir::Builtin::GridDimY, ir::Builtin::GridDimZ), word);
    const ir::ExprRef rest = ir::sub(number(0x80000001), blocks);
    const ir::ExprRef step =
        ir::select(is_first(ir::Builtin::BlockIdxX, ir::Builtin::BlockIdxY, ir::Builtin::BlockIdxZ), rest, number(1));
    const ir::ExprRef add = on_gpu(evaluator, "atomic_add",
                                   ordered(ir::IntrinsicId::AtomicAdd, ir::MemoryOrder::acq_rel), {address, step}, call)
                                .as_expr();
    const ir::ExprRef read =
        on_gpu(evaluator, "load", ordered(ir::IntrinsicId::LoadAcquire, ir::MemoryOrder::acquire), {address}, call)
            .as_expr();
    const ir::VarRef before = var_at(call, "arrived", word);
    const ir::ExprRef is_waiting = ir::equal(ir::bit_and(ir::bit_xor(before, read), number(0x80000000)), number(0));
    const ir::StmtRef wait =
        ir::make_seq({ir::make_let_stmt(before, add), ir::make_while(is_waiting, ir::make_seq({}))});
    const ir::ExprRef first = is_first(ir::Builtin::ThreadIdxX, ir::Builtin::ThreadIdxY, ir::Builtin::ThreadIdxZ);
    const ir::StmtRef barrier = ir::make_evaluate(block_barrier(evaluator, call));
    return Value::stmt(ir::make_seq({barrier, ir::make_if(first, wait), barrier}));
}

Value acquire_lock(Evaluator& evaluator, const Arguments& a, Span call) {
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

Value release_lock(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprRef address = pointer_argument(a[0], a.span(0));
    return set_word(evaluator, address, ir::cast_to(ir::int_constant(0), pointee(address, a.span(0))), call);
}

// ldmatrix and stmatrix: registers, and rows in shared memory.
Value move_matrices(ir::IntrinsicId id, Evaluator& evaluator, Args& args, Span call) {
    const std::string_view name = ir::info(id).short_name();
    Arguments a(args, call, name, {"regs", "smem_addr", "shared_space_addr=", "trans="});
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

// ---- sums of several values, as atomic updates of each ----------------------------------------------------------------

ir::ExprVec lanes_of(const ir::ExprRef& value) {
    const auto dtype = *ir::scalar_of(value->type);
    if (!ir::has_lanes(dtype))
        return {value};
    ir::ExprVec lanes;
    for (int i = 0; i < ir::lanes_of(dtype); ++i)
        lanes.push_back(ir::make_intrinsic(ir::IntrinsicId::VectorLane, {value, ir::int_constant(i)},
                                           ir::data_type(ir::info(dtype).lane)));
    return lanes;
}

Value reduce_add(Evaluator& evaluator, const Arguments& a, Span call) {
    Operations::of(evaluator).need_gpu("reduce_add", call);
    const ir::DType dtype = to_dtype(a[0], a.span(0));
    if (dtype != ir::DType::F16 && dtype != ir::DType::F32 && dtype != ir::DType::F16x2)
        fail(DiagId::ScriptUnknownChoice, a.span(0), "dtype", ir::info(dtype).short_name, "f16, f32, f16x2");
    std::vector<Value> values = evaluator.iterate(a[2], a.span(2));
    const auto count = static_cast<int>(values.size());
    const bool is_power = count > 0 && (count & (count - 1)) == 0;
    if (!is_power || count * ir::bytes_of(dtype) > 16)
        fail(DiagId::ScriptUnknownChoice, a.span(2), "the number of values", count,
             "1, 2, 4 and 8 of 128 bits at most");
    const std::string scope = a.given(3) ? to_text(a[3], a.span(3), "'scope'") : "gpu";
    if (scope != "gpu" && scope != "cta")
        fail(DiagId::ScriptUnknownChoice, a.span(3), "scope", scope, "gpu, cta");
    const ir::DType single = ir::has_lanes(dtype) ? ir::info(dtype).lane : dtype;
    Operations::of(evaluator).keep(values, call); // vectors are named twice
    return Value::stmt(typed(call, [&] {
        const ir::ExprRef first =
            ir::cast_to(pointer_argument(a[1], a.span(1)), ir::pointer_type(ir::data_type(single)));
        const auto attr = ir::with(ir::with(ir::default_attr(ir::IntrinsicId::AtomicAdd), ir::AddressSpace::global),
                                   scope == "cta" ? ir::MemoryScope::cta : ir::MemoryScope::gpu);
        ir::StmtVec updates;
        for (const Value& value : values)
            for (const ir::ExprRef& lane : lanes_of(converted(evaluator, value, dtype, a.span(2)))) {
                const auto at = static_cast<std::int64_t>(updates.size());
                const ir::ExprRef place = at ? ir::add(first, ir::int_constant(at)) : first;
                updates.push_back(ir::make_evaluate(ir::make_intrinsic(attr, {place, lane}, nullptr)));
            }
        return ir::make_seq(std::move(updates));
    }));
}

// ---- what a warp has of a tile, printed -------------------------------------------------------------------------------

ir::StmtRef print_line(const std::string& text) {
    return ir::make_evaluate(ir::make_intrinsic(ir::IntrinsicId::Printf, {ir::string_constant(text)}, ir::void_type()));
}

// Element by element in the order of the tile, by the lane that holds it.
ir::StmtRef printed(const ir::MappingRef& mapping, const ir::ExprRef& registers, const ir::ExprRef& worker,
                    const std::string& format, const std::string& title) {
    const ir::TypeRef index = ir::data_type(ir::DType::I32);
    const auto named = [&](const char* name) { return ir::make_var(name, index); };
    const ir::VarRef lane = named("lane"), row = named("row"), column = named("column"), i = named("i"), j = named("j"),
                     at = named("at");
    const ir::ExprRef is_first = ir::equal(lane, ir::int_constant(0));
    const ir::StmtRef together = ir::make_evaluate(ir::make_intrinsic(ir::IntrinsicId::SyncWarp, {}, nullptr));
    const ir::ExprRef element = ir::cast_to(ir::make_element(registers, {at}), ir::DType::F32);
    const auto print_element = [&](const std::string& text) {
        return ir::make_evaluate(
            ir::make_intrinsic(ir::IntrinsicId::Printf, {ir::string_constant(text), element}, ir::void_type()));
    };
    const ir::StmtRef print =
        ir::make_if(ir::equal(column, ir::int_constant(0)), print_element(format), print_element(" " + format));
    const ir::ExprRef is_here = ir::logical_and(ir::equal(i, row), ir::equal(j, column));
    const ir::StmtRef each =
        ir::make_seq({ir::make_if(is_here, print), together, ir::make_assign(at, ir::add(at, ir::int_constant(1)))});
    const ir::StmtRef search =
        ir::make_seq({ir::make_declare(at, ir::int_constant(0)), ir::make_for_mapping({i, j}, mapping, lane, each)});
    const ir::ExprVec extents = ir::shape_of(mapping);
    const ir::StmtRef line = ir::make_seq(
        {ir::make_for(column, extents.at(1), {}, search), ir::make_if(is_first, print_line("\n")), together});
    ir::StmtVec stmts{ir::make_let_stmt(lane, worker)};
    if (!title.empty())
        stmts.push_back(ir::make_if(is_first, print_line(title + "\n")));
    stmts.push_back(together);
    stmts.push_back(ir::make_for(row, extents.at(0), {}, line));
    return ir::make_seq(std::move(stmts));
}

NativeFunction print_segment(const std::string& tile) {
    return [tile](Evaluator& evaluator, Args& args, Span call) {
        const std::string name = "print_segment_" + tile, address = tile + "_addr";
        const std::string_view parameters[] = {"config", address, "worker_id", "precision=", "msg="};
        Arguments a(args, call, name, parameters);
        const auto* config = a[0].extension<MmaConfig>();
        if (!config)
            fail(DiagId::ScriptNotAConfig, a.span(0), describe(a[0]));
        Operations::of(evaluator).need_gpu(name, call);
        const ir::MmaShape& shape = config->shape;
        const ir::DType dtype = tile == "c" ? shape.out : shape.in;
        const int counts[] = {shape.m * shape.k / 32, shape.k * shape.n / 32, shape.m * shape.n / 32};
        const ir::ExprRef pointer = pointer_argument(a[1], a.span(1));
        check_registers(pointer, a.span(1), address, shape.name, counts[tile[0] - 'a'], dtype);
        const ir::ExprRef worker = converted(evaluator, a[2], ir::DType::I32, a.span(2));
        const std::int64_t digits = a.given(3) ? to_int(a[3], a.span(3), "'precision'") : 2;
        if (digits < 0 || digits > 20)
            fail(DiagId::ScriptUnknownChoice, a.span(3), "precision", digits, "0 to 20");
        std::string title = a.given(4) ? kernel_text(to_text(a[4], a.span(4), "'msg'"), a.span(4))
                                       : cat("Segment ", tile == "a"   ? "A"
                                                         : tile == "b" ? "B"
                                                                       : "C");
        for (std::size_t at = title.find('%'); at != std::string::npos; at = title.find('%', at + 2))
            title.insert(at, "%");
        const ir::MappingRef& mapping = tile == "a"   ? config->a_load_map
                                        : tile == "b" ? config->b_load_map
                                                      : config->c_store_map;
        return Value::stmt(typed(call, [&] {
            return printed(mapping, ir::cast_to(pointer, ir::pointer_type(ir::data_type(dtype))), worker,
                           cat("%.", digits, "f"), title);
        }));
    };
}

// ---- masks of lanes, fences ---------------------------------------------------------------------------------------------

// The number of the thread in its warp.
ir::ExprRef lane_number() {
    const auto builtin = [](ir::Builtin which) { return ir::make_builtin(which); };
    const ir::ExprRef row = ir::add(ir::mul(builtin(ir::Builtin::ThreadIdxZ), builtin(ir::Builtin::BlockDimY)),
                                    builtin(ir::Builtin::ThreadIdxY));
    const ir::ExprRef thread = ir::add(ir::mul(row, builtin(ir::Builtin::BlockDimX)), builtin(ir::Builtin::ThreadIdxX));
    return ir::floor_mod(thread, ir::int_constant(32));
}

NativeFunction lane_mask(const std::string& order) {
    return [order](Evaluator& evaluator, Args& args, Span call) {
        const std::string name = "lanemask_" + order;
        Arguments a(args, call, name, {});
        Operations::of(evaluator).need_gpu(name, call);
        return Value::expr(typed(call, [&] {
            const auto word = [](std::uint32_t bits) { return ir::int_constant(bits, ir::DType::U32); };
            const ir::ExprRef lane = ir::cast_to(lane_number(), ir::DType::U32);
            const auto shifted = [&](std::uint32_t bits) { return ir::shift_left(word(bits), lane); };
            if (order == "eq")
                return shifted(1);
            if (order == "lt")
                return ir::bit_xor(shifted(0xFFFFFFFFu), word(0xFFFFFFFFu));
            if (order == "le")
                return ir::bit_xor(shifted(0xFFFFFFFEu), word(0xFFFFFFFFu));
            return shifted(order == "ge" ? 0xFFFFFFFFu : 0xFFFFFFFEu);
        }));
    };
}

// CUDA's names of fences, which are sequentially consistent.
NativeFunction thread_fence(const std::string& name, ir::MemoryScope scope) {
    return [name, scope](Evaluator& evaluator, Args& args, Span call) {
        Arguments a(args, call, name, {});
        const auto fence = ir::with(ir::default_attr(ir::IntrinsicId::ThreadFence), ir::MemoryOrder::sc);
        return on_gpu(evaluator, name, ir::with(fence, scope), {}, call);
    };
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
                return boxed(Value::expr(ir::make_builtin(which)));
            }
        if (name == "sync")
            return boxed(Value::native("this_cluster.sync", intrinsic_function(ir::IntrinsicId::ClusterSync, "sync")));
        if (name == "map_shared_rank")
            return boxed(Value::native("this_cluster.map_shared_rank", map_shared_rank));
        return nullptr;
    }
};

Value warp_groups(Evaluator& evaluator, const Arguments& a, Span call) {
    std::vector<std::int64_t> ids = to_ints(a[0], a.span(0), "a warp group");
    std::vector<std::int64_t> sorted = ids;
    std::ranges::sort(sorted);
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

void export_cuda_contexts(Evaluator&, HostModule& module) {
    module.function("warp_groups", {"group_ids"}, warp_groups);
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
    module.function("dynamic_shared_memory", {"byte_offset", "dtype"}, dynamic_shared_memory);
    module.function("bar_sync", {"num_participating_threads"}, bar_sync);
    module.function("grid_sync", {"counter"}, grid_sync);
    module.function("acquire_seq_semaphore", {"semaphore", "value"}, semaphore(true));
    module.function("release_seq_semaphore", {"semaphore", "value"}, semaphore(false));
    module.function("acquire_lock", {"addr"}, acquire_lock);
    module.function("release_lock", {"addr"}, release_lock);
    for (const ir::IntrinsicId id : {ir::IntrinsicId::LdMatrix, ir::IntrinsicId::StMatrix})
        module.function(std::string(ir::info(id).short_name()), [id](Evaluator& evaluator, Args& args, Span call) {
            return move_matrices(id, evaluator, args, call);
        });
    module.add("MmaConfig", make_mma_configs());
    export_bulk_copies(module);
    export_warp_group_products(module);
    export_tensor_memory(module);
    export_wmma(module);
    export_packed_conversions(module);
    export_fast_division(module);
    module.function("reduce_add", {"dtype", "addr", "src_values", "scope="}, reduce_add);
    for (const char* order : {"lt", "le", "eq", "ge", "gt"})
        module.function(cat("lanemask_", order), lane_mask(order));
    module.function("threadfence_block", thread_fence("threadfence_block", ir::MemoryScope::cta));
    module.function("threadfence", thread_fence("threadfence", ir::MemoryScope::gpu));
    module.function("threadfence_system", thread_fence("threadfence_system", ir::MemoryScope::sys));
    for (const char* tile : {"a", "b", "c"})
        module.function(cat("print_segment_", tile), print_segment(tile));
}

} // namespace hidet::lang
