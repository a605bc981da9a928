// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/pipeline_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "app/session/view/timeline_rows.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

using session::TimelineSpan;
using session::TimelineView;

enum PipelineHue { CopyHue, ComputeHue, StoreHue, WaitHue, ProductsHue, UnderWayHue, ThereHue, PipelineHueCount };

constexpr double products_from = 0.68; // of the lane: they go on beside what the warp does

std::vector<QColor> pipelinePalette(const Theme& theme) {
    const double lightness = theme.dark ? 0.45 : 0.84, chroma = theme.dark ? 0.1 : 0.09;
    std::vector<QColor> out(PipelineHueCount);
    out[CopyHue] = oklch(theme.dark ? 0.7 : 0.55, 0.14, 250);
    out[ComputeHue] = oklch(lightness, chroma, 150);
    out[StoreHue] = oklch(lightness, chroma, 310);
    out[WaitHue] = oklch(lightness, theme.dark ? 0.12 : 0.1, 30);
    out[ProductsHue] = oklch(lightness, chroma, 95);
    out[UnderWayHue] = oklch(lightness, chroma * 0.8, 250);
    out[ThereHue] = oklch(lightness, chroma * 0.5, 200);
    return out;
}

PipelineHue hueOfSpan(const TimelineSpan& span) {
    if (span.kind == "copy")
        return CopyHue;
    if (span.kind == "compute")
        return ComputeHue;
    if (span.kind == "store")
        return StoreHue;
    return span.awaits == "products" ? ProductsHue : WaitHue;
}

QString awaited(const TimelineSpan& span) {
    return text(span.barrier.empty() ? span.awaits : span.barrier);
}

QString timesText(const TimelineView& timeline, std::int64_t begin, std::int64_t end) {
    return tr("%1, %2 to %3").arg(text(session::times_of(timeline, end - begin))).arg(begin).arg(end);
}

struct Piece {
    ChartBar bar = {};
    std::size_t span = 0;
};

struct Pieces {
    std::shared_ptr<const TimelineView> timeline;
    std::vector<session::TimelineLane> lanes;
    std::vector<Piece> all; // by their left ends
    QStringList script;

    const TimelineSpan& spanOf(int bar) const { return timeline->spans[all[std::size_t(bar)].span]; }
    QString laneOf(int bar) const { return text(lanes[std::size_t(all[std::size_t(bar)].bar.bottom)].name); }
    QString lineOf(const session::Place& place) const {
        const QString line = script.value(place.line - 1).trimmed();
        return line.isEmpty() ? tr("line %1").arg(place.line) : tr("line %1: %2").arg(place.line).arg(line);
    }

    QString label(int bar) const {
        const TimelineSpan& span = spanOf(bar);
        switch (all[std::size_t(bar)].bar.hue) {
        case ComputeHue: return tr("computes");
        case StoreHue: return tr("stores");
        case WaitHue: return tr("waits for %1").arg(awaited(span));
        case UnderWayHue: return timeline->marked ? tr("issued") : bytesText(double(span.bytes));
        case ThereHue: return timeline->marked ? tr("seen") : tr("there");
        default: return {};
        }
    }

    QString what(int bar) const {
        const TimelineSpan& span = spanOf(bar);
        switch (all[std::size_t(bar)].bar.hue) {
        case CopyHue:
            return span.bytes ? tr("begins copies of %1").arg(bytesText(double(span.bytes))) : tr("begins copies");
        case ComputeHue: return tr("computes");
        case StoreHue: return tr("stores");
        case UnderWayHue:
            return timeline->marked ? tr("copies are issued, until the end of the first wait for them")
                                    : tr("%1 are under way").arg(bytesText(double(span.bytes)));
        case ThereHue:
            return timeline->marked ? tr("copies were seen by a wait, until the next ones")
                                    : tr("%1 are there, until the next copy").arg(bytesText(double(span.bytes)));
        default:
            return span.phase > 0 ? tr("waits for %1, phase %2").arg(awaited(span)).arg(span.phase)
                                  : tr("waits for %1").arg(awaited(span));
        }
    }

    QString words(int bar) const {
        const TimelineSpan& span = spanOf(bar);
        const ChartBar& shown = all[std::size_t(bar)].bar;
        QStringList lines{laneOf(bar), tr("%1: %2").arg(what(bar), timesText(*timeline, std::int64_t(shown.left),
                                                                             std::int64_t(shown.right)))};
        if (const session::TimelineBubble* bubble = session::bubble_of(*timeline, span)) {
            QString reason = capitalized(text(bubble->reason));
            if (span.by_place.known())
                reason += tr(" (line %1)").arg(span.by_place.line);
            lines
                << tr("%1; waits like this take %2 of the time of such a warp").arg(reason, percentText(bubble->share));
        }
        if (span.place.known())
            lines << lineOf(span.place);
        return lines.join('\n');
    }

    QStringList row(int bar) const {
        const TimelineSpan& span = spanOf(bar);
        const ChartBar& shown = all[std::size_t(bar)].bar;
        return {laneOf(bar), what(bar), QString::number(shown.left), QString::number(shown.right),
                QString::number(span.place.line)};
    }

