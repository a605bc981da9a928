// SPDX-License-Identifier: GPL-3.0-only
// All that a window has open, as it is kept, and put back: what sessions, crashes and workspaces have in common.
#pragma once

#include "app/ui/persistence/kept_session.h"

namespace hidet::ui {

class MainWindow;

enum class Texts { All, Unnamed, None }; // which are kept with the window: unsaved ones, those without a file, none
enum class Which { All, WithWork };      // documents that are opened

KeptDocument keptOf(MainWindow& window, Document& document, Texts texts);
KeptSession keptOf(MainWindow& window, Texts texts);

struct Restored {
    int unsaved = 0;             // documents with text that no file has
    QStringList refusals;        // why a document could not be opened
    QList<KeptDocument> missing; // those
};
Restored restore(MainWindow& window, const KeptSession& session, Which which);
void restoreLayout(MainWindow& window, const KeptSession& session); // panes and docks, and the texts that panes keep

} // namespace hidet::ui
