// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/mapping/mapping_cells.h"

#include <algorithm>

#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

bool isWorse(const std::vector<int>& passes, int at) {
    return static_cast<std::size_t>(at) < passes.size() && passes[static_cast<std::size_t>(at)] > 1;
}

QString passes(const std::vector<int>& lines) {
    const int worst = lines.empty() ? 1 : std::ranges::max(lines);
    return worst == 1 ? tr("no conflict") : tr("%1 passes").arg(worst);
}

} // namespace

int MappingCells::rows() const {
    if (!data || !data->hasNumbers())
        return 0;
    return look == MappingLook::Workers ? static_cast<int>(data->shown().workers) : data->grid.rows();
}

int MappingCells::columns() const {
    if (!data || !data->hasNumbers())
        return 0;
    return look == MappingLook::Workers ? static_cast<int>(data->shown().per_worker) : data->grid.columns();
}

session::CanvasCell MappingCells::at(int row, int column) const {
    if (look != MappingLook::Workers)
        return data->grid.at(row, column);
    session::CanvasCell cell;
    cell.worker = row;
    cell.task = column;
    cell.tasks = 1;
    const session::CanvasPicture& picture = data->shown();
    cell.element = picture.elements[static_cast<std::size_t>(row * picture.per_worker + column)];
    return cell;
}

QString MappingCells::text(const session::CanvasCell& cell) const {
    if (look == MappingLook::Workers) {
        const QString index = QString::fromStdString(session::index_text(data->shown(), cell.element));
        return index.mid(1, index.size() - 2).remove(' ');
    }
    if (look == MappingLook::Banks)
        return QString::number(cell.bank);
    if (!data->isMapping())
        return QString::number(cell.slot);
    return cell.worker < 0 ? QString() : QString::number(cell.worker);
}

QString MappingCells::longestText() const {
    if (rows() == 0 || columns() == 0)
        return {};
    if (look == MappingLook::Banks)
        return QString::number(session::bank_count - 1);
    if (look == MappingLook::Workers) {
        QString out;
        for (const std::int64_t extent : data->shown().shape)
            out += (out.isEmpty() ? "" : ",") + QString::number(extent - 1);
        return out;
    }
    return QString::number((data->isMapping() ? data->shown().workers : data->shown().size) - 1);
}

QColor MappingCells::color(const session::CanvasCell& cell) const {
    if (look == MappingLook::Banks)
        return m_colors.bank(cell.bank);
    if (!data->isMapping())
        return m_colors.slot(cell.slot, data->shown().size);
    return cell.worker < 0 ? m_theme->panel : m_colors.worker(cell.worker);
}

bool MappingCells::has(MappingMark mark, int row, int column) const {
    switch (mark) {
    case MappingMark::Conflict:
        return look == MappingLook::Banks && (isWorse(data->columnPasses, column) || isWorse(data->rowPasses, row));
    case MappingMark::Now: return step > 0 && data->isMapping() && at(row, column).task == step - 1;
    case MappingMark::Several: return data->isMapping() && at(row, column).tasks > 1;
    case MappingMark::Nobody:
        return data->isMapping() && (at(row, column).worker < 0 || isIdle(at(row, column).worker));
    case MappingMark::None: break;
    }
    return false;
}

bool MappingCells::isIdle(qint64 worker) const {
    return data->isMapping() && data->canvas.threads > 0 && worker >= data->canvas.threads;
}

qint64 MappingCells::part(int row, int column) const {
    return share ? share->part_of(at(row, column).element) : -1;
}

double MappingCells::strength(int row, int column) const {
    if (share)
        return part(row, column) < 0 ? 0.3 : 1;
    if (step <= 0 && !spot)
        return 1;
    const session::CanvasCell cell = at(row, column);
    if (step > 0 && data->isMapping() && cell.task >= step)
        return 0.15;
    if (!spot)
        return 1;
    const session::CanvasCell here = at(spot.row, spot.column);
    bool belongs = cell.element == here.element;
    if (data->isMapping())
        belongs = belongs || (here.worker >= 0 && cell.worker == here.worker);
    else
        belongs = belongs || (look == MappingLook::Banks ? cell.bank == here.bank : cell.slot == here.slot);
    return belongs ? 1 : 0.4;
}

// ---- words ----------------------------------------------------------------------------------------------------------

