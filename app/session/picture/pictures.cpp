// SPDX-License-Identifier: Apache-2.0
#include "app/session/picture/pictures.h"

#include <algorithm>
#include <cmath>

#include "app/session/view/timeline_rows.h"
#include "lang/base/quantity.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

constexpr double margin = 8, line = 15, letter = 6.7;

double width_of(std::string_view text) {
    return letter * static_cast<double>(text.size());
}

} // namespace

// ---- mappings and layouts ---------------------------------------------------------------------------------------------

Scene picture_of(const CanvasPicture& picture, const TensorSlice& slice, const std::string& title) {
    constexpr int most_rows = 64, most_columns = 64;
    const CanvasGrid grid(picture, slice);
    const int rows = std::min(grid.rows(), most_rows), columns = std::min(grid.columns(), most_columns);
    const bool is_layout = picture.kind == CanvasKind::Layout;
    const double cell = columns > 32 ? 18 : 30, height = 20, left = 34, top = 2 * line + margin;
    const std::string summary = summary_of(picture);
    Scene out(std::max({left + columns * cell + margin, width_of(summary) + 2 * margin, width_of(title) + 2 * margin}),
              top + line + rows * height + (rows < grid.rows() ? line : 0) + margin, title);
    out.text(margin, line, title);
    out.text(margin, 2 * line, summary, "faint");
    for (int c = 0; c < columns; ++c)
        out.text(left + (c + 0.5) * cell, top + line - 4, std::to_string(c), "faint", TextAnchor::Middle);
    for (int r = 0; r < rows; ++r) {
        const double y = top + line + r * height;
        out.text(left - 4, y + 14, std::to_string(r), "faint", TextAnchor::End);
        for (int c = 0; c < columns; ++c) {
            const CanvasCell& at = grid.at(r, c);
            const std::int64_t number = is_layout ? (at.bank >= 0 ? at.bank : at.slot) : at.worker;
            const std::string index = index_text(picture, at.element);
            const std::string tip = is_layout
                                        ? cat(index, ": slot ", at.slot, at.bank >= 0 ? cat(", bank ", at.bank) : "")
                                    : number < 0 ? cat(index, ": no worker has it")
                                                 : cat(index, ": worker ", at.worker, ", task ", at.task,
                                                       at.tasks > 1 ? cat(", ", at.tasks, " times") : "");
            out.rect(left + c * cell, y, cell - 1, height - 1, number < 0 ? "grid" : hue_style(number), tip);
            const std::int64_t shown = is_layout ? at.slot : at.worker;
            if (shown >= 0 && width_of(std::to_string(shown)) <= cell)
                out.text(left + (c + 0.5) * cell - 0.5, y + 14, std::to_string(shown), "ink", TextAnchor::Middle);
        }
    }
    if (rows < grid.rows())
        out.text(left, top + 2 * line + rows * height - 2, cat("and ", grid.rows() - rows, " more rows"), "faint");
    return out;
}

// ---- accesses ---------------------------------------------------------------------------------------------------------

namespace {

std::string access_title(const AccessView& access) {
    return cat("line ", access.place.line, ": ", access.kind,
               access.tensor.empty() ? "" : " of '" + access.tensor + "'", " in ", access.memory, " memory");
}

// Of each sector, which bytes are wanted.
void draw_sectors(Scene& out, const AccessView& access, double top) {
    constexpr std::int64_t sector = 32;
    constexpr std::size_t most = 32;
    const std::size_t count = std::min(access.lanes.sectors.size(), most);
    const double width = 20, height = 16, byte = (width - 2) / sector;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t begin = access.lanes.sectors[i] * sector;
        const double x = margin + static_cast<double>(i) * width;
        out.rect(x, top, width - 2, height, "grid", cat("bytes ", begin, " to ", begin + sector - 1));
        for (std::size_t lane = 0; lane < access.lanes.offsets.size(); ++lane) {
            const std::int64_t from = std::max(access.lanes.offsets[lane], begin),
                               to = std::min(access.lanes.offsets[lane] + access.lanes.bytes[lane], begin + sector);
            if (access.lanes.bytes[lane] > 0 && to > from)
                out.rect(x + static_cast<double>(from - begin) * byte, top, static_cast<double>(to - from) * byte,
                         height, hue_style(static_cast<std::int64_t>(lane)),
                         cat("lane ", lane, ": byte ", access.lanes.offsets[lane]));
        }
    }
    out.text(margin, top + height + line - 2,
             cat(access.lanes.sectors.size(), " sectors of 32 bytes in ", access.lanes.lines, " lines; ideal ",
                 access.lanes.least, access.lanes.sectors.size() > most ? cat("; the first ", most) : ""),
             access.lanes.units > access.lanes.least ? "bad" : "faint");
}

