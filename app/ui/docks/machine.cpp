// SPDX-License-Identifier: GPL-3.0-only
// What the machine code of the module in front says of itself, and what a GPU counted: loops with their bounds, lines that
// hold registers, waits that little covers, spills, conversions. A row leads to its line of the script.
#include <algorithm>
#include <cmath>

#include <QHeaderView>
#include <QStackedLayout>
#include <QTreeWidget>

#include "app/session/snapshot/machine.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/lessons.h"
#include "app/ui/workbench/picture_saver.h"
#include "app/ui/workbench/profiles.h"

namespace hidet::ui {

namespace {

enum MachineColumn { WhatColumn, LineColumn, FiguresColumn, ScriptColumn, MachineColumnCount };
constexpr int machine_line_role = Qt::UserRole, machine_column_role = machine_line_role + 1,
              machine_file_role = machine_column_role + 1;
constexpr int most_waits = 12;
constexpr int what_width = 240, line_width = 48, figures_width = 640;

QString cyclesText(double cycles) {
    return QString::number(std::llround(cycles));
}

// "195 cycles a warp alone; 64 of 16 warps by LSU; 3 warps hide what can be hidden".
QString turnText(const session::MachineTurn& turn) {
    QStringList out{DockWidget::tr("%1 instructions, %2 cycles of a warp alone")
                        .arg(turn.instructions)
                        .arg(cyclesText(turn.latency))};
    if (!turn.bounds.empty())
        out << DockWidget::tr("%1 for %2 warps, bound by %3")
                   .arg(cyclesText(turn.bounds.back().cycles))
                   .arg(turn.bounds.back().warps)
                   .arg(QString::fromStdString(turn.bounds.back().by));
    out << DockWidget::tr("warps that hide the rest: %1").arg(turn.warps_to_hide);
    if (turn.loads)
        out << DockWidget::tr("%1 of %2 loads in flight").arg(turn.in_flight).arg(turn.loads);
    if (turn.bank_cycles)
        out << DockWidget::tr("cycles lost to banks: %1").arg(turn.bank_cycles);
    return out.join("; ");
}

// "LDG.E.128.CONSTANT; 16 B a lane; 4 in each turn of 2 loops; 64 sectors of a warp at least".
QString accessText(const session::MachineAccess& access) {
    QStringList out{text(access.opcode)};
    out << (access.lane_bytes ? DockWidget::tr("%1 B a lane").arg(access.lane_bytes) : DockWidget::tr("by one thread"));
    out << (access.depth == 0 ? DockWidget::tr("instructions: %1, in no loop").arg(access.instructions)
            : access.depth == 1
                ? DockWidget::tr("instructions: %1, in a loop").arg(access.instructions)
                : DockWidget::tr("instructions: %1, in %2 loops").arg(access.instructions).arg(access.depth));
    if (access.sectors)
        out << DockWidget::tr("%1 sectors of a warp at least").arg(access.sectors * access.instructions);
    if (!access.cache.empty())
        out << DockWidget::tr("cache: %1").arg(text(access.cache));
    return out.join("; ");
}

class MachineDock : public DockWidget {
public:
    explicit MachineDock(Studio& studio) : m_studio(studio) {
        m_stack->addWidget(m_tree);
        m_stack->addWidget(m_empty);
        setFocusProxy(m_tree);
        m_tree->setObjectName("machine");
        m_tree->setAccessibleName(tr("What the machine code says of itself"));
        m_tree->setColumnCount(MachineColumnCount);
        m_tree->setHeaderLabels({tr("What"), tr("Line"), tr("Figures"), tr("Script")});
        m_tree->header()->resizeSection(WhatColumn, what_width);
        m_tree->header()->resizeSection(LineColumn, line_width);
        m_tree->header()->resizeSection(FiguresColumn, figures_width);
        m_tree->setUniformRowHeights(true);
        new PictureSaver(
            studio, *this, [this] { return m_stack->currentWidget() == m_tree; },
            [this] { return pictureOf(*m_tree, "machine"); });
        studio.scripts.follow({&LiveScripts::liveUpdated}, this, &MachineDock::refresh);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &MachineDock::refresh);
        connect(studio.profiles, &Profiles::changed, this, &MachineDock::refresh);
        studio.settings.follow({Setting::Machine}, this, [this] { refresh(); });
        onChosen(*m_tree, this, [this](QTreeWidgetItem* item) { go(*item); });
        refresh();
    }

private:
    void shown() override { refresh(); }
    void refresh() {
        if (!isVisible())
            return;
        const LivePipeline* live = m_studio.scripts.live();
        session::StageView sass;
        if (live)
            sass = viewOf(live->board(), live->module(), session::Form::Sass);
        const auto profile = m_studio.profiles->of(m_studio.tabs.current());
        if (!sass.machine && !profile)
            return sayEmpty(sass);
        m_stack->setCurrentWidget(m_tree);
        if (sass.machine == m_shown && profile == m_profile && m_tree->topLevelItemCount() > 0)
            return;
        m_shown = sass.machine;
        m_profile = profile;
        m_lines = QString::fromUtf8(m_studio.tabs.current()->text()).split('\n');
        m_tree->clear();
        if (profile)
            for (const session::ProfiledKernel& kernel : profile->kernels)
                add(kernel);
        if (sass.machine)
            for (const session::MachineFunction& function : sass.machine->functions)
                add(function, *sass.text);
    }

