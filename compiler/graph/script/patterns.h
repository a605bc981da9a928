// SPDX-License-Identifier: Apache-2.0
// TensorPattern and op_pattern of scripts: what a rule of rewriting looks for.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/passes/pattern.h"
#include "compiler/graph/script/script_graphs.h"
#include "lang/host/modules.h"

namespace hidet::graph {

// An operator as a script names it: a class of hidet.graph.ops (MatmulOp), a function of hidet.ops, a name ("Matmul"), or
// a class of its own that derives from Operator.
struct WantedOperator {
    OpId op = OpId::None;
    Attributes attributes;
};
WantedOperator wanted_operator(const lang::Value& value, Span span);

class PatternValue : public lang::NativeObject {
public:
    std::string type_name() const override { return "TensorPattern"; }
    std::vector<std::string> attributes() const override { return {"is_const", "is_symbolic"}; }
    std::unique_ptr<lang::Value> attribute(lang::Evaluator&, std::string_view name, Span) override;
    std::unique_ptr<lang::Value> unary(lang::Evaluator&, lang::ast::UnaryOp op, Span span) override;
    std::unique_ptr<lang::Value> binary(lang::Evaluator&, lang::ast::BinaryOp op, const lang::Value& other,
                                        bool on_right, Span span) override;

    TensorKind kind = TensorKind::Any;
    WantedOperator made_by; // none: any tensor
    std::vector<Ref<PatternValue>> inputs;
    int depth = 0; // operators above it
};

// What source() of a rule gave, with the tensors of the pattern in the order in which it has them.
struct ScriptPattern {
    Pattern pattern;
    std::vector<Ref<PatternValue>> tensors;
};
ScriptPattern pattern_of(lang::Evaluator& evaluator, const lang::Value& outputs, Span span);

void add_patterns(lang::Evaluator& evaluator, lang::HostModule& module);
void add_operator_classes(ScriptGraphs& graphs, lang::Evaluator& evaluator, lang::HostModule& module);

} // namespace hidet::graph
