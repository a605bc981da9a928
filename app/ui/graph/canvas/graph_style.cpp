// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/graph_style.h"

#include <algorithm>

namespace hidet::ui {

namespace {

using session::NodeReading;
using session::Overlay;
using session::PairState;

class Styler {
public:
    Styler(const GraphPicture& picture, const GraphColors& colors, const StyleRequest& request)
        : m_picture(picture), m_colors(colors), m_request(request) {
        if (request.overlay && request.overlay->unavailable.empty())
            for (const NodeReading& reading : request.overlay->nodes)
                m_readings[reading.node] = &reading;
        // Made apart from the picture: for a moment it may be of another graph, or folded by something else.
        const bool fits = request.changes && request.changes->graph == picture.graph &&
                          request.changes->folded.groups.size() == picture.boxes->groups.size();
        m_changes = fits ? request.changes.get() : nullptr;
        m_inside.resize(picture.nodes.size());
        for (const auto& node : picture.graph->nodes)
            if (const auto at = picture.boxOfNode.find(node->id); at != picture.boxOfNode.end())
                if (picture.nodes[at->second].role == BoxRole::Closed)
                    m_inside[at->second].push_back(node->id);
    }

    GraphStyle make() {
        if (m_request.compared)
            return makeCompared();
        GraphStyle out;
        if (m_request.overlay)
            out.colors = m_overlayColors = OverlayColors(m_colors.theme(), *m_request.overlay);
        out.areTimesPredicted = isPredicted(m_request.times);
        if (m_changes) {
            out.changes = m_request.changes;
            for (const session::ChangeCounts& counts : m_changes->folded.groups)
                out.groupSigns.push_back(textOf(counts));
        }
        for (const PictureBox& box : m_picture.nodes)
            out.boxes.push_back(box.role == BoxRole::Operator ? ofNode(box)
                                : box.role == BoxRole::Closed
                                    ? ofGroup(box)
                                    : BoxStyle{m_colors.plain(), {}, {}, false, false, {}, false});
        readTimes(out);
        return out;
    }

private:
    static bool isPredicted(const Overlay* overlay) {
        return overlay && session::info_of(overlay->kind).source == session::OverlaySource::Predicted;
    }

    QColor colorOf(const NodeReading& reading) const {
        const QColor color = m_overlayColors.fill(reading);
        return color.isValid() ? color : m_colors.plain();
    }
    bool isFaint(quint32 node) const {
        return m_request.marked && *m_request.marked && !(*m_request.marked)->contains(node);
    }
    PairState changeOf(quint32 node) const { return m_changes ? m_changes->changes.state_of(node) : PairState::Same; }

    BoxStyle ofNode(const PictureBox& box) const {
        BoxStyle out;
        out.isFaint = isFaint(box.id);
        out.change = changeOf(box.id);
        if (const session::GraphNode* node = m_picture.node(box.id); node && out.change == PairState::New)
            out.text = QString::fromStdString(node->rule);
        const auto reading = m_readings.find(box.id);
        if (reading == m_readings.end()) {
            out.fill = m_colors.plain();
            return out;
        }
        out.fill = colorOf(*reading->second);
        out.isBeyond = reading->second->is_beyond;
        // Classes are in the legend; a number is in the box, and what a pass was about where it was.
        if (m_request.overlay->classes.empty() && out.text.isEmpty()) {
            out.text = QString::fromStdString(reading->second->text);
            out.isPredicted = isPredicted(m_request.overlay);
        }
        return out;
    }

    // The most that is in the group; of classes the one that all have.
    BoxStyle ofGroup(const PictureBox& box) const {
        BoxStyle out{m_colors.plain(), {}, {}, true, false, PairState::Same, false};
        const NodeReading* most = nullptr;
        bool isMixed = false;
        for (quint32 node : m_inside[quint32(&box - m_picture.nodes.data())]) {
            out.isFaint &= isFaint(node);
            const auto at = m_readings.find(node);
            if (at == m_readings.end())
                continue;
            const NodeReading* reading = at->second;
            out.isBeyond |= reading->is_beyond;
            isMixed |= most && most->cls != reading->cls;
            if (!most || reading->value.value_or(0) > most->value.value_or(0))
                most = reading;
        }
        if (m_changes)
            wearCounts(out, m_changes->folded.groups[box.id], m_inside[quint32(&box - m_picture.nodes.data())].size());
        const bool isClass = m_request.overlay && !m_request.overlay->classes.empty();
        if (most && m_request.overlay && session::is_additive(m_request.overlay->kind))
            return withSum(out, m_inside[quint32(&box - m_picture.nodes.data())]);
        if (m_changes && m_request.colorsChanges)
            return out;
        if (most && !(isClass && isMixed) && !(isClass && m_request.overlay->kind == session::OverlayKind::Family))
            out.fill = colorOf(*most);
        return out;
    }
    // The colour is that of the number that it shows: all of the group together.
    BoxStyle withSum(BoxStyle style, const std::vector<quint32>& nodes) const {
        NodeReading all;
        all.value = 0;
        for (quint32 node : nodes)
            if (const auto reading = m_readings.find(node); reading != m_readings.end())
                *all.value += reading->second->value.value_or(0);
        style.fill = colorOf(all);
        style.text = QString::fromStdString(text_of_quantity(*all.value, m_request.overlay->unit));
        style.isPredicted = isPredicted(m_request.overlay);
        return style;
    }

