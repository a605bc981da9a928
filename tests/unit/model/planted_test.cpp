// SPDX-License-Identifier: Apache-2.0
// The tolerances in use catch an error of one per cent, wherever it is: in one weight, in the results of one operator, in
// what one kernel stores.
//
//   planted                       the small models of tests/models, emulated; every error must be caught
//   planted MODEL DATA [cpu]      any model and its data set; prints what was caught by what
//
// An error is caught by the recorded results, by the comparison of each operator with its float64, or by the same with every
// operator in a kernel of its own. What none of them sees must be missing from the results as well: the factor cancels, as
// it does before a normalisation, inside of one kernel.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>

#include "app/session/compare/tolerance.h"
#include "app/session/model/compare/compare_nodes.h"
#include "compiler/graph/onnx/import.h"
#include "compiler/ir/ops.h"
#include "compiler/ir/rewrite.h"
#include "lang/tensor/elements.h"

using namespace hidet;
using namespace hidet::graph;
using session::Work;

namespace {

constexpr double planted = 1.01;

class Scaler : public ir::Rewriter { // what is stored, one per cent off
protected:
    using Rewriter::visit;
    ir::StmtRef visit(const ir::StoreStmt& stmt) override {
        const auto dtype = ir::scalar_of(stmt.value->type);
        if (!dtype || !ir::is_float(*dtype))
            return rebuild(stmt);
        return ir::make_store(rewrite(stmt.base), rewrite(stmt.indices),
                              ir::mul(rewrite(stmt.value), ir::make_constant(planted, stmt.value->type)));
    }
};

struct Caught {
    bool by_results = false;
    bool by_operators = false;
    bool by_single_operators = false;
    bool at_all() const { return by_results || by_operators || by_single_operators; }
};

class Patient {
public:
    Patient(const std::string& model, const std::string& data, session::Target target) {
        m_request.target = target;
        m_request.tools = session::open_tools({nullptr, false});
        m_run.target = target;
        m_run.tools = m_request.tools;
        auto imported = import_onnx(model, {});
        if (auto* failure = std::get_if<ImportFailure>(&imported))
            throw std::runtime_error(failure->error.message);
        m_graph = std::move(std::get<Imported>(imported).graph);
        m_inputs = read_all(data + "/input_");
        m_recorded = read_all(data + "/output_");
        std::vector<ValueId> wanted;
        for (std::uint32_t i = 0; i < m_graph.value_slots(); ++i)
            wanted.push_back({i});
        Work work;
        m_reference = session::reference_values(work, m_request, m_graph, m_inputs, wanted).value();
    }
    const Graph& graph() const { return m_graph; }

    // As it is; the fault is in the graph or in the lowering.
    Caught examine(const Graph& ill, const GroupLowering& lower = nullptr) {
        Caught caught;
        const Optimised optimised = optimise_copy(ill, true);
        caught.by_operators = differs(optimised, lower, &caught.by_results);
        if (!lower)
            caught.by_single_operators = differs(optimise_copy(ill, false), nullptr, nullptr);
        return caught;
    }
    struct Kernel { // that makes floats
        NodeId anchor;
        std::string name;
    };
    std::vector<Kernel> kernels() {
        std::vector<Kernel> out;
        for (const Group& group : optimise_copy(m_graph, true).partition.groups) {
            const auto makes_floats = [&](NodeId id) {
                const Node& node = m_optimised.node(id);
                return node.task && !node.op->shares_memory &&
                       ir::is_float(m_optimised.value(node.outputs[0]).spec.dtype);
            };
            if (std::ranges::any_of(group.nodes, makes_floats))
                out.push_back({group.anchor, graph::name_of(m_optimised, group.anchor)});
        }
        return out;
    }

private:
    static Tensors read_all(const std::string& stem) {
        Tensors out;
        for (std::string path = stem + "0.pb"; std::filesystem::exists(path); path = cat(stem, out.size(), ".pb"))
            out.push_back(read_tensor_proto(path).value());
        return out;
    }
    const artifact::TargetSpec& target() const {
        return m_request.target == session::Target::Cpu ? artifact::default_cpu() : artifact::default_gpu();
    }

    Optimised optimise_copy(const Graph& graph, bool fuse) {
        m_optimised = graph;
        GraphOptions options;
        options.target = target();
        options.fusion.enabled = fuse;
        return optimise(m_optimised, options);
    }

    bool differs(const Optimised& optimised, const GroupLowering& lower, bool* results_differ) {
        Work work;
        session::ScriptEngine engine(work, m_run);
        auto compiled = std::make_shared<CompiledGraph>();
        compiled->graph = m_optimised;
        compiled->partition = optimised.partition;
        PlanOptions options;
        options.target = target();
        compiled->plan = lower ? make_plan(compiled->graph, compiled->partition, options, lower)
                               : make_plan(compiled->graph, compiled->partition, options);
        session::GraphRunner runner(compiled, engine);
        REQUIRE(runner.build(work.sink));
        const auto comparison = session::compare_nodes(work, m_request, runner, m_graph, m_inputs, m_reference, {});
        REQUIRE(comparison.has_value());
        if (results_differ) {
            const auto results = runner.run(m_inputs, work.sink);
            REQUIRE(results.has_value());
            for (std::size_t i = 0; i < m_recorded.size(); ++i)
                *results_differ |= session::compare("", *(*results)[i], *m_recorded[i],
                                                    {.tolerance = session::recorded_tolerance(*m_recorded[i])})
                                       .bad > 0;
        }
        return std::ranges::any_of(comparison->rows, &session::ModelNodeError::is_bad);
    }

