// SPDX-License-Identifier: GPL-3.0-only
// Which blocks of a kernel run together, in which order, what they share in the second-level cache, and how much of the last wave
// is lost. Follows the text while it is typed; while the dock is hidden nothing is computed.
#include <algorithm>

#include "app/session/explain/explained_source.h"
#include "app/ui/charts/waves_picture.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/widgets/step_player.h"
#include "app/ui/workbench/kernel_dock.h"
#include "app/ui/workbench/lessons.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

using session::WavesView;
using session::WaveView;
using WavesViewPtr = std::shared_ptr<const WavesView>;

constexpr double lost_that_counts = 0.25; // of the time

QString sharedText(double requested, double distinct) {
    return distinct > 0 ? tr("%1 times").arg(numberText(requested / distinct)) : QString();
}

class WavesDock : public KernelDock {
public:
    explicit WavesDock(Studio& studio)
        : KernelDock(studio, "waves", tr("Which blocks run together, and what they share in the second-level cache")) {
        setFocusProxy(m_picture);
        nameParts();
        layOutParts();
        listen();
        begin();
    }

private:
    void nameParts() {
        setNames("waves", m_tail, "tail", m_learn, "learn", m_picture, "picture", m_words, "words", m_table, "table",
                 m_cache, "cache");
        m_words->setProperty("muted", true);
        m_table->setSelectionMode(QAbstractItemView::SingleSelection);
        m_cache->setProperty("muted", true);
        m_cache->setMostLines(2);
    }

    void layOutParts() {
        const auto column = [this](QWidget* above, QWidget* below) {
            auto* out = new QWidget(m_full);
            newColumn(out, {{above, 1}, newRow({8, 0, 8, 4}, usual_spacing, {below})});
            return out;
        };
        QSplitter* splitter = newSplitter(column(m_picture, m_words), 700, column(m_table, m_cache), 700);
        newColumn(m_full,
                  {newBar({m_kernels, {m_tail, 1}, m_learn, m_steps, m_saver->newButton(m_full)}), {splitter, 1}});
    }

    void listen() {
        connect(m_steps, &StepPlayer::stepChanged, this, [this](int step) { showStep(step); });
        connect(m_picture, &WavesPicture::chosen, this, [this](qint64 wave) { chooseWave(wave); });
        connect(m_picture, &WavesPicture::wordsChanged, this, [this] { m_words->setText(m_picture->words()); });
        connect(m_table, &QTableWidget::currentCellChanged, this, [this](int row, int, int before, int) {
            if (row != before && row >= 0 && row < int(m_waveOfRow.size()))
                m_steps->setStep(m_waveOfRow[std::size_t(row)] + 1);
        });
    }

    // ---- what is shown -------------------------------------------------------------------------------------------

    void look(const session::KernelExplained& kernel, const Source& source) override {
        m_making.run(
            [kernel, source, before = baselineOf(m_studio, kernel)](const std::atomic<bool>& stopped) {
                return viewsOf(kernel, *source, before, [&](const auto& from, const session::KernelExplained& of) {
                    return session::waves_of(from, *of.cost, &stopped);
                });
            },
            [this](const std::pair<WavesViewPtr, WavesViewPtr>& made) { take(made.first, made.second); });
    }

    void forget() override {
        m_making.cancel();
        m_waves = nullptr;
    }

    void fade(bool isStale) override {
        m_picture->setStale(isStale);
        for (QWidget* each : std::initializer_list<QWidget*>{m_tail, m_table, m_cache, m_words})
            each->setEnabled(!isStale);
    }

    void take(const WavesViewPtr& made, const WavesViewPtr& before) {
        if (!made->unknown.empty())
            return sayEmpty(tr("Which blocks run together is not known"), sentence(made->unknown));
        m_waves = made;
        m_picture->show(made);
        showFull();
        const int step = m_steps->step();
        m_steps->setCount(int(made->waves.size()));
        showStep(std::min(step, int(made->waves.size())));
        m_tail->setText(tailText());
        m_learn->setLesson(m_waves->lost >= lost_that_counts ? "tail" : QString());
        m_words->setText(m_picture->words());
        m_cache->setText(cacheText());
        const QSignalBlocker quiet(m_table);
        m_waveOfRow.clear();
        m_table->show(rowsOf(*made, &m_waveOfRow), before ? rowsOf(*before, nullptr) : FigureRows());
    }