void draw_banks(Scene& out, const AccessView& access, double top) {
    const double width = 20, height = 5;
    const int most = access.lanes.banks.empty() ? 0 : *std::ranges::max_element(access.lanes.banks);
    for (std::size_t bank = 0; bank < access.lanes.banks.size(); ++bank) {
        const double x = margin + static_cast<double>(bank) * width;
        for (int i = 0; i < std::max(access.lanes.banks[bank], 1); ++i)
            out.rect(x, top + i * height, width - 2, height - 1,
                     i >= access.lanes.banks[bank] ? "grid"
                     : i == 0                      ? "good"
                                                   : "bad",
                     cat("bank ", bank, ": ", access.lanes.banks[bank], " words"));
        if (bank % 4 == 0)
            out.text(x, top + std::max(most, 1) * height + line - 3, std::to_string(bank), "faint");
    }
    out.text(margin, top + std::max(most, 1) * height + 2 * line - 3,
             cat("words that are wanted of each bank; ", access.lanes.units, " wavefronts, ideal ", access.lanes.least),
             access.lanes.units > access.lanes.least ? "bad" : "faint");
}

} // namespace

Scene picture_of(const AccessView& access) {
    const bool is_shared = access.memory == "shared";
    const int most = access.lanes.banks.empty() ? 1 : std::max(1, *std::ranges::max_element(access.lanes.banks));
    const std::string title = access_title(access);
    const std::string finding = access.finding.empty() ? cat(access.address) : access.finding;
    Scene out(std::max({2 * margin + 32 * 20.0, width_of(title) + 2 * margin, width_of(finding) + 2 * margin}),
              3 * line + (is_shared ? 5.0 * most + 2 * line : 16 + line) + margin, title);
    out.text(margin, line, title);
    out.text(margin, 2 * line, finding, access.finding.empty() ? "faint" : "bad");
    if (is_shared)
        draw_banks(out, access, 2 * line + margin);
    else
        draw_sectors(out, access, 2 * line + margin);
    return out;
}

// ---- the roofline -----------------------------------------------------------------------------------------------------

