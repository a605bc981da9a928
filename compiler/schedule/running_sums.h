// SPDX-License-Identifier: Apache-2.0
// The sums of a tile of a product, in registers while it is computed. They are reached vector by vector, each by a loop of its own:
// GCC leaves an array in memory where one loop goes over several of its vectors, and copies it by memcpy.
#pragma once

#include "compiler/schedule/kernel.h"

namespace hidet::graph {

class RunningSums {
public:
    RunningSums(ir::DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t lanes);

    using Body = std::function<ir::StmtRef(const ir::ExprVec& place)>; // {row, a constant; lane}
    ir::StmtRef each(const Body& body) const;

    ir::StmtRef declared() const;
    ir::StmtRef from_zero() const;
    ir::StmtRef from(const ir::VarRef& sums) const; // [rows][of which the first columns are ours]
    ir::StmtRef to(const ir::VarRef& sums) const;
    ir::StmtRef multiply_add(const ir::ExprVec& place, const ir::ExprRef& a, const ir::ExprRef& b) const;

    ir::ExprRef address(std::int64_t row, std::int64_t column) const;

    std::int64_t rows() const { return m_rows; }
    std::int64_t columns() const { return m_columns; }
    ir::DType dtype() const { return m_dtype; }

private:
    ir::DType m_dtype;
    std::int64_t m_rows, m_columns, m_lanes;
    ir::VarRef m_running;
};

} // namespace hidet::graph
