// SPDX-License-Identifier: Apache-2.0
#include "app/session/picture/graph_picture.h"

#include <algorithm>
#include <string>
#include <vector>

#include "lang/base/text.h"

namespace hidet::session {

namespace {

struct Metric { // of texts in the font of pictures, and around them
    static constexpr double letter = 6.7, row = 14, side = 8, rim = 5;
    static constexpr double header = 20, margin = 10, least_width = 56;
    static constexpr std::size_t most_letters = 34, most_stub_letters = 14;
};

bool is_inside_letter(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}
std::size_t letters_of(const std::string& text) {
    return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_inside_letter));
}

std::string cut_label(const std::string& text, std::size_t most) {
    if (letters_of(text) <= most)
        return text;
    std::size_t end = 0;
    for (std::size_t count = 0; count + 1 < most; ++count)
        do
            ++end;
        while (is_inside_letter(text[end]));
    return text.substr(0, end) + "\u2026";
}

std::string typed_shape(const GraphValue* value) {
    if (!value || value->shape.empty())
        return "";
    return value->dtype == "float32" ? value->shape : cat(value->dtype, " ", value->shape);
}

// What a box says, and what it says to a mouse that rests on it.
struct BoxTexts {
    std::vector<std::string> lines;
    std::string tip;
    std::string style = "paper";

    drawing::Size size() const {
        std::size_t longest = 0;
        for (const std::string& line : lines)
            longest = std::max(longest, letters_of(line));
        return {std::max(Metric::least_width, static_cast<double>(longest) * Metric::letter + 2 * Metric::side),
                static_cast<double>(lines.size()) * Metric::row + 2 * Metric::rim};
    }
};

class GraphDrawer {
public:
    explicit GraphDrawer(const ModelGraph& graph)
        : m_graph(graph), m_boxes(*graph.boxes({.by_scope = true, .by_repeat = true, .by_kernel = true})),
          m_view(m_boxes.drawn) {}

    GraphPicture draw(const std::string& title, std::size_t most) {
        open_groups(most);
        find_closed();
        set_sizes();
        drawing::ViewOptions options;
        options.stub = {static_cast<double>(Metric::most_stub_letters) * Metric::letter + 8, 18};
        drawing::DrawingMemory memory;
        m_layout = drawing::lay_out(m_view, options, memory);
        Scene scene(m_layout.size.width + 2 * Metric::margin, m_layout.size.height + 2 * Metric::margin, title);
        draw_frames(scene);
        draw_edges(scene);
        draw_boxes(scene);
        draw_stubs(scene);
        return {std::move(scene), m_graph.nodes.size(), folded()};
    }

private:
    bool is_shown(std::uint32_t group) const { return group == 0 || m_closed[m_view.groups[group].parent] == 0; }

    // One level after the other; in a level the groups that show the least come first.
    void open_groups(std::size_t most) {
        std::vector<std::size_t> children(m_view.groups.size(), 0);
        for (const drawing::ViewNode& node : m_view.nodes)
            ++children[node.group];
        for (std::uint32_t i = 1; i < m_view.groups.size(); ++i) {
            ++children[m_view.groups[i].parent];
            m_view.groups[i].is_open = false;
        }
        std::size_t shown = children.empty() ? 0 : children[0];
        for (std::vector<std::uint32_t> level = {0}; !level.empty();) {
            std::vector<std::uint32_t> inside;
            for (std::uint32_t i = 1; i < m_view.groups.size(); ++i)
                if (std::ranges::find(level, m_view.groups[i].parent) != level.end())
                    inside.push_back(i);
            std::ranges::stable_sort(inside, {}, [&](std::uint32_t i) { return children[i]; });
            level.clear();
            for (const std::uint32_t i : inside) {
                if (shown + children[i] > most + 1)
                    continue;
                shown += children[i] - 1;
                m_view.groups[i].is_open = true;
                level.push_back(i);
            }
        }
    }

