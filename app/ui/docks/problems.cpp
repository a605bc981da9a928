// SPDX-License-Identifier: GPL-3.0-only
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/ui/core/icons.h"
#include "app/ui/window/dock.h"
#include "app/ui/window/studio.h"

namespace hidet::ui {

namespace {

class ProblemsDock : public DockWidget {
public:
    explicit ProblemsDock(Studio& studio) : m_studio(studio), m_list(new QTreeWidget(this)) {
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(m_list);
        setFocusProxy(m_list);
        m_list->setAccessibleName(tr("Problems"));
        m_list->setHeaderLabels({tr("Problem"), tr("Line")});
        m_list->header()->setStretchLastSection(false);
        m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
        m_list->setRootIsDecorated(true);
        m_list->setUniformRowHeights(true);
        connect(&studio, &Studio::liveUpdated, this, &ProblemsDock::refresh);
        connect(&studio, &Studio::currentChanged, this, &ProblemsDock::refresh);
        connect(&studio, &Studio::findingsChanged, this, &ProblemsDock::refresh);
        connect(&studio.themes, &ThemeSource::changed, this, &ProblemsDock::refresh);
        connect(m_list, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) { show(item); });
        connect(m_list, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) { show(item); });
        refresh();
    }

private:
    void show(QTreeWidgetItem* item) {
        const auto index = static_cast<std::size_t>(item->data(0, Qt::UserRole).toULongLong());
        if (index < m_places.size())
            m_studio.show(m_places[index]);
    }

    QTreeWidgetItem* row(const QString& text, const session::Place& place) {
        auto* item = new QTreeWidgetItem({text, place.known() ? QString::number(place.line) : QString()});
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        item->setData(0, Qt::UserRole, static_cast<qulonglong>(m_places.size()));
        m_places.push_back(place);
        return item;
    }

    void refresh() {
        const auto* live = m_studio.live();
        const int selected = m_list->indexOfTopLevelItem(m_list->currentItem());
        m_list->clear();
        m_places.clear();
        int count = 0;
        const Theme& theme = m_studio.themes.theme();
        std::vector<session::DiagnosticView> all;
        if (live && live->latest())
            all = live->latest()->diagnostics;
        if (m_studio.current())
            for (const session::DiagnosticView& finding : m_studio.findings(*m_studio.current()))
                all.push_back(finding);
        for (const session::DiagnosticView& diagnostic : all) {
            QTreeWidgetItem* item = row(QString::fromStdString(diagnostic.message), diagnostic.place);
            const bool error = diagnostic.severity == Severity::Error;
            item->setIcon(0, icon(error ? "error" : "warning", error ? theme.error : theme.warning));
            item->setToolTip(0, QString::fromStdString(diagnostic.rendered));
            for (const session::NoteView& note : diagnostic.notes)
                item->addChild(row(QString::fromStdString(note.message), note.place));
            m_list->addTopLevelItem(item);
            ++count;
        }
        m_list->setCurrentItem(m_list->topLevelItem(std::min(selected, count - 1)));
        setBadge(count ? QString::number(count) : QString());
    }

    Studio& m_studio;
    QTreeWidget* m_list;
    std::vector<session::Place> m_places;
};

} // namespace

DockWidget* makeProblemsDock(Studio& studio) {
    return new ProblemsDock(studio);
}

} // namespace hidet::ui
