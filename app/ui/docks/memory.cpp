// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/charts/chart_dock.h"

namespace hidet::ui {

namespace {

class MemoryDock : public ChartDock {
public:
    explicit MemoryDock(Studio& studio) : ChartDock(studio, "memory") {}

private:
    void refresh() override {
        const QString title = tr("Where each tensor lies in memory, and from when to when");
        const session::SnapshotPtr snapshot = model() ? model()->graphs().snapshot() : nullptr;
        if (!model())
            return showEmpty(title, tr("Appears here when a model is open"));
        if (!snapshot || snapshot->phase != session::ModelPhase::Planned)
            return showEmpty(title, model()->graphs().isBroken() || (snapshot && snapshot->is_complete)
                                        ? tr("This model cannot be planned")
                                        : tr("Appears here when the model is planned"));
        ModelChart chart = memoryChart(snapshot);
        if (chart.chart.bars.empty())
            return explain(title, *snapshot);
        showChart(std::move(chart), head(*snapshot));
    }

    void explain(const QString& title, const session::ModelSnapshot& snapshot) {
        if (snapshot.arena_bytes)
            return showEmpty(title, tr("No kernel of this model hands a tensor to another"));
        const QStringList names = textsOf(snapshot.totals.assumed);
        if (names.isEmpty())
            return showEmpty(title, tr("Sizes are known during a run alone: they depend on what is computed"));
        showEmpty(title, tr("Sizes depend on %1; the Model dock has fields for them").arg(names.join(", ")));
        offer(names.size() == 1 ? tr("Assume %1 = 1").arg(names.front()) : tr("Assume 1 for each"),
              [shown = QPointer<LiveModel>(model()), names] {
                  if (!shown)
                      return;
                  QHash<QString, qint64> dimensions = shown->setup().dimensions();
                  for (const QString& name : names)
                      dimensions[name] = 1;
                  shown->setup().setDimensions(dimensions);
              });
    }

    static QString head(const session::ModelSnapshot& snapshot) {
        QStringList out;
        if (snapshot.arena_bytes)
            out << tr("%1 between kernels").arg(bytesText(*snapshot.arena_bytes));
        if (snapshot.arena_bound)
            out << tr("no plan takes less than %1").arg(bytesText(*snapshot.arena_bound));
        if (snapshot.weight_bytes)
            out << tr("%1 of weights beside it").arg(bytesText(*snapshot.weight_bytes));
        return out.join(", ");
    }
};

} // namespace

DockWidget* makeMemoryDock(Studio& studio) {
    return new MemoryDock(studio);
}

} // namespace hidet::ui
