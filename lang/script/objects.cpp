// SPDX-License-Identifier: Apache-2.0
#include "lang/script/objects.h"

#include <algorithm>
#include <limits>

#include "lang/host/boxed.h"
#include "lang/host/interpreter.h"
#include "lang/host/tensors/tensor_shapes.h"
#include "lang/script/operations.h"
#include "lang/script/translator.h"

namespace hidet::lang {

static void constant_indices(const std::vector<std::int64_t>& extents, std::vector<std::int64_t>& index,
                             std::vector<Value>& out) {
    if (index.size() == extents.size()) {
        out.push_back(shape_value(index));
        return;
    }
    for (std::int64_t i = 0; i < extents[index.size()]; ++i) {
        index.push_back(i);
        constant_indices(extents, index, out);
        index.pop_back();
    }
}

// An expression, and its places in the task and in the list.
static constexpr std::uint64_t bytes_of_number = 128;

void charge_tasks(Evaluator& evaluator, const ir::MappingRef& mapping, Span span) {
    const auto count = static_cast<std::uint64_t>(ir::task_count(mapping)), rank = ir::rank_of(mapping);
    std::uint64_t numbers = 0;
    if (__builtin_mul_overflow(count, rank + 1, &numbers))
        numbers = std::numeric_limits<std::int64_t>::max();
    evaluator.charge_steps(numbers, span);
    evaluator.impl().check_bytes(numbers * bytes_of_number, span);
}

std::unique_ptr<std::vector<Value>> LoopIterable::iterate(Evaluator& evaluator, Span where) {
    auto items = std::make_unique<std::vector<Value>>();
    auto number = [&](const ir::ExprRef& expr, std::int64_t otherwise) {
        return expr ? to_int(Value::expr(expr), where, "the extent of a loop in a comprehension") : otherwise;
    };
    if (what == What::Range) {
        std::int64_t first = number(start, 0), last = number(stop, 0), by = number(step, 1);
        for (std::int64_t i = first; by > 0 ? i < last : i > last;) {
            evaluator.charge_steps(1, where);
            items->push_back(Value::integer(i));
            if (__builtin_add_overflow(i, by, &i))
                break;
        }
        return items;
    }
    if (what == What::Mapping) {
        if (!ir::has_constant_tasks(mapping))
            fail(DiagId::ScriptNeedsConstant, where, "the number of tasks in a comprehension", "a task mapping");
        charge_tasks(evaluator, mapping, where);
        for (const ir::ExprVec& task : ir::tasks_of(mapping, worker))
            items->push_back(from_exprs(task));
        return items;
    }
    std::vector<std::int64_t> sizes, index;
    std::uint64_t total = 1;
    for (const ir::ExprRef& extent : extents) {
        sizes.push_back(std::max<std::int64_t>(number(extent, 0), 0));
        if (__builtin_mul_overflow(total, static_cast<std::uint64_t>(sizes.back()), &total))
            total = std::numeric_limits<std::int64_t>::max();
        evaluator.charge_steps(total, where);
    }
    constant_indices(sizes, index, *items);
    if (extents.size() == 1 && !bind_tuple)
        for (Value& item : *items)
            item = Value(item.items()[0]);
    return items;
}

std::vector<std::string> AttrsObject::attributes() const {
    switch (part) {
    case Part::Root:
        return {"func_name",
                "func_kind",
                "label",
                "cuda",
                "hip",
                "cuda_grid_dim",
                "cuda_block_dim",
                "cuda_min_blocks",
                "cuda_dynamic_smem_bytes"};
    case Part::Cuda: return {"grid_dim", "block_dim", "cluster_dim", "min_blocks", "dynamic_smem_bytes", "wide_access"};
    case Part::Hip: break;
    }
    return {"grid_dim", "block_dim", "dynamic_smem_bytes"};
}

std::unique_ptr<Value> AttrsObject::attribute(Evaluator&, std::string_view name, Span span) {
    if (part == Part::Root && name == "cuda")
        return boxed(new_extension<AttrsObject>(Part::Cuda));
    if (part == Part::Root && name == "hip")
        return boxed(new_extension<AttrsObject>(Part::Hip));
    for (const std::string& known : attributes())
        if (known == name)
            fail(DiagId::ScriptAttributeRead, span, name);
    return nullptr;
}

bool AttrsObject::set_attribute(Evaluator& evaluator, std::string_view name, const Value& value, Span span) {
    Translator* translator = Operations::of(evaluator).translator();
    if (!translator)
        fail(DiagId::ScriptAttributeOutside, span, name);
    translator->set_attribute(part, name, value, span, span);
    return true;
}

std::unique_ptr<Value> Dim3Object::attribute(Evaluator& evaluator, std::string_view name, Span span) {
    if (name.size() != 1 || name[0] < 'x' || name[0] > 'z')
        return nullptr;
    Operations::of(evaluator).need_gpu(m_name, span);
    return boxed(Value::expr(ir::make_builtin(static_cast<ir::Builtin>(static_cast<int>(m_x) + (name[0] - 'x')))));
}

void UnsupportedObject::refuse(Span span) const {
    if (sentence.empty())
        fail(DiagId::ScriptNotSupportedYet, span, m_name);
    throw DiagnosticError(
        Diagnostic::make(DiagId::ScriptUnsupported, span, cat("'", m_name, "'")).note(span, sentence));
}

std::unique_ptr<Value> UnsupportedObject::attribute(Evaluator&, std::string_view, Span span) {
    refuse(span);
}

std::unique_ptr<Value> SelfReference::call(Evaluator&, Args&, Span span) {
    fail(DiagId::ScriptRecursion, span, m_name);
}

} // namespace hidet::lang
