// SPDX-License-Identifier: GPL-3.0-only
// Why there is nothing to export. What has a place leads there, by Enter and by a click.
#pragma once

#include <QHeaderView>
#include <QTreeWidget>
#include <functional>

#include "app/session/snapshot/snapshot.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/theme.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

class ExportProblems : public QTreeWidget {
    Q_OBJECT
public:
    explicit ExportProblems(ThemeSource& themes, QWidget* parent = nullptr) : QTreeWidget(parent), m_themes(themes) {
        setObjectName("export.problems");
        setAccessibleName(tr("Why there is nothing to export"));
        setHeaderHidden(true);
        setRootIsDecorated(false);
        setColumnCount(2);
        setWordWrap(true);
        header()->setStretchLastSection(false);
        header()->setSectionResizeMode(0, QHeaderView::Stretch);
        header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
        connect(this, &QTreeWidget::itemActivated, this, &ExportProblems::follow);
        connect(this, &QTreeWidget::itemClicked, this, &ExportProblems::follow);
    }

    // `leads`: whether a place can be shown. A hint follows what is wrong, if there is one.
    void show(const std::vector<session::DiagnosticView>& diagnostics,
              const std::function<bool(const session::Place&)>& leads, const QString& hint) {
        const Theme& theme = m_themes.theme();
        const auto shown = [&](const session::Place& place) { return leads(place) ? place : session::Place(); };
        clear();
        m_places.clear();
        for (const session::DiagnosticView& each : diagnostics) {
            const bool isError = each.severity == Severity::Error;
            add(text(each.message), shown(each.place), isError ? "error" : "warning",
                isError ? theme.error : theme.warning);
            for (const session::NoteView& note : each.notes)
                add(text(note.message), shown(note.place), "info", theme.muted);
        }
        if (diagnostics.empty())
            add(tr("There is nothing to export"), {}, "error", theme.error);
        if (!hint.isEmpty())
            add(hint, {}, "info", theme.muted);
        setCurrentItem(topLevelItem(0));
    }

    using QTreeWidget::show;

signals:
    void placeChosen(const hidet::session::Place& place);

private:
    void add(const QString& message, const session::Place& place, const QString& iconName, const QColor& color) {
        auto* item = new QTreeWidgetItem(
            this, {capitalized(message), place.known() ? tr("line %1").arg(place.line) : QString()});
        item->setIcon(0, icon(iconName, color));
        item->setForeground(1, m_themes.theme().accent);
        item->setToolTip(0, wrappedTip(message));
        m_places.push_back(place);
    }

    void follow(QTreeWidgetItem* item) {
        const int row = indexOfTopLevelItem(item);
        if (row >= 0 && row < static_cast<int>(m_places.size()) && m_places[static_cast<std::size_t>(row)].known())
            emit placeChosen(session::Place(m_places[static_cast<std::size_t>(row)])); // the list may change meanwhile
    }

    ThemeSource& m_themes;
    std::vector<session::Place> m_places; // by row; not known: it leads nowhere
};

} // namespace hidet::ui
