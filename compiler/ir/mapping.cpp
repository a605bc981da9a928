// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/mapping.h"

#include <algorithm>

#include "compiler/ir/ops.h"
#include "compiler/ir/structure.h"

namespace hidet::ir {

// ---- makers -------------------------------------------------------------------------------------------------------------

static std::vector<std::int64_t> row_ranks(std::size_t rank) {
    std::vector<std::int64_t> ranks(rank);
    for (std::size_t d = 0; d < rank; ++d)
        ranks[d] = static_cast<std::int64_t>(d);
    return ranks;
}

std::vector<std::int64_t> column_ranks(std::size_t rank) {
    std::vector<std::int64_t> ranks = row_ranks(rank);
    std::reverse(ranks.begin(), ranks.end());
    return ranks;
}

std::vector<std::size_t> dims_in_order(const std::vector<std::int64_t>& ranks) {
    std::vector<std::size_t> dims(ranks.size(), ranks.size());
    for (std::size_t d = 0; d < ranks.size(); ++d) {
        auto rank = static_cast<std::size_t>(ranks[d]);
        HIDET_CHECK(rank < dims.size() && dims[rank] == ranks.size(), "ranks are no permutation");
        dims[rank] = d;
    }
    return dims;
}

static std::vector<std::int64_t> checked_ranks(std::vector<std::int64_t> ranks, std::size_t rank) {
    if (ranks.empty())
        return row_ranks(rank);
    HIDET_CHECK(ranks.size() == rank && dims_in_order(ranks).size() == rank);
    return ranks;
}

MappingRef spatial(ExprVec shape, std::vector<std::int64_t> ranks) {
    ranks = checked_ranks(std::move(ranks), shape.size());
    return make_node<SpatialMapping>(std::move(shape), std::move(ranks));
}

static LoopAttr automatic_attr(const ExprRef& extent) {
    auto count = constant_int(extent);
    return count && *count < 4 ? LoopAttr{LoopAttr::What::UnrollExplicit, 0} : LoopAttr{};
}

MappingRef repeat(ExprVec shape, std::vector<std::int64_t> ranks, std::vector<LoopAttr> attrs) {
    ranks = checked_ranks(std::move(ranks), shape.size());
    if (attrs.empty())
        for (const ExprRef& extent : shape)
            attrs.push_back(automatic_attr(extent));
    HIDET_CHECK(attrs.size() == shape.size());
    return make_node<RepeatMapping>(std::move(shape), std::move(ranks), std::move(attrs));
}

MappingRef compose(MappingRef outer, MappingRef inner) {
    HIDET_CHECK(rank_of(outer) == rank_of(inner));
    return make_node<ComposedMapping>(std::move(outer), std::move(inner));
}

MappingRef project(MappingRef base, std::vector<std::int64_t> dims) {
    for (std::int64_t dim : dims)
        HIDET_CHECK(dim >= 0 && static_cast<std::size_t>(dim) < rank_of(base));
    return make_node<ProjectedMapping>(std::move(base), std::move(dims));
}

// ---- meaning ------------------------------------------------------------------------------------------------------------

ExprRef workers_of(const MappingRef& mapping) {
    if (const auto* m = as<SpatialMapping>(mapping))
        return product(m->shape);
    if (const auto* m = as<ComposedMapping>(mapping))
        return mul(workers_of(m->outer), workers_of(m->inner));
    if (const auto* m = as<ProjectedMapping>(mapping))
        return workers_of(m->base);
    return int_constant(1);
}

static bool is_projected(const ProjectedMapping& mapping, std::size_t dim) {
    return std::find(mapping.dims.begin(), mapping.dims.end(), static_cast<std::int64_t>(dim)) != mapping.dims.end();
}

ExprVec shape_of(const MappingRef& mapping) {
    if (const auto* m = as<SpatialMapping>(mapping))
        return m->shape;
    if (const auto* m = as<RepeatMapping>(mapping))
        return m->shape;
    if (const auto* m = as<ComposedMapping>(mapping)) {
        ExprVec shape = shape_of(m->outer);
        ExprVec inner = shape_of(m->inner);
        for (std::size_t d = 0; d < shape.size(); ++d)
            shape[d] = mul(shape[d], inner[d]);
        return shape;
    }
    const auto* m = as<ProjectedMapping>(mapping);
    HIDET_CHECK(m != nullptr);
    ExprVec shape = shape_of(m->base);
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (is_projected(*m, d))
            shape[d] = int_constant(1);
    return shape;
}

std::size_t rank_of(const MappingRef& mapping) {
    if (const auto* m = as<SpatialMapping>(mapping))
        return m->shape.size();
    if (const auto* m = as<RepeatMapping>(mapping))
        return m->shape.size();
    if (const auto* m = as<ComposedMapping>(mapping))
        return rank_of(m->outer);
    return rank_of(static_cast<const ProjectedMapping&>(*mapping).base);
}

bool has_constant_tasks(const MappingRef& mapping) {
    return task_count(mapping) >= 0;
}

std::int64_t task_count(const MappingRef& mapping) {
    if (mapping->kind == Kind::SpatialMapping)
        return 1;
    if (const auto* m = as<RepeatMapping>(mapping)) {
        std::int64_t count = 1;
        for (const ExprRef& extent : m->shape) {
            auto value = constant_int(extent);
            if (!value || *value < 0 || __builtin_mul_overflow(count, *value, &count))
                return -1;
        }
        return count;
    }
    if (const auto* m = as<ComposedMapping>(mapping)) {
        std::int64_t outer = task_count(m->outer);
        std::int64_t inner = task_count(m->inner);
        std::int64_t count = 0;
        return outer < 0 || inner < 0 || __builtin_mul_overflow(outer, inner, &count) ? -1 : count;
    }
    return task_count(static_cast<const ProjectedMapping&>(*mapping).base);
}

// index_d = (worker / stride_d) % shape_d; the `%` of the slowest dim only matters for workers past the last one.
static ExprVec spatial_task(const SpatialMapping& mapping, const ExprRef& worker, Workers workers) {
    std::vector<std::size_t> dims = dims_in_order(mapping.ranks);
    ExprVec task(mapping.shape.size());
    ExprRef stride = int_constant(1);
    for (std::size_t rank = dims.size(); rank-- > 0;) {
        std::size_t d = dims[rank];
        ExprRef index = div(worker, stride);
        bool is_reduced = rank > 0 || workers == Workers::Any;
        task[d] = is_reduced ? truncating_mod(index, mapping.shape[d]) : index;
        if (is_constant(mapping.shape[d], 1))
            task[d] = int_constant(0);
        stride = mul(stride, mapping.shape[d]);
    }
    return task;
}

static std::vector<ExprVec> repeat_tasks(const RepeatMapping& mapping) {
    std::vector<std::size_t> dims = dims_in_order(mapping.ranks);
    std::vector<std::int64_t> extents;
    std::int64_t count = 1;
    for (const ExprRef& extent : mapping.shape) {
        auto value = constant_int(extent);
        HIDET_CHECK(value.has_value(), "the extents of a repeat must be constant here");
        extents.push_back(*value);
        count *= std::max<std::int64_t>(*value, 0);
    }
    std::vector<ExprVec> tasks;
    tasks.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        ExprVec task(extents.size());
        std::int64_t rest = i;
        for (std::size_t rank = dims.size(); rank-- > 0;) {
            task[dims[rank]] = int_constant(rest % extents[dims[rank]]);
            rest /= extents[dims[rank]];
        }
        tasks.push_back(std::move(task));
    }
    return tasks;
}

