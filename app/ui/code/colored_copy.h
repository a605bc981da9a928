// SPDX-License-Identifier: GPL-3.0-only
// Text as it looks, for other programs.
#pragma once

#include <memory>

#include <QMimeData>

#include "app/ui/code/code_view.h"

namespace hidet::ui {

// HTML with the colours and the font of the theme, one <pre>.
QString coloredHtml(const CodeView& view, ByteRange range);
// The same beside the plain text.
std::unique_ptr<QMimeData> coloredCopy(const CodeView& view, ByteRange range);

} // namespace hidet::ui