    void sayEmpty(const session::StageView& sass) {
        m_shown = nullptr;
        m_profile = nullptr;
        m_stack->setCurrentWidget(m_empty);
        const bool canExplain = m_studio.scripts.live() && !m_studio.settings.flag(Setting::Machine);
        m_empty->say(tr("What bounds the loops of the machine code will be listed here"),
                     !m_studio.scripts.live() ? tr("No script is open")
                     : canExplain ? tr("Machine code is not explained yet, which takes a moment at each change")
                                  : sentence(sass.reason));
        m_empty->setAction(canExplain ? tr("Explain it") : QString(),
                           [this] { m_studio.settings.set(Setting::Machine, true); });
    }

    void add(const session::MachineFunction& function, const session::TextSnapshot& listing) {
        const QString name = QString::fromStdString(function.name);
        const auto placeOf = [&](int line) {
            const auto at = static_cast<std::size_t>(line - 1);
            return at < listing.lines.size() ? listing.lines[at].place : session::Place();
        };
        QTreeWidgetItem* loops = group(tr("%1: loops, at least").arg(name));
        for (const session::MachineLoop& loop : function.loops) {
            row(loops, loop.is_inner ? tr("Inner loop") : tr("Loop around others"), loop.place, turnText(loop.least));
            if (loop.most)
                row(loops, tr("The same, all of it"), loop.place, turnText(*loop.most));
        }
        drop(loops);
        QTreeWidgetItem* registers =
            group(tr("%1: registers").arg(name),
                  tr("%1 are live in line %2").arg(function.most_registers).arg(function.peak.line));
        for (const session::MachineHolder& holder : function.holders) {
            const auto pressure = std::ranges::find_if(function.pressure, [&](const session::MachinePressure& each) {
                return each.place.file == holder.place.file && each.place.line == holder.place.line;
            });
            const QString held = tr("Wrote %1 of them").arg(holder.registers);
            row(registers, held, holder.place,
                pressure == function.pressure.end() ? QString()
                                                    : tr("%1 are live while it runs").arg(pressure->registers));
        }
        drop(registers);
        std::vector<const session::MachineArrow*> arrows;
        for (const session::MachineArrow& arrow : function.arrows)
            if (arrow.is_first && !arrow.for_operands)
                arrows.push_back(&arrow);
        std::ranges::stable_sort(arrows, {}, [](const session::MachineArrow* arrow) { return arrow->cycles; });
        arrows.resize(std::min<std::size_t>(arrows.size(), most_waits));
        QTreeWidgetItem* waits = group(tr("%1: waits that little covers").arg(name));
        for (const session::MachineArrow* arrow : arrows)
            row(waits, QString::fromStdString(arrow->setter_name), placeOf(arrow->waiter),
                tr("%1 cycles before it is waited for; of line %2")
                    .arg(arrow->cycles)
                    .arg(placeOf(arrow->setter).line));
        drop(waits);
        QTreeWidgetItem* accesses = group(tr("%1: memory").arg(name));
        for (const session::MachineAccess& access : function.accesses)
            row(accesses, capitalized(text(access.what)) + ", " + text(access.space), access.place, accessText(access));
        drop(accesses);
        QTreeWidgetItem* spills = group(tr("%1: spills").arg(name));
        for (const session::MachineMark& mark : function.spills)
            row(spills, tr("Instructions: %1").arg(mark.instructions), mark.place, tr("%1 B a thread").arg(mark.bytes));
        if (!function.spills.empty()) {
            auto* learn = new LessonButton(m_studio, m_tree);
            learn->setObjectName("machine.learn");
            learn->setAutoRaise(true);
            m_tree->setItemWidget(spills, ScriptColumn, learn);
            learn->setLesson("spill");
        }
        drop(spills);
        QTreeWidgetItem* conversions = group(tr("%1: conversions").arg(name));
        for (const session::MachineMark& mark : function.conversions)
            row(conversions, tr("Instructions: %1").arg(mark.instructions), mark.place, {});
        drop(conversions);
    }

