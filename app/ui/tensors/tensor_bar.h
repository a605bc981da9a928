// SPDX-License-Identifier: GPL-3.0-only
// The line above the tensor viewer: which tensor, what of it, which slice, in which format, and where to go.
#pragma once

#include <optional>

#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QWidget>

#include "app/ui/tensors/tensor_grid.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/slice_chooser.h"

namespace hidet::ui {

class TensorBar : public QWidget {
    Q_OBJECT
public:
    TensorBar(ThemeSource& themes, QWidget* parent);

    void setEntries(const QList<TensorEntry>& entries, int current);
    void show(const TensorData& data);
    using QWidget::show;
    session::TensorFormatting formatting() const;
    session::TensorSlice slice() const;
    // Of which block of the grid shared tensors and registers are shown, and behind which line; nothing: there are none.
    struct Tiles {
        QString block; // "0,1"
        int line = 0;  // 0: when the block ends
    };
    void setTiles(const std::optional<Tiles>& tiles);
    OwnerPart ownerPart() const { return static_cast<OwnerPart>(m_parts->currentIndex()); }
    QToolButton* exportButton() { return m_export; }

signals:
    void entryChosen(int entry);
    void lookChosen(hidet::ui::TensorLook look);
    void formatChosen();
    void heatChosen(bool on);
    void sliceChosen();
    void tilesChosen(const hidet::ui::TensorBar::Tiles& tiles);
    void ownerPartChosen(hidet::ui::OwnerPart part);
    void seekRequested(hidet::session::TensorSeek what);
    void worstRequested();

private:
    void makeTiles();
    void makeLooks();
    void makeFormats();
    void makeSteps();
    QToolButton* newButton(const char* name, const QString& text, const QString& tip);

    QComboBox* m_entries;
    QList<QToolButton*> m_looks; // in the order of TensorLook
    SliceChooser* m_slices;
    QLineEdit* m_block;
    QSpinBox* m_line;
    QComboBox* m_parts;
    QComboBox* m_formats;
    QSpinBox* m_digits;
    QToolButton *m_heat, *m_nextNan, *m_nextWrong, *m_worst, *m_export;
};

} // namespace hidet::ui
