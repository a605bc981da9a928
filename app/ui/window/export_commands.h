// SPDX-License-Identifier: GPL-3.0-only
// The commands that open the page of exports, each with what it is about.
#pragma once

#include "app/ui/editor/editor_area.h"
#include "app/ui/exporting/export_subject.h"
#include "app/ui/window/page_host.h"

namespace hidet::ui {

class ExportCommands : public QObject {
    Q_OBJECT
public:
    ExportCommands(Studio& studio, PageHost& pages, const EditorArea& editors, QObject* parent);

private:
    void show(const ExportSubject& subject, const ExportPart& part);
    void exportKernel();

    Studio& m_studio;
    PageHost& m_pages;
    const EditorArea& m_editors;
};

} // namespace hidet::ui
