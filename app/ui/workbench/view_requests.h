// SPDX-License-Identifier: GPL-3.0-only
// What parts of the window ask of others which they do not know: to show a place, a stage, a dock or a page, to change the
// script in front, to take the keyboard.
#pragma once

#include <vector>

#include <QObject>

#include "app/session/session.h"
#include "app/ui/live/stage_name.h"
#include "app/ui/workbench/found_uses.h"

namespace hidet::ui {

class Document;
struct Studio;

class ViewRequests : public QObject {
    Q_OBJECT
public:
    explicit ViewRequests(Studio& studio) : m_studio(studio) {}

    // Shows a place of a script: opens its file if that is not open, moves the caret there, gives it the keyboard.
    void show(const session::Place& place);
    // The palette: "" finds scripts, ">" commands, "@" names, ":" lines, "#" passes.
    void search(const QString& prefix) { emit searchRequested(prefix); }
    // Brings a stage to the front in a pane.
    void showStage(const StageName& stage) { emit stageRequested(stage); }
    // In the current script, all edits together, as one step of undo.
    void applyFix(const std::vector<session::FixView>& edits) { emit fixRequested(edits); }
    // Fixes between the two calls are one step of undo together: a number that is dragged.
    void groupFixes(bool begins) { emit fixesGrouped(begins); }
    // What an access in this line (1-based) of the current script costs; opens the dock.
    void showAccess(int line);
    // Where the threads stand that a finding in this line of the current script is about; opens the dock.
    void showThreads(int line);
    // Opens a dock or a tab, by its id, and gives it the keyboard.
    void showDock(const QString& dock) { emit dockRequested(dock); }
    // A page in the place of editor and panes: "welcome", "settings", "shortcuts", "about", "changes".
    void showPage(const QString& page) { emit pageRequested(page); }
    // The manual beside the code, where it explains the word.
    void showManual(const QString& word) { emit manualRequested(word); }

signals:
    void shown(hidet::ui::Document* document, hidet::session::Place place);
    void searchRequested(QString prefix);
    void stageRequested(StageName stage);
    void fixRequested(std::vector<hidet::session::FixView> edits);
    void fixesGrouped(bool begins);
    void accessRequested(int line);
    void threadsRequested(int line);
    void dockRequested(QString dock);
    void pageRequested(QString page);
    void manualRequested(QString word);
    void usesFound(const hidet::ui::FoundUses& found); // of a name that was asked for
    void editorRequested();                            // the keyboard back to the script

private:
    Studio& m_studio;
};

} // namespace hidet::ui
