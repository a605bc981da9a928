// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/fuse/element.h"

#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/schedule/stages.h"
#include "lang/base/check.h"

namespace hidet::graph {

using namespace ir;

namespace {

class StageInliner : public Rewriter {
public:
    StageInliner(const Task& task, const ReadInput& read) : m_task(task), m_read(read) {}

    ExprRef element(const Stage& stage, const ExprVec& indices) {
        HIDET_CHECK(!stage.reduction, m_task.name);
        return rewrite(value_at(stage, indices));
    }

protected:
    using Rewriter::visit;
    ExprRef visit(const TensorElement& expr) override {
        const auto* tensor = as<Var>(expr.base);
        if (!tensor)
            return rebuild(expr);
        for (std::size_t i = 0; i < m_task.inputs.size(); ++i)
            if (m_task.inputs[i].get() == tensor)
                return m_read(i, rewrite(expr.indices));
        // Reads in the indices are replaced together with those of the stage.
        const Stage* stage = m_task.stage_of(*tensor);
        return stage ? element(*stage, expr.indices) : rebuild(expr);
    }

private:
    const Task& m_task;
    const ReadInput& m_read;
};

} // namespace

ExprRef element_of(const Task& task, std::size_t output, const ExprVec& indices, const ReadInput& read) {
    const Stage* stage = task.stage_of(*task.outputs[output]);
    HIDET_CHECK(stage, task.name);
    return StageInliner(task, read).element(*stage, indices);
}

ExprVec mapped(const InverseMap& map, const ExprVec& indices) {
    Rewriter rewriter;
    for (std::size_t i = 0; i < map.axes.size(); ++i)
        rewriter.replace(map.axes[i], cast_to(indices[i], DType::I64));
    return transformed(map.indices, [&](const ExprRef& index) { return simplified(rewriter.rewrite(index)); });
}

} // namespace hidet::graph