    QString tailText() const {
        const WavesView& of = *m_waves;
        QString out = tr("%1 blocks, %2 together (%3 multiprocessors with %4 each): ")
                          .arg(of.blocks)
                          .arg(of.resident)
                          .arg(of.multiprocessors)
                          .arg(of.of_each);
        out += !of.rounds_of.empty() ? tr("%1 turns of the loop over %2").arg(of.count).arg(text(of.rounds_of))
               : of.count == 1       ? tr("1 wave")
                                     : tr("%1 waves").arg(of.count);
        out +=
            tr("; the last has work for %1, so %2 of the time is lost").arg(percentText(of.last), percentText(of.lost));
        if (of.lost_seconds)
            out += tr(" (~%1)").arg(timeText(*of.lost_seconds));
        return out;
    }

    QString cacheText() const {
        QString out;
        if (m_waves->requested > 0)
            out = tr("Of what these read %1 can come from the second-level cache (%2), if the blocks of a wave keep "
                     "step.")
                      .arg(percentText(m_waves->hits), bytesText(double(m_waves->l2_bytes)));
        const QStringList left = textsOf(m_waves->left_out);
        return left.isEmpty() ? out : tr("%1 Not followed: %2.").arg(out, left.join(", "));
    }

    // `waves`: which each row is of.
    static FigureRows rowsOf(const WavesView& view, std::vector<int>* waves) {
        FigureRows rows;
        for (std::size_t i = 0; i < view.waves.size(); ++i) {
            const WaveView& wave = view.waves[i];
            rows.push_back({QString::number(wave.number), QString::number(wave.blocks), tr("all"),
                            bytesText(wave.requested), bytesText(wave.distinct),
                            sharedText(wave.requested, wave.distinct), percentText(wave.hits)});
            for (const session::WaveOperand& operand : wave.operands) {
                const QString how =
                    operand.is_at_most ? tr("%1, at most").arg(text(operand.direction)) : text(operand.direction);
                rows.push_back({{},
                                {},
                                tr("%1, %2").arg(text(operand.tensor), how),
                                bytesText(operand.requested),
                                bytesText(operand.distinct),
                                sharedText(operand.requested, operand.distinct),
                                {}});
            }
            if (waves)
                waves->resize(rows.size(), int(i));
        }
        return rows;
    }

    // ---- one wave after the other --------------------------------------------------------------------------------

    void showStep(int step) {
        const bool isOne = m_waves && step > 0 && step <= int(m_waves->waves.size());
        m_picture->setWave(isOne ? m_waves->waves[std::size_t(step - 1)].number : 0);
        const auto row = std::ranges::find(m_waveOfRow, step - 1);
        if (!isOne || row == m_waveOfRow.end())
            return;
        const int at = int(row - m_waveOfRow.begin()), current = m_table->currentRow();
        if (current >= 0 && current < int(m_waveOfRow.size()) && m_waveOfRow[std::size_t(current)] == step - 1)
            return; // one of its tensors
        const QSignalBlocker quiet(m_table);
        m_table->setCurrentCell(at, 0);
    }

    void chooseWave(qint64 number) {
        const auto found = std::ranges::find(m_waves->waves, number, &WaveView::number);
        if (found != m_waves->waves.end())
            m_steps->setStep(int(found - m_waves->waves.begin()) + 1);
    }

    ElidedLabel* m_tail = new ElidedLabel(m_full);
    LessonButton* m_learn = new LessonButton(m_studio, m_full);
    StepPlayer* m_steps = new StepPlayer(m_studio.themes,
                                         {"waves", tr("Shows one wave after the other"), tr("Waves up to here"),
                                          tr("How many waves are shown; at the left end all of them")},
                                         m_full);
    WavesPicture* m_picture = new WavesPicture(m_studio.themes, m_full);
    ElidedLabel* m_words = new ElidedLabel(m_full);
    FigureTable* m_table = new FigureTable(m_studio.themes, tr("What waves ask for"),
                                           {tr("Wave"), comparedColumn(tr("Blocks")), textColumn(tr("Tensor")),
                                            comparedColumn(tr("Asked for")), comparedColumn(tr("Distinct")),
                                            comparedColumn(tr("Shared")), comparedColumn(tr("From L2"))},
                                           m_full);
    ElidedLabel* m_cache = new ElidedLabel(m_full);
    PictureSaver* m_saver = new PictureSaver(
        m_studio, *this, [this] { return m_waves != nullptr; }, [this] { return m_picture->saved(); });
    WavesViewPtr m_waves;
    std::vector<int> m_waveOfRow; // of the table
    LatestTask m_making;
};

} // namespace

DockWidget* makeWavesDock(Studio& studio) {
    return new WavesDock(studio);
}

} // namespace hidet::ui
