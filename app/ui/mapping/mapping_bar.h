// SPDX-License-Identifier: GPL-3.0-only
// The line above the picture of a mapping: which of several pictures, how it looks, which slice, how many tasks.
#pragma once

#include <QComboBox>
#include <QToolButton>
#include <QWidget>

#include "app/ui/mapping/mapping_cells.h"
#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/widgets/slice_chooser.h"
#include "app/ui/widgets/step_player.h"

namespace hidet::ui {

class MappingBar : public QWidget {
    Q_OBJECT
public:
    MappingBar(ThemeSource& themes, QWidget* parent)
        : QWidget(parent), m_pictures(new QComboBox(this)), m_slices(new SliceChooser(themes, "mapping", this)),
          m_steps(new StepPlayer(themes,
                                 {"mapping", tr("Shows the tasks of all workers, one after the other"),
                                  tr("Tasks of each worker up to here"),
                                  tr("How many tasks of each worker are shown; at the left end all of them")},
                                 this)) {
        named(m_pictures, "mapping.pictures", tr("Picture"));
        auto* line = new FlowLayout(8, 2, this);
        line->setContentsMargins(8, 4, 8, 2);
        line->addWidget(m_pictures);
        makeLooks();
        for (QToolButton* look : std::as_const(m_looks))
            line->addWidget(look);
        line->addWidget(m_slices);
        line->addWidget(m_steps);
        connect(m_pictures, &QComboBox::activated, this, &MappingBar::pictureChosen);
        connect(m_slices, &SliceChooser::changed, this, &MappingBar::sliceChosen);
        keepSmall(themes, QList<QWidget*>{m_pictures} << QList<QWidget*>(m_looks.begin(), m_looks.end()));
    }

    void show(const MappingData& data) {
        const auto& pictures = data.canvas.pictures;
        m_pictures->setVisible(pictures.size() > 1);
        m_pictures->clear();
        for (const session::CanvasPicture& picture : pictures)
            m_pictures->addItem(QString::fromStdString(picture.title));
        m_pictures->setCurrentIndex(data.picture);
        showLooks(data);
        const session::TensorSlice& slice = data.grid.slice();
        m_slices->show(data.hasNumbers() ? data.shown().shape : std::vector<std::int64_t>(),
                       {slice.row_dim, slice.column_dim, slice.fixed});
        m_steps->setCount(data.isMapping() && data.hasNumbers() ? int(data.shown().per_worker) : 0);
    }

    using QWidget::show;
    session::TensorSlice slice() const {
        const ShownSlice& slice = m_slices->slice();
        return {slice.rowDim, slice.columnDim, slice.fixed};
    }

    StepPlayer& steps() { return *m_steps; }

signals:
    void pictureChosen(int picture);
    void lookChosen(hidet::ui::MappingLook look);
    void sliceChosen();

private:
    void makeLooks() {
        m_looks = newChoices(this,
                             {{"mapping.elements", tr("Elements"), tr("Each element with its worker, or its slot")},
                              {"mapping.workers", tr("Workers"), tr("Each worker with its elements, in order")},
                              {"mapping.banks", tr("Banks"),
                               tr("Each element with its bank of shared memory; framed where the lanes of a warp along "
                                  "a row or a column "
                                  "meet in one")}},
                             [this](int look) { emit lookChosen(static_cast<MappingLook>(look)); });
    }

    void showLooks(const MappingData& data) {
        const auto button = [this](MappingLook look) { return m_looks[static_cast<int>(look)]; };
        const bool hasWorkers = data.isMapping() && data.hasNumbers();
        const bool hasBanks = !data.isMapping() && data.hasNumbers() && data.shown().element_bits > 0;
        button(MappingLook::Workers)->setVisible(hasWorkers);
        button(MappingLook::Banks)->setVisible(hasBanks);
        button(MappingLook::Elements)->setVisible(hasWorkers || hasBanks);
        for (QToolButton* one : std::as_const(m_looks)) {
            one->setEnabled(!one->isHidden());
            if (one->isChecked() && one->isHidden())
                button(MappingLook::Elements)->setChecked(true);
        }
        button(MappingLook::Elements)->setEnabled(true);
    }

    QComboBox* m_pictures;
    QList<QToolButton*> m_looks; // in the order of MappingLook
    SliceChooser* m_slices;
    StepPlayer* m_steps;
};

} // namespace hidet::ui
