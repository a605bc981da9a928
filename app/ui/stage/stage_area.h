// SPDX-License-Identifier: GPL-3.0-only
// The panes beside the editor: groups of tabs in nested splitters, any number of both. Its state is a value that layouts
// and sessions keep.
#pragma once

#include <QJsonObject>
#include <QSplitter>
#include <QTabWidget>

#include "app/ui/stage/stage_pane.h"

namespace hidet::ui {

class StageArea : public QWidget {
    Q_OBJECT
public:
    StageArea(Studio& studio, QWidget* parent = nullptr);

    QList<StagePane*> panes() const;         // from left to right, from top to bottom
    StagePane* current() const;              // the one that last had the keyboard; null: there is none
    StagePane* open(const StageName& stage); // a tab of the current group
    StagePane* split(Qt::Orientation orientation);
    void close(StagePane* pane);
    // The first pane that shows the stage, or else the current one, made to show it.
    StagePane* show(const StageName& stage);

    QJsonObject state() const;
    void restore(const QJsonObject& state);                  // what cannot be read is left out
    static QJsonObject of(const QList<QStringList>& groups); // side by side

signals:
    void panesChanged();

private:
    QTabWidget* newGroup();
    StagePane* newPane(QTabWidget* group, const StageName& stage);
    QTabWidget* groupOf(const StagePane* pane) const;
    void removeIfEmpty(QTabWidget* group);
    QJsonObject stateOf(const QWidget* widget) const;
    QWidget* made(const QJsonObject& state);

    Studio& m_studio;
    QWidget* m_root = nullptr; // a splitter or a group
    QPointer<StagePane> m_current;
};

} // namespace hidet::ui
