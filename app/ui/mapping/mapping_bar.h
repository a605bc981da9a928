// SPDX-License-Identifier: GPL-3.0-only
// The line above the picture of a mapping: which of several pictures, how it looks, which slice, how many tasks.
#pragma once

#include <QComboBox>
#include <QToolButton>
#include <QWidget>

#include "app/ui/mapping/mapping_cells.h"
#include "app/ui/widgets/slice_chooser.h"
#include "app/ui/widgets/step_player.h"

namespace hidet::ui {

class MappingBar : public QWidget {
    Q_OBJECT
public:
    MappingBar(ThemeSource& themes, QWidget* parent);

    void show(const MappingData& data);
    using QWidget::show;
    session::TensorSlice slice() const;
    StepPlayer& steps() { return *m_steps; }

signals:
    void pictureChosen(int picture);
    void lookChosen(hidet::ui::MappingLook look);
    void sliceChosen();

private:
    void makeLooks();
    void showLooks(const MappingData& data);

    QComboBox* m_pictures;
    QList<QToolButton*> m_looks; // in the order of MappingLook
    SliceChooser* m_slices;
    StepPlayer* m_steps;
};

} // namespace hidet::ui
