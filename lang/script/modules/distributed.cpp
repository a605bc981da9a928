// SPDX-License-Identifier: Apache-2.0
// hidet.lang.distributed: memory of other GPUs, and signals between them. Release and acquire have the scope of the system: a
// smaller one orders nothing for a thread of another GPU.
#include "compiler/ir/intrinsic.h"
#include "lang/host/arguments.h"
#include "lang/script/modules/exports.h"
#include "lang/script/modules/intrinsics.h"
#include "lang/script/translator.h"

namespace hidet::lang {

namespace {

ir::IntrinsicAttr system_wide(ir::IntrinsicId id, ir::MemoryOrder order) {
    return ir::with(ir::with(ir::with(ir::default_attr(id), order), ir::MemoryScope::sys), ir::AddressSpace::global);
}

ir::ExprRef peer_address(Evaluator& evaluator, const ir::ExprRef& address, const Value& rank, Span rank_span,
                         Span call) {
    return on_gpu(evaluator, "peer", ir::default_attr(ir::IntrinsicId::PeerAddress),
                  {address, converted(evaluator, rank, ir::DType::I32, rank_span)}, call)
        .as_expr();
}

// Of one element, also where a tensor is given.
ir::ExprRef element_address(const Arguments& a, std::size_t i) {
    const ir::ExprRef given = pointer_argument(a[i], a.span(i));
    return ir::cast_to(given, ir::pointer_type(pointee(given, a.span(i))));
}

ir::ExprRef element_value(Evaluator& evaluator, const Arguments& a, std::size_t i, const ir::ExprRef& address) {
    return convert_to(to_expr(a[i], a.span(i)), pointee(address, a.span(i)), a.span(i), evaluator.sink());
}

// A tensor stays one: it is indexed as the own part is.
Value peer(Evaluator& evaluator, const Arguments& a, Span call) {
    ir::ExprRef address = pointer_argument(a[0], a.span(0));
    if (const auto* tensor = ir::as<ir::TensorType>(address->type))
        address = ir::cast_to(address, ir::tensor_pointer_type(ir::self(*tensor)));
    return Value::expr(peer_address(evaluator, address, a[1], a.span(1), call));
}

Value put(Evaluator& evaluator, const Arguments& a, Span call) {
    const ir::ExprRef own = element_address(a, 0), value = element_value(evaluator, a, 1, own);
    const ir::ExprRef there = peer_address(evaluator, own, a[2], a.span(2), call);
    return Value::stmt(typed(call, [&] { return ir::make_store(there, {ir::int_constant(0)}, value); }));
}

Value get(Evaluator& evaluator, const Arguments& a, Span call) {
    const ir::ExprRef there = peer_address(evaluator, element_address(a, 0), a[1], a.span(1), call);
    return Value::expr(typed(call, [&] { return ir::make_element(there, {ir::int_constant(0)}); }));
}

Value signal(Evaluator& evaluator, const Arguments& a, Span call) {
    const ir::ExprRef own = element_address(a, 0), value = element_value(evaluator, a, 1, own);
    const ir::ExprRef there = peer_address(evaluator, own, a[2], a.span(2), call);
    return on_gpu(evaluator, "signal", system_wide(ir::IntrinsicId::StoreRelease, ir::MemoryOrder::release),
                  {there, value}, call);
}

// At least the value: signals that count up need no reset between the turns of a loop.
Value wait_signal(Evaluator& evaluator, const Arguments& a, Span call) {
    const ir::ExprRef own = element_address(a, 0), value = element_value(evaluator, a, 1, own);
    const ir::ExprRef seen = on_gpu(evaluator, "wait_signal",
                                    system_wide(ir::IntrinsicId::LoadAcquire, ir::MemoryOrder::acquire), {own}, call)
                                 .as_expr();
    return Value::stmt(typed(call, [&] { return ir::make_while(ir::less(seen, value), ir::make_seq({})); }));
}

} // namespace

void make_hidet_lang_distributed(Evaluator&, HostModule& module) {
    export_intrinsics(module, "distributed");
    module.function("peer", {"addr", "rank"}, peer);
    module.function("put", {"addr", "value", "rank"}, put);
    module.function("get", {"addr", "rank"}, get);
    module.function("signal", {"addr", "value", "rank"}, signal);
    module.function("wait_signal", {"addr", "value"}, wait_signal);
}

} // namespace hidet::lang
