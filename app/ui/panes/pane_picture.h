// SPDX-License-Identifier: GPL-3.0-only
// What a pane shows, as a picture in a file.
#pragma once

#include <QWidget>

namespace hidet::ui {

// The ending of the path says which kind: .svg, or else PNG at the sharpness of the screen, twice that of a plain one at
// least. False: `error` is a sentence for the user.
bool exportPicture(QWidget& widget, const QString& path, QString& error);

} // namespace hidet::ui
