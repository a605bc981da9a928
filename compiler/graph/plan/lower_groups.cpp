// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/plan/lower_groups.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "compiler/graph/fuse/early_launch.h"
#include "compiler/graph/fuse/group_kind.h"
#include "compiler/graph/names/keys.h"
#include "compiler/graph/plan/overlaps.h"
#include "compiler/graph/plan/signature.h"
#include "compiler/ir/structure.h"
#include "compiler/ir/text/print.h"
#include "lang/base/helpers.h"
#include "lang/base/text_hash.h"

namespace hidet::graph {

namespace {

struct Different { // groups of one signature
    std::uint32_t first = 0;
    GroupSignature signature; // of the first
    std::string schedule;     // that was chosen
    GroupProgram program;
};

class Lowering {
public:
    Lowering(const Graph& graph, const Partition& partition, const PlanOptions& options, const GroupLowering& lower)
        : m_graph(graph), m_partition(partition), m_options(options), m_lower(lower) {}

    void run(std::vector<Different>& groups) {
        std::size_t count = m_options.threads ? m_options.threads : std::thread::hardware_concurrency();
        count = std::clamp<std::size_t>(count, 1, std::max<std::size_t>(groups.size(), 1));
        Helpers helpers;
        for (std::size_t i = 1; i < count; ++i)
            helpers.start([&] { work(groups); });
        work(groups);
        helpers.wait();
        if (m_failure)
            std::rethrow_exception(m_failure);
    }

private:
    void work(std::vector<Different>& groups) {
        for (std::size_t i = m_next++; i < groups.size() && !is_stopped(); i = m_next++) {
            try {
                Group group = m_partition.groups[groups[i].first];
                group.schedule = groups[i].schedule;
                groups[i].program = m_lower(m_graph, group, m_options.target);
                report(groups[i], groups.size());
            } catch (...) {
                const std::lock_guard lock(m_mutex);
                if (!m_failure)
                    m_failure = std::current_exception();
                m_next = groups.size();
            }
        }
    }
    bool is_stopped() const { return m_options.cancelled && m_options.cancelled->load(std::memory_order_relaxed); }
    void report(const Different& group, std::size_t total) {
        const std::lock_guard lock(m_mutex);
        ++m_done;
        if (m_options.progress)
            m_options.progress(m_done, total, group.program.kernels.empty() ? "" : group.program.kernels.front().name);
    }

    const Graph& m_graph;
    const Partition& m_partition;
    const PlanOptions& m_options;
    const GroupLowering& m_lower;
    std::atomic<std::size_t> m_next{0};
    std::mutex m_mutex;
    std::size_t m_done = 0;
    std::exception_ptr m_failure;
};

ir::ModuleRef with_options(const ir::ModuleRef& module, const std::string& options) {
    if (module->options == options)
        return module;
    ir::Module asked = *module;
    asked.options = options;
    return ir::make<ir::Module>(std::move(asked));
}

// By node.
std::unordered_map<std::uint32_t, std::string> chosen_templates(const Graph& graph,
                                                                const std::vector<NodeChoice>& choices) {
    std::unordered_map<std::uint32_t, std::string> chosen;
    if (choices.empty())
        return chosen;
    const NodeKeys keys(graph);
    for (const NodeChoice& choice : choices)
        if (const NodeId node = keys.find(choice.node); node.valid())
            chosen[node.index] = choice.what;
    return chosen;
}

// The program of one group in the values and nodes of another one of the same signature.
class Translation {
public:
    Translation(const GroupSignature& from, const GroupSignature& to) {
        for (std::size_t i = 0; i < from.values.size(); ++i)
            m_values.emplace(from.values[i].index, to.values[i]);
        for (std::size_t i = 0; i < from.nodes.size(); ++i)
            m_nodes.emplace(from.nodes[i].index, to.nodes[i]);
    }
    GroupProgram operator()(const GroupProgram& program) const {
        GroupProgram out = program;
        out.module = nullptr;
        for (ValueId& value : out.inputs)
            value = m_values.at(value.index);
        for (PackedConstant& packed : out.packed)
            packed.value = m_values.at(packed.value.index);
        for (ValueId& value : out.outputs)
            value = m_values.at(value.index);
        for (Updated& each : out.in_place)
            each = {m_values.at(each.result.index), m_values.at(each.input.index)};
        for (GroupProgram::Kernel& kernel : out.kernels)
            for (NodeId& node : kernel.nodes)
                node = m_nodes.at(node.index);
        for (Blocker& blocker : out.blockers) {
            blocker.producer = m_nodes.at(blocker.producer.index);
            blocker.consumer = m_nodes.at(blocker.consumer.index);
            blocker.value = m_values.at(blocker.value.index);
        }
        return out;
    }

private:
    std::unordered_map<std::uint32_t, ValueId> m_values;
    std::unordered_map<std::uint32_t, NodeId> m_nodes;
};

// Nothing that the host does stands between the group and the launch before it.
bool follows_launch(const Graph& graph, const Partition& partition, std::uint32_t group) {
    while (group > 0 && is_view(graph, partition.groups[group - 1]))
        --group;
    return group > 0 && !is_host(graph, partition.groups[group - 1]);
}

// Equal ones are one, whatever they were lowered from.
class Programs {
public:
    explicit Programs(std::vector<PlannedProgram>& programs) : m_programs(programs) {}