    // What the warps do of the time between two steps, and what they wait for most.
    QString sum(double from, double to) const {
        std::array<double, PipelineHueCount> spent{};
        std::map<QString, double> waits;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const double inside = std::min(to, all[i].bar.right) - std::max(from, all[i].bar.left);
            if (inside <= 0)
                continue;
            spent[std::size_t(all[i].bar.hue)] += inside;
            if (all[i].bar.hue == WaitHue || all[i].bar.hue == ProductsHue)
                waits[awaited(spanOf(int(i)))] += inside;
        }
        const auto lanesOfWarps = std::ranges::count_if(lanes, [](const auto& lane) { return lane.slot < 0; });
        const double whole = (to - from) * double(std::max<std::ptrdiff_t>(lanesOfWarps, 1));
        const QStringList names = pipelineLegend(*timeline);
        QStringList lines{timesText(*timeline, std::int64_t(std::llround(from)), std::int64_t(std::llround(to)))};
        for (const PipelineHue hue : {ComputeHue, WaitHue, ProductsHue, CopyHue, StoreHue})
            if (spent[hue] > 0)
                lines << tr("%1: %2 of the time of these warps").arg(names[hue], percentText(spent[hue] / whole));
        const auto most = std::ranges::max_element(waits, {}, [](const auto& wait) { return wait.second; });
        if (most != waits.end())
            lines << tr("most of it for %1: %2").arg(most->first, percentText(most->second / whole));
        return lines.join('\n');
    }
};

void addSpans(Pieces& out, int lane, int warp) {
    const TimelineView& timeline = *out.timeline;
    for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
        const TimelineSpan& span = timeline.spans[i];
        if (span.warp != warp)
            continue;
        Piece piece{.span = i};
        piece.bar.left = double(span.begin);
        piece.bar.right = double(std::max(span.end, span.begin + 1));
        piece.bar.bottom = lane;
        piece.bar.hue = hueOfSpan(span);
        piece.bar.from = piece.bar.hue == ProductsHue ? products_from : 0;
        out.all.push_back(piece);
    }
}

void addStays(Pieces& out, int lane, int slot, const std::vector<session::TimelineStay>& stays) {
    for (const session::TimelineStay& stay : stays) {
        if (out.timeline->spans[stay.span].slot != slot)
            continue;
        Piece piece{.span = stay.span};
        piece.bar.bottom = lane;
        piece.bar.hue = UnderWayHue;
        piece.bar.left = double(stay.begin);
        piece.bar.right = double(std::max(stay.landed, stay.begin + 1));
        out.all.push_back(piece);
        if (stay.end <= stay.landed)
            continue;
        piece.bar.hue = ThereHue;
        piece.bar.left = double(stay.landed);
        piece.bar.right = double(stay.end);
        out.all.push_back(piece);
    }
}

} // namespace

PipelineChart pipelineChart(const std::shared_ptr<const TimelineView>& timeline, const PipelineLook& look) {
    auto pieces = std::make_shared<Pieces>();
    pieces->timeline = timeline;
    pieces->lanes = session::timeline_lanes(*timeline, look.warpsOfRole);
    pieces->script = look.script;
    const std::vector<session::TimelineStay> stays = session::timeline_stays(*timeline);
    PipelineChart out;
    for (int lane = 0; lane < int(pieces->lanes.size()); ++lane) {
        const session::TimelineLane& of = pieces->lanes[std::size_t(lane)];
        out.chart.lanes << text(of.name);
        of.slot < 0 ? addSpans(*pieces, lane, of.warp) : addStays(*pieces, lane, of.slot, stays);
    }
    std::ranges::stable_sort(pieces->all, {}, [](const Piece& piece) { return piece.bar.left; });
    for (const Piece& piece : pieces->all) {
        out.chart.bars.push_back(piece.bar);
        out.spans.push_back(piece.span);
    }
    Chart& chart = out.chart;
    chart.name = tr("Pipeline of %1").arg(text(timeline->kernel));
    chart.summary = tr("%1 of %2 warps").arg(text(session::times_of(*timeline, timeline->steps))).arg(timeline->warps);
    chart.x.title = timeline->unit == "cycle" ? tr("cycles of the multiprocessor's clock")
                                              : tr("steps: instructions of a warp, 1024 operations of a product each");
    chart.x.max = double(std::max<std::int64_t>(timeline->steps, 1));
    chart.x.isWhole = true;
    chart.palette = pipelinePalette;
    chart.isStale = look.isStale;
    chart.label = [pieces](int bar) { return pieces->label(bar); };
    chart.words = [pieces](int bar) { return pieces->words(bar); };
    chart.sum = [pieces](double from, double to) { return pieces->sum(from, to); };
    chart.header = {tr("row"), tr("what"), tr("begin"), tr("end"), tr("line")};
    chart.row = [pieces](int bar) { return pieces->row(bar); };
    return out;
}

QSet<int> barsOf(const TimelineView& timeline, const PipelineChart& chart, const session::TimelineBubble& bubble) {
    QSet<int> out;
    for (std::size_t bar = 0; bar < chart.spans.size(); ++bar)
        if (session::bubble_of(timeline, timeline.spans[chart.spans[bar]]) == &bubble)
            out << int(bar);
    return out;
}

QStringList pipelineLegend(const TimelineView& timeline) {
    QStringList out(PipelineHueCount);
    out[CopyHue] = tr("begins copies");
    out[ComputeHue] = tr("computes");
    out[StoreHue] = tr("stores");
    out[WaitHue] = tr("waits");
    out[ProductsHue] = tr("waits for its products");
    out[UnderWayHue] = timeline.marked ? tr("issued, and no wait has seen them") : tr("copies are under way");
    out[ThereHue] = timeline.marked ? tr("seen by a wait") : tr("arrived");
    return out;
}

} // namespace hidet::ui