Scene picture_of(const Roofline& roofline) {
    const double left = 66, top = 2 * line, width = 420, height = 220;
    Scene out(left + width + 120, top + height + 2 * line + margin, "roofline");
    if (roofline.roofs.empty() || !roofline.point) {
        out.text(margin, line,
                 cat("no point under the roofs: ", roofline.unknown.empty() ? "they are not known" : roofline.unknown),
                 "faint");
        return out;
    }
    const RooflinePoint& point = *roofline.point;
    double peak = 0;
    for (const Roof& roof : roofline.roofs)
        peak = roof.kind == RoofKind::Arithmetic ? std::max(peak, roof.rate) : peak;
    peak = std::max(peak, point.flops_per_second);
    const double first_x = std::floor(std::min(-1.0, std::log10(std::max(point.intensity, 1e-6)))),
                 last_x = std::ceil(std::max(4.0, std::log10(std::max(point.intensity, 1e-6)))),
                 last_y = std::ceil(std::log10(std::max(peak, 1.0))),
                 first_y = std::floor(std::min(last_y - 5, std::log10(std::max(point.flops_per_second, 1.0))));
    const auto x_of = [&](double intensity) {
        return left + (std::log10(intensity) - first_x) / (last_x - first_x) * width;
    };
    const auto y_of = [&](double rate) {
        return top + height - (std::log10(rate) - first_y) / (last_y - first_y) * height;
    };
    for (double x = first_x; x <= last_x; ++x) {
        out.line(x_of(std::pow(10, x)), top, x_of(std::pow(10, x)), top + height, "grid");
        out.text(x_of(std::pow(10, x)), top + height + line, three_digits(std::pow(10, x)), "faint",
                 TextAnchor::Middle);
    }
    for (double y = first_y; y <= last_y; ++y) {
        out.line(left, y_of(std::pow(10, y)), left + width, y_of(std::pow(10, y)), "grid");
        out.text(left - 4, y_of(std::pow(10, y)) + 4, si_text(std::pow(10, y), ""), "faint", TextAnchor::End);
    }
    double bandwidth = 0;
    for (const Roof& roof : roofline.roofs)
        bandwidth = roof.kind == RoofKind::Memory ? roof.rate : bandwidth;
    for (const Roof& roof : roofline.roofs) {
        if (roof.kind != RoofKind::Arithmetic)
            continue;
        const double knee = bandwidth > 0 ? roof.rate / bandwidth : std::pow(10, first_x);
        const double from = std::clamp(knee, std::pow(10, first_x), std::pow(10, last_x));
        out.line(x_of(from), y_of(roof.rate), left + width, y_of(roof.rate), "ink");
        out.text(left + width + 4, y_of(roof.rate) + 4, roof.name, "ink");
        const double lowest = std::max(std::pow(10, first_x), std::pow(10, first_y) / std::max(bandwidth, 1.0));
        if (bandwidth > 0 && from > lowest)
            out.line(x_of(lowest), y_of(lowest * bandwidth), x_of(from), y_of(from * bandwidth), "ink");
    }
    out.circle(x_of(point.intensity), y_of(std::max(point.flops_per_second, std::pow(10, first_y))), 4, "bad",
               cat(three_digits(point.intensity), " FLOP/B, ", si_text(point.flops_per_second, "FLOP/s")));
    out.text(margin, line, cat(three_digits(point.intensity), " FLOP/B, ", si_text(point.flops_per_second, "FLOP/s")));
    out.text(left + width / 2, top + height + 2 * line, "FLOP/B", "faint", TextAnchor::Middle);
    return out;
}

// ---- waves ------------------------------------------------------------------------------------------------------------

Scene picture_of(const WavesView& waves) {
    const std::string unit = waves.rounds_of.empty() ? "wave" : cat("turn of '", waves.rounds_of, "'");
    const std::string title =
        cat(waves.grid_of.empty() ? "blocks" : cat("tiles of '", waves.grid_of, "'"), " by their ", unit);
    const double cell = 26, top = 2 * line + margin;
    const std::size_t columns = waves.grid.empty() ? 0 : waves.grid.front().size();
    const std::string note = cat(waves.count, " ", waves.rounds_of.empty() ? "wave" : "turn",
                                 waves.count == 1 ? "" : "s", " of up to ", waves.resident, " blocks; the last is ",
                                 percent_text(waves.last), " full, ", percent_text(waves.lost), " of the time lost");
    Scene out(std::max(2 * margin + cell * static_cast<double>(columns), width_of(note) + 2 * margin),
              top + cell * static_cast<double>(waves.grid.size()) + line + margin, title);
    out.text(margin, line, title);
    out.text(margin, 2 * line, note, "faint");
    for (std::size_t r = 0; r < waves.grid.size(); ++r)
        for (std::size_t c = 0; c < waves.grid[r].size(); ++c) {
            const std::int64_t wave = waves.grid[r][c];
            const double x = margin + cell * static_cast<double>(c), y = top + cell * static_cast<double>(r);
            out.rect(x, y, cell - 1, cell - 1, wave ? hue_style(wave - 1) : "grid",
                     cat("row ", r, ", column ", c, wave ? cat(": ", wave) : ""));
            if (wave)
                out.text(x + cell / 2, y + cell / 2 + 4, std::to_string(wave), "ink", TextAnchor::Middle);
        }
    if (waves.rows > static_cast<std::int64_t>(waves.grid.size()) || waves.columns > static_cast<std::int64_t>(columns))
        out.text(margin, top + cell * static_cast<double>(waves.grid.size()) + line,
                 cat("the first of ", waves.rows, " x ", waves.columns), "faint");
    return out;
}

