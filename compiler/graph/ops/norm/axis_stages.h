// SPDX-License-Identifier: Apache-2.0
// What softmax and its relatives share: stages over one dimension, with the dimension kept as an extent of 1.
#pragma once

#include <string>

#include "compiler/graph/core/op.h"

namespace hidet::graph {

class AxisStages {
public:
    // Attribute: axis (int; -1). Floats only.
    AxisStages(const OpCall& call, const std::string& name);

    ir::VarRef largest();                                                      // of the input, in the work type
    ir::VarRef sum_of_exp(const ir::VarRef& largest);                          // of exp(x - largest)
    ir::ExprRef shifted(const Indices& axes, const ir::VarRef& largest) const; // x - largest
    Task finish(const Element& value);
    Indices kept(const Indices& axes) const; // the index into a tensor of the stages above

    TaskBuilder builder;
    std::string name;
    Shape shape;
    std::size_t axis = 0;
    ir::DType dtype;
    ir::DType work;
    ir::VarRef x;

private:
    ir::VarRef reduce(const char* stage, ReduceOp op, const Element& value);
    Shape m_kept;
};

} // namespace hidet::graph
