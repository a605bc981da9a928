// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/tune/candidate_plot.h"

#include <algorithm>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

using session::CandidateRow;
using session::CandidateState;
using session::CandidateTable;

constexpr int of_measured = 0, of_used = 8, of_text = -1, of_errors = -2; // colours of series

class Maker {
public:
    explicit Maker(const CandidateTable& table) : m_table(table) {}

    CandidatePlot make(std::optional<std::size_t> current) {
        const bool isScatter =
            std::ranges::any_of(m_table.rows, [](const CandidateRow& row) { return row.seconds && row.predicted; });
        if (isScatter)
            makeScatter();
        else
            makeOrder();
        if (current)
            m_out.data.marked = m_out.spotOf(*current);
        return std::move(m_out);
    }

private:
    PlotSeries& add(const QString& name, PlotMark mark, int color) {
        PlotSeries series;
        series.name = name;
        series.mark = mark;
        series.color = color;
        series.labelled = false;
        m_out.data.series << series;
        m_out.rows.emplace_back();
        return m_out.data.series.last();
    }

    void put(PlotSeries& series, double x, double y, std::size_t row) {
        series.points << QPointF(x, y);
        series.words << wordsOf(m_table, row);
        m_out.rows.back().push_back(row);
    }

    // Those of one kind, in the order of the table.
    template <class Takes>
    void addAll(const QString& name, PlotMark mark, int color, bool isLabelled, const Takes& takes) {
        PlotSeries& series = add(name, mark, color);
        for (std::size_t i = 0; i < m_table.rows.size(); ++i)
            if (const CandidateRow& row = m_table.rows[i]; row.seconds && row.predicted && takes(row))
                put(series, *row.predicted / m_unit, *row.seconds / m_unit, i);
        series.labelled = isLabelled && !series.points.isEmpty();
        dropEmpty();
    }

    void dropEmpty() {
        if (!m_out.data.series.last().points.isEmpty())
            return;
        m_out.data.series.removeLast();
        m_out.rows.pop_back();
    }

    // Both axes in one unit, so that the diagonal is where they are equal.
    void makeScatter() {
        m_out.data.title = tr("Predicted and measured times of the candidates");
        double least = 1e300, most = 0;
        for (const CandidateRow& row : m_table.rows)
            if (row.predicted) {
                least = std::min({least, row.seconds.value_or(*row.predicted), *row.predicted});
                most = std::max({most, row.seconds.value_or(*row.predicted), *row.predicted});
            }
        const ChartAxis unit = timeAxis(tr("predicted"), most);
        m_unit = unit.unit;
        m_out.data.x = logAxis(unit.title, least / m_unit, most / m_unit, most / least < 100 ? 2 : 10);
        m_out.data.y = m_out.data.x;
        m_out.data.y.title = timeAxis(tr("measured"), most).title;
        PlotSeries& diagonal = add(tr("as predicted"), PlotMark::Line, of_text);
        diagonal.points << QPointF(m_out.data.x.min, m_out.data.x.min) << QPointF(m_out.data.x.max, m_out.data.x.max);
        diagonal.words << diagonal.name << diagonal.name;
        diagonal.labelled = true;
        PlotSeries& open = add(tr("not measured"), PlotMark::Ghost, of_text); // at the edge: they have no height
        for (std::size_t i = 0; i < m_table.rows.size(); ++i)
            if (const CandidateRow& row = m_table.rows[i]; row.predicted && !row.seconds)
                put(open, *row.predicted / m_unit, m_out.data.y.min, i);
        open.labelled = !open.points.isEmpty();
        dropEmpty();
        const auto isWrong = [](const CandidateRow& row) { return row.state == CandidateState::Discarded; };
        addAll(tr("wrong"), PlotMark::Dots, of_errors, true, isWrong);
        addAll(tr("measured"), PlotMark::Dots, of_measured, false,
               [&](const CandidateRow& row) { return !isWrong(row) && !row.is_used && !row.is_fastest; });
        addAll(tr("fastest"), PlotMark::Dots, of_measured, true,
               [&](const CandidateRow& row) { return row.is_fastest && !row.is_used; });
        const bool isFastest = m_table.used && m_table.rows[*m_table.used].is_fastest;
        addAll(m_table.is_chosen ? (isFastest ? tr("chosen, fastest") : tr("chosen"))
                                 : (isFastest ? tr("used, fastest") : tr("used")),
               PlotMark::Dots, of_used, true, [](const CandidateRow& row) { return row.is_used; });
    }

