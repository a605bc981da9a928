// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/running_sums.h"

#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "compiler/schedule/product_axes.h"
#include "lang/base/check.h"

namespace hidet::graph {

using namespace ir;

RunningSums::RunningSums(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t lanes)
    : m_dtype(dtype), m_rows(rows), m_columns(columns), m_lanes(std::min(lanes, columns)),
      m_running(make_var("running", matrix(dtype, rows, columns))) {
    HIDET_CHECK(columns % m_lanes == 0, "a tile consists of whole vectors");
}

StmtRef RunningSums::each(const Body& body) const {
    StmtVec vectors;
    for (std::int64_t row = 0; row < m_rows; ++row)
        for (std::int64_t first = 0; first < m_columns; first += m_lanes)
            vectors.push_back(loop("lane", i64(m_lanes), [&](const ExprRef& lane) {
                return body({int_constant(row), add(lane, i64(first))});
            }));
    return make_seq(std::move(vectors));
}

StmtRef RunningSums::declared() const {
    return make_declare(m_running, nullptr, Scope::Register);
}

StmtRef RunningSums::from_zero() const {
    return each([&](const ExprVec& place) { return make_store(m_running, place, zero(m_dtype)); });
}

StmtRef RunningSums::from(const VarRef& sums) const {
    return each([&](const ExprVec& place) { return make_store(m_running, place, make_element(sums, place)); });
}

StmtRef RunningSums::to(const VarRef& sums) const {
    return each([&](const ExprVec& place) { return make_store(sums, place, make_element(m_running, place)); });
}

StmtRef RunningSums::multiply_add(const ExprVec& place, const ExprRef& a, const ExprRef& b) const {
    const ExprRef before = make_element(m_running, place);
    return make_store(m_running, place, make_intrinsic(IntrinsicId::Fma, {a, b, before}, before->type));
}

ExprRef RunningSums::address(std::int64_t row, std::int64_t column) const {
    return address_of(m_running, {int_constant(row), i64(column)});
}

} // namespace hidet::graph
