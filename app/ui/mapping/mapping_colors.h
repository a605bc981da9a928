// SPDX-License-Identifier: GPL-3.0-only
// Colours of the mapping canvas: few enough that they can be told apart, each with a contrast to text that can be read.
#pragma once

#include <QColor>
#include <QList>

#include "app/ui/core/theme.h"

namespace hidet::ui {

class MappingColors {
public:
    explicit MappingColors(const Theme& theme);
    QColor worker(qint64 worker) const;          // neighbours differ; colours come again
    QColor bank(int bank) const;                 // of 32
    QColor slot(qint64 slot, qint64 size) const; // from the first to the last

private:
    QList<QColor> m_workers, m_banks, m_slots;
};

} // namespace hidet::ui
