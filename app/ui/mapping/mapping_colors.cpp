// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/mapping/mapping_colors.h"

#include <algorithm>

namespace hidet::ui {

namespace {
constexpr int worker_colors = 36;
constexpr int bank_colors = 32;
constexpr int slot_colors = 64;
} // namespace

MappingColors::MappingColors(const Theme& theme) {
    const double lightness = theme.dark ? 0.36 : 0.89;
    const double chroma = theme.dark ? 0.08 : 0.075;
    // A step of 5/12 of the circle keeps neighbours apart; every twelfth is a little lighter or darker.
    for (int i = 0; i < worker_colors; ++i)
        m_workers.append(oklch(lightness + 0.03 * (i / 12 - 1), chroma, 20 + 150.0 * i + 10.0 * (i / 12)));
    for (int i = 0; i < bank_colors; ++i)
        m_banks.append(oklch(lightness + (i % 2 ? 0.02 : -0.02), chroma, 360.0 * i / bank_colors));
    for (int i = 0; i < slot_colors; ++i)
        m_slots.append(oklch(lightness + (theme.dark ? -0.08 : 0.07) * (1 - 1.0 * i / slot_colors), chroma,
                             250 - 130.0 * i / slot_colors));
}

QColor MappingColors::worker(qint64 worker) const {
    return m_workers[static_cast<qsizetype>(worker % worker_colors)];
}

QColor MappingColors::bank(int bank) const {
    return m_banks[std::max(bank, 0) % bank_colors];
}

QColor MappingColors::slot(qint64 slot, qint64 size) const {
    const qint64 at = slot * slot_colors / std::max<qint64>(size, 1);
    return m_slots[static_cast<qsizetype>(std::clamp<qint64>(at, 0, slot_colors - 1))];
}

} // namespace hidet::ui