    void add(const session::ProfiledKernel& kernel) {
        QTreeWidgetItem* all = group(
            tr("%1, counted").arg(QString::fromStdString(kernel.name)),
            tr("%1, %2 of DRAM, %3 of L2; %4 % of what it can compute, %5 % of what its memory moves; %6 % occupancy")
                .arg(timeText(kernel.seconds), bytesText(kernel.dram_bytes), bytesText(kernel.l2_bytes),
                     percentNumber(kernel.compute_roof), percentNumber(kernel.memory_roof),
                     percentNumber(kernel.occupancy)));
        for (const session::ProfiledLine& line : kernel.lines) {
            QStringList figures{tr("%1 % of the samples").arg(percentNumber(line.share))};
            if (!line.stalls.empty())
                figures << QString::fromStdString(line.stalls.front().reason);
            if (line.sectors.count)
                figures << tr("%1 sectors, ideal %2").arg(line.sectors.count).arg(line.sectors.least);
            if (line.foreseen_sectors)
                figures << tr("foretold ~%1").arg(std::llround(line.foreseen_sectors->count));
            if (line.wavefronts.count)
                figures << tr("%1 wavefronts, ideal %2").arg(line.wavefronts.count).arg(line.wavefronts.least);
            if (line.foreseen_wavefronts)
                figures << tr("foretold ~%1").arg(std::llround(line.foreseen_wavefronts->count));
            row(all, tr("%1 instructions").arg(line.executed), line.place, figures.join("; "));
        }
        drop(all);
    }

    QTreeWidgetItem* group(const QString& title, const QString& figures = {}) {
        auto* item = new QTreeWidgetItem(m_tree, {title, {}, figures});
        item->setFont(WhatColumn, bold(item->font(WhatColumn)));
        return item;
    }

    QTreeWidgetItem* row(QTreeWidgetItem* group, const QString& what, const session::Place& place,
                         const QString& figures) {
        const QString line = place.known() ? QString::number(place.line) : QString();
        auto* item = new QTreeWidgetItem(group, {what, line, figures, textOf(place)});
        item->setTextAlignment(LineColumn, Qt::AlignRight | Qt::AlignVCenter);
        item->setFont(ScriptColumn, m_studio.themes.codeFont());
        item->setToolTip(FiguresColumn, figures);
        item->setData(0, machine_line_role, place.line);
        item->setData(0, machine_column_role, place.column);
        item->setData(0, machine_file_role, QString::fromStdString(place.file));
        return item;
    }

    // where it has no rows
    void drop(QTreeWidgetItem* group) {
        if (group->childCount() == 0)
            delete group;
        else
            group->setExpanded(true);
    }

    QString textOf(const session::Place& place) const {
        const bool isHere =
            m_studio.tabs.current() && QString::fromStdString(place.file) == m_studio.tabs.current()->name();
        return isHere ? m_lines.value(place.line - 1).trimmed() : QString::fromStdString(place.file);
    }

    void go(const QTreeWidgetItem& item) {
        const int line = item.data(0, machine_line_role).toInt();
        const int column = std::max(1, item.data(0, machine_column_role).toInt());
        m_studio.requests.show({item.data(0, machine_file_role).toString().toStdString(), line, column, line, column});
    }

    Studio& m_studio;
    QTreeWidget* m_tree = new QTreeWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    QStackedLayout* m_stack = new QStackedLayout(this);
    std::shared_ptr<const session::MachineSnapshot> m_shown;
    std::shared_ptr<const session::ProfileResult> m_profile;
    QStringList m_lines; // of the script
};

} // namespace

DockWidget* makeMachineDock(Studio& studio) {
    return new MachineDock(studio);
}

} // namespace hidet::ui
