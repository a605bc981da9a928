// SPDX-License-Identifier: Apache-2.0
// What the importer makes of a model: its printed graph and the time it took, or what is wrong with it.
//
//   import_model MODEL.onnx [NAME=EXTENT ...]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "compiler/graph/onnx/import.h"

int main(int argc, char** argv) {
    using namespace hidet::graph;
    if (argc < 2)
        return 2;
    ImportOptions options;
    for (int i = 2; i < argc; ++i) {
        const std::string given = argv[i];
        const std::size_t at = given.find('=');
        if (at == std::string::npos)
            return 2;
        options.dims[given.substr(0, at)] = std::atoll(given.c_str() + at + 1);
    }
    const auto start = std::chrono::steady_clock::now();
    const auto imported = import_onnx(argv[1], options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (const auto* failure = std::get_if<ImportFailure>(&imported)) {
        std::printf("%s: %s\n", failure->error.code.c_str(), failure->error.message.c_str());
        for (const ImportProblem& each : failure->problems) {
            std::printf("  %s:", each.message.c_str());
            for (const std::string& node : each.nodes)
                std::printf(" %s", node.c_str());
            std::printf("\n");
        }
        return 1;
    }
    const Graph& graph = std::get<Imported>(imported).graph;
    std::map<std::string, int> counts;
    for (NodeId id : graph.topological())
        ++counts[graph.node(id).op->name];
    std::printf("%s, operator set %ld, %.3f s\n", std::get<Imported>(imported).producer.c_str(),
                static_cast<long>(std::get<Imported>(imported).opset), took.count());
    for (ValueId id : graph.inputs)
        std::printf("input %s: %s\n", graph.value(id).name.c_str(), text_of(graph.value(id).spec).c_str());
    for (const auto& [name, count] : counts)
        std::printf("%6d %s\n", count, name.c_str());
    for (ValueId id : graph.outputs())
        std::printf("output %s: %s\n", graph.value(id).name.c_str(), text_of(graph.value(id).spec).c_str());
    return 0;
}