    session::ModelRequest m_request;
    session::RunRequest m_run;
    Graph m_graph;
    Graph m_optimised;
    Tensors m_inputs, m_recorded;
    session::ReferenceValues m_reference;
};

bool is_zero(const lang::Tensor& tensor) {
    return std::ranges::all_of(lang::read_doubles(tensor), [](double each) { return each == 0; });
}

lang::TensorRef scaled(const lang::Tensor& tensor) {
    lang::Doubles numbers = lang::read_doubles(tensor);
    for (double& number : numbers)
        number *= planted;
    lang::TensorRef out(new lang::Tensor(tensor));
    out->offset = 0;
    out->storage =
        std::make_shared<lang::Storage>(numbers.size() * static_cast<std::size_t>(ir::bytes_of(tensor.dtype)));
    lang::write_doubles(*out, numbers);
    return out;
}

// One operator's result, one per cent off: by an operator that counts as a part of it.
Graph with_scaled_result(const Graph& graph, NodeId node, ValueId result) {
    Graph ill = graph;
    NodeOrigin origin;
    origin.replaces = {node};
    const ValueId off = ill.add_one(op_info::MultiplyScalar(), {result}, {{"scalar", planted}}, origin);
    ill.value(off).name = graph.value(result).name;
    ill.replace(result, off);
    ill.set_input(ill.value(off).producer, 0, result);
    return ill;
}

// `is_planted`: groups that are alike are lowered once, as the first of them.
GroupLowering with_scaled_stores(NodeId anchor, bool& is_planted) {
    return [anchor, &is_planted](const Graph& graph, const Group& group, const artifact::TargetSpec& target) {
        GroupProgram program = lower_group(graph, group, target);
        if (group.anchor != anchor)
            return program;
        is_planted = true;
        ir::Module module = *program.module;
        for (ir::FunctionRef& function : module.functions)
            if (function->name == program.kernels.back().name) {
                ir::Function copy = *function;
                copy.body = Scaler().rewrite(function->body);
                function = ir::make<ir::Function>(std::move(copy));
            }
        program.module = ir::make<ir::Module>(std::move(module));
        return program;
    };
}

class Examination {
public:
    explicit Examination(Patient& patient) : m_patient(patient) {}

    void run() {
        const Caught none = m_patient.examine(m_patient.graph());
        REQUIRE(!none.at_all()); // what is right passes
        weights();
        operators();
        kernels();
    }
    std::vector<std::string> missed;
    int count = 0, by_results = 0, by_operators = 0, by_single_operators = 0;

private:
    void note(const std::string& where, const Caught& caught) {
        ++count;
        by_results += caught.by_results;
        by_operators += caught.by_operators;
        by_single_operators += caught.by_single_operators;
        if (!caught.at_all())
            missed.push_back(where);
    }

    void weights() {
        const Graph& graph = m_patient.graph();
        for (std::uint32_t i = 0; i < graph.value_slots(); ++i) {
            const Value& value = graph.value(ValueId{i});
            if (!value.is_constant() || value.uses.empty() || !ir::is_float(value.spec.dtype) ||
                value.data->count() < 2 || is_zero(*value.data))
                continue;
            Graph ill = graph;
            ill.value(ValueId{i}).data = scaled(*value.data);
            note(cat("weight ", value.name), m_patient.examine(ill));
        }
    }
    void operators() {
        const Graph& graph = m_patient.graph();
        for (const NodeId id : graph.topological())
            for (const ValueId output : graph.node(id).outputs)
                if (ir::is_float(graph.value(output).spec.dtype) &&
                    (!graph.value(output).uses.empty() || graph.is_output(output)))
                    note(cat("operator ", graph.node(id).name, " (", graph.node(id).op->name, ")"),
                         m_patient.examine(with_scaled_result(graph, id, output)));
    }
    void kernels() {
        for (const Patient::Kernel& kernel : m_patient.kernels()) {
            bool is_planted = false;
            const Caught caught = m_patient.examine(m_patient.graph(), with_scaled_stores(kernel.anchor, is_planted));
            if (is_planted)
                note(cat("kernel of ", kernel.name), caught);
        }
    }

    Patient& m_patient;
};

void print(const char* model, const Examination& done) {
    std::printf("%s: %d errors, %zu missed; seen in the results %d, beside operators %d, beside single operators %d\n",
                model, done.count, done.missed.size(), done.by_results, done.by_operators, done.by_single_operators);
    for (const std::string& each : done.missed)
        std::printf("  missed: %s\n", each.c_str());
}

// Prints how much is caught, and whether it is all.
bool is_all_caught(const char* name, const std::string& model, const std::string& data, session::Target target) {
    Patient patient(model, data, target);
    Examination examination(patient);
    examination.run();
    print(name, examination);
    return examination.missed.empty();
}

} // namespace

TEST_CASE("every error of one per cent is caught") {
    for (const char* name : {"mlp", "residual", "attention"})
        SUBCASE(name) {
            const std::string folder = cat(HIDET_SOURCE_FOLDER "/tests/models/", name);
            REQUIRE(is_all_caught(name, cat(folder, "/", name, ".onnx"), folder, session::Target::Emulate));
        }
}

// Of tests/nightly/planted_errors.py, which names the model and its data.
TEST_CASE("every error of one per cent in a large model is caught" * doctest::skip()) {
    const char* model = std::getenv("HIDET_PLANTED_MODEL");
    const char* data = std::getenv("HIDET_PLANTED_DATA");
    REQUIRE((model && data));
    REQUIRE(is_all_caught(model, model, data, session::Target::Emulate));
}
