// SPDX-License-Identifier: Apache-2.0
#include "compiler/artifact/launch_plan.h"

#include "lang/base/text.h"

namespace hidet::artifact {

const char* place_name(Place place) {
    constexpr const char* names[] = {"input", "constant", "arena", "output", "host", "alias"};
    return names[static_cast<std::size_t>(place)];
}

const char* image_kind_name(ImageKind kind) {
    constexpr const char* names[] = {"cubin", "ptx", "cpu-object"};
    return names[static_cast<std::size_t>(kind)];
}

const char* argument_kind_name(ArgumentKind kind) {
    constexpr const char* names[] = {"address", "scalar", "tensor-map"};
    return names[static_cast<std::size_t>(kind)];
}

const char* host_operator_name(HostOperator op) {
    constexpr const char* names[] = {
#define HIDET_HOST_OPERATOR(name, text) text,
#include "compiler/artifact/host_operators.def"
#undef HIDET_HOST_OPERATOR
        "process"};
    return names[static_cast<std::size_t>(op)];
}

const char* attribute_kind_name(AttributeKind kind) {
    constexpr const char* names[] = {"bool", "int",   "real",  "text",  "dtype",
                                     "ints", "reals", "texts", "shape", "weight"};
    return names[static_cast<std::size_t>(kind)];
}

const char* step_kind_name(StepKind kind) {
    constexpr const char* names[] = {"launch", "call", "host", "copy", "fill", "choose"};
    return names[static_cast<std::size_t>(kind)];
}

ArenaSizes arena_sizes(const LaunchPlan& plan, const std::vector<ExprValue>& expressions) {
    ArenaSizes sizes{0, 0};
    const auto add = [&](ExprValue& sum, Row row) {
        const ExprValue more = row == no_row ? std::nullopt : expressions[row];
        sum = sum && more ? ExprValue(*sum + *more) : std::nullopt;
    };
    for (const PlanSection& section : plan.sections) {
        add(sizes.bytes, section.arena_bytes);
        add(sizes.bound, section.liveness_bound);
    }
    return sizes;
}

ArenaSizes arena_sizes(const LaunchPlan& plan) {
    return arena_sizes(plan, evaluate(plan.expressions, std::vector<ExprValue>(plan.symbols.size())));
}

Row root_of(const LaunchPlan& plan, Row value) {
    return plan.values[value].place == Place::Alias ? plan.values[value].of : value;
}

std::vector<std::string> symbol_names(const LaunchPlan& plan) {
    std::vector<std::string> names;
    for (const PlanSymbol& symbol : plan.symbols)
        names.push_back(symbol.name);
    return names;
}

std::string extents_text(const LaunchPlan& plan, const std::vector<Row>& shape) {
    const std::vector<std::string> names = symbol_names(plan);
    std::vector<std::string> extents;
    for (const Row extent : shape)
        extents.push_back(text_of(plan.expressions, extent, names));
    return "[" + join(extents, ", ") + "]";
}

} // namespace hidet::artifact
