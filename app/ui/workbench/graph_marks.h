// SPDX-License-Identifier: GPL-3.0-only
// Bookmarks and notes on the operators of a model. They are kept by the names that operators have in the model's file
// (session/model/view/node_origins.h), so they stay with their operators through passes and other sessions; those whose operator
// is gone stay in the list. Every change is a step of undo.
#pragma once

#include <memory>

#include <QHash>
#include <QList>
#include <QObject>
#include <QString>

#include "app/session/model/view/node_origins.h"

namespace hidet::ui {

class LiveModel;

struct GraphMark {
    session::NodeAnchor anchor;
    bool isBookmark = false;
    QString note; // empty: none
    friend bool operator==(const GraphMark&, const GraphMark&) = default;
};

class GraphMarks : public QObject {
    Q_OBJECT
public:
    explicit GraphMarks(LiveModel& model);
    ~GraphMarks() override;

    const QList<GraphMark>& all() const { return m_marks; }
    // In the shown graph if it is there, else in the last one that has it; no node: it is gone, or no graph is there yet.
    session::AnchoredNode placeOf(qsizetype mark) const { return m_places[mark]; }
    const GraphMark* of(quint32 node) const; // null: it has none
    // Marks by nodes of the shown graph.
    const QHash<quint32, qsizetype>& shown() const { return m_shown; }

    void toggleBookmark(quint32 node);
    void setNote(quint32 node, const QString& note); // empty: deletes it
    void remove(qsizetype mark);
    void restore(const QList<GraphMark>& marks); // beside those that there are; no step of undo

    // The bookmark behind or before what is selected, in the order of the shown graph, around its end; -1: there is none.
    qsizetype next(int by) const;
    void go(qsizetype mark); // selects its operator and shows it

signals:
    void changed(); // marks, or where they are

private:
    class Step;
    void set(const QList<GraphMark>& marks);
    void change(QList<GraphMark> marks, const QString& what);
    void locate();
    qsizetype indexOf(quint32 node) const;       // -1: it has none
    const session::NodeOrigins* origins() const; // null: no graph is there yet
    qsizetype made(QList<GraphMark>& marks, quint32 node) const;

    LiveModel& m_model;
    QList<GraphMark> m_marks;
    QList<session::AnchoredNode> m_places; // of the marks
    QHash<quint32, qsizetype> m_shown;
    mutable std::unique_ptr<session::NodeOrigins> m_origins;
};

} // namespace hidet::ui
