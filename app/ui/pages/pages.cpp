// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/pages/pages.h"

namespace hidet::ui {

const std::vector<PageInfo>& allPages() {
    static const std::vector<PageInfo> pages = {
#define HIDET_PAGE(maker, id, title) {maker, id, title},
#include "app/ui/pages/pages.def"
    };
    return pages;
}

} // namespace hidet::ui
