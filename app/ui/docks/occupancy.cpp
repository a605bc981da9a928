// SPDX-License-Identifier: GPL-3.0-only
// How many blocks of a kernel a multiprocessor holds, how far the next stair is up and down, and the sizes of blocks and tiles of
// the script: they are dragged here, written back as one step of undo, and the figures follow.
#include <algorithm>

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QSlider>

#include "app/session/explain/cost.h"
#include "app/session/explain/explained_source.h"
#include "app/ui/charts/plot_view.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/editor/symbols.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/workbench/kernel_dock.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

using session::Cliff;
using session::assist::TunableNumber;

// Values that a slider stops at: whole multiples of what the number is made of, up to four times of it.
std::vector<std::int64_t> stopsOf(std::int64_t value) {
    constexpr std::int64_t most = 64;
    std::int64_t unit = 32;
    while (unit > 1 && value % unit != 0)
        unit /= 2;
    unit = std::max(unit, (4 * value + most - 1) / most / unit * unit);
    std::vector<std::int64_t> out;
    for (std::int64_t stop = unit; stop <= 4 * value; stop += unit)
        out.push_back(stop);
    if (std::ranges::find(out, value) == out.end())
        out.insert(std::ranges::upper_bound(out, value), value);
    return out;
}

// Writes numbers into the script. One that changes while the text is still being read waits for that, and ends what it is a part
// of afterwards.
class TunableWriter {
public:
    explicit TunableWriter(Studio& studio) : m_studio(studio) {}

    void change(const QString& name, int number, qint64 value) {
        m_waiting = Waiting{name.toStdString(), number, value};
        takeWaiting();
    }
    void group(bool begins) {
        if (begins)
            return m_studio.requests.groupFixes(true);
        m_ends = true;
        takeWaiting();
    }
    void takeWaiting() {
        const LivePipeline* live = m_studio.scripts.live();
        if (!live || !live->answersAreCurrent())
            return;
        if (const auto waiting = std::exchange(m_waiting, std::nullopt))
            for (const TunableNumber& each : session::assist::tunable_numbers(*live->answers()))
                if (each.name == waiting->name && each.number == waiting->number && each.value != waiting->value)
                    m_studio.requests.applyFix({{placeIn(*live, m_studio.tabs.current()->name(), each.literal),
                                                 std::to_string(waiting->value), "a size"}});
        if (std::exchange(m_ends, false))
            m_studio.requests.groupFixes(false);
    }

private:
    struct Waiting {
        std::string name;
        int number = 0;
        qint64 value = 0;
    };
    Studio& m_studio;
    std::optional<Waiting> m_waiting;
    bool m_ends = false;
};

class OccupancyDock : public KernelDock {
public:
    explicit OccupancyDock(Studio& studio)
        : KernelDock(studio, "occupancy",
                     tr("How many blocks of a kernel run beside each other, and what is in the way of one more")),
          m_writer(studio) {
        setFocusProxy(m_plot);
        nameParts();
        layOutParts();
        listen();
        begin();
    }

private:
    struct Row {
        QString name;
        int number = 0;
        QLabel* label = nullptr;
        QSlider* slider = nullptr;
        QLabel* value = nullptr;
        std::vector<std::int64_t> stops;
    };

    void nameParts() {
        setNames("occupancy", m_which, "which", m_said, "sentence", m_cliff, "cliff", m_plot, "plot");
        m_said->setMostLines(9);
        m_cliff->setProperty("muted", true);
    }

    void layOutParts() {
        auto* left = new QWidget(m_full);
        m_grid->setContentsMargins(0, 0, 0, 0);
        m_grid->setColumnStretch(1, 1);
        m_grid->setAlignment(Qt::AlignTop);
        auto* below = new QWidget;
        newColumn({}, usual_spacing, {m_said, m_sizes, stretched(1)}, below);
        QScrollArea* scroll = newScrollArea(below, left);
        scroll->viewport()->setAutoFillBackground(false);
        below->setAutoFillBackground(false);
        newColumn({8, 4, 8, 4}, usual_spacing, {m_kernels, {scroll, 1}}, left);
        auto* right = new QWidget(m_full);
        newColumn(right, {newBar({m_which, {m_cliff, 1}, m_saver->newButton(right)}), {m_plot, 1}});
        newColumn(m_full, {newSplitter(left, 560, right, 840)});
    }

