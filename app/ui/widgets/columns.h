// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QHeaderView>

namespace hidet::ui {

// As wide as wanted, in pixels, but never narrower than its title with the mark of the order beside it.
void resizeColumn(QHeaderView& header, int column, int wanted);

} // namespace hidet::ui
