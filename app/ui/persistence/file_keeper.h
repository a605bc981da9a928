// SPDX-License-Identifier: GPL-3.0-only
// What happens to the files of open scripts: they change on disk, are gone, cannot be written; a script with unsaved text
// is closed. Each is told in the bar with what can be done; nothing asks before going on.
#pragma once

#include <map>

#include <QObject>

#include "app/ui/core/latest_task.h"
#include "app/ui/document/file_watch.h"
#include "app/ui/editor/editor_area.h"
#include "app/ui/persistence/kept_session.h"

namespace hidet::ui {

class FileKeeper : public QObject {
    Q_OBJECT
public:
    FileKeeper(Studio& studio, EditorArea& editors, QObject* parent);

    void checkNow(); // files of all scripts, as after a sign of change
    // What can be reopened, the last one first; what an earlier start left comes behind it.
    const QList<KeptDocument>& closed() const { return m_closed; }
    void addClosed(const QList<KeptDocument>& closed);
    void keepClosed(const KeptDocument& closed); // as the last one
    void reopen(KeptDocument closed);            // one of them

private:
    void watch(Document* document);
    void updateWatched();
    void check(Document& document);
    void changed(Document& document, const FileText& now);
    void keepMine(Document& document);
    void gone(Document& document);
    void closing(Document* document);
    void closingModel(LiveModel* model);
    void openedModel(LiveModel* model);
    void trim();

    Studio& m_studio;
    EditorArea& m_editors;
    FileWatch m_watch;
    QHash<const Document*, FileText> m_newer;        // what the files of scripts hold that were changed here as well
    QList<KeptDocument> m_closed;                    // the last one first
    std::map<const Document*, LatestTask> m_looking; // at their files
};

} // namespace hidet::ui
