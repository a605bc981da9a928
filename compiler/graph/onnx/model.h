// SPDX-License-Identifier: Apache-2.0
// What a file of ONNX says, as plain structs. Names are those of the format's specification.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/base/result.h"
#include "lang/tensor/tensor.h"

namespace hidet::graph::onnx {

// TensorProto.DataType: numbers of the format.
enum ElemType : std::int32_t {
    Undefined = 0,
#define HIDET_ELEM_TYPE(name, number, text, dtype) name = number,
#include "compiler/graph/onnx/elem_types.def"
#undef HIDET_ELEM_TYPE
};
std::string elem_type_name(std::int32_t type); // "float16"; "type 99" for what the standard does not have

// What we hold a tensor of this type as: integers of 4 and 2 bits take a byte each, floats that we have no type for are f32.
// Nothing for strings and complex numbers.
std::optional<ir::DType> dtype_of(std::int32_t elem_type);
std::int32_t elem_type_of(ir::DType dtype);

// A tensor that cannot be held, or whose data is broken, says so in `problem`: a model is wrong only if it reads it.
struct Tensor {
    std::string name;
    std::int32_t type = Undefined;
    std::vector<std::int64_t> dims;
    lang::TensorRef data;
    std::vector<std::string> strings;
    std::string problem;
};

struct GraphDef;

struct Attribute {
    enum class Kind : std::uint8_t { Undefined, Float, Int, String, Tensor, Graph, Floats, Ints, Strings, Other };
    std::string name;
    Kind kind = Kind::Undefined;
    std::string ref_attr_name; // of the function's attribute that gives the value
    float f = 0;
    std::int64_t i = 0;
    std::string s;
    std::shared_ptr<const Tensor> t;
    std::shared_ptr<const GraphDef> g;
    std::vector<float> floats;
    std::vector<std::int64_t> ints;
    std::vector<std::string> strings;
};

struct Node {
    std::string name;
    std::string domain; // "" for the standard's own, also where the file says "ai.onnx"
    std::string op_type;
    std::string overload;
    std::string scope; // of the module that made it, as exporters tell: "layer1.0.conv1"
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<Attribute> attributes;
};

struct Dimension {
    std::int64_t value = -1; // -1: not given
    std::string param;
};

struct ValueInfo {
    std::string name;
    std::string kind; // "tensor", "sequence", "optional", ...; empty: no type is given
    std::int32_t elem_type = Undefined;
    bool has_shape = false;
    std::vector<Dimension> shape;
};

struct GraphDef {
    std::string name;
    std::vector<Node> nodes;
    std::vector<Tensor> initializers;
    std::vector<ValueInfo> inputs;
    std::vector<ValueInfo> outputs;
};

using Opsets = std::map<std::string, std::int64_t>; // domain -> version
constexpr std::int64_t several_versions = std::numeric_limits<std::int64_t>::min();

struct Function {
    std::string domain;
    std::string name;
    std::string overload;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<std::string> attributes;
    std::vector<Attribute> defaults;
    std::vector<Node> nodes;
    Opsets opsets;
};

struct Model {
    std::int64_t ir_version = 0;
    std::string producer;
    Opsets opsets;
    GraphDef graph;
    std::vector<Function> functions;
};

struct ReadLimits {
    std::string folder;                  // of external data; empty: there is none
    std::int64_t max_bytes = 16ll << 30; // of tensors altogether
};

// Memory is bounded by a small multiple of the file's size: no claim of a file is believed before its bytes are seen.
// Codes: "model-broken", "model-too-large".
Result<Model> read_model(std::string_view bytes, const ReadLimits& limits);
Result<Model> read_model_file(const std::string& path, const ReadLimits& limits);
// "tensor", "sequence" or "optional": which message a file of a test data set holds is not said in it.
Result<Tensor> read_tensor_file(const std::string& path);

} // namespace hidet::graph::onnx
