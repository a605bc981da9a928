// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_tips.h"

#include "app/ui/core/words.h"
#include "app/ui/graph/canvas/picture_text.h"
#include "app/ui/workbench/graph_parts.h"

namespace hidet::ui {

namespace {

constexpr std::size_t most_in_tip = 12;

class Teller {
public:
    explicit Teller(const GraphPicture& picture, const GraphStyle* style = nullptr)
        : m_picture(picture), m_changes(style ? style->changes.get() : nullptr) {}

    QString describe(quint32 value) const {
        const session::GraphValue* at = m_picture.value(value);
        if (!at)
            return {};
        const QString type = text(at->dtype) + u' ' + text(at->shape);
        return at->name.empty() ? type : text(at->name) + u' ' + type;
    }
    QString nameOf(quint32 node) const {
        const session::GraphNode* at = m_picture.node(node);
        return at ? nameOf(*at) : QString();
    }
    static QString nameOf(const session::GraphNode& node) {
        return node.name.empty() || node.name == node.op ? text(node.op) : text(node.op) + u' ' + text(node.name);
    }

    QStringList node(quint32 id) const {
        const session::GraphNode* at = m_picture.node(id);
        if (!at)
            return {};
        QStringList out{nameOf(id)};
        for (quint32 value : at->inputs)
            out << tr("in: %1").arg(describe(value));
        for (quint32 value : at->outputs)
            out << tr("out: %1").arg(describe(value));
        for (const auto& [name, value] : at->attributes)
            out << text(name) + QStringLiteral(" = ") + text(value);
        if (!at->rule.empty())
            out << tr("made by the rule %1").arg(text(at->rule));
        if (!at->note.empty())
            out << text(at->note);
        shorten(out);
        return out;
    }
    QStringList group(quint32 place) const {
        const session::GraphBoxGroup& at = m_picture.groupAt(place);
        QStringList out{titleOf(at), sizeOf(at)};
        if (at.kernel < m_picture.graph->kernels.size()) {
            const session::GraphKernel& kernel = m_picture.graph->kernels[at.kernel];
            if (kernel.is_host)
                out << tr("done by the host, without a kernel");
            for (const std::string& name : kernel.names)
                out << tr("kernel: %1").arg(text(name));
        }
        if (m_changes)
            out << changesIn(place);
        shorten(out);
        return out;
    }
    // What one sees by opening it, and what is gone, which nothing shows.
    QStringList changesIn(quint32 place) const {
        QStringList out;
        if (const QString signs = textOf(m_changes->folded.groups[place]); !signs.isEmpty())
            out << tr("operators: %1").arg(signs);
        for (std::size_t i = 0; i < m_changes->changes.gone.size(); ++i)
            if (isInGroup(*m_picture.boxes, m_changes->folded.home[i], place))
                out << goneLine(m_changes->changes.gone[i]);
        return out;
    }
    QStringList edge(const PictureEdge& edge) const {
        QStringList out{describe(edge.value)};
        const session::GraphValue* value = m_picture.value(edge.value);
        if (value && value->producer != session::no_id)
            out << tr("from %1").arg(nameOf(value->producer));
        if (edge.consumer != session::no_id)
            out << tr("to %1").arg(nameOf(edge.consumer));
        if (edge.blocker != session::no_id)
            out << tr("Not fused: %1").arg(text(m_picture.graph->blockers[edge.blocker].text));
        return out;
    }
    QStringList stub(const PictureStub& stub) const {
        QStringList out{describe(stub.value)};
        const session::GraphValue* value = m_picture.value(stub.value);
        if (!stub.isSource || !value)
            return out << tr("Click: go to where it comes from");
        for (quint32 consumer : value->consumers)
            out << tr("to %1").arg(nameOf(consumer));
        shorten(out);
        return out;
    }

private:
    QString goneLine(quint32 gone) const {
        const QString name = nameOf(*m_changes->earlier->node(gone));
        const auto heirs = m_changes->changes.partners.find(gone);
        return heirs == m_changes->changes.partners.end()
                   ? tr("gone: %1").arg(name)
                   : tr("gone: %1, now in %2").arg(name, nameOf(heirs->second.front()));
    }
    static void shorten(QStringList& lines) {
        const qsizetype more = lines.size() - qsizetype(most_in_tip);
        if (more > 1)
            lines = lines.mid(0, qsizetype(most_in_tip)) << tr("and %1 more").arg(more);
    }

    const GraphPicture& m_picture;
    const ShownChanges* m_changes;
};

} // namespace

QString tipOf(const GraphPicture& picture, const PictureHit& hit, const GraphStyle* style) {
    const Teller teller(picture, style);
    QStringList out;
    switch (hit.what) {
    case PictureHit::What::Box: {
        const PictureBox& box = picture.nodes[hit.place];
        out = box.role == BoxRole::Operator ? teller.node(box.id)
              : box.role == BoxRole::Closed ? teller.group(box.id)
                                            : QStringList{teller.describe(box.id)};
        if (style && hit.place < style->boxes.size() && !style->boxes[hit.place].text.isEmpty())
            out << style->boxes[hit.place].text;
        break;
    }
    case PictureHit::What::Header: out = teller.group(picture.groups[hit.place].place); break;
    case PictureHit::What::Sign:
    case PictureHit::What::Edge: out = teller.edge(picture.edges[hit.place]); break;
    case PictureHit::What::Stub: out = teller.stub(picture.stubs[hit.place]); break;
    case PictureHit::What::Chip:
        out = {teller.describe(picture.chips[hit.place].value), tr("Click: shows its values")};
        break;
    default: break;
    }
    return out.join(u'\n');
}

QString sayingOf(const GraphPicture& picture, const GraphItem& item) {
    const Teller teller(picture);
    QStringList parts;
    if (item.kind == GraphItem::Kind::Node) {
        const session::GraphNode* node = picture.node(item.node);
        if (!node)
            return {};
        parts << teller.nameOf(item.node);
        if (const session::GraphValue* value = node->outputs.empty() ? nullptr : picture.value(node->outputs.front()))
            parts << shapeOf(*value);
    } else if (item.kind == GraphItem::Kind::Group) {
        if (const quint32 group = groupOf(*picture.boxes, item.group); group != session::no_id)
            parts << titleOf(picture.groupAt(group)) << sizeOf(picture.groupAt(group))
                  << (picture.groupOfKey.contains(item.group) ? tr("open") : tr("closed"));
    } else if (item.kind == GraphItem::Kind::Value) {
        const bool isConstant = picture.value(item.value) && picture.value(item.value)->is_constant;
        parts << (isConstant                                ? tr("constant")
                  : picture.boxOfInput.contains(item.value) ? tr("input")
                                                            : tr("output"))
              << teller.describe(item.value);
    } else if (const quint32 edge = edgeOfItem(picture, item); edge != no_box) {
        parts << teller.edge(picture.edges[edge]);
    }
    parts.removeAll(QString());
    return parts.join(QStringLiteral(", "));
}

} // namespace hidet::ui
