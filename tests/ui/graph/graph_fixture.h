// SPDX-License-Identifier: GPL-3.0-only
// Graphs for tests of the canvas, made by hand: no file is read and no pass runs.
#pragma once

#include "app/ui/graph/canvas/graph_picture.h"

namespace hidet::ui::test {

struct MadeGraph {
    std::shared_ptr<const session::ModelGraph> graph;
    std::shared_ptr<const session::GraphBoxes> boxes;
    std::vector<GraphKey> groups; // keys, but that of the first

    PicturePtr picture(const QSet<GraphKey>& open, const std::shared_ptr<LayoutStore>& store = {},
                       const GraphMetrics& metrics = GraphMetrics::fixed()) const;
    PicturePtr opened(const GraphMetrics& metrics = GraphMetrics::fixed()) const; // all groups
    PicturePtr closed() const { return picture({}); }
};

class GraphMaker {
public:
    GraphMaker();
    quint32 input(const std::string& name, const std::string& shape);
    quint32 constant(const std::string& name, const std::string& shape, const std::string& contents = {});
    // Returns its first output; `outputs` more of the same shape may follow.
    quint32 node(const std::string& op, session::OpFamily family, const std::string& name,
                 const std::vector<quint32>& inputs, const std::string& shape, quint32 outputs = 1);
    void attribute(const std::string& name, const std::string& value); // of the last node
    void takes(quint32 value, double bytes) { m_values[value]->bytes = bytes; }
    void output(quint32 value, const std::string& name);
    quint32 last() const { return m_lastNode; } // node
    void refuse(quint32 value, quint32 consumer, const std::string& text);

    void enter(const std::string& name, session::BoxGroupKind kind = session::BoxGroupKind::Scope, quint32 count = 1);
    void leave();
    MadeGraph finish();

private:
    struct Group {
        quint32 place = 0;
    };
    quint32 addValue(session::GraphValue value);
    void connect(quint32 value, quint32 box, quint32 port);

    std::shared_ptr<session::ModelGraph> m_graph = std::make_shared<session::ModelGraph>();
    std::shared_ptr<session::GraphBoxes> m_boxes = std::make_shared<session::GraphBoxes>();
    std::vector<std::shared_ptr<session::GraphValue>> m_values;
    std::vector<std::pair<quint32, quint32>> m_from; // of values: box and port
    std::vector<std::shared_ptr<session::GraphNode>> m_nodes;
    quint32 m_group = 0, m_lastNode = 0;
};

MadeGraph residualNetwork(int stages, int blocks);                      // nested groups
MadeGraph transformer(int layers, bool isNested, bool hasMask = false); // 15 operators a layer
MadeGraph mixedGraph(quint64 seed, int nodes); // random, with groups, several outputs and many readers

} // namespace hidet::ui::test