    // What is the same is faint, unless all of it is. A closed group says how many of each kind are in it.
    GraphStyle makeCompared() {
        const auto& states = *m_request.compared;
        const bool differs =
            std::any_of(states.begin(), states.end(), [](PairState s) { return s != PairState::Same; });
        GraphStyle out;
        for (const PictureBox& box : m_picture.nodes) {
            BoxStyle& style = out.boxes.emplace_back();
            style.fill = m_colors.plain();
            if (box.role == BoxRole::Operator) {
                wear(style, states.value(box.id, PairState::Same));
                style.text = signOfPair(states.value(box.id, PairState::Same));
            } else if (box.role == BoxRole::Closed) {
                wearAll(style, m_inside[quint32(&box - m_picture.nodes.data())]);
            } else {
                continue;
            }
            style.sign = style.text;
            style.isFaint =
                (differs && style.change == PairState::Same) || (box.role == BoxRole::Operator && isFaint(box.id));
        }
        readTimes(out);
        return out;
    }
    void wear(BoxStyle& style, PairState state) const {
        style.change = state;
        if (state != PairState::Same)
            style.fill = colorOfPair(m_colors.theme(), state);
    }
    void wearAll(BoxStyle& style, const std::vector<quint32>& nodes) const {
        session::ChangeCounts counts;
        for (quint32 node : nodes)
            counts.count(m_request.compared->value(node, PairState::Same));
        style.text = textOf(counts);
        if (counts.any())
            wear(style, kindOf(counts, nodes.size()));
    }
    // What all of it is, or else changed.
    static PairState kindOf(const session::ChangeCounts& counts, std::size_t nodes) {
        return counts.added == nodes && counts.gone == 0   ? PairState::New
               : counts.gone == nodes && counts.added == 0 ? PairState::Gone
                                                           : PairState::Changed;
    }
    void wearCounts(BoxStyle& style, const session::ChangeCounts& counts, std::size_t nodes) const {
        if (!counts.any())
            return;
        style.text = textOf(counts);
        style.sign = style.text;
        style.change = kindOf(counts, nodes);
        if (m_request.colorsChanges)
            style.fill = colorOfPair(m_colors.theme(), style.change);
    }

    void readTimes(GraphStyle& out) const {
        if (!m_request.times || !m_request.times->unavailable.empty())
            return;
        for (std::size_t i = 0; i < m_picture.graph->kernels.size(); ++i) {
            const auto& kernels = m_request.times->kernels;
            out.kernelTimes.push_back(i < kernels.size() && kernels[i] ? QString::fromStdString(time_text(*kernels[i]))
                                                                       : QString());
        }
    }

    const GraphPicture& m_picture;
    const GraphColors& m_colors;
    const StyleRequest& m_request;
    OverlayColors m_overlayColors;
    std::unordered_map<quint32, const NodeReading*> m_readings;
    const ShownChanges* m_changes = nullptr;
    std::vector<std::vector<quint32>> m_inside; // nodes, by the closed group that hides them
};

} // namespace

QColor colorOfPair(const Theme& theme, PairState state) {
    return state == PairState::Same ? theme.raised
                                    : mixed(theme.raised, markOfPair(theme, state), theme.dark ? 0.30 : 0.22);
}

QColor markOfPair(const Theme& theme, PairState state) {
    return state == PairState::New ? theme.ok : state == PairState::Gone ? theme.error : theme.warning;
}

QString signOfPair(PairState state) {
    constexpr const char16_t* signs[] = {u"", u"\u2260", u"+", u"\u2212"}; // as the states
    return QString::fromUtf16(signs[std::size_t(state)]);
}

QString textOf(const session::ChangeCounts& counts) {
    QStringList parts;
    for (const auto& [state, count] : {std::pair(PairState::New, counts.added), std::pair(PairState::Gone, counts.gone),
                                       std::pair(PairState::Changed, counts.changed)})
        if (count > 0)
            parts << signOfPair(state) + QString::number(count);
    return parts.join(u' ');
}

GraphStyle makeStyle(const GraphPicture& picture, const GraphColors& colors, const StyleRequest& request) {
    return Styler(picture, colors, request).make();
}

GraphColors::GraphColors(const Theme& theme) : m_theme(&theme), m_edge(mixed(theme.panel, theme.muted, 0.75)) {}

QColor GraphColors::hull(quint32 depth) const {
    return depth % 2 == 0 ? m_theme->panel : mixed(m_theme->panel, m_theme->window, m_theme->dark ? 0.7 : 1.0);
}

QColor GraphColors::kernelHull(quint32 kernel) const {
    return mixed(m_theme->panel, m_theme->links[kernel % m_theme->links.size()], 0.45);
}

QColor GraphColors::header(const QColor& hull) const {
    return mixed(hull, m_theme->text, m_theme->dark ? 0.09 : 0.06);
}

QColor GraphColors::border(const QColor& fill) const {
    return mixed(fill, m_theme->text, m_theme->dark ? 0.30 : 0.28);
}

QColor GraphColors::faint(const QColor& color) const {
    return mixed(color, m_theme->panel, 0.72);
}

QColor GraphColors::muted(const QColor& fill) const {
    return m_theme->readable(m_theme->muted, fill);
}

QColor GraphColors::block(const QColor& fill) const {
    return mixed(fill, m_theme->text, m_theme->dark ? 0.22 : 0.20);
}

} // namespace hidet::ui
