// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/structure.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace hidet::ir {

// ---- rebuilding ----------------------------------------------------------------------------------------------------

namespace {

// Hands out the changes to the fields of a copied node, in field order.
class Patcher {
public:
    explicit Patcher(ChildChanges changes) : m_changes(std::move(changes)) {}

    template <class T>
    void field(Ref<const T>& child) {
        if (NodeRef* change = next()) {
            if constexpr (requires { T::tag; })
                HIDET_CHECK(!*change || (*change)->kind == T::tag,
                            std::string("a ") + kind_name(T::tag) + " is needed here");
            child = cast<T>(*change);
        }
    }
    template <class T>
    void field(std::vector<Ref<const T>>& children) {
        for (auto& child : children)
            field(child);
    }
    template <class T>
    void field(T&) {}

private:
    NodeRef* next() {
        bool is_changed = m_at < m_changes.size() && m_changes[m_at].first == m_index;
        ++m_index;
        return is_changed ? &m_changes[m_at++].second : nullptr;
    }
    ChildChanges m_changes;
    std::size_t m_at = 0;
    std::uint32_t m_index = 0;
};

void give_body(StmtRef& body) {
    if (!body)
        body = make_seq({});
}

template <class T>
NodeRef finish_copy(T copy) {
    if constexpr (requires { copy.body; } && std::is_base_of_v<Stmt, T>)
        give_body(copy.body);
    if constexpr (std::is_same_v<T, IfStmt>)
        give_body(copy.then_body);
    if constexpr (std::is_same_v<T, Function>)
        give_body(copy.body);
    return make<T>(std::move(copy));
}

NodeRef finish_copy(SeqStmt copy) {
    StmtRef seq = make_seq(std::move(copy.stmts));
    set_origin(seq, copy.origin);
    return seq;
}

} // namespace

NodeRef with_changed_children(const Node& node, ChildChanges changes) {
    Patcher patcher(std::move(changes));
    return visit_node(node, [&](const auto& n) -> NodeRef {
        using T = std::decay_t<decltype(n)>;
        T copy = n;
        for_each_field(copy, [&](auto& field) { patcher.field(field); });
        return finish_copy(std::move(copy));
    });
}

// ---- equality ------------------------------------------------------------------------------------------------------

namespace {

bool same_double(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

class Comparer {
public:
    bool equal(const Node* a, const Node* b) {
        if (!a || !b)
            return a == b;
        if (a->kind != b->kind || a->size != b->size || a->depth != b->depth)
            return false;
        if (a == b && (a->kind == Kind::DataType || a->kind == Kind::VoidType))
            return true;
        if (a->kind == Kind::Var)
            return same_var(static_cast<const Var&>(*a), static_cast<const Var&>(*b));
        return visit_node(*a, [&](const auto& left) {
            using T = std::decay_t<decltype(left)>;
            return same_fields(left, static_cast<const T&>(*b));
        });
    }

private:
    // Vars correspond one to one; the first meeting decides.
    bool same_var(const Var& a, const Var& b) {
        auto [forward, is_new] = m_forward.emplace(&a, &b);
        if (!is_new)
            return forward->second == &b;
        if (!m_backward.emplace(&b, &a).second)
            return false;
        // Extern functions are called by name.
        bool names_count = a.type->kind == Kind::FuncType;
        return (!names_count || a.name == b.name) && equal(a.type.get(), b.type.get());
    }

    template <class T>
    bool same_fields(const T& a, const T& b) {
        bool is_equal = true;
        T::visit_fields(a, [&](const auto&... of_a) {
            T::visit_fields(b, [&](const auto&... of_b) { is_equal = (same(of_a, of_b) && ...); });
        });
        return is_equal;
    }

    template <class T>
    bool same(const Ref<const T>& a, const Ref<const T>& b) {
        return equal(a.get(), b.get());
    }
    template <class T>
    bool same(const std::vector<T>& a, const std::vector<T>& b) {
        return std::ranges::equal(a, b, [&](const T& x, const T& y) { return same(x, y); });
    }
    bool same(const ConstantValue& a, const ConstantValue& b) {
        if (a.index() == 1 && b.index() == 1)
            return same_double(std::get<double>(a), std::get<double>(b));
        return a == b;
    }
    template <class T>
    bool same(const T& a, const T& b) {
        return a == b;
    }

    std::unordered_map<const Var*, const Var*> m_forward;
    std::unordered_map<const Var*, const Var*> m_backward;
};

class Hasher {
public:
    std::size_t result() const { return m_state; }

    void node(const Node* n) {
        if (!n)
            return add(0);
        add(static_cast<std::size_t>(n->kind) + 1);
        if (n->kind == Kind::Var)
            return var(static_cast<const Var&>(*n));
        visit_node(*n, [&](const auto& typed) { for_each_field(typed, [&](const auto& field) { value(field); }); });
    }

private:
    void add(std::size_t bits) {
        m_state = (m_state ^ bits) * 0x9E3779B97F4A7C15u;
        m_state ^= m_state >> 29;
    }
    void var(const Var& v) {
        auto [found, is_new] = m_numbers.emplace(&v, m_numbers.size());
        add(found->second);
        if (is_new)
            node(v.type.get());
    }
    template <class T>
    void value(const Ref<const T>& ref) {
        node(ref.get());
    }
    template <class T>
    void value(const std::vector<T>& items) {
        add(items.size());
        for (const auto& item : items)
            value(item);
    }
    void value(const std::string& text) { add(std::hash<std::string>{}(text)); }
    void value(const IntrinsicAttr& attr) {
        for (std::int16_t each : attr.values)
            add(static_cast<std::uint16_t>(each));
    }
    void value(const LoopAttr& attr) {
        add(static_cast<std::size_t>(attr.what));
        add(static_cast<std::size_t>(attr.count));
    }
    void value(const ConstantValue& constant) {
        add(constant.index());
        if (const auto* integer = std::get_if<std::int64_t>(&constant))
            add(static_cast<std::size_t>(*integer));
        else if (const auto* number = std::get_if<double>(&constant))
            add(std::bit_cast<std::uint64_t>(*number));
        else
            value(std::get<std::string>(constant));
    }
    template <class T>
        requires std::is_enum_v<T> || std::is_integral_v<T>
    void value(const T& scalar) { add(static_cast<std::size_t>(scalar)); }

    std::size_t m_state = 0x51ED270B;
    std::unordered_map<const Var*, std::size_t> m_numbers;
};

} // namespace

bool structural_equal(const NodeRef& a, const NodeRef& b) {
    return Comparer().equal(a.get(), b.get());
}

std::size_t structural_hash(const NodeRef& node) {
    Hasher hasher;
    hasher.node(node.get());
    return hasher.result();
}

} // namespace hidet::ir
