// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/slice_chooser.h"

#include <algorithm>
#include <limits>

#include <QScopedValueRollback>

namespace hidet::ui {

SliceChooser::SliceChooser(ThemeSource& themes, const QString& name, QWidget* parent)
    : QWidget(parent), m_themes(themes), m_name(name) {
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(4);
    m_dims->setObjectName(name + ".dimensions");
    m_dims->setAccessibleName(tr("Dimensions that are shown"));
    m_dims->setToolTip(tr("Which dimensions are the rows and the columns"));
    m_row->addWidget(m_dims);
    connect(m_dims, &QComboBox::activated, this, [this] { take(); });
    themes.follow(this, &SliceChooser::applyTheme);
}

void SliceChooser::applyTheme() {
    m_dims->setFont(m_themes.smallFont());
    for (QSpinBox* spin : std::as_const(m_spins))
        spin->setFont(m_themes.smallFont());
}

QSpinBox* SliceChooser::newSpin(int dim) {
    auto* spin = new QSpinBox(this);
    spin->setObjectName(m_name + QString(".index_%1").arg(dim));
    spin->setAccessibleName(tr("Index of dimension %1").arg(dim));
    spin->setToolTip(spin->accessibleName());
    spin->setPrefix(tr("dim %1: ").arg(dim));
    spin->setFont(m_themes.smallFont());
    connect(spin, &QSpinBox::valueChanged, this, [this] { take(); });
    m_row->addWidget(spin);
    return spin;
}

void SliceChooser::show(const std::vector<std::int64_t>& shape, const ShownSlice& slice) {
    const QScopedValueRollback filling(m_filling, true);
    m_slice = slice;
    const bool isNeeded = shape.size() > 2;
    setVisible(isNeeded);
    const qsizetype wanted = isNeeded ? qsizetype(shape.size()) : 0;
    while (m_spins.size() > wanted)
        m_spins.takeLast()->deleteLater();
    while (m_spins.size() < wanted)
        m_spins.append(newSpin(int(m_spins.size())));
    if (!isNeeded)
        return;
    m_dims->clear();
    for (int row = 0; row < int(wanted); ++row)
        for (int column = row + 1; column < int(wanted); ++column) {
            m_dims->addItem(tr("Dimensions %1 and %2").arg(row).arg(column), QPoint(row, column));
            if (row == slice.rowDim && column == slice.columnDim)
                m_dims->setCurrentIndex(m_dims->count() - 1);
        }
    for (int d = 0; d < int(wanted); ++d) {
        const std::int64_t last = std::min<std::int64_t>(shape[std::size_t(d)] - 1, std::numeric_limits<int>::max());
        m_spins[d]->setVisible(d != slice.rowDim && d != slice.columnDim);
        m_spins[d]->setRange(0, static_cast<int>(last));
        m_spins[d]->setValue(static_cast<int>(slice.fixed[std::size_t(d)]));
    }
}

void SliceChooser::take() {
    if (m_filling)
        return;
    const QPoint dims = m_dims->currentData().toPoint();
    m_slice.rowDim = dims.x();
    m_slice.columnDim = dims.y();
    for (int d = 0; d < int(m_spins.size()); ++d)
        m_slice.fixed[std::size_t(d)] = m_spins[d]->value();
    emit changed();
}

} // namespace hidet::ui
