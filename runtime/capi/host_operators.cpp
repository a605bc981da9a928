// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/host_operators.h"

#include "runtime/package/execution.h"
#include "runtime/package/plan_names.h"
#include "runtime/package/words.h"

namespace hidet::capi {

namespace {

using namespace package;

const Step& step_of(const HostStep& step) {
    return step.execution->body().steps[step.step];
}

const PlanAttribute<Flat>* attribute(const Step& step, const char* name) {
    for (const PlanAttribute<Flat>& each : step.attributes)
        if (each.name == text(name))
            return &each;
    return nullptr;
}

struct Limits {
    List<std::int64_t> extents; // that the last dimensions of the indices are for
    bool is_from_end = false, has_ignored = false;
    std::int64_t ignored = 0;
    Text name;
};

// Of the plan, which anybody may have written.
bool read_limits(const HostStep& host, Memory& memory, Limits& limits, Problem& problem) {
    const Step& step = step_of(host);
    const auto* extents = attribute(step, "extents");
    const auto* from_end = attribute(step, "from_end");
    const auto* ignored = attribute(step, "ignored");
    const auto* name = attribute(step, "tensor");
    if (!extents || host.inputs.size() != 1 || host.results.size() != 1)
        return refuse(problem, Code::Damaged, "a check of indices without extents");
    if (!memory.make(limits.extents, extents->rows.size()))
        return refuse(problem, Code::Memory, "memory for a check of indices");
    for (std::size_t i = 0; i < extents->rows.size(); ++i) {
        const ExprValue& extent = host.execution->expressions()[extents->rows[i]];
        if (!extent.is_known)
            return refuse(problem, Code::Refused, "the extent that is indexed is not known");
        limits.extents[i] = extent.value;
    }
    limits.is_from_end = from_end && !from_end->ints.empty() && from_end->ints[0] != 0;
    limits.has_ignored = ignored && !ignored->ints.empty();
    if (limits.has_ignored)
        limits.ignored = ignored->ints[0];
    limits.name = name && !name->texts.empty() ? name->texts[0] : text("indices");
    return true;
}

// Of whole numbers; 0: it is no type of theirs.
std::size_t item_bytes(Text dtype) {
    struct Row {
        const char* name;
        std::size_t bytes;
    };
    constexpr Row rows[] = {{"int64", 8},  {"int32", 4},  {"int16", 2}, {"int8", 1}, {"uint64", 8},
                            {"uint32", 4}, {"uint16", 2}, {"uint8", 1}, {"bool", 1}};
    for (const Row& row : rows)
        if (dtype == text(row.name))
            return row.bytes;
    return 0;
}

std::int64_t element(const void* data, Text dtype, std::size_t bytes, std::size_t i) {
    std::int64_t value = 0;
    std::memcpy(&value, static_cast<const char*>(data) + i * bytes, bytes);
    if (dtype.data()[0] != 'i' || bytes == sizeof value)
        return value;
    const int unused = 8 * static_cast<int>(sizeof value - bytes);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused;
}

Words<400> place_words(std::size_t index, const TensorValue& tensor) {
    std::int64_t place[most_rank];
    for (std::size_t d = tensor.rank; d-- > 0; index /= static_cast<std::size_t>(tensor.extents[d]))
        place[d] = static_cast<std::int64_t>(index % static_cast<std::size_t>(tensor.extents[d]));
    return extents_words(place, tensor.rank);
}

} // namespace

bool check_indices(const HostStep& step, const void* data, Problem& problem) {
    Memory memory;
    Limits limits;
    if (!read_limits(step, memory, limits, problem))
        return false;
    const TensorValue& indices = step.inputs[0];
    const std::size_t bytes = item_bytes(indices.dtype);
    std::size_t count = 1, all = bytes;
    for (std::uint32_t d = 0; d < indices.rank; ++d)
        if (__builtin_mul_overflow(count, indices.extents[d], &count) || __builtin_mul_overflow(count, bytes, &all))
            return refuse(problem, Code::Refused, "indices of ", extents_words(indices.extents, indices.rank));
    if (bytes == 0 || all > indices.address.bytes)
        return refuse(problem, Code::Damaged, "a check of indices of ", indices.dtype, " ",
                      extents_words(indices.extents, indices.rank), " in ", indices.address.bytes, " bytes");
    for (std::size_t i = 0; i < count && !limits.extents.empty(); ++i) {
        const std::int64_t value = element(data, indices.dtype, bytes, i),
                           extent = limits.extents[i % limits.extents.size()];
        const bool is_inside = value < extent && value >= (limits.is_from_end ? -extent : 0);
        if (!is_inside && !(limits.has_ignored && value == limits.ignored))
            return refuse(problem, Code::Input, "'", limits.name, "'", place_words(i, indices), " is ", value,
                          ", which is outside of the extent ", extent, " that it indexes");
    }
    return true;
}

bool refuse_operator(const HostStep& step, Problem& problem) {
    return refuse(problem, Code::Unsupported, "the operator '", enum_name(step_of(step).op),
                  "' is not one that packages have");
}

} // namespace hidet::capi
