// SPDX-License-Identifier: GPL-3.0-only
// The kernel of a script that a dock is about, where the script has several.
#pragma once

#include <QComboBox>

#include "app/ui/live/cost_text.h"

namespace hidet::ui {

// Lists them; the one that was chosen by its name, or else the first, by its index.
inline std::size_t listKernels(QComboBox& into, const session::Explained& explained, const QString& chosen) {
    std::size_t at = 0;
    into.clear();
    for (std::size_t i = 0; i < explained.kernels.size(); ++i) {
        into.addItem(kernelName(explained, i));
        at = into.itemText(int(i)) == chosen ? i : at;
    }
    into.setCurrentIndex(int(at));
    into.setVisible(into.count() > 1);
    return at;
}

} // namespace hidet::ui
