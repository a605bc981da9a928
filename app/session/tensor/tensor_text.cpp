// SPDX-License-Identifier: Apache-2.0
#include "app/session/tensor/tensor_text.h"

#include <algorithm>

#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr TensorFormatting exact{TensorFormat::General, 17};
constexpr TensorFormatting in_grid{TensorFormat::General, 5};

std::string slice_words(const TensorSlice& slice) {
    std::string out;
    for (int d = 0; d < static_cast<int>(slice.fixed.size()); ++d) {
        const bool is_shown = d == slice.row_dim || d == slice.column_dim;
        out += cat(d ? "," : "", is_shown ? "*" : std::to_string(slice.fixed[static_cast<std::size_t>(d)]));
    }
    return out;
}

std::string right_aligned(const std::string& text, std::size_t width) {
    return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string counted_words(std::int64_t count, const char* what) {
    return cat(count, " ", what);
}

constexpr const char* unwritten_text = "-"; // in the place of a value

void fill_grid(TensorView& out, const StoredTensor& tensor, const StoredTensor* wanted, const StoredTensor* written,
               const TensorRequest& request, const TensorSlice& slice) {
    const TensorPart marks =
        written ? part_of(*written, slice, 0, 0, request.most_rows, request.most_columns, request.cancelled)
                : TensorPart();
    const TensorPart part = part_of(tensor, slice, 0, 0, request.most_rows, request.most_columns, request.cancelled);
    const TensorPart other =
        wanted ? part_of(*wanted, slice, 0, 0, request.most_rows, request.most_columns, request.cancelled)
               : TensorPart();
    const std::int64_t rows = part.values.empty() ? 0 : part.rows;
    for (std::int64_t row = 0; row < rows; ++row) {
        out.values.emplace_back();
        for (std::int64_t column = 0; column < part.columns; ++column) {
            const double value = part.at(row, column);
            const bool is_written = !marks.contains(row, column) || marks.at(row, column) != 0;
            out.values.back().push_back(is_written ? element_text(value, tensor.is_float(), in_grid) : unwritten_text);
            if (other.contains(row, column) && error_of(value, other.at(row, column), request.tolerance) > 1)
                out.wrong.push_back({row, column});
        }
    }
}

std::string grid_lines(const TensorView& view) {
    std::size_t width = 0;
    for (const auto& row : view.values)
        for (const std::string& value : row)
            width = std::max(width, value.size());
    width = std::max(width, std::to_string(view.columns).size()) + 1; // and a mark
    const std::size_t heading = std::to_string(std::max<std::int64_t>(view.rows - 1, 0)).size();
    const bool is_wide = !view.values.empty() && static_cast<std::int64_t>(view.values.front().size()) < view.columns;
    std::string out = std::string(heading + 2, ' ');
    for (std::size_t column = 0; !view.values.empty() && column < view.values.front().size(); ++column)
        out += cat(" ", right_aligned(std::to_string(column), width - 1), " ");
    out += is_wide ? " ...\n" : "\n";
    for (std::size_t row = 0; row < view.values.size(); ++row) {
        out += cat(right_aligned(std::to_string(row), heading), " |");
        for (std::size_t column = 0; column < view.values[row].size(); ++column) {
            const std::array<std::int64_t, 2> here = {static_cast<std::int64_t>(row),
                                                      static_cast<std::int64_t>(column)};
            const bool is_wrong = std::find(view.wrong.begin(), view.wrong.end(), here) != view.wrong.end();
            out += cat(" ", right_aligned(view.values[row][column], width - 1), is_wrong ? "!" : " ");
        }
        out += is_wide ? " ...\n" : "\n";
    }
    if (static_cast<std::int64_t>(view.values.size()) < view.rows)
        out += "...\n";
    return out;
}

} // namespace

Result<TensorView> view_tensor(const TensorRequest& request) {
    HIDET_TRY(const StoredTensorPtr tensor, StoredTensor::open(request.file, request.dtype));
    return view_tensor(request, tensor);
}

