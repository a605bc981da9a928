// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <vector>

#include <QString>
#include <QWidget>

namespace hidet::ui {

struct Studio;

// A page is a row of pages.def and one file, pages/<id>_page.cpp.
struct PageInfo {
    QWidget* (*make)(Studio& studio);
    QString id;
    QString title;
};
const std::vector<PageInfo>& allPages();

#define HIDET_PAGE(maker, id, title) QWidget* maker(Studio& studio);
#include "app/ui/pages/pages.def"

} // namespace hidet::ui
