// SPDX-License-Identifier: GPL-3.0-only
// Pictures and colours of the service's kinds, the same in completion, cards and the outline.
#pragma once

#include <QIcon>

#include "app/session/live/assist.h"
#include "app/ui/core/theme.h"

namespace hidet::ui {

QIcon iconOf(session::assist::ItemKind kind, const Theme& theme);
QIcon iconOf(session::assist::OutlineKind kind, const Theme& theme);
SyntaxColor colorOf(session::assist::SemanticKind kind);

} // namespace hidet::ui
