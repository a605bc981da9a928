// SPDX-License-Identifier: GPL-3.0-only
// Why the kernel or the model in front takes its time: what it takes, what costs most of that, and a section for each figure.
#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>
#include <QTreeWidget>

#include "app/session/explain/findings.h"
#include "app/ui/core/latest_task.h"
#include "app/ui/docks/docks.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/workbench/explanation_age.h"

namespace hidet::ui {

class AnalysisDock : public DockWidget {
public:
    explicit AnalysisDock(Studio& studio);

    void showSection(const QString& id); // in front of the others, whatever is found later
    DockWidget* section() const;         // that is in front

private:
    struct Section {
        const SectionInfo* info;
        DockWidget* content;
    };

    void shown() override { refresh(); }
    void layOutParts();
    void listen();

    std::optional<std::size_t> kernelInFront(const session::Explained* explained) const;
    void refresh();
    void find(std::shared_ptr<const session::Explained> explained, std::size_t kernel);
    void showHead();
    QString headOfScript() const;
    QString headOfModel() const;
    void fill();
    void showCount(const std::vector<session::KernelFinding>& findings);
    void offerTabs();
    void nameTabs();
    QTreeWidgetItem* rowOf(const session::KernelFinding& finding) const;
    const session::KernelFinding* finding() const; // that is selected; null: none
    void showFinding();
    void raise(const QString& id);
    void putBeside(int tab);
    void showTabMenu(const QPoint& at);
    void goToLine();
    void fix();

    Studio& m_studio;
    QStackedWidget* m_pages = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    QWidget* m_full = new QWidget(this);
    QWidget* m_left = new QWidget(m_full);
    QLabel* m_head = new QLabel(m_left);
    ElidedLabel* m_limit = new ElidedLabel(m_left);
    QTreeWidget* m_rows = new QTreeWidget(m_left);
    QLabel* m_none =
        new QLabel(tr("Nothing was found that takes time without need"), m_left); // is said where there is no row
    QTabBar* m_tabs = new QTabBar(m_full);
    QStackedWidget* m_stack = new QStackedWidget(m_full);
    ExplanationAge* m_age = new ExplanationAge(m_studio, this);
    std::vector<Section> m_sections;
    std::vector<session::KernelFinding> m_findings;
    QString
        m_chosen; // a section, or a finding by its sentence, that the user has chosen; empty: the worst finding is in front
    SectionOf m_tabsOf = SectionOf::script;
    QHash<int, QString> m_sectionOf; // that is in front for a script and for a model
    LatestTask m_finding;
};

} // namespace hidet::ui
