// SPDX-License-Identifier: Apache-2.0
// Functions of elements whose operands have shapes that only a run knows: they are broadcast then.
#include <algorithm>

#include "lang/base/scalar.h"
#include "runtime/operators/onnx_node.h"
#include "runtime/operators/order.h"

namespace hidet::operators::onnx {

namespace {

constexpr std::size_t most_operands = OnnxCall::most_inputs;

// What several shapes are broadcast to, and where an element of it is in each.
class Broadcast {
public:
    explicit Broadcast(OnnxCall& node) : m_node(node) {}

    bool open() {
        for (std::size_t i = 0; i < m_node.positions(); ++i)
            if (const Tensor* each = m_node.input(i); each && !add(*each))
                return false;
        for (std::size_t i = 0; i < m_node.positions(); ++i)
            if (const Tensor* each = m_node.input(i))
                find_steps(*each, m_steps[i]);
        m_count = 1;
        for (std::size_t d = 0; d < m_shape.rank; ++d)
            if (__builtin_mul_overflow(m_count, m_shape[d], &m_count))
                return m_node.call.refuse("a tensor of shape ", words_of(m_shape), " is too large");
        return true;
    }
    const Extents& shape() const { return m_shape; }
    std::int64_t count() const { return m_count; }

    // Calls use(i, numbers): of the elements of the operands that element i of the result is made of.
    void each(auto&& use) {
        std::size_t numbers[most_operands] = {};
        Extents place = m_shape;
        for (std::size_t d = 0; d < place.rank; ++d)
            place[d] = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(m_count); ++i) {
            use(i, numbers);
            for (std::size_t d = m_shape.rank; d-- > 0;) {
                const bool is_over = ++place[d] == m_shape[d];
                for (std::size_t k = 0; k < m_node.positions(); ++k)
                    numbers[k] += static_cast<std::size_t>(m_steps[k][d] * (is_over ? 1 - m_shape[d] : 1));
                if (!is_over)
                    break;
                place[d] = 0;
            }
        }
    }

private:
    bool add(const Tensor& tensor) {
        Extents joined;
        const std::size_t rank = std::max<std::size_t>(tensor.rank, m_shape.rank);
        for (std::size_t d = 0; d < rank; ++d) {
            const std::int64_t a = d + m_shape.rank < rank ? 1 : m_shape[d + m_shape.rank - rank],
                               b = d + tensor.rank < rank ? 1 : tensor.extents[d + tensor.rank - rank];
            if (a != b && a != 1 && b != 1)
                return m_node.call.refuse("tensors of the shapes ", words_of(m_shape), " and ",
                                          words_of(extents_of(tensor)), " are not of one shape");
            joined.add(a == 1 ? b : a);
        }
        m_shape = joined;
        return true;
    }
    void find_steps(const Tensor& tensor, Extents& steps) const {
        steps.rank = m_shape.rank;
        std::int64_t step = 1;
        for (std::size_t d = m_shape.rank, own = tensor.rank; d-- > 0;) {
            const std::int64_t extent = own > 0 ? tensor.extents[--own] : 1;
            steps[d] = extent == 1 ? 0 : step;
            step *= extent;
        }
    }

    OnnxCall& m_node;
    Extents m_shape;
    std::int64_t m_count = 0;
    Extents m_steps[most_operands];
};

bool are_of_one_type(OnnxCall& node, std::size_t first) {
    for (std::size_t i = first; i < node.positions(); ++i)
        if (node.input(i) && node.input(first) && node.input(i)->element != node.input(first)->element)
            return node.call.refuse("operands of ", dtype_name(node.input(first)->element), " and ",
                                    dtype_name(node.input(i)->element));
    return true;
}

template <class T>
bool read_as(Call& call, const Tensor& tensor, List<T>& values) {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
        List<std::int64_t> bits;
        const bool is_ok = call.read(tensor, bits);
        values = {reinterpret_cast<std::uint64_t*>(bits.items), bits.count};
        return is_ok;
    } else {
        return call.read(tensor, values);
    }
}