    void listen() {
        m_studio.scripts.follow({&LiveScripts::analysed}, this, [](OccupancyDock* dock) {
            dock->m_writer.takeWaiting();
            if (dock->isVisible())
                dock->showSizes();
        });
        connect(m_which, &QComboBox::activated, this, [this] { showCliff(); });
    }

    void fade(bool isStale) override {
        m_said->setEnabled(!isStale);
        m_cliff->setEnabled(!isStale);
    }

    // ---- figures -------------------------------------------------------------------------------------------------

    void look(const session::KernelExplained& kernel, const Source& source) override {
        session::CostView cost = *kernel.cost;
        takeRegisters(m_kernels->currentText(), cost, source->target);
        say(cost);
        showFull();
        showSizes();
        m_making.run([needs = session::needs_of(cost),
                      source](const std::atomic<bool>&) { return session::cliffs_of(source->target, needs); },
                     [this](const std::vector<Cliff>& made) { take(made); });
    }

    // While the compiler is at work the kernel has those of before.
    void takeRegisters(const QString& kernel, session::CostView& cost, const artifact::TargetSpec& target) {
        const QString key = m_studio.tabs.current()->title() + '/' + kernel;
        m_isGuessed = !cost.facts;
        if (cost.facts)
            m_registers[key] = *cost.facts;
        else if (m_registers.contains(key))
            session::add_facts(m_registers.value(key), target, cost);
    }

    void say(const session::CostView& cost) {
        const session::Occupancy& of = *cost.occupancy;
        if (!of.impossible.empty())
            return m_said->setText(tr("No block fits: %1.").arg(text(of.impossible)));
        QString out = tr("%1 of %2 threads on a multiprocessor: %3.")
                          .arg(of.blocks == 1 ? tr("1 block") : tr("%1 blocks").arg(of.blocks))
                          .arg(cost.block[0] * cost.block[1] * cost.block[2])
                          .arg(text(session::occupancy_text(of)));
        if (!cost.facts)
            out = tr("At most %1 Registers are not known: %2.").arg(out, text(cost.facts_unknown));
        else if (m_isGuessed)
            out += ' ' +
                   tr("If it has %1 registers as before: %2.").arg(cost.facts->registers).arg(text(cost.facts_unknown));
        if (!of.one_more.empty())
            out += ' ' + sentence(of.one_more) + '.';
        m_said->setText(out);
    }

    void forget() override { m_making.cancel(); }

    void take(const std::vector<Cliff>& made) {
        m_cliffs = made;
        const QString before = m_which->currentText();
        m_which->clear();
        for (const Cliff& cliff : m_cliffs)
            m_which->addItem(capitalized(text(cliff.what)));
        m_which->setCurrentIndex(std::max(0, m_which->findText(before)));
        showCliff();
    }

    void showCliff() {
        const int index = m_which->currentIndex();
        if (index < 0 || index >= int(m_cliffs.size()))
            return;
        const Cliff& cliff = m_cliffs[std::size_t(index)];
        m_cliff->setText(text(cliff.sentence));
        PlotData plot;
        plot.title = tr("Warps of a multiprocessor by %1").arg(text(cliff.what));
        PlotSeries stairs;
        stairs.name = tr("warps");
        stairs.labelled = false;
        double most = 1;
        for (const session::CliffStep& step : cliff.steps) {
            for (const std::int64_t at : {step.from, step.to}) {
                stairs.points << QPointF(double(at), step.warps);
                stairs.words
                    << tr("%1 %2: %3 blocks, %4 warps").arg(at).arg(text(cliff.what)).arg(step.blocks).arg(step.warps);
            }
            most = std::max(most, double(step.warps));
        }
        PlotSeries here;
        here.name = tr("now");
        here.mark = PlotMark::Dots;
        here.color = 1;
        const auto now = std::ranges::find_if(cliff.steps, [&](const auto& step) { return cliff.now <= step.to; });
        if (now != cliff.steps.end()) {
            here.points << QPointF(double(cliff.now), now->warps);
            here.words << text(cliff.sentence);
        }
        plot.x = {text(cliff.what), double(cliff.steps.front().from), double(cliff.steps.back().to)};
        plot.x.isWhole = true;
        plot.y = {tr("warps"), 0, most * 1.1};
        plot.y.isWhole = true;
        plot.series << stairs << here;
        m_plot->show(plot);
    }

