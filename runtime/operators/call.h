// SPDX-License-Identifier: Apache-2.0
// What an operator of the host is called with. Numbers are computed as doubles, or as 64-bit integers where the elements are
// integers, and rounded once when they are given away.
#pragma once

#include "runtime/operators/elements.h"
#include "runtime/package/memory.h"
#include "runtime/package/plan.h"
#include "runtime/package/problem.h"
#include "runtime/package/words.h"

namespace hidet::operators {

using package::AttributeKind;
using package::Code;
using package::HostOperator;
using package::List;
using package::most_rank;
using package::Problem;
using package::Text;
using package::text;

struct Tensor { // dense, row-major
    Element element = Element::F32;
    const std::int64_t* extents = nullptr;
    std::uint32_t rank = 0;
    const unsigned char* data = nullptr;
};
std::int64_t count_of(const Tensor& tensor);

struct Attribute {
    Text name;
    AttributeKind kind = AttributeKind::Int;
    List<std::int64_t> ints; // Bool, Int: one; Shape: its extents
    List<double> reals;      // Real: one
    List<Text> texts;        // Text, DType: one
    Tensor tensor;           // Weight
};

struct Extents {
    std::int64_t items[most_rank] = {};
    std::uint32_t rank = 0;
    void add(std::int64_t extent) { items[rank++] = extent; } // the caller looks at the rank
    std::int64_t& operator[](std::size_t d) { return items[d]; }
    std::int64_t operator[](std::size_t d) const { return items[d]; }
};
Extents extents_of(const Tensor& tensor);
package::Words<400> words_of(const Extents& extents); // "[2, 3]"

// Of nothing, there may be no place.
inline void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes > 0)
        std::memcpy(to, from, bytes);
}

// Memory of a result, which is the caller's from then on; null: the problem says why.
struct Results {
    void* self = nullptr;
    unsigned char* (*make)(void* self, std::size_t result, Element element, const std::int64_t* extents,
                           std::uint32_t rank, Problem& problem) = nullptr;
};

// What processes that share a plan make of their tensors: the memory of the result is there, and has the type of the operand.
struct Exchanged {
    HostOperator op;
    const Tensor& given;
    const Tensor& made;
    void* into = nullptr; // that of the result
    Text reduction;       // "sum"; empty: nothing is reduced
    std::int64_t root = 0;
    std::int64_t size = 1, step = 1; // so many processes whose ranks are `step` apart
};
struct Others {
    void* self = nullptr;
    bool (*exchange)(void* self, const Exchanged& what, Problem& problem) = nullptr;
};

// A tensor as [outer, extent, inner] around one dimension.
struct AxisView {
    std::int64_t outer = 1, extent = 1, inner = 1;
};
AxisView view_along(const Extents& extents, std::size_t axis);

class Call {
public:
    Call(HostOperator op, List<Tensor> inputs, List<Attribute> attributes, std::size_t results, const Results& out,
         Problem& problem)
        : inputs(inputs), m_op(op), m_attributes(attributes), m_results(results), m_out(out), m_problem(problem) {}

    const List<Tensor> inputs;
    const Others* others = nullptr; // null: the process is alone

    // Attributes. What is left out, or is of another kind, is `otherwise`.
    const Attribute* find(const char* name) const;
    std::int64_t integer(const char* name, std::int64_t otherwise = 0) const;
    double real(const char* name, double otherwise = 0) const;
    Text word(const char* name, const char* otherwise = "") const;
    List<std::int64_t> integers(const char* name) const;
    List<double> reals(const char* name) const;
    List<Text> words(const char* name) const;
    HostOperator op() const { return m_op; }
    std::size_t results() const { return m_results; }

    // All of these return false, or null, after saying why.
    template <class... Parts>
    bool refuse(const Parts&... parts) {
        return package::refuse(m_problem, Code::Refused, parts...);
    }
    template <class T>
    bool make(List<T>& list, std::int64_t count) {
        return (count >= 0 && m_memory.make(list, static_cast<std::size_t>(count))) || has_no_memory();
    }
    bool takes(std::size_t least, std::size_t most, std::size_t results); // numbers of inputs and results
    bool read(const Tensor& tensor, List<double>& values);
    bool read(const Tensor& tensor, List<std::int64_t>& values); // of floats: truncated
    template <class T>
    bool read_one(const Tensor& tensor, T& value) {
        List<T> values;
        if (count_of(tensor) != 1)
            return refuse("a tensor of one element is wanted, not of ", count_of(tensor));
        if (!read(tensor, values))
            return false;
        value = values[0];
        return true;
    }
    bool axis(std::int64_t given, std::size_t rank, std::size_t& axis); // negative ones count from the end
    // Of the first operand: along the dimension that an attribute names, or all elements in one.
    bool axis_or_flat(Extents& shape, std::size_t& axis);
    bool element(const char* name, Element& element); // an attribute that names a type
    unsigned char* result(std::size_t which, Element element, const Extents& extents);
    bool give(std::size_t which, Element element, const Extents& extents, const List<double>& values);
    bool give(std::size_t which, Element element, const Extents& extents, const List<std::int64_t>& values);
    bool give(std::size_t which, Element element, const Extents& extents, const List<std::uint64_t>& values) {
        const List<std::int64_t> bits{reinterpret_cast<std::int64_t*>(values.items), values.count};
        return give(which, element, extents, bits);
    }
    // The elements along the dimension at the given places.
    bool give_taken(std::size_t which, const Tensor& tensor, const Extents& extents, std::size_t axis,
                    const List<std::int64_t>& places);
    Problem& problem() { return m_problem; }

private:
    bool has_no_memory();

    HostOperator m_op;
    List<Attribute> m_attributes;
    std::size_t m_results;
    const Results& m_out;
    Problem& m_problem;
    package::Memory m_memory;
};

// Of the table of operators: false and a problem where the operands or the attributes are none of the operator's.
bool run(Call& call);

// With other processes.
bool exchanges(HostOperator op);

// Of OnnxNode, what it stands for is its attribute "op", and not all of ONNX is here.
bool has_operator(HostOperator op, Text onnx_op);

} // namespace hidet::operators
