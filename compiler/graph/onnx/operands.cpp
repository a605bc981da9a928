// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/onnx/operands.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "lang/base/text.h"

namespace hidet::graph::onnx {

namespace {

using TypeSet = std::uint32_t; // a bit for each ElemType

constexpr TypeSet set_of(ElemType type) {
    return TypeSet{1} << type;
}

constexpr TypeSet sequence = TypeSet{1} << 30;
constexpr TypeSet optional_tensor = TypeSet{1} << 31;

namespace types {

constexpr TypeSet boolean = set_of(Bool);
constexpr TypeSet i8 = set_of(Int8), i16 = set_of(Int16), i32 = set_of(Int32), i64 = set_of(Int64);
constexpr TypeSet u8 = set_of(Uint8), u16 = set_of(Uint16), u32 = set_of(Uint32), u64 = set_of(Uint64);
constexpr TypeSet f16 = set_of(Float16), f32 = set_of(Float), f64 = set_of(Double), bf16 = set_of(Bfloat16);
constexpr TypeSet f8e4m3fn = set_of(Float8E4M3FN), f4e2m1 = set_of(Float4E2M1), f8e8m0 = set_of(Float8E8M0);
constexpr TypeSet i4 = set_of(Int4);
constexpr TypeSet bits4 = i4 | set_of(Uint4), bits2 = set_of(Int2) | set_of(Uint2);
constexpr TypeSet f8 = f8e4m3fn | set_of(Float8E4M3FNUZ) | set_of(Float8E5M2) | set_of(Float8E5M2FNUZ);
constexpr TypeSet bytes = i8 | u8;
constexpr TypeSet integers = i8 | i16 | i32 | i64 | u8 | u16 | u32 | u64;
constexpr TypeSet floats = f16 | f32 | f64;
constexpr TypeSet numbers = integers | floats;
constexpr TypeSet optional = optional_tensor;

} // namespace types

struct TypeVariable {
    std::string_view name; // empty: there are no more
    TypeSet types = 0;
};
using TypeVariables = std::array<TypeVariable, 5>;

struct Signature {
    std::string_view domain;
    std::string_view op;
    std::int64_t since;
    bool is_removed;
    std::string_view operands;
    TypeVariables variables;
};

const std::vector<Signature>& signatures() {
    static const std::vector<Signature> sorted = [] {
        using namespace types;
        std::vector<Signature> all = {
#define HIDET_ONNX_TAKES(domain, name, since, operands, ...) {domain, #name, since, false, operands, {{__VA_ARGS__}}},
#define HIDET_ONNX_REMOVED(domain, name, since) {domain, #name, since, true, "", {}},
#include "compiler/graph/onnx/onnx_operands.def"
#undef HIDET_ONNX_TAKES
#undef HIDET_ONNX_REMOVED
        };
        std::ranges::stable_sort(all, {},
                                 [](const Signature& row) { return std::tuple(row.op, row.domain, row.since); });
        return all;
    }();
    return sorted;
}

auto signatures_of(std::string_view domain, std::string_view op) {
    return std::ranges::equal_range(signatures(), std::pair(op, domain), {},
                                    [](const Signature& row) { return std::pair(row.op, row.domain); });
}

const Signature* find_signature(std::string_view domain, std::string_view op, std::int64_t version) {
    const Signature* best = nullptr;
    for (const Signature& row : signatures_of(domain, op))
        if (row.since <= version)
            best = &row;
    return best;
}

// One word of a row's operands.
struct Operand {
    std::string_view variable;
    bool is_required = true;
    bool is_last = false;         // there may be any number of them
    bool is_of_any_types = false; // each of another type of the set
};

Operand operand_of(std::string_view word) {
    Operand operand{word};
    const std::size_t end = word.find_first_of("?*");
    if (end == std::string_view::npos)
        return operand;
    operand.variable = word.substr(0, end);
    operand.is_required = false;
    operand.is_last = word[end] == '*';
    operand.is_of_any_types = word.ends_with("**");
    return operand;
}

std::vector<Operand> operands_of(const Signature& row) {
    std::vector<Operand> operands;
    for (std::size_t at = 0; at < row.operands.size();) {
        const std::size_t end = std::min(row.operands.find(' ', at), row.operands.size());
        operands.push_back(operand_of(row.operands.substr(at, end - at)));
        at = end + 1;
    }
    return operands;
}

std::string type_names(TypeSet set) {
    std::string names;
    const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
    for (std::int32_t type = Undefined + 1; type <= Int2; ++type)
        if (set & set_of(static_cast<ElemType>(type)))
            add(elem_type_name(type));
    if (set & sequence)
        add("sequences");
    if (set & optional_tensor)
        add("optionals");
    return names;
}

// What the value may be: we hold several types of the standard as one of ours.
TypeSet types_of(const Val& value) {
    if (value->items)
        return sequence;
    if (value->elem_type != Undefined)
        return set_of(static_cast<ElemType>(value->elem_type));
    TypeSet set = 0;
    for (std::int32_t type = Undefined + 1; type <= Int2; ++type)
        if (dtype_of(type) == value->spec.dtype)
            set |= set_of(static_cast<ElemType>(type));
    return set;
}

std::string type_text(const Val& value) {
    if (value->items)
        return "a sequence";
    return "of " + elem_type_name(value->elem_type ? value->elem_type : elem_type_of(value->spec.dtype));
}

std::string set_called(const NodeCall& node) {
    return cat(node.node().domain.empty() ? "" : "'" + node.node().domain + "' ", "operator set ", node.opset());
}

struct Bound {
    TypeSet types = 0;
    std::size_t operand = 0; // the first of this variable
};

class OperandCheck {
public:
    OperandCheck(const NodeCall& node, const Signature& row)
        : m_node(node), m_signature(row), m_operands(operands_of(row)) {}

