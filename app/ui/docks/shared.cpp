// SPDX-License-Identifier: GPL-3.0-only
// The shared memory of a block over the program of its kernel: which tensor lies where, from which line to which it is in use,
// how much is in use at a time. Follows the text while it is typed; a click or Return goes to the line.
#include <algorithm>

#include "app/session/explain/explained_source.h"
#include "app/ui/charts/bar_chart.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/columns.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/workbench/kernel_dock.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

using session::SharedTensor;
using session::SharedView;
using SharedViewPtr = std::shared_ptr<const SharedView>;

constexpr int shared_hues = 8;

std::vector<QColor> sharedPalette(const Theme& theme) {
    return distinctColors(theme.dark ? 0.46 : 0.83, 0.1, shared_hues);
}

QString typeText(const SharedTensor& tensor) {
    return text(tensor.dtype) + '[' + numbersOf(tensor.shape).join(", ") + ']';
}

QString linesText(const SharedTensor& tensor) {
    if (!tensor.first.known())
        return tr("never used");
    return tensor.first.line == tensor.last.line ? tr("line %1").arg(tensor.first.line)
                                                 : tr("lines %1 to %2").arg(tensor.first.line).arg(tensor.last.line);
}

// Only those that are used have a bar.
std::vector<int> barsOfTensors(const SharedView& view) {
    std::vector<int> out;
    for (int i = 0; i < int(view.tensors.size()); ++i)
        if (view.tensors[std::size_t(i)].first.known())
            out.push_back(i);
    std::ranges::stable_sort(out, {}, [&](int i) { return view.tensors[std::size_t(i)].begin; });
    return out;
}

Chart sharedChart(const SharedViewPtr& view, const std::vector<int>& tensors) {
    Chart out;
    out.name = tr("Shared memory over the program");
    out.summary =
        tr("%1 tensors, at most %2 in use at a time").arg(view->tensors.size()).arg(bytesText(double(view->peak)));
    out.x = {tr("statement of the kernel"), 0, double(std::max(view->statements, 1)), 1, false, true};
    out.y = {tr("offset"), 0, std::max<double>(double(view->bytes), 1) * 1.12};
    out.y.isWhole = true;
    for (const int i : tensors) {
        const SharedTensor& tensor = view->tensors[std::size_t(i)];
        out.bars.push_back({double(tensor.begin), double(tensor.end) + 1, double(tensor.offset),
                            double(tensor.offset + tensor.bytes), i % shared_hues});
    }
    out.lines.push_back({double(view->bytes), tr("%1 of the block").arg(bytesText(double(view->bytes))), false});
    out.palette = sharedPalette;
    const auto of = [view, tensors](int bar) -> const SharedTensor& {
        return view->tensors[std::size_t(tensors[std::size_t(bar)])];
    };
    out.label = [of](int bar) { return text(of(bar).name); };
    out.words = [of](int bar) {
        const SharedTensor& tensor = of(bar);
        QString said = tr("%1: %2\n%3 at %4\nIn use: %5")
                           .arg(text(tensor.name), typeText(tensor), bytesText(double(tensor.bytes)))
                           .arg(tensor.offset)
                           .arg(linesText(tensor));
        if (tensor.stages > 1)
            said += tr("\nA ring of %1 stages").arg(tensor.stages);
        return said;
    };
    out.header = {tr("tensor"), tr("type"), tr("bytes"), tr("offset"), tr("stages"), tr("first line"), tr("last line")};
    out.row = [of](int bar) {
        const SharedTensor& tensor = of(bar);
        return QStringList{text(tensor.name),
                           typeText(tensor),
                           QString::number(tensor.bytes),
                           QString::number(tensor.offset),
                           QString::number(tensor.stages),
                           QString::number(tensor.first.line),
                           QString::number(tensor.last.line)};
    };
    return out;
}

class SharedDock : public KernelDock {
public:
    explicit SharedDock(Studio& studio)
        : KernelDock(studio, "shared",
                     tr("Which shared tensor lies where, and from which line to which it is in use")) {
        setFocusProxy(m_chart);
        layOutParts();
        listen();
        begin();
    }

private:
    void nameParts() {
        setNames("shared", m_said, "sentence", m_chart, "chart", m_table, "table");
        m_said->setMostLines(2);
        m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    }