    // ---- sizes ---------------------------------------------------------------------------------------------------

    void showSizes() {
        const LivePipeline* live = m_studio.scripts.live();
        if (!live || !live->answers())
            return;
        const std::vector<TunableNumber> numbers = session::assist::tunable_numbers(*live->answers());
        const bool isSame = std::ranges::equal(m_rows, numbers, [](const Row& row, const TunableNumber& number) {
            return row.name == text(number.name) && row.number == number.number;
        });
        if (!isSame)
            build(numbers);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            show(m_rows[i], numbers[i].value);
    }

    void build(const std::vector<TunableNumber>& numbers) {
        while (QLayoutItem* item = m_grid->takeAt(0)) {
            item->widget()->hide();
            item->widget()->deleteLater();
            delete item;
        }
        m_rows.clear();
        if (numbers.empty()) {
            auto* none = new QLabel(tr("No size of a block or a tile stands as a number in this script"), m_sizes);
            none->setProperty("muted", true);
            none->setWordWrap(true);
            m_grid->addWidget(none, 0, 0, 1, 3);
        }
        for (const TunableNumber& number : numbers)
            addRow(text(number.name), number.number);
    }

    void addRow(const QString& name, int number) {
        const int at = int(m_rows.size());
        auto* label = new QLabel(name, m_sizes);
        label->setFont(m_studio.themes.codeFont());
        label->setTextFormat(Qt::PlainText);
        auto* slider = new QSlider(Qt::Horizontal, m_sizes);
        slider->setObjectName(number == 0 ? "occupancy.size." + name
                                          : QString("occupancy.size.%1.%2").arg(name).arg(number));
        slider->setAccessibleName(name);
        slider->setToolTip(tr("Changes the number in the script; a drag is one step of undo"));
        auto* value = new QLabel(m_sizes);
        value->setFont(m_studio.themes.codeFont());
        m_grid->addWidget(label, at, 0);
        m_grid->addWidget(slider, at, 1);
        m_grid->addWidget(value, at, 2);
        connect(slider, &QSlider::sliderPressed, this, [this] { m_writer.group(true); });
        connect(slider, &QSlider::sliderReleased, this, [this] {
            m_writer.group(false);
            showSizes();
        });
        connect(slider, &QSlider::valueChanged, this, [this, at](int stop) { change(at, stop); });
        m_rows.push_back({name, number, label, slider, value, {}});
    }

    // The stops stay while the mouse holds the slider.
    void show(Row& row, std::int64_t value) {
        if (row.slider->isSliderDown())
            return;
        const QSignalBlocker quiet(row.slider);
        auto at = std::ranges::find(row.stops, value);
        if (at == row.stops.end()) {
            row.stops = stopsOf(value);
            row.slider->setRange(0, int(row.stops.size()) - 1);
            at = std::ranges::find(row.stops, value);
        }
        row.slider->setValue(int(at - row.stops.begin()));
        row.value->setText(QString::number(value));
    }

    void change(int at, int stop) {
        Row& row = m_rows[std::size_t(at)];
        const std::int64_t value = row.stops[std::size_t(stop)];
        row.value->setText(QString::number(value));
        m_writer.change(row.name, row.number, value);
    }

    TunableWriter m_writer;
    QComboBox* m_which = newChoice(tr("What the stairs are of"), m_full);
    ElidedLabel* m_said = new ElidedLabel(m_full);
    ElidedLabel* m_cliff = new ElidedLabel(m_full);
    QWidget* m_sizes = new QWidget;
    QGridLayout* m_grid = new QGridLayout(m_sizes);
    PlotView* m_plot = new PlotView(m_studio.themes, m_full);
    PictureSaver* m_saver = new PictureSaver(
        m_studio, *this, [this] { return m_plot->hasPlot(); }, [this] { return m_plot->saved(); });
    QHash<QString, session::KernelFacts> m_registers;
    bool m_isGuessed = false;
    std::vector<Cliff> m_cliffs;
    std::vector<Row> m_rows;
    LatestTask m_making;
};

} // namespace

DockWidget* makeOccupancyDock(Studio& studio) {
    return new OccupancyDock(studio);
}

} // namespace hidet::ui
