// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/run_plots.h"

#include <algorithm>
#include <cmath>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "lang/base/quantity.h"

namespace hidet::ui {

namespace {

struct Scale {
    double size;
    QString unit;
};
Scale scaleOf(double greatest, const char* of) {
    const UnitScale scale = scale_of(greatest, of);
    return {scale.size, text(scale.unit)};
}

// Up to a round number above `value`.
double roundUp(double value) {
    if (value <= 0)
        return 1;
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (double step : {1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0})
        if (value <= step * power * 1.0001)
            return step * power;
    return value;
}

const session::BenchRow* measuredOf(const RunReport* report) {
    return report && report->result && report->result->measured ? &*report->result->measured : nullptr;
}

struct SweepValue {
    double value = 0;
    QString words;
};
std::optional<SweepValue> valueOf(const session::SweepPoint& point, SweepMeasure measure) {
    if (!point.measured || point.measured->times.count == 0 || point.measured->times.median <= 0)
        return std::nullopt;
    const session::BenchRow& row = *point.measured;
    const double seconds = row.times.median;
    SweepValue out;
    if (measure == SweepMeasure::Flops && !row.flops)
        return std::nullopt;
    out.value =
        measure == SweepMeasure::Time ? seconds : (measure == SweepMeasure::Flops ? *row.flops : row.bytes) / seconds;
    QStringList words{QString::number(point.value), timeText(seconds, (row.times.p90 - row.times.p10) / 2)};
    if (measure != SweepMeasure::Time)
        words << rateText(out.value, measure == SweepMeasure::Flops ? "FLOP/s" : "B/s");
    words << QString::fromStdString(point.verdict.sentence);
    out.words = words.join(", ");
    return out;
}

} // namespace

PlotData distributionPlot(const RunReport* report) {
    PlotData out;
    out.title = tr("Distribution of times");
    const session::BenchRow* row = measuredOf(report);
    if (!row || row->times.samples.size() < 2) {
        out.empty = tr("How the measured times spread appears here after a run that measures");
        return out;
    }
    std::vector<double> samples = row->times.samples;
    std::sort(samples.begin(), samples.end());
    // A few samples far out would squeeze the rest: they gather in the last bar.
    const double p99 = samples[std::size_t(double(samples.size() - 1) * 0.99)];
    const Scale scale = scaleOf(row->times.median, "s");
    const double p90 = row->times.p90;
    const double low = samples.front() / scale.size;
    double high = std::max(p90, std::min(p99, p90 + (p90 - row->times.p10))) / scale.size;
    if (high <= low)
        high = low + std::max(low * 0.01, 1e-9);
    const int bars = std::clamp(int(std::sqrt(double(samples.size()))), 4, 40);
    const double width = (high - low) / bars;
    std::vector<int> counts(std::size_t(bars), 0);
    for (double sample : samples)
        ++counts[std::size_t(std::clamp(int((sample / scale.size - low) / width), 0, bars - 1))];
    PlotSeries area;
    area.name = tr("calls");
    area.mark = PlotMark::Area;
    area.labelled = false;
    for (int bar = 0; bar < bars; ++bar) {
        area.points << QPointF(low + bar * width, counts[std::size_t(bar)])
                    << QPointF(low + (bar + 1) * width, counts[std::size_t(bar)]);
        const bool open = bar == bars - 1 && samples.back() / scale.size > high;
        const auto edge = [&](int at) { return digitsText(low + at * width, 4); };
        const QString words =
            open ? tr("%1 calls of %2 %3 and more").arg(counts[std::size_t(bar)]).arg(edge(bar), scale.unit)
                 : tr("%1 calls from %2 to %3 %4")
                       .arg(counts[std::size_t(bar)])
                       .arg(edge(bar), edge(bar + 1), scale.unit);
        area.words << words << words;
    }
    const double top = roundUp(*std::max_element(counts.begin(), counts.end()) * 1.15);
    PlotSeries median;
    median.name = tr("median %1").arg(timeText(row->times.median));
    median.mark = PlotMark::Dashed;
    median.color = 1;
    median.points = {QPointF(row->times.median / scale.size, 0), QPointF(row->times.median / scale.size, top)};
    median.words = {median.name, median.name};
    out.series = {area, median};
    out.x.title = tr("time, %1").arg(scale.unit);
    out.x.min = low;
    out.x.max = high;
    out.y.title = tr("calls");
    out.y.max = top;
    out.y.isWhole = true;
    return out;
}

PlotData sweepPlot(const RunReport* report, SweepMeasure measure) {
    PlotData out;
    out.title = tr("Size sweep");
    out.empty = tr("How the kernel does at several sizes appears here: choose a sweep in the run panel and run");
    if (!report || !report->result || report->result->sweep.empty())
        return out;
    double low = 1e300, high = 0, least = 1e300, most = 0;
    PlotSeries right, wrong;
    for (const session::SweepPoint& point : report->result->sweep) {
        const auto value = valueOf(point, measure);
        if (!value)
            continue;
        const bool bad =
            point.verdict.kind == session::VerdictKind::Wrong || point.verdict.kind == session::VerdictKind::Failed;
        const QPointF at(double(point.value), value->value);
        right.points << at;
        right.words << value->words;
        if (bad) {
            wrong.points << at;
            wrong.words << value->words;
        }
        low = std::min(low, at.x());
        high = std::max(high, at.x());
        least = std::min(least, at.y());
        most = std::max(most, at.y());
    }
    if (right.points.isEmpty()) {
        out.empty = measure == SweepMeasure::Flops
                        ? tr("The operations of this function are not known: choose time or bytes")
                        : tr("None of the sizes was measured");
        for (const session::SweepPoint& point : report->result->sweep)
            if (!point.unavailable.empty() && measure != SweepMeasure::Flops)
                out.empty = tr("Not measured: %1").arg(QString::fromStdString(point.unavailable));
        return out;
    }
    out.empty.clear();
    const Scale scale = measure == SweepMeasure::Time    ? scaleOf(most, "s")
                        : measure == SweepMeasure::Flops ? scaleOf(most, "FLOP/s")
                                                         : scaleOf(most, "B/s");
    for (PlotSeries* series : {&right, &wrong})
        for (QPointF& point : series->points)
            point.ry() /= scale.size;
    right.name = QString::fromStdString(report->result->function);
    out.series << right;
    PlotSeries dots = right;
    dots.mark = PlotMark::Dots;
    dots.labelled = false;
    out.series << dots;
    if (!wrong.points.isEmpty()) {
        wrong.name = tr("wrong");
        wrong.mark = PlotMark::Dots;
        wrong.color = -2;
        out.series << wrong;
    }
    // Room beside the first and the last point; ticks are at powers of two.
    out.x = logAxis(report->plan.sweepName, low, high, 2);
    out.x.min = low / 1.2;
    out.x.max = high * 1.2;
    if (measure == SweepMeasure::Time) {
        out.y =
            logAxis(tr("time, %1").arg(scale.unit), least / scale.size, most / scale.size, most / least < 100 ? 2 : 10);
    } else {
        out.y.title = scale.unit;
        out.y.max = roundUp(most / scale.size * 1.05);
    }
    return out;
}

namespace {

struct RoofPoint {
    QString name;
    double intensity = 0, flops = 0;
    PlotMark mark = PlotMark::Dots;
};

// What was measured, what that is compared with, and what the text as it is would reach.
std::vector<RoofPoint> roofPoints(const RunReport* report, const session::RunRecord* baseline,
                                  const session::KernelExplained* predicted) {
    std::vector<RoofPoint> out;
    const session::Roofline* line = report && report->result ? &report->result->roofline : nullptr;
    if (line && line->point)
        out.push_back(
            {text(report->result->function), line->point->intensity, line->point->flops_per_second, PlotMark::Dots});
    if (line && line->point && baseline && baseline->flops && baseline->times && baseline->times->median > 0 &&
        baseline->bytes > 0)
        out.push_back({tr("baseline"), *baseline->flops / baseline->bytes, *baseline->flops / baseline->times->median,
                       PlotMark::Ghost});
    if (predicted && predicted->cost && predicted->cost->roofline.point)
        out.push_back({tr("~%1 on %2").arg(text(predicted->name), text(predicted->target)),
                       predicted->cost->roofline.point->intensity, predicted->cost->roofline.point->flops_per_second,
                       PlotMark::Predicted});
    std::erase_if(out, [](const RoofPoint& point) { return point.intensity <= 0 || point.flops <= 0; });
    return out;
}

// Why there is no plot; empty: there is one.
QString whyNoRoofline(const RunReport* report, const session::KernelExplained* predicted) {
    const bool isMeasured = report && report->result && measuredOf(report);
    if (isMeasured && report->result->roofline.roofs.empty())
        return tr("The limits of this device (%1) are not known, so there is no roofline").arg(report->where);
    const std::string unknown = isMeasured                     ? report->result->roofline.unknown
                                : predicted && predicted->cost ? predicted->cost->roofline.unknown
                                                               : std::string();
    if (!unknown.empty())
        return tr("The operations of a call are not known (%1), so it has no place under the roofs").arg(text(unknown));
    return tr("How near the kernel comes to the limits of the device appears here after a run that measures on one");
}

QList<PlotSeries> seriesOf(const std::vector<RoofPoint>& points) {
    QList<PlotSeries> out;
    for (const RoofPoint& point : points) {
        PlotSeries one;
        one.name = point.name;
        one.mark = point.mark;
        one.points << QPointF(point.intensity, point.flops);
        const QString words =
            point.mark == PlotMark::Predicted ? tr("predicted, %1: ~%2 FLOP/byte, ~%3") : tr("%1: %2 FLOP/byte, %3");
        one.words << words.arg(point.name, numberText(point.intensity), rateText(point.flops, "FLOP/s"));
        out << one;
    }
    return out;
}

} // namespace

PlotData rooflinePlot(const RunReport* report, const session::RunRecord* baseline,
                      const session::KernelExplained* predicted) {
    PlotData out;
    out.title = tr("Roofline");
    const std::vector<RoofPoint> points = roofPoints(report, baseline, predicted);
    const bool isMeasured = !points.empty() && points.front().mark == PlotMark::Dots;
    if (points.empty()) {
        out.empty = whyNoRoofline(report, predicted);
        return out;
    }
    const std::vector<session::Roof>& roofs =
        isMeasured ? report->result->roofline.roofs : predicted->cost->roofline.roofs;
    double memory = 0, most = 0;
    for (const session::Roof& roof : roofs) {
        if (roof.kind == session::RoofKind::Memory)
            memory = std::max(memory, roof.rate);
        else
            most = std::max(most, roof.rate);
    }
    double low = 1e300, high = 0, least = 1e300;
    for (const RoofPoint& point : points) {
        low = std::min(low, point.intensity);
        high = std::max(high, point.intensity);
        least = std::min(least, point.flops);
    }
    if (memory > 0 && most > 0) {
        low = std::min(low, most / memory / 10);
        high = std::max(high, most / memory * 10);
    }
    out.x = logAxis(tr("FLOP/byte"), low / 2, high * 2);
    const double top = most > 0 ? most : memory * out.x.max;
    const Scale scale = scaleOf(top, "FLOP/s");
    double bottom = least;
    for (const session::Roof& roof : roofs) {
        PlotSeries one;
        one.color = -1;
        const QString name = QString::fromStdString(roof.name);
        if (roof.kind == session::RoofKind::Memory) {
            const double end = most > 0 ? std::min(out.x.max, most / roof.rate) : out.x.max;
            one.name = tr("%1 %2").arg(name, rateText(roof.rate, "B/s"));
            one.points << QPointF(out.x.min, roof.rate * out.x.min) << QPointF(end, roof.rate * end);
            bottom = std::min(bottom, std::max(roof.rate * out.x.min, least / 10));
        } else {
            one.name = tr("%1 %2").arg(name, rateText(roof.rate, "FLOP/s"));
            one.points << QPointF(memory > 0 ? std::max(out.x.min, roof.rate / memory) : out.x.min, roof.rate)
                       << QPointF(out.x.max, roof.rate);
        }
        one.words = {one.name, one.name};
        if (out.series.size() < 3 + (points.size() < 3)) // at most six series in all
            out.series << one;
    }
    out.series << seriesOf(points);
    for (PlotSeries& one : out.series)
        for (QPointF& point : one.points)
            point.ry() /= scale.size;
    out.y = logAxis(scale.unit, bottom / scale.size / 2, top / scale.size * 1.5);
    return out;
}

} // namespace hidet::ui