    // A place in the order against the time; hollow, because nothing was measured.
    void makeOrder() {
        m_out.data.title = tr("Predicted times of the candidates");
        std::vector<std::size_t> order;
        double least = 1e300, most = 0;
        for (std::size_t i = 0; i < m_table.rows.size(); ++i)
            if (const auto& predicted = m_table.rows[i].predicted) {
                order.push_back(i);
                least = std::min(least, *predicted);
                most = std::max(most, *predicted);
            }
        if (order.empty()) {
            m_out.data.empty = tr("No candidate has a predicted time");
            return;
        }
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return *m_table.rows[i].predicted; });
        const ChartAxis unit = timeAxis(tr("predicted"), most);
        m_unit = unit.unit;
        m_out.data.x.title = tr("candidates, the fastest by prediction first");
        m_out.data.x.min = 0;
        m_out.data.x.max = double(order.size()) + 1;
        m_out.data.x.isWhole = true;
        m_out.data.y = logAxis(unit.title, least / m_unit * 0.99, most / m_unit * 1.01, most / least < 100 ? 2 : 10);
        for (const bool isUsed : {false, true}) {
            PlotSeries& series = add(m_table.is_chosen && isUsed ? tr("chosen")
                                     : isUsed                    ? tr("used")
                                                                 : tr("predicted"),
                                     isUsed ? PlotMark::Dots : PlotMark::Ghost, isUsed ? of_used : of_measured);
            for (std::size_t place = 0; place < order.size(); ++place)
                if (m_table.rows[order[place]].is_used == isUsed)
                    put(series, double(place + 1), *m_table.rows[order[place]].predicted / m_unit, order[place]);
            series.labelled = isUsed && !series.points.isEmpty();
            dropEmpty();
        }
    }

    const CandidateTable& m_table;
    CandidatePlot m_out;
    double m_unit = 1;
};

} // namespace

PlotSpot CandidatePlot::spotOf(std::size_t row) const {
    for (std::size_t series = 0; series < rows.size(); ++series)
        for (std::size_t point = 0; point < rows[series].size(); ++point)
            if (rows[series][point] == row)
                return {int(series), int(point)};
    return {};
}

std::optional<std::size_t> CandidatePlot::rowOf(PlotSpot spot) const {
    if (spot.series < 0 || std::size_t(spot.series) >= rows.size())
        return {};
    const std::vector<std::size_t>& of = rows[std::size_t(spot.series)];
    return std::size_t(spot.point) < of.size() ? std::optional(of[std::size_t(spot.point)]) : std::nullopt;
}

CandidatePlot candidatePlot(const CandidateTable& table, std::optional<std::size_t> current) {
    return Maker(table).make(current);
}

QString wordsOf(const CandidateTable& table, std::size_t place) {
    const CandidateRow& row = table.rows[place];
    QStringList times, standing;
    if (row.predicted)
        times << tr("predicted ~%1").arg(timeText(*row.predicted));
    if (row.seconds)
        times << tr("measured %1").arg(timeText(*row.seconds, row.spread / 2 * *row.seconds));
    if (row.is_fastest)
        standing << tr("the fastest");
    if (row.is_used)
        standing << (table.is_chosen ? tr("chosen") : tr("used"));
    QStringList out{text(row.schedule)};
    for (const QString& line : {times.join(", "), standing.join(", "), capitalized(text(row.note))})
        if (!line.isEmpty())
            out << line;
    return out.join('\n');
}

} // namespace hidet::ui
