// SPDX-License-Identifier: Apache-2.0
// ONNX models as graphs. Nothing here sees protobuf: proto_reader.cpp is the one file that does (compiler/graph/onnx/README.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/core/graph.h"
#include "lang/base/result.h"
#include "lang/base/symbol_values.h"

namespace hidet::graph {

// A node whose operator a user defines.
struct CustomNode {
    std::string domain; // "" for the standard's own
    std::string op;
    std::string name;
    std::int64_t opset = 1;
    std::vector<ValueId> inputs; // invalid where one is left out
    Attributes attributes;
    std::size_t outputs = 1; // at least
};

// Operators that a user defines. They go before ours and before functions of the model.
class CustomOperators {
public:
    virtual ~CustomOperators() = default;
    virtual bool has(const std::string& domain, const std::string& op) const = 0;
    virtual std::vector<ValueId> apply(Graph& graph, const CustomNode& node) = 0; // OpError: refuses
};

// The shape of an input, by its number or name, if it is known.
using ShapeOf = std::function<std::optional<std::vector<std::int64_t>>(std::size_t input, const std::string& name)>;

struct ImportOptions {
    CustomOperators* custom = nullptr;
    SymbolValues dims = {};              // by the model's names of its dimensions: --dim batch=4
    std::int64_t max_bytes = 16ll << 30; // of constants
    // Whether the caller has a value for an input: asked for those that have a constant to fall back on, which are inputs
    // only then.
    std::function<bool(const std::string& name)> is_given = {};
    // What the model is going to be run on, as far as that is known: asked for inputs of which the model does not even say
    // how many dimensions they have and, with `fixed`, for all. A model whose ranks depend on its extents has no other graph.
    ShapeOf shape_of = {};
    bool fixed = false;
};

struct ImportProblem {
    std::string message;            // "operator 'Foo' is not supported"
    std::vector<std::string> nodes; // where: names of nodes
};

struct Imported {
    Graph graph;
    std::vector<ImportProblem> warnings;
    std::int64_t opset = 0;
    std::string producer; // "pytorch 2.4"
};

struct ImportFailure {
    Error error;                         // those of InputFile, "model-broken", "operators-missing", ...
    std::vector<ImportProblem> problems; // every missing operator with its nodes
};

// The file, with its external data (only below the model's folder).
std::variant<Imported, ImportFailure> import_onnx(const std::string& path, const ImportOptions& options);
std::variant<Imported, ImportFailure> import_onnx_bytes(std::string_view bytes, const std::string& folder,
                                                        const ImportOptions& options);
// A TensorProto file of an ONNX test data set: input_0.pb. With the type that the model declares: data sets of ONNX's own hold
// bfloat16 as uint16, which are its bits.
Result<lang::TensorRef> read_tensor_proto(const std::string& path, std::optional<ir::DType> declared = std::nullopt);
// What it calls itself; empty: nothing, or it cannot be read.
std::string tensor_proto_name(const std::string& path);

} // namespace hidet::graph
