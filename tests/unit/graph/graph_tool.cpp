// SPDX-License-Identifier: Apache-2.0
// graph_tool FILE ACTION... : reads a printed graph, does what the actions say, in order. For golden tests of all that goes
// from graph to graph or from graph to text.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>

#include "compiler/graph/text/draw_graph.h"
#include "compiler/graph/text/print_graph.h"
#include "tests/unit/graph/read_graph.h"

using namespace hidet::graph;

static bool act(const std::string& action, const Graph& graph) {
    std::string text;
    if (action == "print")
        text = print_graph(graph);
    else if (action == "tasks")
        text = print_graph(graph, {.tasks = true});
    else if (action == "dot")
        text = dot_text(graph);
    else if (action == "netron")
        text = netron_json(graph);
    else
        return false;
    std::fputs(text.c_str(), stdout);
    return true;
}

static int run(int argc, char** argv) {
    std::ifstream in(argv[1], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const Graph graph = read_graph(text);
    for (int i = 2; i < argc; ++i) {
        if (act(argv[i], graph))
            continue;
        std::fprintf(stderr, "no action '%s'\n", argv[i]);
        return 2;
    }
    return 0;
}

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
