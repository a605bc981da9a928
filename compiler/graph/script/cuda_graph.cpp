// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "compiler/graph/script/compiled_graph.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/ir/packing.h"
#include "lang/host/interpreter.h"

namespace hidet::graph {

namespace {

// The graph, captured once and replayed: inputs and outputs stay where they are.
class CudaGraphValue : public lang::NativeObject {
public:
    CudaGraphValue(CompiledRef compiled, Tensors inputs)
        : m_compiled(std::move(compiled)), m_inputs(std::move(inputs)) {}
    std::string type_name() const override { return "CudaGraph"; }
    std::vector<std::string> attributes() const override {
        return {"run", "run_async", "inputs", "outputs", "replay", "run_into", "run_at", "in_place"};
    }
    std::unique_ptr<HostValue> attribute(Evaluator& evaluator, std::string_view name, Span span) override {
        if (name == "inputs")
            return boxed(results_of(evaluator, m_inputs, true));
        if (name == "outputs")
            return boxed(results_of(evaluator, m_outputs, true));
        if (name == "in_place") {
            HostValue found = evaluator.impl().new_dict();
            for (const InPlace& each : m_compiled->in_place())
                lang::as_dict(found).table.set(evaluator, HostValue::integer(each.result),
                                               HostValue::integer(each.input), span);
            return boxed(std::move(found));
        }
        if (name == "run_into")
            return method_of<CudaGraphValue>(
                *this, name, [](CudaGraphValue& self, Evaluator& inner, Args& args, Span at) {
                    return HostValue::integer(static_cast<std::int64_t>(self.run_into(inner, args, at)));
                });
        if (name == "run_at")
            return method_of<CudaGraphValue>(*this, name, [](CudaGraphValue& self, Evaluator&, Args& args, Span at) {
                const Arguments a(args, at, "run_at", {"number"});
                return HostValue::boolean(self.m_compiled->run_at(static_cast<std::size_t>(a.integer(0)), at));
            });
        if (name != "run" && name != "run_async" && name != "replay")
            return nullptr;
        return method_of<CudaGraphValue>(*this, name, [](CudaGraphValue& self, Evaluator& inner, Args& args, Span at) {
            return self.run(inner, args, at);
        });
    }
    std::unique_ptr<HostValue> call(Evaluator& evaluator, Args& args, Span span) override {
        return boxed(run(evaluator, args, span));
    }

private:
    // run_into(most, *inputs, *results): reads and writes these tensors where they lie. A number for run_at(), which does it
    // again; 0: nothing has run, as it has been captured for `most` such places, or cannot be.
    std::size_t run_into(Evaluator& evaluator, Args& args, Span span) {
        const Arguments a(args, span, "run_into", {"most", "*tensors"});
        const std::int64_t most = a.integer(0);
        Args rest;
        rest.positional = a.rest();
        const Tensors given = tensors_of(evaluator, rest, span);
        if (Args none; !m_has_run)
            run(evaluator, none, span);
        if (given.size() != m_inputs.size() + m_outputs.size())
            fail(DiagId::OperatorRefused, span,
                 cat("it wants ", m_inputs.size(), " inputs and ", m_outputs.size(), " results"));
        const auto results = given.begin() + static_cast<std::ptrdiff_t>(m_inputs.size());
        if (!std::equal(m_inputs.begin(), m_inputs.end(), given.begin(), fits) ||
            !std::equal(m_outputs.begin(), m_outputs.end(), results, fits))
            return 0;
        return m_compiled->run_into({given.begin(), results}, {results, given.end()}, static_cast<std::size_t>(most),
                                    span);
    }

    HostValue run(Evaluator& evaluator, Args& args, Span span) {
        if (const Tensors given = tensors_of(evaluator, args, span); !given.empty())
            take(given);
        try {
            m_outputs = m_has_run ? m_compiled->run_again(evaluator, m_inputs, span)
                                  : m_compiled->run(evaluator, m_inputs, span);
        } catch (const OpError& error) {
            fail(DiagId::OperatorRefused, span, error.what());
        }
        m_has_run = true;
        return results_of(evaluator, m_outputs, true);
    }

    // Copied to where the graph reads its inputs; what does not fit is refused by a run.
    void take(const Tensors& given) {
        bool all_fit = given.size() == m_inputs.size();
        for (std::size_t i = 0; all_fit && i < given.size(); ++i)
            all_fit = fits(given[i], m_inputs[i]);
        if (!all_fit) {
            m_inputs = given; // the next run captures again
            m_has_run = false;
            return;
        }
        for (std::size_t i = 0; i < given.size(); ++i)
            if (given[i] != m_inputs[i])
                std::memmove(m_inputs[i]->data(), given[i]->read(),
                             static_cast<std::size_t>(ir::packed_bytes(given[i]->dtype, given[i]->count())));
    }
    static bool fits(const lang::TensorRef& from, const lang::TensorRef& to) {
        return from->dtype == to->dtype && from->shape == to->shape && from->device == to->device && from->has_data() &&
               to->has_data();
    }

    CompiledRef m_compiled;
    Tensors m_inputs;
    Tensors m_outputs;
    bool m_has_run = false; // on these inputs
};

} // namespace

HostValue make_cuda_graph(Evaluator& evaluator, CompiledRef compiled, Span span) {
    if (!compiled->is_on_gpu())
        fail(DiagId::OperatorRefused, span, "a CUDA graph wants tensors on 'cuda', and this graph is on the CPU");
    Tensors inputs = dummy_inputs(evaluator, compiled->signature(), span);
    return HostValue::extension(Ref<lang::NativeObject>(new CudaGraphValue(std::move(compiled), std::move(inputs))));
}

} // namespace hidet::graph
