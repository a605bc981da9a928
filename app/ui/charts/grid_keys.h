// SPDX-License-Identifier: GPL-3.0-only
// Keys that move from cell to cell.
#pragma once

#include <Qt>

namespace hidet::ui {

struct GridStep {
    int row = 0, column = 0;
};

// Moves by the key, perhaps beyond the cells; false: it is none of these.
inline bool moveByKey(int key, int columns, GridStep& at) {
    switch (key) {
    case Qt::Key_Left: --at.column; return true;
    case Qt::Key_Right: ++at.column; return true;
    case Qt::Key_Up: --at.row; return true;
    case Qt::Key_Down: ++at.row; return true;
    case Qt::Key_Home: at.column = 0; return true;
    case Qt::Key_End: at.column = columns - 1; return true;
    default: return false;
    }
}

} // namespace hidet::ui
