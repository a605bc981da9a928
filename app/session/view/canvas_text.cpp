// SPDX-License-Identifier: Apache-2.0
#include "app/session/view/canvas_text.h"

#include <algorithm>

#include "lang/base/columns.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr int most_lines = 64;
constexpr int most_cells = 64; // of a line

std::string cell_text(const CanvasPicture& picture, const CanvasCell& cell, CanvasShows shows) {
    if (shows == CanvasShows::Banks)
        return cell.bank < 0 ? "-" : std::to_string(cell.bank);
    if (picture.kind == CanvasKind::Layout)
        return std::to_string(cell.slot);
    if (cell.worker < 0)
        return "-";
    return cat(cell.worker, picture.per_worker > 1 ? cat(".", cell.task) : "", cell.tasks > 1 ? "+" : "");
}

std::string grid_text(const CanvasPicture& picture, const CanvasGrid& grid, CanvasShows shows) {
    const int columns = std::min(grid.columns(), most_cells);
    const int rows = std::min(grid.rows(), most_lines);
    std::vector<Cells> lines;
    Cells heading{{""}};
    for (int column = 0; column < columns; ++column)
        heading.push_back({std::to_string(column), Align::Right});
    if (columns < grid.columns())
        heading.push_back({"..."});
    lines.push_back(std::move(heading));
    for (int row = 0; row < rows; ++row) {
        Cells line{{cat(row, " |"), Align::Right}};
        for (int column = 0; column < columns; ++column)
            line.push_back({cell_text(picture, grid.at(row, column), shows), Align::Right});
        lines.push_back(std::move(line));
    }
    std::string out = columns_text(lines);
    if (rows < grid.rows())
        out += cat("  ... and ", grid.rows() - rows, " more rows\n");
    return out;
}

std::string workers_text(const CanvasPicture& picture) {
    std::vector<Cells> lines;
    const auto workers = std::min<std::int64_t>(picture.workers, most_lines);
    const auto tasks = std::min<std::int64_t>(picture.per_worker, most_cells);
    for (std::int64_t worker = 0; worker < workers; ++worker) {
        Cells line{{cat(worker, " |"), Align::Right}};
        for (std::int64_t task = 0; task < tasks; ++task)
            line.push_back(
                {index_text(picture, picture.elements[static_cast<std::size_t>(worker * picture.per_worker + task)])});
        if (tasks < picture.per_worker)
            line.push_back({"..."});
        lines.push_back(std::move(line));
    }
    std::string out = columns_text(lines);
    if (workers < picture.workers)
        out += cat("  ... and ", picture.workers - workers, " more workers\n");
    return out;
}

std::string slice_text(const CanvasPicture& picture, const TensorSlice& slice) {
    std::string out;
    for (std::size_t d = 0; d < picture.shape.size(); ++d) {
        const bool is_shown = static_cast<int>(d) == slice.row_dim || static_cast<int>(d) == slice.column_dim;
        out += cat(d ? ", " : "", is_shown ? "*" : std::to_string(slice.fixed[d]));
    }
    return out;
}

std::string passes_text(const std::vector<int>& of_lines) {
    const int passes = of_lines.empty() ? 1 : std::ranges::max(of_lines);
    return passes == 1 ? "no conflict" : cat(passes, " passes");
}

} // namespace

// Why there are no banks to show; empty: there are.
static std::string without_banks(const CanvasPicture& picture) {
    if (picture.kind == CanvasKind::Mapping)
        return "it has no banks: a task mapping says who has an element, not where it lies; these are the workers";
    return picture.element_bits > 0 ? ""
                                    : "its banks are not known, because no tensor with this layout says how large an "
                                      "element is; these are the places";
}

std::string canvas_text(const CanvasPicture& picture, const TensorSlice& slice, CanvasShows shows) {
    std::string out = picture.title.empty() ? "" : picture.title + ": ";
    out += cat(shape_text(picture), ", ", summary_of(picture));
    if (!picture.refusal.empty())
        return out + "\n";
    const CanvasCount count = count_of(picture);
    if (count.unmapped > 0)
        out += cat(", ", count.unmapped, " elements without a worker");
    if (count.repeated > 0)
        out += picture.kind == CanvasKind::Mapping ? cat(", ", count.repeated, " elements with several tasks")
                                                   : cat(", ", count.repeated, " slots with several elements");
    if (count.unused > 0)
        out += cat(", ", count.unused, " slots without an element");
    out += "\n";
    if (const std::string why = shows == CanvasShows::Banks ? without_banks(picture) : ""; !why.empty()) {
        out += why + "\n";
        shows = CanvasShows::Cells;
    }
    if (shows == CanvasShows::Workers && picture.kind == CanvasKind::Mapping)
        return out + workers_text(picture);
    const CanvasGrid grid(picture, slice);
    if (picture.shape.size() > 2)
        out += cat("slice ", slice_text(picture, slice), "\n");
    if (shows == CanvasShows::Banks)
        out += cat("32 lanes along a row: ", passes_text(passes_of_rows(grid, picture.element_bits)),
                   "; along a column: ", passes_text(passes_of_columns(grid, picture.element_bits)), "\n");
    return out + grid_text(picture, grid, shows);
}

} // namespace hidet::session
