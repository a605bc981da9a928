// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/live/cost_text.h"

#include <algorithm>
#include <utility>
#include <vector>

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

namespace {

QString predictedOf(const session::KernelExplained& kernel) {
    const session::CostView& cost = *kernel.cost;
    const bool isSized = std::ranges::find(cost.grid, 0) == cost.grid.end();
    if (!isSized)
        return tr("Time not known: the sizes of the grid are not");
    QString out = cost.at_least.empty() ? tr("~%1 on %2").arg(timeText(cost.predicted_seconds), text(kernel.target))
                                        : tr("At least %1 on %2: %3")
                                              .arg(timeText(cost.predicted_seconds), text(kernel.target),
                                                   text(session::at_least_text(cost.at_least)));
    if (cost.of_roof && cost.roofline.unknown.empty())
        out += tr(", ~%1 of the roof").arg(percentText(*cost.of_roof));
    return out;
}

using Counted = std::vector<std::pair<QString, QString>>; // what it is, and its text

Counted countedOf(const session::KernelExplained& kernel) {
    const session::CostView& cost = *kernel.cost;
    Counted out;
    out.emplace_back("operations", cost.flops ? text(session::flops_text(cost))
                                              : tr("operations not known: %1").arg(text(cost.flops_unknown)));
    out.emplace_back("bytes",
                     tr("%1 of arguments, %2 moved").arg(bytesText(cost.unique_bytes), bytesText(cost.sector_bytes)));
    if (cost.intensity && *cost.intensity > 0)
        out.emplace_back("intensity", tr("%1 FLOP/B").arg(numberText(*cost.intensity)));
    out.emplace_back("registers", cost.facts ? text(session::registers_text(*cost.facts))
                                             : tr("registers not known: %1").arg(text(cost.facts_unknown)));
    if (const std::int64_t shared = cost.static_shared + cost.dynamic_shared; shared > 0)
        out.emplace_back("shared", tr("%1 of shared memory a block").arg(bytesText(static_cast<double>(shared))));
    out.emplace_back("occupancy", occupancyOf(cost));
    if (!kernel.sizes.empty())
        out.emplace_back("sizes", tr("at %1").arg(text(kernel.sizes)));
    return out;
}

// Beside the same of the baseline, where that is another.
QString besideBaseline(const session::KernelExplained& kernel, const session::KernelExplained& baseline) {
    const double now = kernel.cost->predicted_seconds, before = baseline.cost->predicted_seconds;
    if (!kernel.cost->at_least.empty() || !baseline.cost->at_least.empty() || before <= 0 || now <= 0)
        return {};
    const QString change = now == before  ? tr("the same")
                           : now < before ? tr("%1 faster").arg(percentText(1 - now / before))
                                          : tr("%1 slower").arg(percentText(now / before - 1));
    return tr(" (baseline: ~%1, %2)").arg(timeText(before), change);
}

} // namespace

CostText costText(const session::KernelExplained& kernel, const session::KernelExplained* baseline) {
    if (!kernel.cost)
        return {};
    const bool isCompared = baseline && baseline->cost;
    const Counted before = isCompared ? countedOf(*baseline) : Counted();
    QStringList parts;
    for (const auto& [what, figure] : countedOf(kernel)) {
        const auto old = std::ranges::find(before, what, &Counted::value_type::first);
        const bool isOther = old != before.end() && old->second != figure;
        parts << (isOther ? tr("%1 (baseline: %2)").arg(figure, old->second) : figure);
    }
    return {predictedOf(kernel) + (isCompared ? besideBaseline(kernel, *baseline) : QString()),
            parts.join(QString(" ") + QChar(0x00b7) + ' ')};
}

QString kernelName(const session::Explained& explained, std::size_t kernel) {
    const session::KernelExplained& of = explained.kernels[kernel];
    const auto same = std::ranges::count(explained.kernels, of.name, &session::KernelExplained::name);
    return same > 1 ? tr("%1 of module %2").arg(text(of.name)).arg(of.module) : text(of.name);
}

} // namespace hidet::ui
