// SPDX-License-Identifier: Apache-2.0
// What a function of hidet.ops that is made of others calls them with.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/script_graphs.h"
#include "lang/base/check.h"
#include "lang/base/text.h"
#include "lang/base/transformed.h"

namespace hidet::graph {

class Composer {
public:
    using Values = std::vector<HostValue>;

    Composer(ScriptGraphs& graphs, Evaluator& evaluator, Span span)
        : m_graphs(graphs), m_evaluator(evaluator), m_span(span) {}

    HostValue op(const char* name, Values operands,
                 std::vector<std::pair<std::string, HostValue>> attributes = {}) const {
        const OpInfo* found = ScriptGraphs::find_function(name);
        HIDET_CHECK(found, name);
        Args args;
        args.spans.assign(operands.size(), m_span);
        args.keyword_spans.assign(attributes.size(), m_span);
        args.keyword_name_spans = args.keyword_spans;
        args.positional = std::move(operands);
        args.keywords = std::move(attributes);
        return m_graphs.call(m_evaluator, *found, args, m_span);
    }
    // Of an operator that has no function in hidet.ops.
    HostValue applied(const OpInfo& op, const HostValue& operand, Attributes attributes) const {
        return m_graphs.apply(m_evaluator, op, {operand}, std::move(attributes), m_span).front();
    }
    HostValue list(Values items) const { return m_evaluator.new_list(std::move(items)); }
    HostValue ints(const Ints& numbers) const {
        return list(transformed(numbers, [&](const std::int64_t each) { return HostValue::integer(each); }));
    }
    Values shape_of(const HostValue& tensor) const {
        return m_evaluator.iterate(m_evaluator.attribute(tensor, "shape", m_span), m_span);
    }
    std::int64_t rank_of(const HostValue& tensor) const { return static_cast<std::int64_t>(shape_of(tensor).size()); }
    // Counted from the first; `most` is what it has to be below.
    std::int64_t axis(std::int64_t given, std::int64_t most) const {
        if (given < -most || given >= most)
            refuse(cat("axis ", given, " of a tensor of ", most, " dimensions"));
        return given < 0 ? given + most : given;
    }
    [[noreturn]] void refuse(std::string why) const { fail(DiagId::OperatorRefused, m_span, std::move(why)); }
    Evaluator& evaluator() const { return m_evaluator; }
    Span span() const { return m_span; }

private:
    ScriptGraphs& m_graphs;
    Evaluator& m_evaluator;
    Span m_span;
};

// Rows of the table in composed.cpp that have files of their own.
// (x, qweight, qzeros, scales)
HostValue awq_matmul(const Composer& composer, Args& args);
// (x, qweight, qzeros, scales, g_idx=None, *, bits=4, zero_offset=1)
HostValue gptq_matmul(const Composer& composer, Args& args);
// (x, pattern, **lengths), as the library einops has it
HostValue einops_rearrange(const Composer& composer, Args& args);

} // namespace hidet::graph
