// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/live/cost_text.h"

#include <algorithm>

#include <QStringList>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

QString occupancyOf(const session::CostView& cost) {
    if (!cost.occupancy)
        return tr("occupancy not known");
    if (!cost.occupancy->impossible.empty())
        return tr("no block fits: %1").arg(text(cost.occupancy->impossible));
    QStringList out{(cost.facts ? QString() : tr("at most ")) + text(session::occupancy_text(*cost.occupancy))};
    if (cost.facts && !cost.occupancy->one_more.empty())
        out << text(cost.occupancy->one_more);
    if (cost.waves > 0)
        out << tr("%1 waves, %2 of the last idle")
                   .arg(text(session::waves_text(*cost.occupancy)), percentText(cost.tail));
    return out.join("; ");
}

} // namespace

CostText costText(const session::KernelExplained& kernel) {
    CostText out;
    if (!kernel.cost)
        return out;
    const session::CostView& cost = *kernel.cost;
    const bool isSized = std::ranges::find(cost.grid, 0) == cost.grid.end();
    if (!isSized)
        out.predicted = tr("Time not known: the sizes of the grid are not");
    else if (!cost.at_least.empty())
        out.predicted = tr("At least %1 on %2: %3")
                            .arg(timeText(cost.predicted_seconds), text(kernel.target),
                                 text(session::at_least_text(cost.at_least)));
    else
        out.predicted = tr("~%1 on %2").arg(timeText(cost.predicted_seconds), text(kernel.target));
    if (isSized && cost.of_roof && cost.roofline.unknown.empty())
        out.predicted += tr(", ~%1 of the roof").arg(percentText(*cost.of_roof));
    QStringList parts;
    parts << (cost.flops ? text(session::flops_text(cost))
                         : tr("operations not known: %1").arg(text(cost.flops_unknown)));
    parts << tr("%1 of arguments, %2 moved").arg(bytesText(cost.unique_bytes), bytesText(cost.sector_bytes));
    if (cost.intensity && *cost.intensity > 0)
        parts << tr("%1 FLOP/B").arg(numberText(*cost.intensity));
    parts << (cost.facts ? text(session::registers_text(*cost.facts))
                         : tr("registers not known: %1").arg(text(cost.facts_unknown)));
    if (const std::int64_t shared = cost.static_shared + cost.dynamic_shared; shared > 0)
        parts << tr("%1 of shared memory a block").arg(bytesText(static_cast<double>(shared)));
    parts << occupancyOf(cost);
    if (!kernel.sizes.empty())
        parts << tr("at %1").arg(text(kernel.sizes));
    out.counted = parts.join(QString(" ") + QChar(0x00b7) + ' ');
    return out;
}

QString kernelName(const session::Explained& explained, std::size_t kernel) {
    const session::KernelExplained& of = explained.kernels[kernel];
    const auto same = std::ranges::count(explained.kernels, of.name, &session::KernelExplained::name);
    return same > 1 ? tr("%1 of module %2").arg(text(of.name)).arg(of.module) : text(of.name);
}

} // namespace hidet::ui
