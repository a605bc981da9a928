// SPDX-License-Identifier: GPL-3.0-only
// What all views of a model have selected, and what they point at: the way there and back, the operators that a search marks,
// and the code of another schedule for the selected operator. Ids are those of the model's snapshot; they follow a new one.
#pragma once

#include <memory>
#include <optional>

#include <QList>
#include <QObject>
#include <QSet>
#include <QString>

#include "app/session/model/view/model_view.h"
#include "app/ui/workbench/model_carry.h"

namespace hidet::session {
struct ModelCode;
}

namespace hidet::ui {

class Commands;

// What can be selected, the same in all graphs of a model and in all views.
struct GraphItem {
    enum class Kind { None, Node, Value, Edge, Group };
    Kind kind = Kind::None;
    quint32 node = session::no_id;  // Node; of an Edge the consumer
    quint32 value = session::no_id; // Value (inputs and outputs of the model have a box); Edge
    drawing::Key group = 0;         // Group

    static GraphItem ofNode(quint32 node) { return {Kind::Node, node, session::no_id, 0}; }
    static GraphItem ofValue(quint32 value) { return {Kind::Value, session::no_id, value, 0}; }
    static GraphItem ofEdge(quint32 value, quint32 consumer) { return {Kind::Edge, consumer, value, 0}; }
    static GraphItem ofGroup(drawing::Key group) { return {Kind::Group, session::no_id, session::no_id, group}; }
    explicit operator bool() const { return kind != Kind::None; }
    friend bool operator==(const GraphItem&, const GraphItem&) = default;
};

// The code of a model as it would be with another schedule of one operator.
struct PeekedCode {
    std::shared_ptr<const session::ModelCode> code;
    quint32 node = session::no_id; // the operator, of the graph that is run
    QString schedule;
};

class GraphSelection : public QObject {
    Q_OBJECT
public:
    GraphSelection(Commands& commands, QObject* parent);

    const GraphItem& selected() const { return m_selected; }
    void select(const GraphItem& item, QObject* origin = nullptr); // noted for back and forward
    void goTo(const GraphItem& item, QObject* origin = nullptr);   // selects it, and brings it into view
    void reveal(const GraphItem& item); // asks the canvas to bring it into view, opening the groups around it
    const GraphItem& hovered() const { return m_hovered; }
    void hover(const GraphItem& item, QObject* origin = nullptr);
    void goBack();
    void goForward();
    bool canGoBack() const { return !m_before.isEmpty(); }
    bool canGoForward() const { return !m_after.isEmpty(); }

    // Nodes that a search or a path marks; others are fainter. Nothing: none is marked.
    const std::optional<QSet<quint32>>& marked() const { return m_marked; }
    void mark(std::optional<QSet<quint32>> nodes);

    // In the place of the model's own code, until another operator is selected or the model is another.
    const std::optional<PeekedCode>& peeked() const { return m_peeked; }
    void peek(std::optional<PeekedCode> code);

    // The model has another snapshot: what ids were given for follows, and what is gone is selected no more.
    void follow(const session::ModelSnapshot& now, const ModelCarry& carried);

signals:
    void selectionChanged(QObject* origin);
    void hoverChanged(QObject* origin);
    void markedChanged();
    void peekChanged();
    void revealRequested(hidet::ui::GraphItem item);

private:
    void setSelected(const GraphItem& item, QObject* origin);
    void carry(const ModelCarry& carried);

    Commands& m_commands;
    GraphItem m_selected, m_hovered;
    QList<GraphItem> m_before, m_after;
    std::optional<QSet<quint32>> m_marked;
    std::optional<PeekedCode> m_peeked;
};

} // namespace hidet::ui
