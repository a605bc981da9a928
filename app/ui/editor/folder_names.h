// SPDX-License-Identifier: GPL-3.0-only
// One name in all scripts of a folder: where it is used, and another name for it. Other files are read on another thread; their
// changes are made in editors, where they can be undone and wait to be saved.
#pragma once

#include <functional>

#include <QPointer>

#include "app/ui/core/latest_task.h"
#include "app/ui/editor/script_editor.h"

namespace hidet::ui {

class FolderNames : public QObject {
    Q_OBJECT
public:
    using EditorOf = std::function<ScriptEditor*(Document&)>;
    FolderNames(Studio& studio, EditorOf editorOf, QObject* parent);

    void find(ScriptEditor& editor, int offset); // into the dock of references
    void rename(ScriptEditor& editor, int offset, const QString& name);

private:
    using Changes = std::map<std::string, std::vector<session::assist::Edit>>;
    session::assist::Buffers buffers() const; // what is open
    void apply(ScriptEditor& asked, const Changes& changes, const QByteArray& name);
    ScriptEditor* editorFor(const QString& path);

    Studio& m_studio;
    EditorOf m_editorOf;
    LatestTask m_search;
    LatestTask m_renaming{LatestTask::Wanted::ByPerson};
};

} // namespace hidet::ui
