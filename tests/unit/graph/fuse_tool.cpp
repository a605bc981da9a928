// SPDX-License-Identifier: Apache-2.0
// fuse_tool FILE partition [cuda]           : the groups of a printed graph, and why other operators are not in them
//   [--forbid PRODUCER CONSUMER] [--force PRODUCER CONSUMER] : by their keys
// fuse_tool FILE lower TARGET [SCHEDULE]    : the module of each group; around a schedule of the anchor's own, if given
// fuse_tool FILE shared                     : the modules for a GPU, where small kernels share launches
// fuse_tool FILE overlap SCHEDULE            : the modules for a GPU in order, products by the schedule, where neighbours overlap
// fuse_tool FILE around NODE TARGET [...]   : all of the graph as one group around an anchor, counted from 0
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>

#include "compiler/graph/fuse/group_kind.h"
#include "compiler/graph/fuse/lower.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/plan/overlaps.h"
#include "compiler/ir/text/print.h"
#include "lang/base/text.h"
#include "tests/unit/graph/read_graph.h"
#include "tests/unit/graph/read_schedule.h"

using namespace hidet;
using namespace hidet::graph;

namespace {

std::string read(const char* path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string called(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    return node.name.empty() ? cat(node.op->name, "#", id.index) : cat(node.op->name, " '", node.name, "'");
}

const char* word(Role role) {
    return role == Role::Anchor ? "anchor" : role == Role::Prologue ? "prologue" : "epilogue";
}

void print_blockers(const std::vector<Blocker>& blockers) {
    for (const Blocker& blocker : blockers)
        std::printf("refused %s: %s\n", blocker_id(blocker.reason), blocker.text.c_str());
}

FusionChoices choices_in(const std::vector<std::string>& args) {
    FusionChoices choices;
    if (std::ranges::find(args, "cuda") != args.end())
        choices.target = artifact::default_gpu();
    for (std::size_t i = 0; i + 2 < args.size(); ++i)
        if (args[i] == "--forbid" || args[i] == "--force")
            choices.edges.push_back({args[i + 1], args[i + 2], args[i] == "--force"});
    return choices;
}

void print_partition(const Graph& graph, const FusionChoices& choices) {
    const Partition groups = partition(graph, choices);
    for (const Group& group : groups.groups) {
        std::printf("group\n");
        for (std::size_t i = 0; i < group.nodes.size(); ++i)
            std::printf("  %s %s\n", word(group.roles[i]), called(graph, group.nodes[i]).c_str());
    }
    print_blockers(groups.blockers);
}

void print_lowered(const Graph& graph, const Group& group, const artifact::TargetSpec& target,
                   const ir::ModuleRef& schedule) {
    const AnchorSchedule by_hand{schedule};
    const GroupProgram program = lower_group(graph, group, target, schedule ? &by_hand : nullptr);
    std::fputs(ir::print_module(*program.module).text.c_str(), stdout);
    for (const GroupProgram::Kernel& kernel : program.kernels) {
        std::printf("kernel %s:", kernel.name.c_str());
        for (NodeId id : kernel.nodes)
            std::printf(" %s", called(graph, id).c_str());
        std::printf("\n");
    }
    for (const Updated& each : program.in_place)
        std::printf("%s is in the place of %s\n", graph.value(each.result).shown_name().c_str(),
                    graph.value(each.input).shown_name().c_str());
    print_blockers(program.blockers);
}

void print_shared(Graph& graph) {
    GraphOptions options;
    options.target = artifact::default_gpu();
    PassRecord record;
    Partition groups = partition(graph);
    PassState state{graph, options, record, groups};
    share_launches(state);
    for (const Group& group : groups.groups)
        print_lowered(graph, group, options.target, nullptr);
}

void print_overlapping(const Graph& graph, const ir::ModuleRef& schedule) {
    const AnchorSchedule by_hand{schedule};
    std::vector<GroupProgram> programs;
    for (const Group& group : partition(graph).groups)
        if (!is_view(graph, group))
            programs.push_back(lower_group(graph, group, artifact::default_gpu(),
                                           graph.node(group.anchor).is(OpId::Matmul) ? &by_hand : nullptr));
    std::vector<Launched> launched;
    for (const GroupProgram& program : programs)
        launched.push_back({program.module, &program, !launched.empty()});
    overlap_neighbours(graph, launched);
    for (const Launched& each : launched)
        std::fputs(ir::print_module(*each.module).text.c_str(), stdout);
}

// What the anchor needs comes before it, the rest follows from it.
Group all_around(const Graph& graph, NodeId anchor) {
    Group group{anchor, graph.topological(), {}};
    std::vector<bool> after(graph.node_slots());
    after[anchor.index] = true;
    for (NodeId id : group.nodes) {
        for (ValueId input : graph.node(id).inputs)
            if (const NodeId producer = graph.value(input).producer; producer.valid() && after[producer.index])
                after[id.index] = true;
        group.roles.push_back(id == anchor ? Role::Anchor : after[id.index] ? Role::Epilogue : Role::Prologue);
    }
    return group;
}

// in_place=RESULT:INPUT
std::vector<InPlace> taken_in_place(std::vector<std::string>& args) {
    std::vector<InPlace> found;
    InPlace each;
    std::erase_if(args, [&](const std::string& arg) {
        const bool is_one = std::sscanf(arg.c_str(), "in_place=%u:%u", &each.result, &each.input) == 2;
        if (is_one)
            found.push_back(each);
        return is_one;
    });
    return found;
}

int run(std::vector<std::string> args) {
    Graph graph = read_graph(read(args[0].c_str()));
    graph.in_place = taken_in_place(args);
    const auto target_of = [](const std::string& name) {
        return name == "cuda" ? artifact::default_gpu() : artifact::default_cpu();
    };
    const auto schedule = [&](std::size_t at) {
        return args.size() > at ? test::read_schedule(read(args[at].c_str())) : nullptr;
    };
    if (args[1] == "partition") {
        print_partition(graph, choices_in(args));
    } else if (args[1] == "lower" && args.size() > 2) {
        for (const Group& group : partition(graph).groups)
            print_lowered(graph, group, target_of(args[2]), schedule(3));
    } else if (args[1] == "overlap" && args.size() > 2) {
        print_overlapping(graph, schedule(2));
    } else if (args[1] == "shared") {
        print_shared(graph);
    } else if (args[1] == "around" && args.size() > 3) {
        const NodeId anchor = graph.topological().at(std::stoul(args[2]));
        print_lowered(graph, all_around(graph, anchor), target_of(args[3]), schedule(4));
    } else {
        return 2;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3)
        return 2;
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
