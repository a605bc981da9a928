// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "app/session/input.h"
#include "app/session/model/compare_nodes.h"
#include "app/session/model/inputs.h"
#include "app/session/model/tolerance.h"
#include "app/session/model/trace.h"
#include "app/session/refusal.h"
#include "app/session/trial/compare.h"
#include "lang/host/npy.h"
#include "lang/host/tensor_data.h"

namespace hidet::session {

using namespace graph;

namespace {

std::string number_text(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", number);
    return text;
}

// The first elements, and what all of them are like.
std::string summary_of(const lang::Tensor& tensor) {
    if (!lang::holds_numbers(tensor.dtype))
        return "";
    const lang::Doubles numbers = lang::read_doubles(tensor);
    if (numbers.empty())
        return "empty";
    std::vector<std::string> first;
    for (std::size_t i = 0; i < numbers.size() && i < 4; ++i)
        first.push_back(number_text(numbers[i]));
    std::string text = "[" + join(first, ", ") + (numbers.size() > 4 ? ", ..." : "") + "]";
    double sum = 0;
    for (const double number : numbers)
        sum += number;
    if (numbers.size() > 1)
        text += cat(", mean ", number_text(sum / static_cast<double>(numbers.size())), ", least ",
                    number_text(*std::ranges::min_element(numbers)), ", greatest ",
                    number_text(*std::ranges::max_element(numbers)));
    return text;
}

Tolerance tolerance_for(const ModelRunRequest& request, const lang::Tensor& recorded) {
    const Tolerance usual = recorded_tolerance(recorded);
    return {request.absolute ? request.absolute : usual.absolute, request.relative ? request.relative : usual.relative};
}

class ModelRun {
public:
    ModelRun(Work& work, const ModelRunRequest& request, ModelRunResult& result)
        : m_work(work), m_request(request), m_result(result), m_stages(work, request) {}

    bool run() {
        m_stages.set_shapes(shapes_of_files(m_request));
        if (!can_write() || !m_stages.all())
            return false;
        m_result.facts = m_stages.facts();
        const auto inputs = model_inputs(m_work, m_request, m_stages.compiled().graph);
        const auto recorded = recorded_outputs(m_work, m_request);
        if (!inputs || !recorded)
            return false;
        return m_stages.guarded_by_model([&] { return run_on(*inputs, *recorded); });
    }

private:
    // Known before anything is compiled.
    bool can_write() {
        std::error_code failed;
        if (!m_request.output.empty()) {
            std::filesystem::create_directories(m_request.output, failed);
            if (failed || !std::filesystem::is_directory(m_request.output, failed))
                return cannot_write(m_request.output, "it is no folder, and none can be made there");
        }
        if (!m_request.trace.empty() && !std::ofstream(m_request.trace, std::ios::app))
            return cannot_write(m_request.trace, std::strerror(errno));
        return true;
    }
    bool cannot_write(const std::string& path, const std::string& why) {
        m_work.sink.report(DiagId::FileUnwritable, {}, path, why);
        m_work.status = Status::Environment;
        return false;
    }

    bool run_on(const Tensors& inputs, const Tensors& recorded) {
        Execution execution(m_stages.runner(), inputs);
        m_work.enter("running the model");
        if (!steps(execution))
            return false;
        if (!m_request.trace.empty() && !write_trace(execution))
            return false;
        const Tensors outputs = execution.outputs();
        if (recorded.size() > outputs.size()) {
            m_stages.refuse(DiagId::BadValue, cat("the data set records ", recorded.size(),
                                                  " results, and the model has ", outputs.size()));
            return false;
        }
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (!take(i, *outputs[i], i < recorded.size() ? recorded[i].get() : nullptr))
                return false;
        return !m_request.compare || compare_operators(inputs);
    }

