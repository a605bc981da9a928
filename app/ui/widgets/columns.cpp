// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/columns.h"

#include <algorithm>

namespace hidet::ui {

void resizeColumn(QHeaderView& header, int column, int wanted) {
    header.resizeSection(column, std::max(wanted, header.sectionSizeHint(column)));
}

} // namespace hidet::ui
