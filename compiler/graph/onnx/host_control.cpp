// SPDX-License-Identifier: Apache-2.0
// If and Loop on data. A body is read into a graph of its own, whose inputs are the loop's and what it reads from outside. It
// becomes a plan inside of the model's (plan/plan.cpp); `run` evaluates it node by node, as the reference does.
#include <algorithm>
#include <limits>

#include "compiler/artifact/launch_plan.h"
#include "compiler/graph/onnx/control.h"
#include "compiler/graph/onnx/host_node.h"
#include "compiler/graph/onnx/operands.h"
#include "compiler/ir/ops.h"

namespace hidet::graph::onnx {

namespace {

using GraphPtr = std::shared_ptr<const Graph>;

// Values from outside that a body reads when it runs; constants go into the body itself.
struct Captured {
    std::vector<std::string> names;
    Vals values;
};

Captured captured_by(const std::vector<const GraphDef*>& bodies, const Scope& scope) {
    Captured captured;
    for (const GraphDef* body : bodies)
        for (const std::string& name : captured_names(*body)) {
            const Val* found = scope.find(name);
            if (!found || !*found)
                throw OpError("the body reads '", name, "', which nothing makes");
            if ((*found)->data || !(*found)->problem.empty() || std::ranges::count(captured.names, name))
                continue;
            if ((*found)->items)
                throw OpError("the body reads the sequence '", name,
                              "'; that is supported where conditions are constant");
            captured.names.push_back(name);
            captured.values.push_back(*found);
        }
    return captured;
}

struct Body {
    std::shared_ptr<Graph> graph = std::make_shared<Graph>();
    std::vector<TensorSpec> results;
    std::string problem; // why there is no graph
};

// A body learns extents from the shapes of its inputs alone. A sum of symbols from outside tells it none of them, so it is
// a symbol there; equal ones stay equal.
TensorSpec seen_inside(TensorSpec spec) {
    for (Dim& each : spec.shape)
        if (!constant_of(each) && each->kind != ir::Kind::SymbolVar)
            each = symbol_dim(text_of(each));
    return spec;
}

// The first inputs are the body's own, the rest what it captures.
Body read_body(const Importer& importer, const GraphDef& def, const std::vector<TensorSpec>& own,
               const Captured& captured, const Scope& outer, const Opsets& opsets) {
    Body body;
    Builder builder(*body.graph, {});
    Importer inner(importer, builder);
    Scope scope;
    for (const std::string& name : captured_names(def))
        if (const Val* found = outer.find(name); found && *found && (*found)->data)
            scope.set(name, builder.constant((*found)->data, name));
    for (std::size_t i = 0; i < own.size(); ++i) {
        const Val value = builder.input(def.inputs[i].name, own[i]);
        check_declared(def.inputs[i], value, "what the body takes as");
        scope.set(def.inputs[i].name, value);
    }
    for (std::size_t i = 0; i < captured.names.size(); ++i) {
        // An input of the branch that does not read it, too.
        const Val value = builder.input(captured.names[i], seen_inside(captured.values[i]->spec));
        if (!scope.defines(captured.names[i]))
            scope.set(captured.names[i], value);
    }
    const Vals results = inner.read(def, scope, opsets);
    std::vector<ValueId> ids;
    for (const Val& each : results) {
        if (!each || each->items)
            throw OpError("the body makes what is not a tensor; that is supported where conditions are constant");
        ids.push_back(builder.id_of(each));
        body.results.push_back(each->spec);
    }
    body.graph->set_outputs(ids);
    body.graph->drop_unused();
    return body;
}

// A branch that does not fit to the shapes here may never be taken: it is a mistake only when it is.
Body read_branch(const Importer& importer, const GraphDef& def, const Captured& captured, const Scope& outer,
                 const Opsets& opsets) {
    try {
        return read_body(importer, def, {}, captured, outer, opsets);
    } catch (const OpError& error) {
        return {std::make_shared<Graph>(), {}, error.what()};
    }
}

// An extent that a body alone knows is not known outside.
Shape seen_outside(const Shape& shape) {
    return transformed(shape, [&](const Dim& each) { return constant_of(each) ? each : dim(-1); });
}

Vals add_host(NodeCall& call, OpId op, Vals inputs, const Captured& captured, Attributes attributes,
              const std::vector<TensorSpec>& results) {
    inputs.insert(inputs.end(), captured.values.begin(), captured.values.end());
    describe_results(attributes, results);
    return call.add_all(op, inputs, std::move(attributes));
}

bool truth(const lang::TensorRef& tensor) {
    if (tensor->count() != 1)
        throw OpError("a condition has the shape ", text_of(shape_of(tensor->shape)), ", and is one number");
    return integers_of(*tensor)[0] != 0;
}

Tensors run_if(const HostCall& host) {
    const bool is_true = truth(host.inputs[0]);
    if (const auto& problem = host.call.attributes.get<std::string>(is_true ? "then_problem" : "else_problem");
        !problem.empty())
        throw OpError(problem);
    const auto& graph = host.call.attributes.get<GraphPtr>(is_true ? "then_branch" : "else_branch");
    return evaluate_graph(*graph, {host.inputs.begin() + 1, host.inputs.end()});
}

void require_condition(const OpCall& call, std::size_t operand) {
    if (call.inputs[operand].dtype != ir::DType::Bool)
        throw OpError(call.op->name, " asks ", text_of(call.inputs[operand]), ", which is no condition");
}

std::vector<TensorSpec> infer_if(const OpCall& call, FreshSymbols& symbols) {
    if (call.inputs.empty())
        throw OpError("OnnxIf has no condition");
    require_condition(call, 0);
    for (const auto& [branch, problem] : {std::pair("then_branch", "then_problem"), {"else_branch", "else_problem"}})
        if (call.attributes.get<std::string>(problem).empty())
            require_fit(call, *call.attributes.get<GraphPtr>(branch), 0, call.inputs.size() - 1, 0);
    return described_results(call, symbols);
}

std::vector<TensorSpec> infer_loop(const OpCall& call, FreshSymbols& symbols) {
    const Ints& has = call.attributes.get<Ints>("has");
    const std::int64_t carried = call.attributes.get<std::int64_t>("carried");
    const std::size_t first = has.size() != 2 ? 0 : static_cast<std::size_t>((has[0] != 0) + (has[1] != 0));
    const auto results = static_cast<std::int64_t>(call.attributes.get<Texts>("dtypes").size());
    if (has.size() != 2 || call.inputs.size() < first || carried < 0 || carried > results ||
        carried > static_cast<std::int64_t>(call.inputs.size() - first))
        throw OpError("OnnxLoop says of ", call.inputs.size(), " operands and ", results, " results that it carries ",
                      carried);
    if (has[0] && call.inputs[0].dtype != ir::DType::I64)
        throw OpError("OnnxLoop counts to ", text_of(call.inputs[0]));
    if (has[1])
        require_condition(call, first - 1);
    const Graph& body = *call.attributes.get<GraphPtr>("body");
    require_fit(call, body, 2, call.inputs.size() - first, 1);
    const auto spec_of_input = [&](std::size_t i) -> const TensorSpec& { return body.value(body.inputs[i]).spec; };
    if (spec_of_input(0).dtype != ir::DType::I64 || spec_of_input(1).dtype != ir::DType::Bool ||
        body.value(body.outputs()[0]).spec.dtype != ir::DType::Bool)
        throw OpError("OnnxLoop: its body takes a number and a condition and makes a condition");
    return described_results(call, symbols);
}

lang::TensorRef stacked(const Tensors& parts, const TensorSpec& otherwise) {
    std::vector<std::int64_t> shape = {static_cast<std::int64_t>(parts.size())};
    if (parts.empty()) {
        for (const Dim& each : otherwise.shape)
            shape.push_back(std::max<std::int64_t>(constant_of(each).value_or(0), 0));
        shape.erase(shape.begin() + 1);
        return make_tensor(otherwise.dtype, shape);
    }
    shape.insert(shape.end(), parts[0]->shape.begin(), parts[0]->shape.end());
    const lang::TensorRef result = make_tensor(parts[0]->dtype, shape);
    std::byte* to = result->data();
    for (const lang::TensorRef& each : parts) {
        if (each->shape != parts[0]->shape)
            throw OpError("a loop collects results of different shapes");
        const auto bytes = static_cast<std::size_t>(each->count() * ir::bytes_of(each->dtype));
        to = std::copy_n(each->read(), bytes, to);
    }
    return result;
}

// Counts what loops inside of each other do together.
class Trips {
public:
    Trips() {
        if (depth++ == 0)
            done = 0;
    }
    ~Trips() { --depth; }
    Trips(const Trips&) = delete;
    Trips& operator=(const Trips&) = delete;
    static void count() {
        if (++done > artifact::most_trips)
            throw OpError("a loop has run ", artifact::most_trips, " times, which is as often as is supported");
    }

private:
    static thread_local int depth;
    static thread_local std::int64_t done;
};
thread_local int Trips::depth = 0;
thread_local std::int64_t Trips::done = 0;

// Inputs: trips, condition (each only if `has` says so), the carried values, what the body captures.
Tensors run_loop(const HostCall& host) {
    const Attributes& attributes = host.call.attributes;
    const auto& body = attributes.get<GraphPtr>("body");
    const Ints& has = attributes.get<Ints>("has");
    const auto carried = static_cast<std::size_t>(attributes.get<std::int64_t>("carried"));
    std::size_t next = 0;
    std::int64_t trips = std::numeric_limits<std::int64_t>::max();
    if (has[0]) {
        const Ints counts = integers_of(*host.inputs[next++]);
        if (counts.size() != 1)
            throw OpError("a loop wants one number of trips, not ", counts.size());
        trips = counts[0];
    }
    lang::TensorRef condition = has[1] ? host.inputs[next++] : make_scalar(ir::DType::Bool, 1);
    Tensors values(host.inputs.begin() + static_cast<std::ptrdiff_t>(next),
                   host.inputs.begin() + static_cast<std::ptrdiff_t>(next + carried));
    const Tensors captured(host.inputs.begin() + static_cast<std::ptrdiff_t>(next + carried), host.inputs.end());
    std::vector<Tensors> scanned(body->outputs().size() - 1 - carried);
    const Trips outermost;
    for (std::int64_t i = 0; i < trips && truth(condition); ++i) {
        Trips::count();
        condition->shape.clear();
        Tensors inputs = {make_int(i), condition};
        inputs.insert(inputs.end(), values.begin(), values.end());
        inputs.insert(inputs.end(), captured.begin(), captured.end());
        Tensors results = evaluate_graph(*body, inputs);
        condition = results[0];
        std::copy_n(results.begin() + 1, carried, values.begin());
        for (std::size_t k = 0; k < scanned.size(); ++k)
            scanned[k].push_back(results[1 + carried + k]);
    }
    const Texts& dtypes = attributes.get<Texts>("dtypes");
    for (std::size_t k = 0; k < scanned.size(); ++k) {
        const std::size_t result = carried + k;
        values.push_back(stacked(
            scanned[k], {*ir::find_dtype(dtypes[result]), attributes.get<Shape>("shape" + std::to_string(result))}));
    }
    return values;
}

} // namespace

Vals host_if(Importer& importer, NodeCall& call, const GraphDef& then_branch, const GraphDef& else_branch,
             const Scope& scope, const Opsets& opsets) {
    const Captured captured = captured_by({&then_branch, &else_branch}, scope);
    const Body yes = read_branch(importer, then_branch, captured, scope, opsets);
    const Body no = read_branch(importer, else_branch, captured, scope, opsets);
    if (!yes.problem.empty() && !no.problem.empty())
        throw OpError(yes.problem);
    Attributes attributes = {{"then_branch", GraphPtr(yes.graph)}, {"else_branch", GraphPtr(no.graph)}};
    if (!yes.problem.empty() || !no.problem.empty()) {
        attributes.set(no.problem.empty() ? "then_problem" : "else_problem", yes.problem + no.problem);
        std::vector<TensorSpec> results = no.problem.empty() ? no.results : yes.results;
        for (TensorSpec& each : results)
            each.shape = seen_outside(each.shape);
        return add_host(call, OpId::OnnxIf, {call.in()}, captured, attributes, results);
    }
    if (yes.results.size() != no.results.size())
        throw OpError("the branches have different numbers of results");
    std::vector<TensorSpec> results;
    for (std::size_t i = 0; i < yes.results.size(); ++i) {
        const TensorSpec& a = yes.results[i];
        const TensorSpec& b = no.results[i];
        if (a.dtype != b.dtype || a.shape.size() != b.shape.size())
            throw OpError("the branches make ", text_of(a), " and ", text_of(b));
        results.push_back({a.dtype, seen_outside(a.shape)});
        for (std::size_t d = 0; d < a.shape.size(); ++d)
            if (!same_dim(a.shape[d], b.shape[d]))
                results.back().shape[d] = dim(-1);
    }
    return add_host(call, OpId::OnnxIf, {call.in()}, captured, attributes, results);
}

Vals host_loop(Importer& importer, NodeCall& call, const GraphDef& def, const Scope& scope, const Opsets& opsets) {
    const std::size_t carried = call.count() - 2;
    const Captured captured = captured_by({&def}, scope);
    std::vector<TensorSpec> own = {{ir::DType::I64, {}}, {ir::DType::Bool, {}}};
    for (std::size_t i = 0; i < carried; ++i) // OpError for a sequence
        own.push_back(seen_inside(call.in(i + 2)->spec));
    Body body = read_body(importer, def, own, captured, scope, opsets);
    if (body.results[0].dtype != ir::DType::Bool)
        throw OpError("the body makes ", text_of(body.results[0]), " as its condition");
    // A value that another iteration has with other extents has symbols for them; then the body is read again.
    bool is_steady = true;
    for (std::size_t i = 0; i < carried; ++i) {
        const Shape& made = body.results[i + 1].shape;
        Shape& taken = own[i + 2].shape;
        if (made.size() != taken.size() || body.results[i + 1].dtype != own[i + 2].dtype)
            throw OpError("the loop makes ", text_of(body.results[i + 1]), " of ", text_of(own[i + 2]));
        for (std::size_t d = 0; d < made.size(); ++d)
            if (!same_dim(made[d], taken[d])) {
                taken[d] = symbol_dim("carried" + std::to_string(i) + "_" + std::to_string(d));
                is_steady = false;
            }
    }
    if (!is_steady)
        body = read_body(importer, def, own, captured, scope, opsets);
    std::vector<TensorSpec> results;
    for (std::size_t i = 1; i < body.results.size(); ++i) {
        TensorSpec spec{body.results[i].dtype, seen_outside(body.results[i].shape)};
        if (i <= carried)
            spec.shape = seen_outside(own[i + 1].shape);
        else
            spec.shape.insert(spec.shape.begin(), dim(-1));
        results.push_back(std::move(spec));
    }
    const Attributes attributes = {{"body", GraphPtr(body.graph)},
                                   {"has", Ints{call.has(0), call.has(1)}},
                                   {"carried", static_cast<std::int64_t>(carried)}};
    return add_host(call, OpId::OnnxLoop, call.present(), captured, attributes, results);
}

} // namespace hidet::graph::onnx

namespace hidet::graph {

std::span<const OpInfo> op_tables::host_control() {
    static const OpInfo table[] = {
        {.id = OpId::OnnxIf,
         .parameters = "xs: tensors, dtypes: strs",
         .cls = OpClass::Host,
         .summary = "one of two graphs, by a condition that is data: the host runs it",
         .more = "then_branch: graph, else_branch: graph, then_problem: str = '', else_problem: str = ''",
         .has_any_attribute = true, // the shapes of its results
         .infer = onnx::infer_if,
         .run = onnx::run_if,
         .never_fuses = true},
        {.id = OpId::OnnxLoop,
         .parameters = "xs: tensors, has: ints, carried: int, dtypes: strs",
         .cls = OpClass::Host,
         .summary = "a graph repeated while a condition holds that is data: the host runs it",
         .more = "body: graph",
         .has_any_attribute = true, // the shapes of its results
         .infer = onnx::infer_loop,
         .run = onnx::run_loop,
         .never_fuses = true},
    };
    return table;
}

} // namespace hidet::graph
