// SPDX-License-Identifier: Apache-2.0
// ops_tool FILE ACTION: each line of the file applies an operator to types, as a printed graph would:
//   Add(float32[2, 3], float32[n])
// `types` prints the types of the results, or why the operator refuses; `tasks` the compute definition.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/unit/graph/read_graph.h"

using namespace hidet::graph;

namespace {

// "float32[2, 3], axis=1" in its parts; commas in brackets and quotes do not part them.
std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else if (c != ' ' || !parts.back().empty())
            parts.back() += c;
    }
    return parts;
}

std::string graph_text(const std::string& line) {
    const std::size_t open = line.find('(');
    const std::size_t close = line.rfind(')');
    std::string parameters, arguments;
    for (const std::string& part : parts_of(line.substr(open + 1, close - open - 1))) {
        if (part.empty())
            continue;
        std::string argument = part;
        if (part.find('=') == std::string::npos) {
            argument = "x" + std::to_string(parameters.size());
            parameters += (parameters.empty() ? "" : ", ") + argument + ": " + part + "[cpu]";
        }
        arguments += (arguments.empty() ? "" : ", ") + argument;
    }
    return "Graph(" + parameters + "){\n  y = " + line.substr(0, open) + "(" + arguments + ")\n  return y\n}\n";
}

void show(const std::string& line, bool shows_task) {
    std::printf("%s\n", line.c_str());
    try {
        const Graph graph = read_graph(graph_text(line));
        const Node& node = graph.node(graph.topological().at(0));
        if (shows_task) {
            std::fputs(text_of(*node.task).c_str(), stdout);
            return;
        }
        for (const ValueId output : node.outputs)
            std::printf("  %s\n", text_of(graph.value(output).spec).c_str());
        if (node.task)
            for (const Requirement& each : node.task->requirements)
                std::printf("  if %s: %s\n", text_of(each.condition).c_str(), each.text.c_str());
    } catch (const std::runtime_error& error) {
        // Without the reader's own words: "line 2: ... at ''".
        std::string text = error.what();
        text = text.substr(text.find(": ") + 2);
        std::printf("  refused: %s\n", text.substr(0, text.rfind(" at '")).c_str());
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3)
        return 2;
    std::ifstream in(argv[1]);
    for (std::string line; std::getline(in, line);)
        if (!line.empty())
            show(line, argv[2] == std::string("tasks"));
    return 0;
}
