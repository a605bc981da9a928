// SPDX-License-Identifier: Apache-2.0
#include "app/session/model/view/model_view.h"

#include <algorithm>
#include <map>

#include "app/session/model/model_code.h"
#include "app/session/model/request.h"
#include "app/session/model/stages.h"
#include "app/session/model/view/graph_values.h"
#include "app/session/model/view/plan_view.h"
#include "app/session/work/large_thread.h"

namespace hidet::session {

using graph::Graph;
using graph::GraphPassInfo;
using graph::PassRecord;

namespace {

// "Fold constants" for "fold-constants".
std::string title_of_pass(std::string name) {
    std::ranges::replace(name, '-', ' ');
    if (!name.empty() && name[0] >= 'a' && name[0] <= 'z')
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name;
}

GraphMatch match_of(const graph::Match& match) {
    return {match.rule, indices_of(match.before), indices_of(match.after), match.note};
}

// The graph before all passes and after each that changed it; every one shares with the one before what is the same.
class Graphs : public graph::GraphInstrument {
public:
    Graphs(Work& work, Predictor& predictor) : m_work(work), m_predictor(predictor) {}

    void add_import(const Graph& graph) {
        const auto out = std::make_shared<ModelGraph>();
        out->pass = "import";
        out->title = "Import";
        out->summary = "what the file says";
        add(out, graph);
    }

    void after(const GraphPassInfo& pass, const Graph& graph, const PassRecord& record) override {
        const int time = ++m_times[pass.name];
        const bool is_same = is_last(graph);
        const bool forms_groups = std::string_view(pass.name) == "fuse-operator";
        if (!record.is_on || m_work.stopped() || (is_same && record.matches.empty() && !forms_groups))
            return;
        const auto out = std::make_shared<ModelGraph>(is_same ? same_again() : ModelGraph());
        const bool is_again = time > 1;
        out->pass = pass.name + (is_again ? cat("#", time) : "");
        out->title = title_of_pass(pass.name) + (is_again ? cat(" (", time, ")") : "");
        out->summary = pass.summary;
        out->ms = record.milliseconds;
        for (const graph::Match& match : record.matches)
            out->matches.push_back(match_of(match));
        if (is_same)
            graphs.push_back(out);
        else
            add(out, graph);
    }

    // The last one gets its groups.
    const ModelGraph& add_kernels(const ModelStages& stages) {
        ModelGraph& last = copy_last();
        const auto index = places_of(*last.index);
        index->match_of_node = last.index->match_of_node;
        costs = fill_kernels(last, *index, stages, m_predictor);
        last.index = index;
        return last;
    }
    ModelGraph& copy_last() { // to be changed before it is published
        const auto copy = std::make_shared<ModelGraph>(*graphs.back());
        graphs.back() = copy;
        return *copy;
    }

    std::vector<std::shared_ptr<const ModelGraph>> graphs;
    std::vector<KernelCost> costs; // of the last one's kernels

private:
    void add(const std::shared_ptr<ModelGraph>& out, const Graph& graph) {
        const auto index = std::make_shared<ModelGraph::Index>();
        index->hashes = m_hashes;
        out->index = index;
        m_predictor.assume(graph);
        fill_graph(*out, *index, std::make_shared<const Graph>(graph), graphs.empty() ? nullptr : graphs.back().get(),
                   m_predictor, m_work.sources);
        graphs.push_back(out);
    }

    // A pass that only says something about the graph: which operators share a kernel.
    ModelGraph same_again() const {
        ModelGraph out = *graphs.back();
        out.matches.clear();
        out.added.clear();
        out.removed.clear();
        out.rewired.clear();
        out.index = places_of(*out.index);
        return out;
    }
    static std::shared_ptr<ModelGraph::Index> places_of(const ModelGraph::Index& from) {
        const auto index = std::make_shared<ModelGraph::Index>();
        index->graph = from.graph;
        index->place_of_node = from.place_of_node;
        index->place_of_value = from.place_of_value;
        index->hashes = from.hashes;
        return index;
    }