    std::uint32_t row_of(const ir::ModuleRef& module, const std::vector<NodeId>& nodes) {
        const auto [known, is_new] = m_by_module.emplace(module.get(), 0);
        if (!is_new)
            return known->second;
        const auto row = static_cast<std::uint32_t>(m_programs.size());
        const auto [found, is_other] = m_by_text.emplace(ir::print_module(*module).text, row);
        if (is_other)
            m_programs.push_back({module, hash_text(found->first), nodes});
        return known->second = found->second;
    }

private:
    std::vector<PlannedProgram>& m_programs;
    std::unordered_map<const ir::Module*, std::uint32_t> m_by_module;
    std::unordered_map<std::string, std::uint32_t> m_by_text;
};

} // namespace

LoweredGroups lower_groups(const Graph& graph, const Partition& partition, const PlanOptions& options,
                           const GroupLowering& lower, const std::function<bool(const Group&)>& is_launched) {
    LoweredGroups out;
    out.rows.resize(partition.groups.size());
    std::vector<Different> different;
    std::vector<GroupSignature> signatures(partition.groups.size());
    std::vector<std::uint32_t> which(partition.groups.size(), UINT32_MAX);
    std::unordered_map<std::string, std::uint32_t> known;
    const auto chosen = chosen_templates(graph, options.passes.templates);
    for (std::uint32_t i = 0; i < partition.groups.size(); ++i) {
        if (!is_launched(partition.groups[i]))
            continue;
        signatures[i] = signature_of(graph, partition.groups[i]);
        const auto choice = chosen.find(partition.groups[i].anchor.index);
        const std::string schedule = choice == chosen.end() ? partition.groups[i].schedule : choice->second;
        const auto [found, is_new] = known.emplace(schedule + "\n" + signatures[i].text, different.size());
        if (is_new)
            different.push_back({i, signatures[i], schedule, {}});
        which[i] = found->second;
    }
    Lowering(graph, partition, options, lower).run(different);
    if (options.cancelled && options.cancelled->load(std::memory_order_relaxed)) {
        out.cancelled = true;
        return out;
    }
    std::vector<Launched> launched;
    std::vector<std::uint32_t> order; // groups
    for (Different& group : different)
        group.program.module = with_options(group.program.module, options.code);
    for (std::uint32_t i = 0; i < partition.groups.size(); ++i)
        if (which[i] != UINT32_MAX) {
            const Different& group = different[which[i]];
            out.rows[i] = {0, Translation(group.signature, signatures[i])(group.program), signatures[i].nodes};
            launched.push_back({group.program.module, &out.rows[i]->names, follows_launch(graph, partition, i)});
            order.push_back(i);
        }
    if (launches_early(options.target))
        overlap_neighbours(graph, launched);
    Programs programs(out.programs);
    for (std::size_t i = 0; i < order.size(); ++i)
        out.rows[order[i]]->program = programs.row_of(launched[i].module, different[which[order[i]]].signature.nodes);
    return out;
}

} // namespace hidet::graph
