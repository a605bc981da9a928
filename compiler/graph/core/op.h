// SPDX-License-Identifier: Apache-2.0
// Operators: one row of ops.def each, which gives it an OpId, described by an OpInfo, which is a row of its file's table.
//
// An operator is what it computes (`define`: a Task) or, where no compute definition exists because the extents of the
// results depend on data or because the computation is a sequence (sorting, non-maximum suppression), a native function on
// host memory (`infer` and `run`), which any target reaches through the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/core/attributes.h"
#include "compiler/graph/core/task.h"

namespace hidet::graph {

// Rows of ops.def.
enum class OpId : std::uint16_t {
#define HIDET_OP(name, family, table) name,
#include "compiler/graph/core/ops.def"
#undef HIDET_OP
    None, // of no row
};
inline constexpr std::size_t op_count = static_cast<std::size_t>(OpId::None);
const char* name_of(OpId id); // "Softmax": as printed graphs have it
inline bool is_any_of(OpId id, std::initializer_list<OpId> ids) {
    return std::ranges::find(ids, id) != ids.end();
}

// What an operator takes, as its row says it in Hidet Script: "x, mask: tensor = None, axis: int = -1".
enum class ParameterKind : std::uint8_t {
    Tensor,
    Tensors, // any number of them
    Bool,
    Int, // or a symbolic extent: a Shape of one
    Float,
    Number, // a bool, an int, a float or a symbolic extent
    Str,
    DType,
    Ints, // one number stands for a list of it
    Floats,
    Texts,
    Shape, // ints will do
    Data,  // a tensor with data as an attribute
    Graph, // the body of a control-flow operator
    Task,  // a compute definition
    Anything,
};

struct Parameter {
    std::string name;
    ParameterKind kind = ParameterKind::Tensor;
    bool is_optional = false;           // it has a default, or may be left out ("= None")
    std::optional<Attribute> otherwise; // the default; nothing where there is none, or where it depends on the rest
    bool is_tensor() const { return kind == ParameterKind::Tensor || kind == ParameterKind::Tensors; }
};

// Made of such a text, once. A text that cannot be read is a bug of ours.
class Parameters {
public:
    Parameters(const char* text = "");

    const char* text() const { return m_text; }
    auto begin() const { return m_list.begin(); }
    auto end() const { return m_list.end(); }
    std::size_t size() const { return m_list.size(); }
    bool empty() const { return m_list.empty(); }
    const Parameter& operator[](std::size_t i) const { return m_list[i]; }
    const Parameter* find(std::string_view name) const; // null: there is none

private:
    const char* m_text;
    std::vector<Parameter> m_list;
};

// Whether a parameter of that kind takes the attribute.
bool is_of_kind(const Attribute& attribute, ParameterKind kind);
const char* name_of(ParameterKind kind); // "ints"

struct OpInfo;

// An operator with what it is applied to.
struct OpCall {
    const OpInfo* op = nullptr;
    std::vector<TensorSpec> inputs;
    Attributes attributes; // those given, and the defaults of all others that have one

    OpCall(const OpInfo& op, std::vector<TensorSpec> inputs, Attributes given);
};

// Symbols that an operator with data-dependent extents invents for its results. Names are given by the graph.
class FreshSymbols {
public:
    virtual ~FreshSymbols() = default;
    virtual Dim fresh(std::string_view hint) = 0;
};

struct HostCall {
    const OpCall& call;
    const std::vector<lang::TensorRef>& inputs; // with data, dense, row-major
};

// An operand whose elements are places in another one. Data decides them, so they may lie outside.
struct Indexing {
    std::size_t operand = 1;
    Shape extents;                                      // of what they index: one, or those of the coordinates in a row
    bool is_from_end = true;                            // a negative one counts from there
    std::optional<std::int64_t> ignored = std::nullopt; // stands for no place
};

enum class OpClass : std::uint8_t {
    Elementwise, // same index in, same index out, broadcasting aside
    Transform,   // moves elements, computes nothing
    Reduction,
    Contraction, // matmul, convolution
    Other,
    Host, // native, on host memory
};

// Most rows of a table are the first members, in order; one that says more names its members.
struct OpInfo {
    OpId id = OpId::None;
    const char* python = ""; // "softmax": in hidet.ops; empty: not offered
    // What the function in hidet.ops takes, in order: inputs by name alone ("xs: tensors" for any number of them, at the
    // end "mask: tensor = None" for one that may be left out), attributes with their type and their default, if they have
    // one. "x, axis: int = -1". Attributes have the parameter's name. A default is said nowhere else.
    Parameters parameters;
    OpClass cls = OpClass::Other;
    const char* summary = ""; // one sentence, lower-case, no final period
    const char* example = ""; // one line of Hidet Script that runs: "hidet.ops.softmax(hidet.randn([2, 3]), axis=-1)"
    Task (*define)(const OpCall& call) = nullptr;
    // Operands that are indices; null: none is. Who is asked for it refuses those that lie outside (core/indices.h).
    std::vector<Indexing> (*indexes)(const OpCall& call) = nullptr;
    Parameters more = "";           // attributes that this function does not take
    bool has_any_attribute = false; // also those that are named by the user
    std::vector<TensorSpec> (*infer)(const OpCall& call, FreshSymbols& symbols) = nullptr;
    std::vector<lang::TensorRef> (*run)(const HostCall& call) = nullptr;
    // Floating-point operations; null: counted on the task.
    Dim (*flops)(const OpCall& call) = nullptr;
    bool shares_memory = false; // output 0 is input 0 under another shape: nothing is computed
    bool never_fuses = false;
    bool is_random = false; // never folded, never merged with an equal one
    bool exchanges = false; // with other processes, which all do so in one order: never folded, merged or dropped
    const char* name = name_of(id);
};

const std::vector<const OpInfo*>& all_ops(); // in table order
const OpInfo& info_of(OpId id);
const OpInfo* find_op(std::string_view name); // by a name that somebody wrote; null: there is none

// OpError unless the operator takes that many tensors.
void check_arity(const OpInfo& op, std::size_t inputs);
// OpError for an attribute that the operator does not have or that is of another type, and for one that is missing.
void check_attributes(const OpInfo& op, const Attributes& attributes);
// As given, else the default; null: it has none.
const Attribute* attribute_of(const OpInfo& op, const Attributes& given, std::string_view name);

// Of ops.def: each file that describes operators has one table, in any order.
namespace op_tables {
#define HIDET_OP(name, family, table) std::span<const OpInfo> table();
#include "compiler/graph/core/ops.def"
#undef HIDET_OP
} // namespace op_tables

// The row's description, for who writes graphs in C++: op_info::Softmax().
namespace op_info {
#define HIDET_OP(name, family, table)                                                                                  \
    inline const OpInfo& name() {                                                                                      \
        return info_of(OpId::name);                                                                                    \
    }
#include "compiler/graph/core/ops.def"
#undef HIDET_OP
} // namespace op_info

} // namespace hidet::graph