static std::vector<ExprVec> composed_tasks(const ComposedMapping& mapping, const ExprRef& worker, Workers workers) {
    ExprRef inner_workers = workers_of(mapping.inner);
    std::vector<ExprVec> outer = tasks_of(mapping.outer, div(worker, inner_workers), workers);
    std::vector<ExprVec> inner = tasks_of(mapping.inner, truncating_mod(worker, inner_workers), Workers::InRange);
    ExprVec inner_shape = shape_of(mapping.inner);
    std::vector<ExprVec> tasks;
    tasks.reserve(outer.size() * inner.size());
    for (const ExprVec& block : outer)
        for (const ExprVec& offset : inner) {
            ExprVec task(block.size());
            for (std::size_t d = 0; d < task.size(); ++d)
                task[d] = add(mul(block[d], inner_shape[d]), offset[d]);
            tasks.push_back(std::move(task));
        }
    return tasks;
}

std::vector<ExprVec> tasks_of(const MappingRef& mapping, const ExprRef& worker, Workers workers) {
    if (const auto* m = as<SpatialMapping>(mapping))
        return {spatial_task(*m, worker, workers)};
    if (const auto* m = as<RepeatMapping>(mapping))
        return repeat_tasks(*m);
    if (const auto* m = as<ComposedMapping>(mapping))
        return composed_tasks(*m, worker, workers);
    const auto& m = static_cast<const ProjectedMapping&>(*mapping);
    std::vector<ExprVec> tasks = tasks_of(m.base, worker, workers);
    for (ExprVec& task : tasks)
        for (std::size_t d = 0; d < task.size(); ++d)
            if (is_projected(m, d))
                task[d] = int_constant(0);
    return tasks;
}

} // namespace hidet::ir
