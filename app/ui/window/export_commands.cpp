// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/export_commands.h"

#include "app/ui/pages/export_page.h"

namespace hidet::ui {

ExportCommands::ExportCommands(Studio& studio, PageHost& pages, const EditorArea& editors, QObject* parent)
    : QObject(parent), m_studio(studio), m_pages(pages), m_editors(editors) {
    const auto some = [this] { return !frontOf(m_studio).isEmpty(); };
    studio.commands.bind(
        Command::FileExport, this, [this] { show(frontOf(m_studio), {}); }, some);
    studio.commands.bind(
        Command::FileExportKernel, this, [this] { exportKernel(); }, [this] { return m_editors.current() != nullptr; });
    studio.commands.bind(
        Command::ModelExportOperator, this, [this] { show(selectedOperator(*m_studio.model()), {}); },
        [this, action = studio.commands.action(Command::ModelExportOperator)] {
            const bool isSelected = m_studio.model() && !selectedOperator(*m_studio.model()).isEmpty();
            Commands::explain(action, isSelected         ? QString()
                                      : m_studio.model() ? tr("no operator is selected")
                                                         : tr("no model is open"));
            return isSelected;
        });
}

void ExportCommands::show(const ExportSubject& subject, const ExportPart& part) {
    m_studio.showPage("export");
    static_cast<ExportPage*>(m_pages.pageWidget())->open(subject, part);
}

void ExportCommands::exportKernel() {
    const ExportSubject subject = frontOf(m_studio);
    show(subject, partAt(partsOf(subject, m_studio, true), m_studio, m_editors.current()->caret()));
}

} // namespace hidet::ui
