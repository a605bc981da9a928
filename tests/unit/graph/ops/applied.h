// SPDX-License-Identifier: Apache-2.0
// Operators applied to shapes, for tests of what holds of all of them.
#pragma once

#include "tests/unit/graph/ops/loops.h"

namespace hidet::test {

struct Applied {
    const graph::OpInfo& op;
    std::vector<Index> inputs;
    graph::Attributes attributes = {};
};

// That have inverse maps.
inline std::vector<Applied> moves() {
    using ir::DType;
    using namespace graph;
    const std::int64_t two = 2;
    return {
        {op_info::Cast(), {{2, 3}}, {{"dtype", DType::F16}}},
        {op_info::DepthToSpace(), {{2, 8, 3, 2}}, {{"blocksize", two}}},
        {op_info::DepthToSpace(), {{1, 8, 2, 3}}, {{"blocksize", two}, {"mode", std::string("CRD")}}},
        {op_info::Flatten(), {{2, 3, 4}}, {{"start_dim", std::int64_t{1}}}},
        {op_info::Flatten(), {{}}},
        {op_info::Flip(), {{2, 3, 4}}, {{"dims", Ints{0, -1}}}},
        {op_info::PermuteDims(), {{2, 3, 4}}, {{"axes", Ints{1, 2, 0}}}},
        {op_info::PermuteDims(), {{2, 1, 4}}},
        {op_info::Rearrange(), {{2, 3, 4}}, {{"axes", Ints{2, 0, 1}}, {"groups", Ints{1, 0, 2}}}},
        {op_info::Rearrange(), {{2, 1, 4}}, {{"axes", Ints{2, 0}}, {"groups", Ints{2}}}},
        {op_info::Reshape(), {{2, 6}}, {{"shape", Ints{3, 4}}}},
        {op_info::Reshape(), {{4, 1, 9}}, {{"shape", Ints{6, 6, 1}}}},
        {op_info::Reshape(), {{2, 3, 20}}, {{"shape", Ints{6, 4, 5}}}},
        {op_info::Reshape(), {{}}, {{"shape", Ints{1, 1}}}},
        {op_info::Roll(), {{3, 4}}, {{"shifts", Ints{1, -6, 1}}, {"dims", Ints{0, 1, 0}}}},
        {op_info::SpaceToDepth(), {{2, 3, 4, 6}}, {{"blocksize", two}}},
        {op_info::Squeeze(), {{2, 1, 3, 1}}},
        {op_info::TransposeOp2D(), {{2, 3}}},
        {op_info::Unsqueeze(), {{2, 3}}, {{"dims", Ints{0, 2}}}},
        {op_info::View(), {{2, 6}}, {{"dtype", DType::F32}, {"shape", Ints{4, 3}}}},
        {op_info::Where(), {{2, 3}, {3}, {1, 2, 3}}},
        {op_info::CompositeElementwise(),
         {{2, 3}},
         {{"left_unary_op", std::string("Relu")},
          {"right_unary_op", std::string()},
          {"binary_op", std::string("Add")}}},
        {op_info::Add(), {{2, 3}, {1, 1, 2, 3}}},
        {op_info::Add(), {{1}, {1, 1}}},
        {op_info::Multiply(), {{}, {}}},
        {op_info::Max(), {{2, 3}, {2, 3}, {3}}},
    };
}

} // namespace hidet::test
