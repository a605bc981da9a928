// SPDX-License-Identifier: Apache-2.0
// Task mappings: functions from a worker to an ordered list of tasks, as values (Ding et al., ASPLOS 2023;
// language.md 3.1). ranks[d] = position of dim d in the ordering, 0 = slowest.
#pragma once

#include "compiler/ir/loop_attr.h"
#include "compiler/ir/node.h"

namespace hidet::ir {

struct SpatialMapping : NodeOf<Kind::SpatialMapping, Mapping> { // prod(shape) workers, one task each
    ExprVec shape;
    std::vector<std::int64_t> ranks;
    static void visit_fields(auto& s, auto&& v) { v(s.shape, s.ranks); }
};

struct RepeatMapping : NodeOf<Kind::RepeatMapping, Mapping> { // one worker, prod(shape) tasks in rank order
    ExprVec shape;
    std::vector<std::int64_t> ranks;
    std::vector<LoopAttr> attrs; // one per dim
    static void visit_fields(auto& s, auto&& v) { v(s.shape, s.ranks, s.attrs); }
};

// task = outer task * inner shape + inner task; the outer varies slowest
struct ComposedMapping : NodeOf<Kind::ComposedMapping, Mapping> {
    MappingRef outer;
    MappingRef inner;
    static void visit_fields(auto& s, auto&& v) { v(s.outer, s.inner); }
};

struct ProjectedMapping : NodeOf<Kind::ProjectedMapping, Mapping> { // listed dims are forced to 0, with extent 1
    MappingRef base;
    std::vector<std::int64_t> dims;
    static void visit_fields(auto& s, auto&& v) { v(s.base, s.dims); }
};

// Empty ranks: row order. Empty attrs: automatic (constant extents below 4 are unrolled).
MappingRef spatial(ExprVec shape, std::vector<std::int64_t> ranks = {});
MappingRef repeat(ExprVec shape, std::vector<std::int64_t> ranks = {}, std::vector<LoopAttr> attrs = {});
MappingRef compose(MappingRef outer, MappingRef inner);
MappingRef project(MappingRef base, std::vector<std::int64_t> dims);
std::vector<std::int64_t> column_ranks(std::size_t rank);

ExprRef workers_of(const MappingRef& mapping);
ExprVec shape_of(const MappingRef& mapping);
std::size_t rank_of(const MappingRef& mapping);
// The dims from slowest to fastest.
std::vector<std::size_t> dims_in_order(const std::vector<std::int64_t>& ranks);

// Any: a worker past the last one wraps around. InRange: the caller guards (worker < workers_of), which saves a `%`.
enum class Workers : std::uint8_t { Any, InRange };
// The tasks of a worker in order. Repeat extents must be constant (check has_constant_tasks); the worker may be any
// expression that is not negative.
std::vector<ExprVec> tasks_of(const MappingRef& mapping, const ExprRef& worker, Workers workers = Workers::Any);
bool has_constant_tasks(const MappingRef& mapping);
// Number of tasks of one worker, -1 when not constant.
std::int64_t task_count(const MappingRef& mapping);

} // namespace hidet::ir