    // The outermost closed group around what is in a group; 0: it is shown.
    void find_closed() {
        m_closed.assign(m_view.groups.size(), 0);
        for (std::uint32_t i = 1; i < m_view.groups.size(); ++i) {
            const drawing::ViewGroup& group = m_view.groups[i];
            m_closed[i] = m_closed[group.parent] != 0 ? m_closed[group.parent] : group.is_open ? 0 : i;
        }
    }

    std::size_t folded() const {
        std::size_t count = 0;
        for (std::uint32_t i = 1; i < m_view.groups.size(); ++i)
            count += m_closed[i] == i ? m_boxes.groups[i].boxes : 0;
        return count;
    }

    void set_sizes() {
        m_node_texts.resize(m_view.nodes.size());
        m_group_texts.resize(m_view.groups.size());
        for (std::size_t i = 0; i < m_view.nodes.size(); ++i)
            if (m_closed[m_view.nodes[i].group] == 0) {
                m_node_texts[i] = texts_of(m_boxes.boxes[i]);
                m_view.nodes[i].size = m_node_texts[i].size();
            }
        for (std::uint32_t i = 1; i < m_view.groups.size(); ++i)
            if (is_shown(i)) {
                m_group_texts[i] = texts_of_group(i);
                m_view.groups[i].closed = m_group_texts[i].size();
                m_view.groups[i].header = {m_group_texts[i].size().width, Metric::header};
            }
    }

    BoxTexts texts_of(const GraphBox& box) const {
        BoxTexts out;
        out.lines = {cut_label(box.label, Metric::most_letters)};
        const std::uint32_t value =
            box.kind == BoxKind::Operator && !box.outputs.empty() ? box.outputs.front() : box.value;
        if (const std::string shape = typed_shape(m_graph.value(value)); !shape.empty())
            out.lines.push_back(cut_label(shape, Metric::most_letters));
        const GraphNode* node = box.kind == BoxKind::Operator ? m_graph.node(box.node) : nullptr;
        if (!node) {
            out.style = "grid";
            return out;
        }
        out.tip = node->name;
        for (const auto& [name, text] : node->attributes)
            out.tip += cat("\n", name, ": ", cut_label(text, 2 * Metric::most_letters));
        if (const std::uint32_t kernel = m_graph.kernel_of(box.node); kernel != no_id) {
            out.tip += kernel_text(kernel);
            if (m_graph.kernels[kernel].nodes.size() > 1)
                out.style = hue_style(kernel);
        }
        return out;
    }

    std::string kernel_text(std::uint32_t place) const {
        const GraphKernel& kernel = m_graph.kernels[place];
        if (kernel.is_host)
            return "\non the host";
        return cat(kernel.names.empty() ? "" : cat("\nkernel ", join(kernel.names, ", ")),
                   kernel.schedule.empty() ? "" : cat("\n", kernel.schedule));
    }

    BoxTexts texts_of_group(std::uint32_t place) const {
        const GraphBoxGroup& group = m_boxes.groups[place];
        std::string title = group.count > 1 ? cat(group.name, " \u00D7", group.count) : group.name;
        BoxTexts out;
        out.style = "grid";
        if (group.kernel != no_id && group.kernel < m_graph.kernels.size()) {
            const GraphKernel& kernel = m_graph.kernels[group.kernel];
            if (!kernel.names.empty())
                title = join(kernel.names, ", ");
            out.style = hue_style(group.kernel);
            out.tip = kernel.schedule;
        }
        out.lines = {cut_label(title, Metric::most_letters)};
        if (!m_view.groups[place].is_open)
            out.lines.push_back(group.boxes == 1 ? "1 operator" : cat(group.boxes, " operators"));
        return out;
    }

