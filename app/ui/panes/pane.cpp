// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/pane.h"

namespace hidet::ui {

Pane::~Pane() = default;

} // namespace hidet::ui
