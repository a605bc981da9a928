// SPDX-License-Identifier: GPL-3.0-only
// Words of others on buttons, tabs and in menus, where Qt takes '&' for the mark of a key.
#pragma once

#include <QString>

namespace hidet::ui {

inline QString withoutMnemonics(QString words) {
    return words.replace('&', "&&");
}

} // namespace hidet::ui
