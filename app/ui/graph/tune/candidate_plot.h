// SPDX-License-Identifier: GPL-3.0-only
// The candidates of an operator as a plot: predicted against measured times, or, while nothing is measured, the predictions
// alone in their order. A value; what is drawn is beside it, by series and point.
#pragma once

#include <vector>

#include "app/session/model/tune/candidates.h"
#include "app/ui/charts/plot.h"

namespace hidet::ui {

struct CandidatePlot {
    PlotData data;
    std::vector<std::vector<std::size_t>>
        rows; // of the table, by series and point; series without candidates have none
    PlotSpot spotOf(std::size_t row) const;
    std::optional<std::size_t> rowOf(PlotSpot spot) const;
};
// `current`: the row that is outlined.
CandidatePlot candidatePlot(const session::CandidateTable& table, std::optional<std::size_t> current);

// A line for each: the schedule; "predicted ~4.2 us, measured 5.1 +- 0.1 us"; "chosen"; why it cannot be taken.
QString wordsOf(const session::CandidateTable& table, std::size_t row);

} // namespace hidet::ui
