// SPDX-License-Identifier: GPL-3.0-only
// The panes beside the editor: groups of tabs in nested splitters, any number of both. Its state is a value that layouts
// and sessions keep.
#pragma once

#include <QJsonObject>
#include <QLabel>
#include <QPointer>
#include <QSplitter>

#include "app/ui/panes/diff_pane.h"
#include "app/ui/panes/pane_group.h"
#include "app/ui/panes/stage_pane.h"

namespace hidet::ui {

class StageArea : public QWidget {
    Q_OBJECT
public:
    StageArea(Studio& studio, QWidget* parent = nullptr);

    QList<Pane*> panes() const;      // from left to right, from top to bottom
    Pane* current() const;           // the one that last had the keyboard; null: there is none
    StagePane* currentStage() const; // the same, if it shows one stage
    QList<StagePane*> stagePanes() const;
    QList<PaneGroup*> groups() const; // in the order of the panes
    PaneGroup* groupOf(const Pane* pane) const;

    // A tab of the current group. A figure is there once: it is opened where it is, and moves when it is split.
    Pane* open(const QString& state);
    Pane* split(Qt::Orientation orientation);
    void close(Pane* pane);
    void move(Pane* pane, PaneGroup* group, int index = -1);
    // To a group of its own at an edge of `beside`.
    void moveToEdge(Pane* pane, PaneGroup* beside, Qt::Edge edge);
    void raise(Pane* pane);                        // in front of its tabs
    Pane* figure(const QString& id) const;         // null: it is not open
    StagePane* find(const StageName& stage) const; // the first that shows it and is not pinned; null: none
    // The first pane that shows the stage, or else the current one, made to show it.
    StagePane* show(const StageName& stage);
    // The same for IR: the pane that shows IR and was used last takes the stage.
    StagePane* showIr(const StageName& stage);
    // In the comparison that there is, or else in a new tab; see DiffSide.
    DiffPane* compare(const DiffSide& left, const DiffSide& right);

    QJsonObject state() const { return stateOf(m_root); }
    void restore(const QJsonObject& state);                       // what cannot be read is left out
    static QJsonObject of(const QList<QList<StageName>>& groups); // side by side

signals:
    void panesChanged();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent*) override { m_dropMark->hide(); }
    void dropEvent(QDropEvent* event) override;

private:
    struct Target { // of a drag: a group, or one of its edges
        PaneGroup* group = nullptr;
        std::optional<Qt::Edge> edge;
        QRect area; // in this widget
    };
    Target targetAt(const QPoint& point) const;
    bool isNarrow() const; // the current group
    PaneGroup* newGroup();
    PaneGroup* groupBeside(PaneGroup* group, Qt::Edge edge);
    Pane* newPane(PaneGroup* group, const QString& state);
    Pane* madePane(const QString& state);
    void setCurrent(Pane* pane);
    void removeIfEmpty(PaneGroup* group);
    void showMenu(Pane* pane, const QPoint& at);
    QJsonObject stateOf(const QWidget* widget) const;
    QWidget* made(const QJsonObject& state);
    void changed();

    Studio& m_studio;
    QWidget* m_root = nullptr; // a splitter or a group
    QWidget* m_dropMark = new QWidget(this);
    QPointer<Pane> m_current;
    QPointer<StagePane> m_lastIr;
    int m_caretLine = 0; // of the script in front, 1-based; 0: not known
    QPointer<Pane> m_dragged;
};

} // namespace hidet::ui