    void run() {
        check_count();
        for (std::size_t i = 0; i < m_node.count(); ++i)
            if (m_node.has(i))
                check(i, m_operands[std::min(i, m_operands.size() - 1)]);
    }

private:
    void check_count() const {
        std::size_t given = m_node.count();
        while (given > 0 && !m_node.has(given - 1))
            --given;
        if (given > m_operands.size() && (m_operands.empty() || !m_operands.back().is_last))
            throw OpError("there are ", given, " inputs, and ", set_called(m_node), " has ", m_operands.size());
        for (std::size_t i = 0; i < m_operands.size(); ++i)
            if (m_operands[i].is_required && is_left_out(i))
                throw OpError("input ", i, " is missing");
    }
    // No operand has that place or it has no name: an optional that is empty has one.
    bool is_left_out(std::size_t i) const {
        const std::vector<std::string>& names = m_node.node().inputs;
        return !m_node.has(i) && (i >= names.size() || names[i].empty());
    }
    void check(std::size_t i, const Operand& operand) {
        const Val& value = m_node.inputs()[i];
        const auto variable =
            static_cast<std::size_t>(std::ranges::find(m_signature.variables, operand.variable, &TypeVariable::name) -
                                     m_signature.variables.begin());
        const TypeSet taken = m_signature.variables[variable].types;
        const TypeSet given = types_of(value) & taken;
        if (!given)
            throw OpError("input ", i, " is ", type_text(value), ", and ", set_called(m_node), " takes ",
                          type_names(taken), " there");
        if (operand.is_of_any_types)
            return;
        std::optional<Bound>& bound = m_bound[variable];
        if (!bound)
            bound = Bound{given, i};
        if (!(bound->types & given))
            throw OpError("input ", i, " is ", type_text(value), " and input ", bound->operand, " ",
                          type_text(m_node.inputs()[bound->operand]), ", where the standard wants one type");
        bound->types &= given;
    }

    const NodeCall& m_node;
    const Signature& m_signature;
    const std::vector<Operand> m_operands;
    std::array<std::optional<Bound>, std::tuple_size_v<TypeVariables>> m_bound;
};

} // namespace

void check_operands(const NodeCall& node) {
    if (const Signature* row = find_signature(node.node().domain, node.node().op_type, node.opset());
        row && !row->is_removed)
        OperandCheck(node, *row).run();
}

void check_declared(const ValueInfo& declared, const Val& value, std::string_view what) {
    const bool is_sequence = declared.kind == "sequence";
    const bool says_nothing = declared.kind != "tensor" || declared.elem_type == Undefined;
    if (!value || (says_nothing && !is_sequence))
        return;
    const bool is_known = is_sequence || (declared.elem_type > 0 && declared.elem_type <= Int2);
    const TypeSet wanted = is_sequence ? sequence : is_known ? set_of(static_cast<ElemType>(declared.elem_type)) : 0;
    if (!(types_of(value) & wanted))
        throw OpError(what, " '", declared.name, "' is ", type_text(value), ", and the model declares ",
                      is_sequence ? "a sequence" : elem_type_name(declared.elem_type));
}

std::string problem_of_version(std::string_view domain, std::string_view op, std::int64_t version) {
    const Signature* row = find_signature(domain, op, version);
    if (row)
        return row->is_removed ? cat("operator set ", row->since, " has removed it") : "";
    const auto all = signatures_of(domain, op);
    return all.empty() ? "" : cat("operator set ", all.front().since, " is the first that has it");
}

} // namespace hidet::graph::onnx