Result<TensorView> view_tensor(const TensorRequest& request, const StoredTensorPtr& tensor) {
    StoredTensorPtr wanted;
    if (!request.against.empty()) {
        HIDET_TRY(StoredTensorPtr other, StoredTensor::open(request.against, request.dtype));
        wanted = std::move(other);
        if (wanted->shape() != tensor->shape())
            return Error{"wrong-usage", cat("'", request.file, "' has the shape ", tuple_text(tensor->shape()),
                                            ", and '", request.against, "' ", tuple_text(wanted->shape()))};
    }
    StoredTensorPtr written;
    if (!request.written.empty()) {
        HIDET_TRY(written, StoredTensor::open(request.written));
        if (written->shape() != tensor->shape())
            return Error{"wrong-usage", cat("'", request.written, "' has another shape than '", request.file, "'")};
    }
    TensorSlice slice = usual_slice(tensor->shape());
    if (!request.slice.empty())
        if (const std::string wrong = read_slice(request.slice, tensor->shape(), slice); !wrong.empty())
            return Error{"wrong-usage", wrong};
    TensorView out{
        request.file, tensor->dtype_name(), tensor->shape(), {}, {}, {}, slice_words(slice), 0, 0, {}, {}, {}};
    out.rows = rows_of(tensor->shape(), slice);
    out.columns = columns_of(tensor->shape(), slice);
    out.statistics = statistics_of(*tensor, request.cancelled, written.get());
    if (wanted) {
        out.difference = difference_of(*tensor, *wanted, request.tolerance, request.cancelled);
        if (out.difference->worst >= 0)
            out.worst = index_of(tensor->shape(), out.difference->worst);
    }
    fill_grid(out, *tensor, wanted.get(), written.get(), request, slice);
    return out;
}

std::string statistics_text(const TensorStatistics& statistics) {
    if (!statistics.refusal.empty())
        return statistics.refusal;
    std::string out = cat(statistics.count, statistics.count == 1 ? " element" : " elements");
    if (statistics.min)
        out += cat(", min ", digits_text(*statistics.min, 5), ", max ", digits_text(*statistics.max, 5), ", mean ",
                   digits_text(*statistics.mean, 5), ", deviation ", digits_text(*statistics.deviation, 5));
    std::vector<std::string> rest;
    if (statistics.unwritten > 0)
        rest.push_back(counted_words(statistics.unwritten, "never written"));
    if (statistics.nan > 0)
        rest.push_back(counted_words(statistics.nan, "NaN"));
    if (statistics.infinite > 0)
        rest.push_back(counted_words(statistics.infinite, "infinite"));
    if (statistics.zeros > 0)
        rest.push_back(counted_words(statistics.zeros, "zero"));
    return rest.empty() ? out : cat(out, "; ", join(rest, ", "));
}

std::string difference_text(const TensorDifference& difference) {
    if (!difference.refusal.empty())
        return difference.refusal;
    std::string out = cat(difference.bad, " of ", difference.count,
                          difference.count == 1 ? " element is" : " elements are", " outside of the tolerance");
    if (difference.max_absolute)
        out += cat(", largest difference ", number_text(*difference.max_absolute), ", mean ",
                   number_text(*difference.mean_absolute));
    return out;
}

std::string tensor_text(const TensorView& view) {
    std::string out = cat(view.dtype, tuple_text(view.shape), view.where.empty() ? "" : " " + view.where, ": ",
                          statistics_text(view.statistics), "\n");
    if (view.difference)
        out += cat(difference_text(*view.difference), view.worst.empty() ? "" : cat(", at ", tuple_text(view.worst)),
                   "\n");
    if (view.values.empty())
        return out;
    if (view.shape.size() > 2)
        out += cat("\nslice ", view.slice, "\n");
    else
        out += "\n";
    return out + grid_lines(view);
}

std::string tensor_tsv(const StoredTensor& tensor, const TensorSlice& slice, const std::atomic<bool>* cancelled) {
    std::string out;
    const std::int64_t rows = tensor.count() == 0 ? 0 : rows_of(tensor.shape(), slice);
    for (std::int64_t row = 0; row < rows; ++row) {
        const TensorPart part = part_of(tensor, slice, row, 0, 1, columns_of(tensor.shape(), slice), cancelled);
        for (std::size_t column = 0; column < part.values.size(); ++column)
            out += cat(column ? "\t" : "", element_text(part.values[column], tensor.is_float(), exact));
        out += "\n";
    }
    return out;
}

} // namespace hidet::session
