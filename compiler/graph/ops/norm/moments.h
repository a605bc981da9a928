// SPDX-License-Identifier: Apache-2.0
// Mean and variance over some dimensions as stages, in two passes: no difference of large squares. Elements are taken as
// their distance from the first one, so that a large mean, rounded, does not hide what they are apart.
#pragma once

#include "compiler/graph/ops/reduction/reduction.h"

namespace hidet::graph {

class Moments {
public:
    // `work` is the type of the stages.
    Moments(TaskBuilder& builder, const ir::VarRef& x, const Ints& dims, ir::DType work);

    ir::ExprRef centred(const Indices& axes) const;  // x - mean, of an index into the input
    ir::ExprRef variance(const Indices& axes) const; // of the population

private:
    ir::ExprRef distance(const Indices& axes) const;
    ir::ExprRef over_count(const ir::VarRef& sum, const Indices& axes) const;
    ir::VarRef m_x;
    ir::DType m_work;
    ReducedShape m_reduced;
    ir::VarRef m_sum;
    ir::VarRef m_squares;
};

} // namespace hidet::graph
