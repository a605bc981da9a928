// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/constant_tasks.h"

#include <algorithm>

#include "compiler/ir/ops.h"

namespace hidet::ir {

namespace {

std::optional<std::int64_t> product_of(const std::vector<std::int64_t>& numbers) {
    std::int64_t out = 1;
    for (std::int64_t number : numbers)
        if (__builtin_mul_overflow(out, number, &out))
            return std::nullopt;
    return out;
}

std::optional<std::vector<std::int64_t>> numbers_of(const ExprVec& extents) {
    std::vector<std::int64_t> out;
    for (const ExprRef& extent : extents) {
        const auto value = constant_int(extent);
        if (!value || *value <= 0)
            return std::nullopt;
        out.push_back(*value);
    }
    return out;
}

std::optional<TaskExtents> composed(const ComposedMapping& mapping) {
    auto outer = constant_extents(mapping.outer);
    const auto inner = constant_extents(mapping.inner);
    if (!outer || !inner)
        return std::nullopt;
    for (std::size_t d = 0; d < outer->shape.size(); ++d)
        if (__builtin_mul_overflow(outer->shape[d], inner->shape[d], &outer->shape[d]))
            return std::nullopt;
    if (__builtin_mul_overflow(outer->workers, inner->workers, &outer->workers) ||
        __builtin_mul_overflow(outer->per_worker, inner->per_worker, &outer->per_worker))
        return std::nullopt;
    return outer;
}

// The coordinates of the n-th place of a shape in the order of its ranks.
void append_place(std::vector<std::int64_t>& out, const std::vector<std::int64_t>& shape,
                  const std::vector<std::int64_t>& ranks, std::int64_t n) {
    const std::size_t at = out.size();
    out.resize(at + shape.size());
    const std::vector<std::size_t> dims = dims_in_order(ranks);
    for (std::size_t rank = dims.size(); rank-- > 0;) {
        out[at + dims[rank]] = n % shape[dims[rank]];
        n /= shape[dims[rank]];
    }
}

// The coordinates of the tasks of a worker, one task after the other.
std::vector<std::int64_t> coordinates(const MappingRef& mapping, std::int64_t worker) {
    std::vector<std::int64_t> out;
    if (const auto* m = as<SpatialMapping>(mapping)) {
        append_place(out, *numbers_of(m->shape), m->ranks, worker);
        return out;
    }
    if (const auto* m = as<RepeatMapping>(mapping)) {
        const std::vector<std::int64_t> shape = *numbers_of(m->shape);
        for (std::int64_t i = 0, count = *product_of(shape); i < count; ++i)
            append_place(out, shape, m->ranks, i);
        return out;
    }
    if (const auto* m = as<ComposedMapping>(mapping)) {
        const TaskExtents extents = *constant_extents(m->inner);
        const std::size_t rank = extents.shape.size();
        const std::vector<std::int64_t> outer = coordinates(m->outer, worker / extents.workers);
        const std::vector<std::int64_t> inner = coordinates(m->inner, worker % extents.workers);
        for (std::size_t block = 0; block < outer.size(); block += rank)
            for (std::size_t i = 0; i < inner.size(); ++i)
                out.push_back(outer[block + i % rank] * extents.shape[i % rank] + inner[i]);
        return out;
    }
    const auto& m = static_cast<const ProjectedMapping&>(*mapping);
    out = coordinates(m.base, worker);
    const std::size_t rank = rank_of(m.base);
    for (std::size_t i = 0; i < out.size(); ++i)
        if (std::ranges::find(m.dims, static_cast<std::int64_t>(i % rank)) != m.dims.end())
            out[i] = 0;
    return out;
}

} // namespace

std::optional<TaskExtents> constant_extents(const MappingRef& mapping) {
    TaskExtents out;
    if (const auto* m = as<ComposedMapping>(mapping))
        return composed(*m);
    if (const auto* m = as<ProjectedMapping>(mapping)) {
        auto base = constant_extents(m->base);
        if (base)
            for (std::int64_t dim : m->dims)
                base->shape[static_cast<std::size_t>(dim)] = 1;
        return base;
    }
    const auto* spread = as<SpatialMapping>(mapping);
    const auto shape = numbers_of(spread ? spread->shape : static_cast<const RepeatMapping&>(*mapping).shape);
    const auto count = shape ? product_of(*shape) : std::nullopt;
    if (!count)
        return std::nullopt;
    return TaskExtents{*shape, spread ? *count : 1, spread ? 1 : *count};
}

std::optional<ConstantTasks> constant_tasks(const MappingRef& mapping, std::int64_t most) {
    const auto extents = constant_extents(mapping);
    std::int64_t tasks = 0;
    if (!extents || __builtin_mul_overflow(extents->workers, extents->per_worker, &tasks) || tasks > most)
        return std::nullopt;
    ConstantTasks out{extents->shape, extents->workers, extents->per_worker, {}};
    out.elements.reserve(static_cast<std::size_t>(tasks));
    const std::size_t rank = out.shape.size();
    for (std::int64_t worker = 0; worker < out.workers; ++worker) {
        const std::vector<std::int64_t> tasks_of_worker = coordinates(mapping, worker);
        for (std::size_t task = 0; task < static_cast<std::size_t>(out.per_worker); ++task) {
            std::int64_t element = 0;
            for (std::size_t d = 0; d < rank; ++d)
                element = element * out.shape[d] + tasks_of_worker[task * rank + d];
            out.elements.push_back(element);
        }
    }
    return out;
}

} // namespace hidet::ir