    bool is_last(const Graph& graph) const {
        const Graph& before = *graphs.back()->index->graph;
        if (before.node_slots() != graph.node_slots() || before.outputs() != graph.outputs())
            return false;
        for (std::uint32_t i = 0; i < graph.node_slots(); ++i)
            if (before.is_live({i}) != graph.is_live({i}) || before.node({i}).inputs != graph.node({i}).inputs)
                return false;
        return true;
    }

    Work& m_work;
    Predictor& m_predictor;
    const std::shared_ptr<SharedHashes> m_hashes = std::make_shared<SharedHashes>();
    std::map<std::string, int> m_times; // each pass has run
};

class Viewing {
public:
    Viewing(Work& work, const ModelViewRequest& request, ModelSnapshot& snapshot)
        : m_work(work), m_request(request), m_snapshot(snapshot), m_stages(work, request) {
        m_snapshot.path = request.path;
    }

    void run() {
        if (!m_stages.import())
            return;
        m_snapshot.name = m_stages.imported().name;
        m_snapshot.producer = m_stages.producer();
        m_snapshot.opset = m_stages.opset();
        if (is_script(m_request))
            for (const Span site : m_stages.scripts().traced_at())
                m_snapshot.traced.push_back(place_of(site, m_work.sources));
        m_snapshot.roofs = roofs_of(m_stages.target());
        m_snapshot.is_for_gpu = m_stages.target().is_cuda();
        Predictor predictor(m_snapshot.roofs, m_request.dims);
        Graphs graphs(m_work, predictor);
        if (m_stages.guarded_by_model([&] {
                look_at_import(graphs);
                return true;
            }))
            optimise(graphs, predictor);
        m_snapshot.graphs = std::move(graphs.graphs);
    }

private:
    void look_at_import(Graphs& graphs) {
        m_work.enter("looking at the model");
        Work::Clock clock(m_work, "view");
        graphs.add_import(m_stages.imported());
        publish(ModelPhase::Imported, graphs);
    }

    void optimise(Graphs& graphs, Predictor& predictor) {
        const bool fine = m_stages.optimise({&graphs});
        m_snapshot.choices = m_stages.choices_text();
        const bool is_whole = m_stages.optimised().records.size() == graph::graph_passes().size();
        if (!is_whole || m_work.stopped()) // a choice that cannot be heeded leaves the graph whole
            return;
        const auto look = [&] {
            const ModelGraph& last = graphs.add_kernels(m_stages);
            m_snapshot.totals = totals_of(last, graphs.costs, predictor);
            publish(ModelPhase::Optimised, graphs);
            return true;
        };
        if (!m_stages.guarded_by_model(look) || !fine || !m_request.plans || m_work.stopped())
            return;
        ModelCodeMaker code(m_work, m_stages, m_request.path);
        if (!m_stages.plan())
            return;
        fill_plan(m_snapshot, graphs.copy_last(), graphs.costs, m_stages, predictor);
        m_snapshot.code = code.take();
        m_snapshot.phase = ModelPhase::Planned;
    }

    // Not the last of all, which the caller publishes when it is judged.
    void publish(ModelPhase phase, const Graphs& graphs) {
        m_snapshot.phase = phase;
        m_snapshot.graphs = graphs.graphs;
        const bool is_last = phase == ModelPhase::Optimised && !m_request.plans;
        if (!m_request.published || is_last || m_work.stopped())
            return;
        const auto now = std::make_shared<ModelSnapshot>(m_snapshot);
        finish(m_work, *now);
        m_request.published(now);
    }

    Work& m_work;
    const ModelViewRequest& m_request;
    ModelSnapshot& m_snapshot;
    ModelStages m_stages;
};

} // namespace

SnapshotPtr view_model(const ModelViewRequest& request) {
    const auto snapshot = std::make_shared<ModelSnapshot>();
    on_large_thread([&] { // scripts and walks of graphs recurse
        *snapshot = answer<ModelSnapshot>(request, "view", [&](Work& work, ModelSnapshot& result) {
            result.path = request.path;
            Viewing(work, request, result).run();
        });
    });
    snapshot->is_complete = true;
    if (request.published)
        request.published(snapshot);
    return snapshot;
}

} // namespace hidet::session