    bool steps(Execution& execution) {
        const auto start = std::chrono::steady_clock::now();
        const StepProgress progress(m_request, "running");
        const Plan& plan = m_stages.compiled().plan;
        for (std::uint32_t i = 0; i < execution.step_count(); ++i) {
            if (m_work.stopped())
                return false;
            const Step& step = plan.steps[i];
            if (m_result.where.empty() && step.kind == Step::Kind::Launch)
                if (const auto call = execution.call_of(i))
                    m_result.where = static_cast<Executable&>(*call->module).executor.name();
            TraceEvent event;
            event.start_us = milliseconds_since(start) * 1e3;
            if (!execution.run_step(i, m_work.sink))
                return false;
            event.duration_us = milliseconds_since(start) * 1e3 - event.start_us;
            describe(step, event);
            m_events.push_back(std::move(event));
            progress.done(i + 1, execution.step_count());
        }
        m_result.run_ms = milliseconds_since(start);
        return true;
    }

    void describe(const Step& step, TraceEvent& event) const {
        event.is_host = step.kind == Step::Kind::Host;
        event.name = event.is_host ? m_stages.compiled().graph.node(step.node).op->name : "";
        for (const GroupProgram::Kernel& kernel : step.kernels) {
            event.name += (event.name.empty() ? "" : " + ") + kernel.name;
            for (std::string& name : m_stages.names_of(kernel.nodes))
                event.nodes.push_back(std::move(name));
        }
        for (const ValueId argument : step.arguments)
            event.tensors.push_back(text_of(m_stages.compiled().graph.value(argument).spec));
    }

    // Timed again: the first run of a kernel loads it.
    bool write_trace(Execution& execution) {
        m_events.clear();
        return steps(execution) &&
               write_text(m_request.trace, trace_text(m_result.facts.name, m_result.where, m_events), m_work.sink);
    }

    bool take(std::size_t i, const lang::Tensor& tensor, const lang::Tensor* recorded) {
        const Graph& graph = m_stages.compiled().graph;
        ModelOutput out;
        out.tensor = {graph.value(graph.outputs()[i]).name, ir::info(tensor.dtype).name,
                      text_of(shape_of(tensor.shape))};
        out.summary = summary_of(tensor);
        if (!m_request.output.empty()) {
            out.file = cat(m_request.output, "/output_", i, ".npy");
            if (Result<void> written = lang::write_npy(out.file, tensor); !written) {
                report_environment(m_work, m_work.sink, written.error());
                return false;
            }
        }
        if (recorded) {
            out.comparison =
                compare(out.tensor.name, tensor, *recorded, {.tolerance = tolerance_for(m_request, *recorded)});
            if (const std::string wrong = session::describe(*out.comparison); !wrong.empty())
                m_stages.refuse(DiagId::TensorsDiffer, wrong);
        }
        m_result.outputs.push_back(std::move(out));
        return true;
    }

    bool compare_operators(const Tensors& inputs) {
        std::vector<ValueId> wanted;
        for (const auto& [value, partner] : comparable_values(m_stages.imported(), m_stages.compiled()))
            wanted.push_back(partner);
        const auto reference = reference_values(m_work, m_request, m_stages.imported(), inputs, wanted);
        if (!reference)
            return false;
        auto comparison = compare_nodes(m_work, m_request, m_stages.runner(), m_stages.imported(), inputs, *reference);
        if (!comparison)
            return false;
        m_result.nodes = std::move(comparison->rows);
        m_result.nodes_not_compared = comparison->not_compared;
        for (const ModelNodeError& row : m_result.nodes)
            if (row.is_bad) {
                m_stages.refuse(DiagId::TensorsDiffer,
                                cat("operator '", row.node, "' (", row.op, ") is the first that is wrong: off by ",
                                    number_text(row.max_absolute), ", ", number_text(row.relative),
                                    " of the greatest magnitude"));
                break;
            }
        return true;
    }

    Work& m_work;
    const ModelRunRequest& m_request;
    ModelRunResult& m_result;
    ModelStages m_stages;
    std::vector<TraceEvent> m_events;
};

} // namespace

ModelRunResult run_model(const ModelRunRequest& request) {
    return answer<ModelRunResult>(request, "run",
                                  [&](Work& work, ModelRunResult& result) { ModelRun(work, request, result).run(); });
}

} // namespace hidet::session