    void layOutParts() {
        nameParts();
        newColumn(m_full, {newBar({m_kernels, {m_said, 1}, m_saver->newButton(m_full)}),
                           {newSplitter(m_chart, 860, m_table, 540), 1}});
    }

    void listen() {
        connect(m_chart, &BarChart::picked, this, [this](int bar) {
            if (bar >= 0 && bar < int(m_bars.size()))
                show(m_bars[std::size_t(bar)]);
        });
        onChosen(*m_table, this, [this](const QModelIndex& index) { show(index.row()); });
    }

    void fade(bool isStale) override {
        m_said->setEnabled(!isStale);
        m_table->setEnabled(!isStale);
    }

    void look(const session::KernelExplained& kernel, const Source& source) override {
        m_making.run(
            [kernel, source, before = baselineOf(m_studio, kernel)](const std::atomic<bool>&) {
                return viewsOf(kernel, *source, before, [](const auto& from, const session::KernelExplained& of) {
                    return session::shared_of(from, of.cost->static_shared + of.cost->dynamic_shared);
                });
            },
            [this](const std::pair<SharedViewPtr, SharedViewPtr>& made) { take(made.first, made.second); });
    }

    void forget() override {
        m_making.cancel();
        m_view = nullptr;
    }

    void take(const SharedViewPtr& made, const SharedViewPtr& before) {
        if (made->tensors.empty())
            return sayEmpty(made->bytes > 0 ? tr("The script names no tensor in the shared memory of this kernel")
                                            : tr("This kernel has no shared memory"));
        m_view = made;
        m_bars = barsOfTensors(*made);
        showFull();
        m_chart->show(sharedChart(made, m_bars));
        m_said->setText(sentenceOf(*made));
        m_table->show(rowsOf(*made), before ? rowsOf(*before) : FigureRows());
    }

    static FigureRows rowsOf(const SharedView& view) {
        return transformed(view.tensors, [](const SharedTensor& tensor) -> std::vector<FigureCell> {
            return {QString::number(tensor.offset),
                    QString::number(tensor.bytes),
                    text(tensor.name),
                    typeText(tensor),
                    tensor.stages > 1 ? QString::number(tensor.stages) : QString(),
                    tensor.first.known() ? QString::number(tensor.first.line) : QString(),
                    tensor.first.known() ? QString::number(tensor.last.line) : QString()};
        });
    }

    static QString sentenceOf(const SharedView& view) {
        QString out = tr("%1 of a block, at most %2 in use at a time")
                          .arg(bytesText(double(view.bytes)), bytesText(double(view.peak)));
        if (view.peak_at.known())
            out += tr(" (line %1)").arg(view.peak_at.line);
        if (view.unused > 0)
            out += tr(", %1 that no tensor lies in").arg(bytesText(double(view.unused)));
        out += '.';
        return view.advice.empty() ? out : out + ' ' + sentence(view.advice) + '.';
    }

    void show(int tensor) {
        if (!m_view || tensor < 0 || tensor >= int(m_view->tensors.size()))
            return;
        const SharedTensor& of = m_view->tensors[std::size_t(tensor)];
        m_studio.requests.show(session::Place(of.first.known() ? of.first : of.place));
    }

    ElidedLabel* m_said = new ElidedLabel(m_full);
    BarChart* m_chart = new BarChart(m_studio.themes, m_full);
    FigureTable* m_table =
        new FigureTable(m_studio.themes, tr("Shared tensors"),
                        {comparedColumn(tr("Offset")), comparedColumn(tr("Bytes")), textColumn(tr("Tensor")),
                         textColumn(tr("Type")), comparedColumn(tr("Stages")), tr("First"), tr("Last")},
                        m_full);
    PictureSaver* m_saver = new PictureSaver(
        m_studio, *this, [this] { return m_view && !m_view->tensors.empty(); },
        [this] { return m_chart->saved("shared"); });
    SharedViewPtr m_view;
    std::vector<int> m_bars; // the tensor of each
    LatestTask m_making;
};

} // namespace

DockWidget* makeSharedDock(Studio& studio) {
    return new SharedDock(studio);
}

} // namespace hidet::ui
