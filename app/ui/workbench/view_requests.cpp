// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/view_requests.h"

#include "app/ui/workbench/studio.h"

namespace hidet::ui {

void ViewRequests::show(const session::Place& place) {
    if (!place.known())
        return;
    const QString file = QString::fromStdString(place.file);
    for (Document* document : m_studio.tabs.documents())
        if (document->name() == file) {
            m_studio.tabs.setCurrent(document);
            emit shown(document, place);
            return;
        }
    FileError error;
    if (Document* document = m_studio.tabs.open(file, error))
        emit shown(document, place);
    else
        m_studio.notices.showOpenError(error);
}

void ViewRequests::showAccess(int line) {
    if (QAction* dock = m_studio.commands.find("dock.accesses"))
        dock->trigger();
    emit accessRequested(line);
}

void ViewRequests::showThreads(int line) {
    if (QAction* dock = m_studio.commands.find("dock.threads"))
        dock->trigger();
    emit threadsRequested(line);
}

} // namespace hidet::ui
