// SPDX-License-Identifier: GPL-3.0-only
// The line above the tensor viewer: which tensor, what of it, which slice, in which format, and where to go.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpressionValidator>
#include <QSpinBox>
#include <QToolButton>
#include <QWidget>
#include <optional>

#include "app/ui/tensors/tensor_grid.h"
#include "app/ui/widgets/bar_parts.h"
#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/parts.h"
#include "app/ui/widgets/slice_chooser.h"

namespace hidet::ui {

class TensorBar : public QWidget {
    Q_OBJECT
public:
    TensorBar(ThemeSource& themes, QWidget* parent)
        : QWidget(parent), m_entries(new QComboBox(this)), m_slices(new SliceChooser(themes, "tensors", this)),
          m_block(new QLineEdit(this)), m_line(new QSpinBox(this)), m_parts(new QComboBox(this)),
          m_formats(new QComboBox(this)), m_digits(new QSpinBox(this)) {
        named(m_entries, "tensors.entries", tr("Tensor"));
        connect(m_entries, &QComboBox::activated, this, &TensorBar::entryChosen);
        makeTiles();
        connect(m_slices, &SliceChooser::changed, this, &TensorBar::sliceChosen);
        makeLooks();
        makeFormats();
        makeSteps();
        auto* line = new FlowLayout(8, 2, this);
        line->setContentsMargins(8, 4, 8, 4);
        line->addWidget(m_entries);
        for (QToolButton* look : std::as_const(m_looks))
            line->addWidget(look);
        line->addWidget(m_slices);
        line->addWidget(m_parts);
        line->addWidget(m_block);
        line->addWidget(m_line);
        for (QWidget* part :
             std::initializer_list<QWidget*>{m_formats, m_digits, m_heat, m_nextNan, m_nextWrong, m_worst})
            line->addWidget(part);
        auto* parts = new BarParts(themes, this);
        m_export = parts->newButton("file", tr("Export tensor"), tr("Writes the tensor as .npy, or the slice as text"));
        m_export->setObjectName("tensors.export");
        line->addWidget(m_export);
        keepSmall(themes, QList<QWidget*>{m_entries, m_formats, m_digits, m_block, m_line, m_parts, m_heat, m_nextNan,
                                          m_nextWrong, m_worst}
                              << QList<QWidget*>(m_looks.begin(), m_looks.end()));
    }

    void setEntries(const QList<TensorEntry>& entries, int current) {
        m_entries->clear();
        for (const TensorEntry& entry : entries)
            m_entries->addItem(entry.title());
        m_entries->setCurrentIndex(current);
    }

    void show(const TensorData& data) {
        const bool hasWanted = data.wanted != nullptr;
        for (QToolButton* look : std::as_const(m_looks))
            look->setVisible(hasWanted);
        QToolButton* owners = m_looks[int(TensorLook::Owners)];
        owners->setVisible(hasWanted && data.owners != nullptr);
        if (!hasWanted || (owners->isChecked() && !data.owners))
            m_looks.first()->setChecked(true);
        const bool hasNumbers = data.got != nullptr;
        m_slices->show(hasNumbers ? data.got->shape() : std::vector<std::int64_t>(),
                       {data.slice.row_dim, data.slice.column_dim, data.slice.fixed});
        m_nextNan->setVisible(data.statistics.nan + data.statistics.infinite > 0);
        m_nextWrong->setVisible(data.difference && data.difference->bad > 0);
        m_worst->setVisible(data.difference && data.difference->worst >= 0);
        m_export->setEnabled(hasNumbers);
    }

    using QWidget::show;
    session::TensorFormatting formatting() const {
        return {static_cast<session::TensorFormat>(m_formats->currentIndex()), m_digits->value()};
    }

    session::TensorSlice slice() const {
        const ShownSlice& slice = m_slices->slice();
        return {slice.rowDim, slice.columnDim, slice.fixed};
    }

