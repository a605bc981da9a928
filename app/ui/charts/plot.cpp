// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/charts/plot.h"

#include "app/ui/core/figures.h"

namespace hidet::ui {

QString PlotData::tsv() const {
    QStringList lines{QStringList{"series", x.title, y.title}.join('\t')};
    for (const PlotSeries& one : series)
        for (const QPointF& point : one.points)
            lines << QStringList{one.name, digitsText(point.x(), 9), digitsText(point.y(), 9)}.join('\t');
    return lines.join('\n') + '\n';
}

QString PlotData::words() const {
    if (!empty.isEmpty())
        return empty;
    QStringList out{title};
    for (const PlotSeries& one : series) {
        if (!one.words.isEmpty())
            out << one.name + ": " + one.words.join("; ");
        else
            out << one.name;
    }
    return out.join(". ");
}

} // namespace hidet::ui
