// SPDX-License-Identifier: GPL-3.0-only
// Which elements of its operands one block of a kernel reads and writes, without running it. Follows the text while it is typed;
// while the dock is hidden nothing is computed.
#include <algorithm>
#include <array>

#include <QSpinBox>

#include "app/session/explain/explained_source.h"
#include "app/ui/charts/block_picture.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/workbench/kernel_dock.h"
#include "app/ui/workbench/picture_saver.h"

namespace hidet::ui {

namespace {

using session::BlockView;

constexpr std::int64_t most_shown_cells = 64; // of a side of a picture

class BlockDock : public KernelDock {
public:
    explicit BlockDock(Studio& studio)
        : KernelDock(studio, "block", tr("Which elements of its operands a block reads and writes")) {
        setFocusProxy(m_picture);
        makeChoices();
        layOutParts();
        listen();
        begin();
    }

private:
    void makeChoices() {
        for (std::size_t d = 0; d < m_at.size(); ++d) {
            const QString axis(QChar('x' + int(d)));
            m_at.at(d) = new QSpinBox(m_full);
            m_at.at(d)->setObjectName("block." + axis);
            m_at.at(d)->setAccessibleName("blockIdx." + axis);
            m_at.at(d)->setPrefix(axis + ' ');
            m_at.at(d)->setWrapping(true);
            connect(m_at.at(d), &QSpinBox::valueChanged, this, &BlockDock::refresh);
        }
        setNames("block", m_said, "sentence", m_picture, "picture", m_words, "words");
        m_words->setProperty("muted", true);
    }

    void layOutParts() {
        QHBoxLayout* bar = newBar();
        bar->addWidget(m_kernels);
        for (QSpinBox* each : m_at)
            bar->addWidget(each);
        bar->addWidget(m_said, 1);
        bar->addWidget(m_saver->newButton(m_full));
        newColumn(m_full, {bar, {m_picture, 1}, newRow({8, 0, 8, 4}, usual_spacing, {m_words})});
    }

    void listen() {
        connect(m_picture, &BlockPicture::wordsChanged, this, [this] { m_words->setText(m_picture->words()); });
    }

    void fade(bool isStale) override {
        m_picture->setStale(isStale);
        m_said->setEnabled(!isStale);
        m_words->setEnabled(!isStale);
    }

    void look(const session::KernelExplained& kernel, const Source& source) override {
        const std::vector<std::int64_t>& grid = kernel.cost->grid;
        if (grid.size() != m_at.size())
            return sayEmpty(tr("Nothing is known of the launch of this kernel"));
        session::BlockRequest request{grid, {}, most_shown_cells, most_shown_cells};
        for (std::size_t d = 0; d < m_at.size(); ++d) {
            const QSignalBlocker quiet(m_at.at(d));
            m_at.at(d)->setRange(0, int(std::clamp<std::int64_t>(grid[d] - 1, 0, 1 << 30)));
            m_at.at(d)->setVisible(d == 0 || grid[d] > 1);
            request.block.at(d) = m_at.at(d)->value();
        }
        m_making.run(
            [source, request](const std::atomic<bool>& stopped) {
                return std::make_shared<const BlockView>(session::block_of(*source, request, &stopped));
            },
            [this](const std::shared_ptr<const BlockView>& made) { take(made); });
    }

    void forget() override {
        m_making.cancel();
        m_block = nullptr;
    }

    void take(const std::shared_ptr<const BlockView>& made) {
        m_block = made;
        showFull();
        m_picture->show(made);
        QString said = made->unknown.empty() ? tr("of a grid of %1").arg(gridText(*made))
                                             : tr("Not known: %1").arg(text(made->unknown));
        if (!made->left_out.empty())
            said += tr("; not followed: %1").arg(textsOf(made->left_out).join(", "));
        m_said->setText(said);
        m_words->setText(m_picture->words());
    }

    static QString gridText(const BlockView& block) {
        QStringList parts = numbersOf(block.grid);
        while (parts.size() > 1 && parts.last() == "1")
            parts.removeLast();
        return parts.join(" x ");
    }

    std::array<QSpinBox*, 3> m_at{}; // blockIdx
    ElidedLabel* m_said = new ElidedLabel(m_full);
    BlockPicture* m_picture = new BlockPicture(m_studio.themes, m_full);
    ElidedLabel* m_words = new ElidedLabel(m_full);
    PictureSaver* m_saver = new PictureSaver(
        m_studio, *this, [this] { return m_block && m_block->unknown.empty(); }, [this] { return m_picture->saved(); });
    std::shared_ptr<const BlockView> m_block;
    LatestTask m_making;
};

} // namespace

DockWidget* makeBlockDock(Studio& studio) {
    return new BlockDock(studio);
}

} // namespace hidet::ui