QList<MappingLegendRow> MappingCells::legend() const {
    QList<MappingLegendRow> out;
    if (rows() == 0 || columns() == 0)
        return out;
    const session::CanvasPicture& picture = data->shown();
    QList<QColor> colors;
    if (look == MappingLook::Banks) {
        for (int bank = 0; bank < session::bank_count; bank += 6)
            colors << m_colors.bank(bank);
        out << MappingLegendRow{MappingMark::None, colors, tr("bank 0 to %1").arg(session::bank_count - 1)};
    } else if (data->isMapping()) {
        for (qint64 worker = 0; worker < std::min<qint64>(picture.workers, 5); ++worker)
            colors << m_colors.worker(worker);
        out << MappingLegendRow{MappingMark::None, colors,
                                look == MappingLook::Workers ? tr("a row is a worker, a cell the element of a task")
                                                             : tr("the number is the worker")};
    } else {
        for (int part = 0; part < 5; ++part)
            colors << m_colors.slot(part * (picture.size - 1) / 4, picture.size);
        out << MappingLegendRow{MappingMark::None, colors, tr("slot 0 to %1").arg(picture.size - 1)};
    }
    if (look == MappingLook::Elements && data->isMapping() && data->count.repeated > 0)
        out << MappingLegendRow{MappingMark::Several, {}, tr("several tasks")};
    if (look == MappingLook::Elements && data->isMapping() && data->count.unmapped > 0)
        out << MappingLegendRow{MappingMark::Nobody, {}, tr("no worker")};
    else if (data->isMapping() && isIdle(picture.workers - 1))
        out << MappingLegendRow{MappingMark::Nobody, {}, tr("a worker without a thread")};
    if (look == MappingLook::Banks)
        out << MappingLegendRow{MappingMark::Conflict, {}, tr("lanes of its row or column meet in a bank")};
    if (step > 0)
        out << MappingLegendRow{MappingMark::Now, {}, tr("task %1").arg(step - 1)};
    return out;
}

QString MappingCells::sentence() const {
    if (!data)
        return {};
    if (share)
        return QString::fromStdString(session::share_text(*share));
    if (!spot || rows() == 0)
        return sentenceOfWhole();
    const session::CanvasPicture& picture = data->shown();
    const session::CanvasCell cell = at(spot.row, spot.column);
    const QString element = tr("element %1").arg(QString::fromStdString(session::index_text(picture, cell.element)));
    if (!data->isMapping()) {
        QString out = tr("%1: slot %2").arg(element).arg(cell.slot);
        if (picture.element_bits > 0)
            out += tr(", byte %1, bank %2").arg(cell.slot * picture.element_bits / 8).arg(cell.bank);
        return out;
    }
    if (cell.worker < 0)
        return tr("%1: no worker has it").arg(element);
    QString out = tr("%1: task %2 of worker %3").arg(element).arg(cell.task).arg(cell.worker);
    if (cell.tasks > 1)
        out += tr(", and %1 more").arg(cell.tasks - 1);
    return out;
}

QString MappingCells::sentenceOfWhole() const {
    const session::CanvasPicture& picture = data->shown();
    return QString::fromStdString(session::shape_text(picture) + ": " + session::summary_of(picture)) + counts();
}

QString MappingCells::counts() const {
    QString out;
    const qint64 threads = data->canvas.threads, workers = data->shown().workers;
    if (data->isMapping() && threads > workers)
        out += tr("; the block has %1 threads, those from %2 on have no task here").arg(threads).arg(workers);
    else if (isIdle(workers - 1))
        out += tr("; the block has %1 threads, the workers from %1 on are never asked").arg(threads);
    if (data->count.unmapped > 0)
        out += tr("; %1 elements without a worker").arg(data->count.unmapped);
    if (data->count.repeated > 0)
        out += data->isMapping() ? tr("; %1 elements are several tasks").arg(data->count.repeated)
                                 : tr("; %1 slots hold several elements").arg(data->count.repeated);
    if (data->count.unused > 0)
        out += tr("; %1 slots are empty").arg(data->count.unused);
    if (look == MappingLook::Banks)
        out += tr("; 32 lanes along a row: %1, along a column: %2")
                   .arg(passes(data->rowPasses), passes(data->columnPasses));
    return out;
}

namespace {
constexpr int worker_colors = 36;
constexpr int bank_colors = 32;
constexpr int slot_colors = 64;
} // namespace

MappingColors::MappingColors(const Theme& theme) {
    const double lightness = theme.dark ? 0.36 : 0.89;
    const double chroma = theme.dark ? 0.08 : 0.075;
    // A step of 5/12 of the circle keeps neighbours apart; every twelfth is a little lighter or darker.
    for (int i = 0; i < worker_colors; ++i)
        m_workers.append(oklch(lightness + 0.03 * (i / 12 - 1), chroma, 20 + 150.0 * i + 10.0 * (i / 12)));
    for (int i = 0; i < bank_colors; ++i)
        m_banks.append(oklch(lightness + (i % 2 ? 0.02 : -0.02), chroma, 360.0 * i / bank_colors));
    for (int i = 0; i < slot_colors; ++i)
        m_slots.append(oklch(lightness + (theme.dark ? -0.08 : 0.07) * (1 - 1.0 * i / slot_colors), chroma,
                             250 - 130.0 * i / slot_colors));
}

QColor MappingColors::worker(qint64 worker) const {
    return m_workers[static_cast<qsizetype>(worker % worker_colors)];
}

QColor MappingColors::bank(int bank) const {
    return m_banks[std::max(bank, 0) % bank_colors];
}

QColor MappingColors::slot(qint64 slot, qint64 size) const {
    const qint64 at = slot * slot_colors / std::max<qint64>(size, 1);
    return m_slots[static_cast<qsizetype>(std::clamp<qint64>(at, 0, slot_colors - 1))];
}

} // namespace hidet::ui
