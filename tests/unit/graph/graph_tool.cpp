// SPDX-License-Identifier: Apache-2.0
// graph_tool FILE ACTION... : reads a printed graph, does what the actions say, in order. For golden tests of all that goes
// from graph to graph or from graph to text.
//
//   print tasks dot netron keys    show the graph
//   on=RULE off=RULE               options of what follows; precision=float16, quantize=int4, parallel_k=4, target=h200 likewise
//   processes=N                    that share the graph: what follows shows that of the first one, and checks all of them
//   replicas=N                     that compute parts of the batch, before processes=N, which is all of them
//   stages=N                       processes that share it, each of which computes operators that follow each other
//   parts=N                        behind stages=N: of the batch, which they work on one behind the other
//   print-all                      the graphs of all processes
//   place=NODE:split_along_1       how an operator is shared
//   placements                     how operators are shared
//   rule=RULE                      rewrites with this rule alone
//   pass=PASS, optimise            runs one pass, or all
//   matches                        what the rules have matched so far, and how the graph prints as groups after optimise
//   check                          compares what the graph computes with what it computed when it was read
//   document, reread               the graph as data; reread replaces the graph by what its document says
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>

#include "compiler/graph/core/verify.h"
#include "compiler/graph/document/document.h"
#include "compiler/graph/interpreter/interpreter.h"
#include "compiler/graph/names/keys.h"
#include "compiler/graph/passes/rewrite.h"
#include "compiler/graph/text/draw_graph.h"
#include "compiler/graph/text/print_graph.h"
#include "lang/tensor/elements.h"
#include "tests/unit/graph/read_graph.h"
#include "tests/unit/graph/together.h"

using namespace hidet;
using namespace hidet::graph;

namespace {

// The largest difference, relative to 1 or to the element; infinite when one is a NaN and the other is none.
double difference(const lang::Tensor& a, const lang::Tensor& b) {
    if (a.dtype != b.dtype || a.shape != b.shape)
        return HUGE_VAL;
    const std::vector<double> x = lang::read_doubles(a);
    const std::vector<double> y = lang::read_doubles(b);
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])))
            continue;
        const double gap = std::abs(x[i] - y[i]) / std::max(1.0, std::abs(x[i]));
        most = std::isnan(gap) ? HUGE_VAL : std::max(most, gap);
    }
    return most;
}

class Tool {
public:
    explicit Tool(const std::string& text)
        : m_original(read_graph(text)), m_graph(m_original), m_recorder(m_original) {}

    bool act(const std::string& action) {
        const std::size_t equals = action.find('=');
        if (equals != std::string::npos)
            return set(action.substr(0, equals), action.substr(equals + 1));
        if (action == "optimise") {
            m_optimised = optimise(m_graph, m_options, {&m_recorder});
            for (Graph& other : m_others)
                optimise(other, options_of(other), {});
            m_has_groups = true;
            for (const PassRecord& record : m_optimised.records)
                keep(record);
            for (const std::string& name : m_optimised.unknown)
                std::printf("unknown: %s\n", name.c_str());
            return true;
        }
        if (action == "matches")
            return show_matches();
        if (action == "placements")
            return show_placements();
        if (action == "check")
            return check();
        if (action == "reread")
            return reread();
        return show(action);
    }

private:
    bool set(const std::string& name, const std::string& value) {
        if (name == "on")
            m_options.on.push_back(value);
        else if (name == "off")
            m_options.off.push_back(value);
        else if (name == "precision")
            m_options.precision = value;
        else if (name == "quantize")
            m_options.quantize = value;
        else if (name == "quantize_limit")
            m_options.quantize_limit = std::stod(value);
        else if (name == "parallel_k")
            m_options.parallel_k = value;
        else if (name == "target")
            m_options.target = artifact::find_target(value).value();
        else if (name == "processes")
            share(std::stoi(value));
        else if (name == "replicas")
            m_options.processes.replicas = std::stoi(value);
        else if (name == "stages")
            share_stages(std::stoi(value));
        else if (name == "parts")
            m_options.processes.parts = std::stoi(value);
        else if (name == "place")
            place(value);
        else if (name == "pass")
            return run_pass(value);
        else if (name == "rule")
            return run_rule(value);
        else
            return false;
        return true;
    }

