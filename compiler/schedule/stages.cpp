// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/stages.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/analysis/kinds.h"
#include "compiler/ir/each_node.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "compiler/perf/expression_cost.h"

namespace hidet::graph {

using namespace ir;

namespace {

constexpr double most_copies = 8; // of a cheap stage, so that expressions stay small

struct Fate {
    double evaluations = 0; // by all readers, if it is inlined
    double copies = 0;      // in their text
    bool is_inlined = false;
};
using Fates = std::unordered_map<const Var*, Fate>;

Fates decide(const Task& task) {
    Fates fates;
    for (auto stage = task.stages.rbegin(); stage != task.stages.rend(); ++stage) {
        const double elements = perf::estimate(shape_of(stage->tensor));
        Fate& fate = fates[stage->tensor.get()];
        const bool is_result = std::ranges::find(task.outputs, stage->tensor) != task.outputs.end();
        fate.is_inlined = !stage->reduction && !is_result && fate.copies <= most_copies &&
                          perf::is_cheaper_again(perf::cost_of(stage->value), fate.evaluations, elements);
        const double terms = stage->reduction ? perf::estimate(stage->reduction->extents) : 1;
        const double evaluations = fate.is_inlined ? fate.evaluations : elements * terms;
        const double copies = fate.is_inlined ? fate.copies : 1;
        const auto tell_what_it_reads = [&](const ExprRef& expr) {
            each_node(expr, [&](const TensorElement& element) {
                if (const auto* tensor = as<Var>(element.base)) {
                    Fate& read = fates[tensor];
                    read.evaluations += evaluations;
                    read.copies += copies;
                }
            });
        };
        tell_what_it_reads(stage->value);
        if (stage->reduction)
            std::ranges::for_each(stage->reduction->extents, tell_what_it_reads);
    }
    return fates;
}

class Inliner : public Rewriter {
public:
    explicit Inliner(const std::unordered_map<const Var*, Stage>& inlined) : m_inlined(inlined) {}

protected:
    using Rewriter::visit;
    ExprRef visit(const TensorElement& expr) override {
        const auto* tensor = as<Var>(expr.base);
        const auto stage = tensor ? m_inlined.find(tensor) : m_inlined.end();
        if (stage == m_inlined.end())
            return rebuild(expr);
        return value_at(stage->second, rewrite(expr.indices));
    }

private:
    const std::unordered_map<const Var*, Stage>& m_inlined;
};

} // namespace

std::vector<Stage> without_inlined(const Task& task) {
    Fates fates = decide(task);
    std::unordered_map<const Var*, Stage> inlined;
    std::vector<Stage> kept;
    for (Stage stage : task.stages) {
        const Fate& fate = fates[stage.tensor.get()];
        const bool is_result = std::ranges::find(task.outputs, stage.tensor) != task.outputs.end();
        if (fate.copies == 0 && !is_result)
            continue;
        Inliner inliner(inlined);
        stage.value = inliner.rewrite(stage.value);
        if (stage.reduction)
            stage.reduction->extents = inliner.rewrite(stage.reduction->extents);
        if (fate.is_inlined)
            inlined.emplace(stage.tensor.get(), std::move(stage));
        else
            kept.push_back(std::move(stage));
    }
    return kept;
}

ExprRef value_at(const Stage& stage, const ExprVec& axes, const ExprVec& reduced) {
    Rewriter rewriter(0, Rewriter::Definitions::Copy);
    std::vector<std::pair<VarRef, ExprRef>> named;
    const auto replace = [&](const VarRef& axis, const ExprRef& index) {
        ExprRef by = cast_to(index, DType::I64);
        if (compiler::kinds_in(*by).has(Kind::Let)) { // an axis may be used twice, and a definition must stay one
            named.emplace_back(make_var(axis->name, by->type), by);
            by = named.back().first;
        }
        rewriter.replace(axis, by);
    };
    for (std::size_t i = 0; i < axes.size(); ++i)
        replace(stage.axes[i], axes[i]);
    for (std::size_t i = 0; i < reduced.size(); ++i)
        replace(stage.reduction->axes[i], reduced[i]);
    ExprRef value = rewriter.rewrite(stage.value);
    for (std::size_t i = named.size(); i-- > 0;)
        value = make_let(named[i].first, named[i].second, value);
    return cast_to(value, stage.reduction ? stage.reduction->accumulate : dtype_of(stage.tensor));
}

} // namespace hidet::graph