// ---- pipelines --------------------------------------------------------------------------------------------------------

namespace {

void draw_span(Scene& out, const TimelineSpan& span, double y, double scale, double left) {
    static constexpr double height = 14;
    const double x = left + static_cast<double>(span.begin) * scale,
                 width = std::max(static_cast<double>(span.end - span.begin) * scale, 0.75);
    const std::string when = cat(" (line ", span.place.line, "), ", span.begin, " to ", span.end);
    if (span.kind == "compute")
        return out.rect(x, y, width, height, "good", cat("computes", when));
    if (span.kind == "wait")
        return out.rect(x, y + 5, width, 4, span.awaits == "products" ? "grid" : "bad",
                        cat("waits for ", span.barrier.empty() ? span.awaits : span.barrier, when));
    if (span.kind == "store")
        return out.rect(x, y + 8, width, height - 8, "hue7", cat("stores", when));
    out.rect(x, y, width, 6, "hue1", cat("begins copies", span.bytes ? cat(" of ", span.bytes, " bytes") : "", when));
}

} // namespace

Scene picture_of(const TimelineView& timeline) {
    constexpr std::size_t most_of_role = 4;
    const std::vector<TimelineLane> lanes = timeline_lanes(timeline, most_of_role);
    const std::vector<TimelineStay> stays = timeline_stays(timeline);
    double left = 0;
    for (const TimelineLane& lane : lanes)
        left = std::max(left, width_of(lane.name) + 2 * margin);
    const double width = 900, row = 18, top = 3 * line + margin;
    const double scale = width / static_cast<double>(std::max<std::int64_t>(timeline.steps, 1));
    const std::string title = cat("pipeline of '", timeline.kernel, "', ", block_text(timeline));
    Scene out(left + width + margin, top + row * static_cast<double>(lanes.size()) + 2 * line, title);
    out.text(margin, line, title);
    out.text(margin, 2 * line,
             cat(times_of(timeline, timeline.steps), ", ", timeline.source, "; ", clock_text(timeline)), "faint");
    double x = margin;
    for (const auto& [style, word] : {std::pair{"hue1", "begins copies"},
                                      {"good", "computes"},
                                      {"hue7", "stores"},
                                      {"bad", "waits"},
                                      {"hue2", timeline.marked ? "issued, no wait has seen them" : "copies under way"},
                                      {"hue4", timeline.marked ? "seen by a wait" : "arrived"}}) {
        out.rect(x, 2 * line + 8, 10, 10, style);
        out.text(x + 14, 3 * line + 2, word, "faint");
        x += width_of(word) + 30;
    }
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const double y = top + row * static_cast<double>(i);
        out.text(margin, y + 12, lanes[i].name);
        out.line(left, y + row - 2, left + width, y + row - 2, "grid");
        for (const TimelineSpan& span : timeline.spans)
            if (lanes[i].warp >= 0 && span.warp == lanes[i].warp)
                draw_span(out, span, y, scale, left);
        const auto at = [&](std::int64_t step) { return left + static_cast<double>(step) * scale; };
        for (const TimelineStay& stay : stays) {
            const TimelineSpan& span = timeline.spans[stay.span];
            if (lanes[i].slot < 0 || span.slot != lanes[i].slot)
                continue;
            out.rect(at(stay.begin), y, at(stay.landed) - at(stay.begin), 14, "hue2",
                     cat(timeline.marked ? "issued, until the first wait for them has ended, "
                                         : cat(span.bytes, " bytes under way, "),
                         timeline.unit, "s ", span.begin, " to ", span.landed));
            if (stay.end > stay.landed)
                out.rect(at(stay.landed), y, at(stay.end) - at(stay.landed), 14, "hue4", "there until the next copy");
        }
    }
    out.text(left, top + row * static_cast<double>(lanes.size()) + line, "0", "faint");
    out.text(left + width, top + row * static_cast<double>(lanes.size()) + line, std::to_string(timeline.steps),
             "faint", TextAnchor::End);
    return out;
}

} // namespace hidet::session
