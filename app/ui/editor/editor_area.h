// SPDX-License-Identifier: GPL-3.0-only
// The editors, one a document; what is shown is that of the current one. Without a document: what to do next.
#pragma once

#include <QHash>
#include <QStackedWidget>
#include <QWidget>

#include "app/ui/editor/editor_pane.h"
#include "app/ui/editor/folder_names.h"
#include "app/ui/editor/navigation_history.h"

namespace hidet::ui {

class EditorArea : public QWidget {
    Q_OBJECT
public:
    EditorArea(Studio& studio, QWidget* parent = nullptr);

    ScriptEditor* current() const; // null: no document is open
    ScriptEditor* editorOf(Document& document) const;
    EditorPane* currentPane() const;

private:
    void bindCommands();
    void add(Document& document);
    void note(const session::Place& place);
    void showCurrent();
    void save(Document& document);
    void saveAs(Document& document);
    void refuse(Document& document, const FileError& error);

    Studio& m_studio;
    QStackedWidget* m_stack = new QStackedWidget(this);
    QWidget* m_empty = new QWidget(this);
    QHash<Document*, EditorPane*> m_panes;
    NavigationHistory m_navigation;
    QPointer<ScriptEditor> m_grouping; // whose fixes are one step of undo until further notice
    FolderNames m_names;
    TakenStore* m_taken;
};

} // namespace hidet::ui
