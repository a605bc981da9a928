// SPDX-License-Identifier: Apache-2.0
#include "runtime/operators/call.h"
#include "runtime/operators/table.h"

namespace hidet::operators {

namespace {

struct IndexLimits {
    List<std::int64_t> extents; // that the last dimensions of the indices are for
    bool is_from_end = false, has_ignored = false;
    std::int64_t ignored = 0;
    Text name = text("indices");
};

package::Words<400> place_words(std::size_t index, const Tensor& tensor) {
    Extents place = extents_of(tensor);
    if (place.rank == 0)
        return {};
    for (std::size_t d = tensor.rank; d-- > 0; index /= static_cast<std::size_t>(tensor.extents[d]))
        place[d] = static_cast<std::int64_t>(index % static_cast<std::size_t>(tensor.extents[d]));
    return words_of(place);
}

// The elements lie inside of the extents. The problem names the first that does not.
bool check_indices(const Tensor& indices, const IndexLimits& limits, Problem& problem) {
    const std::size_t bytes = static_cast<std::size_t>(package::scalar_bytes(indices.element));
    const auto count = static_cast<std::size_t>(count_of(indices));
    for (std::size_t i = 0; i < count && !limits.extents.empty(); ++i) {
        std::int64_t value = 0;
        read_integers(indices.element, indices.data + i * bytes, 1, &value);
        const std::int64_t extent = limits.extents[i % limits.extents.size()];
        const bool is_inside = value < extent && value >= (limits.is_from_end ? -extent : 0);
        if (!is_inside && !(limits.has_ignored && value == limits.ignored))
            return package::refuse(problem, Code::Input, "'", limits.name, "'", place_words(i, indices), " is ", value,
                                   ", which is outside of the extent ", extent, " that it indexes");
    }
    return true;
}

} // namespace

namespace host_operator {

// The indices as they are, where a result is wanted.
bool CheckIndices(Call& call) {
    if (call.inputs.size() != 1 || call.results() > 1 || !call.find("extents"))
        return package::refuse(call.problem(), Code::Damaged, "a check of indices without extents");
    const Tensor& indices = call.inputs[0];
    const IndexLimits limits{call.integers("extents"), call.integer("from_end") != 0, !call.integers("ignored").empty(),
                             call.integer("ignored"), call.word("tensor", "indices")};
    if (is_float(indices.element))
        return package::refuse(call.problem(), Code::Damaged, "a check of indices of ", dtype_name(indices.element));
    if (!check_indices(indices, limits, call.problem()))
        return false;
    if (call.results() == 0)
        return true;
    unsigned char* to = call.result(0, indices.element, extents_of(indices));
    if (to)
        copy(to, indices.data, static_cast<std::size_t>(count_of(indices) * package::scalar_bytes(indices.element)));
    return to != nullptr;
}

} // namespace host_operator

} // namespace hidet::operators