// From left to right over all operands, each of the type of the first: what is true or false is of bool.
template <class Result = void>
bool fold(OnnxCall& node, std::size_t most, auto&& function) {
    Broadcast broadcast(node);
    if (!node.wants(1, most, 1) || !are_of_one_type(node, 0) || !broadcast.open())
        return false;
    const Element element = node.input(0)->element;
    return with_numbers(node.call, *node.input(0), [&]<class T>(const List<T>& first) {
        List<T> operands[most_operands];
        operands[0] = first;
        for (std::size_t k = 1; k < node.positions(); ++k)
            if (!node.input(k) || !read_as(node.call, *node.input(k), operands[k]))
                return node.input(k) ? false : node.call.refuse("input ", k, " is missing");
        if constexpr (std::is_same_v<Result, bool>) {
            List<std::int64_t> made;
            if (!node.call.make(made, broadcast.count()))
                return false;
            broadcast.each([&](std::size_t i, const std::size_t* numbers) {
                made[i] = function(operands[0][numbers[0]], operands[1][numbers[1]]);
            });
            return node.call.give(0, Element::Bool, broadcast.shape(), made);
        } else {
            List<T> made;
            if (!node.call.make(made, broadcast.count()))
                return false;
            broadcast.each([&](std::size_t i, const std::size_t* numbers) {
                T value = operands[0][numbers[0]];
                for (std::size_t k = 1; k < node.positions(); ++k)
                    value = function(value, operands[k][numbers[k]]);
                made[i] = value;
            });
            return node.call.give(0, element, broadcast.shape(), made);
        }
    });
}

bool compare(OnnxCall& node, auto&& function) {
    return node.wants(2, 2, 1) && fold<bool>(node, 2, function);
}
bool combine(OnnxCall& node, auto&& function) {
    return node.wants(2, 2, 1) && fold(node, 2, function);
}

} // namespace

bool Add(OnnxCall& node) {
    return combine(node, [](auto a, auto b) { return scalar::AddOp::apply(a, b); });
}

bool Sum(OnnxCall& node) {
    return fold(node, most_operands, [](auto a, auto b) { return scalar::AddOp::apply(a, b); });
}

bool Sub(OnnxCall& node) {
    return combine(node, [](auto a, auto b) { return scalar::SubOp::apply(a, b); });
}

bool Mul(OnnxCall& node) {
    return combine(node, [](auto a, auto b) { return scalar::MulOp::apply(a, b); });
}

bool Div(OnnxCall& node) {
    return combine(node, [](auto a, auto b) { return scalar::DivOp::apply(a, b); });
}

bool Max(OnnxCall& node) {
    return fold(node, most_operands, [](auto a, auto b) { return extreme(true, a, b); });
}

bool Min(OnnxCall& node) {
    return fold(node, most_operands, [](auto a, auto b) { return extreme(false, a, b); });
}

bool And(OnnxCall& node) {
    return compare(node, [](auto a, auto b) { return a != 0 && b != 0; });
}

bool Or(OnnxCall& node) {
    return compare(node, [](auto a, auto b) { return a != 0 || b != 0; });
}

bool Xor(OnnxCall& node) {
    return compare(node, [](auto a, auto b) { return (a != 0) != (b != 0); });
}

bool Equal(OnnxCall& node) {
    return compare(node, [](auto a, auto b) { return a == b; });
}

bool Less(OnnxCall& node) {
    return compare(node, [](auto a, auto b) { return a < b; });
}

bool LessOrEqual(OnnxCall& node) {
    return compare(node, [](auto a, auto b) { return a <= b; });
}

bool Greater(OnnxCall& node) {
    return compare(node, [](auto a, auto b) { return a > b; });
}

bool GreaterOrEqual(OnnxCall& node) {
    return compare(node, [](auto a, auto b) { return a >= b; });
}

// First the lower bound: where they cross, the upper one wins.
bool Clip(OnnxCall& node) {
    Broadcast broadcast(node);
    if (!node.wants(1, 3, 1) || !are_of_one_type(node, 0) || !broadcast.open())
        return false;
    const Element element = node.input(0)->element;
    return with_numbers(node.call, *node.input(0), [&]<class T>(const List<T>& x) {
        List<T> least, most, made;
        if ((node.input(1) && !read_as(node.call, *node.input(1), least)) ||
            (node.input(2) && !read_as(node.call, *node.input(2), most)) || !node.call.make(made, broadcast.count()))
            return false;
        broadcast.each([&](std::size_t i, const std::size_t* numbers) {
            T value = x[numbers[0]];
            value = node.input(1) ? extreme(true, value, least[numbers[1]]) : value;
            made[i] = node.input(2) ? extreme(false, value, most[numbers[2]]) : value;
        });
        return node.call.give(0, element, broadcast.shape(), made);
    });
}

bool Where(OnnxCall& node) {
    Broadcast broadcast(node);
    List<std::int64_t> holds;
    if (!node.wants(3, 3, 1) || !are_of_one_type(node, 1) || !broadcast.open() || !node.read(0, holds))
        return false;
    const Element element = node.input(1)->element;
    const auto bytes = static_cast<std::size_t>(package::scalar_bytes(element));
    unsigned char* to = node.call.result(0, element, broadcast.shape());
    if (to)
        broadcast.each([&](std::size_t i, const std::size_t* numbers) {
            const std::size_t chosen = holds[numbers[0]] ? 1 : 2;
            copy(to + i * bytes, node.input(chosen)->data + numbers[chosen] * bytes, bytes);
        });
    return to != nullptr;
}

} // namespace hidet::operators::onnx
