// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/canvas_grid.h"

#include <algorithm>

#include "lang/base/ranges.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

std::vector<std::int64_t> strides_of(const CanvasPicture& picture) {
    std::vector<std::int64_t> out(picture.shape.size(), 1);
    for (std::size_t d = out.size(); d-- > 1;)
        out[d - 1] = out[d] * picture.shape[d];
    return out;
}

void fill_from_mapping(const CanvasPicture& picture, std::vector<CanvasCell>& of_elements) {
    for (std::size_t i = 0; i < picture.elements.size(); ++i) {
        CanvasCell& cell = of_elements[static_cast<std::size_t>(picture.elements[i])];
        if (cell.tasks++ > 0)
            continue;
        cell.worker = static_cast<std::int64_t>(i) / picture.per_worker;
        cell.task = static_cast<std::int64_t>(i) % picture.per_worker;
    }
}

void fill_from_layout(const CanvasPicture& picture, std::vector<CanvasCell>& of_elements) {
    for (std::size_t i = 0; i < picture.places.size(); ++i) {
        of_elements[i].slot = picture.places[i];
        if (picture.element_bits > 0)
            of_elements[i].bank = static_cast<int>(picture.places[i] * picture.element_bits / bank_bits % bank_count);
    }
}

// The passes of 32 lanes that read these slots at once: words of one bank come one after the other.
int passes_of(const std::vector<std::int64_t>& slots, int element_bits) {
    std::vector<std::int64_t> words =
        transformed(slots, [&](std::int64_t slot) { return slot * element_bits / bank_bits; });
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    int in_bank[bank_count] = {};
    int worst = 1;
    for (std::int64_t word : words)
        worst = std::max(worst, ++in_bank[word % bank_count]);
    return worst;
}

template <class SlotAt>
std::vector<int> passes_of_lines(int lines, int length, int element_bits, SlotAt&& slot_at) {
    std::vector<int> out;
    std::vector<std::int64_t> slots;
    for (int line = 0; line < lines; ++line) {
        int worst = 1;
        for (int first = 0; first < length; first += bank_count) {
            slots.clear();
            for (int i = first; i < std::min(first + bank_count, length); ++i)
                slots.push_back(slot_at(line, i));
            worst = std::max(worst, passes_of(slots, element_bits));
        }
        out.push_back(worst);
    }
    return out;
}

bool has_numbers(const CanvasPicture& picture) {
    return picture.refusal.empty() && !picture.shape.empty();
}

std::string count_text(std::int64_t count, const char* what) {
    return cat(count, " ", what, count == 1 ? "" : "s");
}

} // namespace

CanvasGrid::CanvasGrid(const CanvasPicture& picture, TensorSlice slice) : m_slice(std::move(slice)) {
    if (!has_numbers(picture))
        return;
    std::int64_t count = 1;
    for (std::int64_t extent : picture.shape)
        count *= extent;
    std::vector<CanvasCell> of_elements(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
        of_elements[static_cast<std::size_t>(i)].element = i;
    if (picture.kind == CanvasKind::Mapping)
        fill_from_mapping(picture, of_elements);
    else
        fill_from_layout(picture, of_elements);
    const std::vector<std::int64_t> strides = strides_of(picture);
    const auto column_dim = static_cast<std::size_t>(m_slice.column_dim);
    const bool has_rows = m_slice.row_dim >= 0;
    const auto row_dim = static_cast<std::size_t>(std::max(m_slice.row_dim, 0));
    m_columns = static_cast<int>(picture.shape[column_dim]);
    m_rows = has_rows ? static_cast<int>(picture.shape[row_dim]) : 1;
    std::int64_t base = 0;
    for (std::size_t d = 0; d < picture.shape.size(); ++d)
        if (d != column_dim && !(has_rows && d == row_dim))
            base += m_slice.fixed[d] * strides[d];
    m_cells.reserve(static_cast<std::size_t>(m_rows) * static_cast<std::size_t>(m_columns));
    for (int row = 0; row < m_rows; ++row)
        for (int column = 0; column < m_columns; ++column)
            m_cells.push_back(of_elements[static_cast<std::size_t>(base + (has_rows ? row * strides[row_dim] : 0) +
                                                                   column * strides[column_dim])]);
}

CanvasCount count_of(const CanvasPicture& picture) {
    CanvasCount out;
    if (!has_numbers(picture))
        return out;
    std::int64_t places = picture.size;
    if (picture.kind == CanvasKind::Mapping) {
        places = 1;
        for (std::int64_t extent : picture.shape)
            places *= extent;
    }
    std::vector<std::uint32_t> uses;
    const std::vector<std::int64_t>& used = picture.kind == CanvasKind::Mapping ? picture.elements : picture.places;
    for (std::int64_t place : used) {
        if (place < 0)
            continue;
        if (static_cast<std::size_t>(place) >= uses.size())
            uses.resize(static_cast<std::size_t>(place) + 1);
        ++uses[static_cast<std::size_t>(place)];
    }
    const std::int64_t taken = std::ranges::count_if(uses, [](std::uint32_t n) { return n > 0; });
    out.repeated = std::ranges::count_if(uses, [](std::uint32_t n) { return n > 1; });
    (picture.kind == CanvasKind::Mapping ? out.unmapped : out.unused) = places - taken;
    return out;
}

std::vector<int> passes_of_rows(const CanvasGrid& grid, int element_bits) {
    return passes_of_lines(grid.rows(), grid.columns(), element_bits,
                           [&](int row, int column) { return grid.at(row, column).slot; });
}

std::vector<int> passes_of_columns(const CanvasGrid& grid, int element_bits) {
    return passes_of_lines(grid.columns(), grid.rows(), element_bits,
                           [&](int column, int row) { return grid.at(row, column).slot; });
}

std::string index_text(const CanvasPicture& picture, std::int64_t element) {
    return tuple_text(index_of(picture.shape, element));
}

std::string shape_text(const CanvasPicture& picture) {
    return tuple_text(picture.shape);
}

std::string summary_of(const CanvasPicture& picture) {
    if (!picture.refusal.empty())
        return picture.refusal;
    if (picture.kind == CanvasKind::Mapping)
        return cat(count_text(picture.workers, "worker"), " with ", count_text(picture.per_worker, "task"), " each");
    return cat(count_text(picture.size, "slot"),
               picture.element_bits > 0 ? cat(", ", picture.element_bits, " bits each") : "");
}

} // namespace hidet::session