    static void draw_box(Scene& scene, const drawing::Box& box, const BoxTexts& texts) {
        const double x = box.at.x + Metric::margin, y = box.at.y + Metric::margin;
        scene.rect(x, y, box.size.width, box.size.height, cat("outline ", texts.style), texts.tip);
        double base = y + Metric::rim + Metric::row - 4;
        for (std::size_t i = 0; i < texts.lines.size(); ++i, base += Metric::row)
            scene.text(x + box.size.width / 2, base, texts.lines[i], i == 0 ? "ink" : "small", TextAnchor::Middle);
    }

    // Groups come after those around them.
    void draw_frames(Scene& scene) const {
        for (std::uint32_t i = 1; i < m_view.groups.size(); ++i) {
            const drawing::Box& box = m_layout.groups[i];
            if (!box.is_shown || !m_view.groups[i].is_open)
                continue;
            const BoxTexts& texts = m_group_texts[i];
            scene.rect(box.at.x + Metric::margin, box.at.y + Metric::margin, box.size.width, box.size.height,
                       cat("outline frame ", texts.style), texts.tip);
            scene.text(box.at.x + Metric::margin + Metric::side, box.at.y + Metric::margin + Metric::row,
                       texts.lines.front());
        }
    }

    void draw_boxes(Scene& scene) const {
        for (std::size_t i = 0; i < m_view.nodes.size(); ++i)
            if (m_layout.nodes[i].is_shown)
                draw_box(scene, m_layout.nodes[i], m_node_texts[i]);
        for (std::uint32_t i = 1; i < m_view.groups.size(); ++i)
            if (m_layout.groups[i].is_shown && !m_view.groups[i].is_open)
                draw_box(scene, m_layout.groups[i], m_group_texts[i]);
    }

    // In pieces, where the edge is cut.
    void draw_way(Scene& scene, std::uint32_t first, std::uint32_t count) const {
        std::vector<drawing::Point> piece;
        for (std::uint32_t i = first; i < first + count; ++i) {
            if (std::ranges::binary_search(m_layout.gaps, i)) {
                scene.edge(piece, "faint");
                piece.clear();
            }
            piece.push_back({m_layout.points[i].x + Metric::margin, m_layout.points[i].y + Metric::margin});
        }
        scene.edge(piece, "faint");
    }
    void draw_edges(Scene& scene) const {
        for (const drawing::ShownEdge& edge : m_layout.edges)
            draw_way(scene, edge.first_point, edge.points);
    }

    const std::string& label_of(std::uint32_t node) const {
        const std::uint32_t closed = m_closed[m_view.nodes[node].group];
        return (closed == 0 ? m_node_texts[node] : m_group_texts[closed]).lines.front();
    }
    // The end of a cut edge says where it goes on.
    void draw_stubs(Scene& scene) const {
        for (const drawing::Stub& stub : m_layout.stubs) {
            draw_way(scene, stub.first_point, stub.points);
            const drawing::FlatEdge& edge = m_view.edges[stub.edge];
            BoxTexts texts;
            texts.tip = stub.is_source ? "read elsewhere, also by " + label_of(edge.to) : "from " + label_of(edge.from);
            const drawing::Box& box = stub.box;
            scene.rect(box.at.x + Metric::margin, box.at.y + Metric::margin, box.size.width, box.size.height, "grid",
                       texts.tip);
            scene.text(box.at.x + Metric::margin + box.size.width / 2, box.at.y + Metric::margin + box.size.height - 5,
                       cut_label(stub.is_source ? "\u2192 " + label_of(edge.to) : label_of(edge.from),
                                 Metric::most_stub_letters),
                       "small", TextAnchor::Middle);
        }
    }

    const ModelGraph& m_graph;
    const GraphBoxes m_boxes;
    drawing::GroupView m_view;
    drawing::ViewDrawing m_layout;
    std::vector<std::uint32_t> m_closed; // by group
    std::vector<BoxTexts> m_node_texts, m_group_texts;
};

} // namespace

GraphPicture picture_of(const ModelGraph& graph, const std::string& title, const GraphPictureOptions& options) {
    return GraphDrawer(graph).draw(title, options.most_boxes);
}

} // namespace hidet::session