    // Of which block of the grid shared tensors and registers are shown, and behind which line; nothing: there are none.
    struct Tiles {
        QString block; // "0,1"
        int line = 0;  // 0: when the block ends
    };
    void setTiles(const std::optional<Tiles>& tiles) {
        const QSignalBlocker quietBlock(m_block), quietLine(m_line);
        m_block->setVisible(tiles.has_value());
        m_line->setVisible(tiles.has_value());
        if (!tiles)
            return;
        m_block->setText(tiles->block);
        m_line->setValue(tiles->line);
    }

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
    void makeTiles() {
        named(m_block, "tensors.block", tr("Block"));
        m_block->setPlaceholderText(tr("block"));
        m_block->setToolTip(tr(
            "The block whose shared tensors and registers are shown, such as 3 or 0,1: another one is emulated anew"));
        m_block->setValidator(
            new QRegularExpressionValidator(QRegularExpression("\\d{1,9}(\\s*,\\s*\\d{1,9}){0,2}"), this));
        m_block->setFixedWidth(72);
        named(m_line, "tensors.line", tr("Line"));
        m_line->setPrefix(tr("behind line "));
        m_line->setSpecialValueText(tr("at the end"));
        m_line->setRange(0, 1 << 20);
        m_line->setKeyboardTracking(false);
        m_line->setToolTip(tr("Shared tensors and registers as the block leaves them, or as its last thread leaves a "
                              "line of the script"));
        named(m_parts, "tensors.owner_part", tr("Coloured by"));
        m_parts->addItems({tr("by lane"), tr("by warp"), tr("by block")}); // as OwnerPart
        const auto choose = [this] { emit tilesChosen({m_block->text(), m_line->value()}); };
        connect(m_block, &QLineEdit::editingFinished, this, choose);
        connect(m_line, &QSpinBox::valueChanged, this, choose);
        connect(m_parts, &QComboBox::activated, this, [this] { emit ownerPartChosen(ownerPart()); });
        for (QWidget* each : std::initializer_list<QWidget*>{m_block, m_line, m_parts})
            each->hide();
    }

    void makeLooks() {
        m_looks = newChoices(this,
                             {{"tensors.values", tr("Values"), tr("What the tensor holds")},
                              {"tensors.wanted", tr("Reference"), tr("What it should hold")},
                              {"tensors.differences", tr("Differences"),
                               tr("What it holds less what it should hold, in the colours of the error")},
                              {"tensors.owners", tr("Owners"),
                               tr("Which warp and lane wrote each element; those that are wrong in full colour")}},
                             [this](int look) {
                                 m_parts->setVisible(look == int(TensorLook::Owners));
                                 emit lookChosen(static_cast<TensorLook>(look));
                             });
    }

    void makeFormats() {
        named(m_formats, "tensors.format", tr("Format of numbers"));
        m_formats->setToolTip(m_formats->accessibleName());
        m_formats->addItems({tr("General"), tr("Fixed"), tr("Scientific"), tr("Hexadecimal")}); // as TensorFormat
        named(m_digits, "tensors.digits", tr("Digits"));
        m_digits->setToolTip(tr("How many digits count, or stand behind the point"));
        m_digits->setRange(1, 17);
        m_digits->setMinimumWidth(56);
        m_digits->setValue(session::TensorFormatting().digits);
        connect(m_formats, &QComboBox::activated, this, &TensorBar::formatChosen);
        connect(m_digits, &QSpinBox::valueChanged, this, &TensorBar::formatChosen);
        m_heat = newButton("heat", tr("Colours"), tr("Numbers on the colour of their size, or of their error"));
        m_heat->setCheckable(true);
        m_heat->setChecked(true);
        connect(m_heat, &QToolButton::toggled, this, &TensorBar::heatChosen);
    }

    void makeSteps() {
        m_nextNan = newButton("next_nan", tr("Next NaN"), tr("The next element that is NaN or infinite (N)"));
        m_nextWrong = newButton("next_wrong", tr("Next wrong"), tr("The next element outside of the tolerance (W)"));
        m_worst = newButton("worst", tr("Worst"), tr("The element that is furthest from what it should be (G)"));
        connect(m_nextNan, &QToolButton::clicked, this,
                [this] { emit seekRequested(session::TensorSeek::NotANumber); });
        connect(m_nextWrong, &QToolButton::clicked, this, [this] { emit seekRequested(session::TensorSeek::Wrong); });
        connect(m_worst, &QToolButton::clicked, this, &TensorBar::worstRequested);
    }

    QToolButton* newButton(const char* name, const QString& text, const QString& tip) {
        return named(newToolButton(this, text, text, tip), QString("tensors.") + name);
    }

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