    bool run_pass(const std::string& name) {
        for (const GraphPassInfo& pass : graph_passes()) {
            if (pass.name != name)
                continue;
            PassRecord record;
            PassState state{m_graph, m_options, record, m_optimised.partition};
            pass.run(state);
            keep(record);
            for (Graph& other : m_others) {
                const GraphOptions options = options_of(other);
                PassState of_other{other, options, record, m_optimised.partition};
                pass.run(of_other);
            }
            return true;
        }
        return false;
    }
    void place(const std::string& value) {
        const std::size_t colon = value.find(':');
        std::string placement = value.substr(colon + 1);
        std::ranges::replace(placement, '_', ' ');
        m_options.placements.push_back({value.substr(0, colon), placement});
    }
    void share(int count) {
        const bool has_both = m_options.processes.replicas > 1 && count > m_options.processes.replicas;
        m_options.processes = {count, 0, m_options.processes.replicas, has_both ? 1 : 0, has_both ? 2 : 0};
        m_others.assign(static_cast<std::size_t>(count - 1), m_graph);
    }
    GraphOptions options_of(const Graph& other) const {
        GraphOptions options = m_options;
        options.processes.rank = static_cast<int>(&other - m_others.data()) + 1;
        options.processes.group_before = first_pair + options.processes.rank - 1;
        options.processes.group_behind = first_pair + options.processes.rank;
        return options;
    }
    void share_stages(int count) {
        share(count);
        m_options.processes.stages = count;
        m_options.processes.group_behind = first_pair;
    }
    bool show_placements() const {
        for (const PlacementRecord& each : m_placements)
            std::printf("%s %s: %s%s\n", each.op.c_str(), each.node.c_str(), each.placement.c_str(),
                        each.left.empty() ? "" : (", as " + each.left).c_str());
        return true;
    }
    bool run_rule(const std::string& name) {
        for (const std::vector<RuleInfo>* rules : {&rewrite_rules(), &resolve_rules()})
            for (RuleInfo rule : *rules)
                if (rule.name == name) {
                    PassRecord record;
                    PassState state{m_graph, m_options, record, m_optimised.partition};
                    rule.is_on = true;
                    apply_rules(state, {rule}, {});
                    keep(record);
                    return true;
                }
        return false;
    }
    void keep(const PassRecord& record) {
        for (const std::string& violation : verify(m_graph, VerifyDefinitions::Yes))
            throw std::runtime_error("after '" + record.pass + "': " + violation);
        m_placements.insert(m_placements.end(), record.placements.begin(), record.placements.end());
        m_matches.insert(m_matches.end(), record.matches.begin(), record.matches.end());
    }

    bool show_matches() const {
        for (const Match& match : m_matches) {
            std::printf("%s:", match.rule.c_str());
            for (NodeId node : match.before)
                std::printf(" %u", node.index);
            std::printf(" ->");
            for (NodeId node : match.after)
                std::printf(" %u", node.index);
            std::printf(match.note.empty() ? "\n" : " (%s)\n", match.note.c_str());
        }
        return true;
    }
    bool check() const {
        Tensors inputs;
        for (ValueId input : m_original.inputs) {
            const Value& value = m_original.value(input);
            std::vector<std::int64_t> extents;
            for (const Dim& each : value.spec.shape)
                extents.push_back(constant_of(each).value_or(3));
            inputs.push_back(made_up_tensor(value.spec.dtype, extents, value.name));
        }
        const Tensors wanted = evaluate_graph(m_original, inputs);
        std::vector<Graph> all = m_others;
        all.insert(all.begin(), m_graph);
        const Tensors given = m_others.empty() ? evaluate_graph(m_graph, inputs) : compute_together(all, inputs);
        double most = wanted.size() == given.size() ? 0 : HUGE_VAL;
        double tolerance = 1e-5;
        for (std::size_t i = 0; i < wanted.size() && i < given.size(); ++i) {
            most = std::max(most, difference(*wanted[i], *given[i]));
            if (ir::info(wanted[i]->dtype).bits < 32)
                tolerance = 1e-2;
        }
        if (!m_others.empty())
            tolerance = 1e-3; // long sums in another order
        if (!m_options.precision.empty())
            tolerance = 2e-2;
        if (!m_options.quantize.empty())
            tolerance = m_options.quantize == "int4" ? 1.5 : 0.3;
        std::puts(most <= tolerance ? "same results" : ("results differ by " + std::to_string(most)).c_str());
        return true;
    }
    bool reread() {
        Result<Graph> read = read_document(document(), [&](const std::string&, const TensorSpec&) { return nullptr; });
        if (!read) {
            std::printf("%s\n", read.error().message.c_str());
            return true;
        }
        m_graph = std::move(read).value();
        return true;
    }
    std::string document() const {
        return write_document(
            {m_graph, m_has_groups ? &m_recorder : nullptr, m_has_groups ? &m_optimised : nullptr, {}});
    }
    bool show(const std::string& action) const {
        const Partition* partition = m_has_groups ? &m_optimised.partition : nullptr;
        std::string text;
        if (action == "print-all") {
            text = print_graph(m_graph, {});
            for (const Graph& other : m_others)
                text += print_graph(other, {});
        } else if (action == "print" || action == "tasks") {
            text = print_graph(m_graph, {.partition = partition, .tasks = action == "tasks"});
        } else if (action == "dot") {
            text = dot_text(m_graph, partition);
        } else if (action == "netron") {
            text = netron_json(m_graph, partition);
        } else if (action == "document") {
            text = document();
        } else if (action == "keys") {
            for (const std::string& key : NodeKeys(m_graph).all())
                text += key + "\n";
        } else {
            return false;
        }
        std::fputs(text.c_str(), stdout);
        return true;
    }

    Graph m_original;
    Graph m_graph;
    GraphOptions m_options;
    GraphRecorder m_recorder;
    Optimised m_optimised;
    bool m_has_groups = false;
    std::vector<Match> m_matches;
    std::vector<PlacementRecord> m_placements;
    std::vector<Graph> m_others; // of the other processes
};

int run(int argc, char** argv) {
    std::ifstream in(argv[1], std::ios::binary);
    Tool tool(std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()));
    for (int i = 2; i < argc; ++i) {
        if (tool.act(argv[i]))
            continue;
        std::fprintf(stderr, "no action '%s'\n", argv[i]);
        return 2;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3)
        return 2;
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
