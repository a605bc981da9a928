// SPDX-License-Identifier: GPL-3.0-only
// Lines of code and the operators that they came from. Origins name the operators that a program was lowered from; in another
// group that shares the program, those in the same places are meant.
#include <algorithm>

#include "app/ui/graph/code/model_code.h"

namespace hidet::ui {

int ModelCodePane::positionOf(quint32 node) const {
    if (!use())
        return -1;
    const auto found = std::find(use()->nodes.begin(), use()->nodes.end(), node);
    return found == use()->nodes.end() ? -1 : static_cast<int>(found - use()->nodes.begin());
}

quint32 ModelCodePane::nodeAt(int offset) const {
    if (!m_text.links || !m_shown.code)
        return session::no_id;
    const session::Link* link = m_text.links->source_of(static_cast<std::uint32_t>(std::max(0, offset)));
    const session::CodeOperator* op = link ? m_shown.code->at_line(link->source.line) : nullptr;
    if (!op)
        return session::no_id;
    if (!use())
        return op->node;
    const auto& nodes = program()->nodes;
    const auto found = std::find(nodes.begin(), nodes.end(), op->node);
    const auto at = static_cast<std::size_t>(found - nodes.begin());
    return at < use()->nodes.size() ? use()->nodes[at] : session::no_id;
}

std::vector<ByteRange> ModelCodePane::rangesOf(quint32 node) const {
    const int at = positionOf(node);
    if (at < 0 || !m_text.links || !m_shown.code || m_shown.program != m_target.place->program)
        return {};
    const session::CodeOperator* op = m_shown.code->find(program()->nodes[static_cast<std::size_t>(at)]);
    return op ? joined(*m_text.text, m_text.links->targets_of_line(op->line)) : std::vector<ByteRange>();
}

// Operators of one kernel have different hues: neighbours in the group are far apart in the circle.
void ModelCodePane::showLinks() {
    std::vector<LinkedRange> links;
    if (m_shown.code && m_text.text && m_studio.settings.flag(Setting::LinkColors) && program() &&
        m_shown.program == m_target.place->program)
        for (const HueRun& run : m_text.runs) {
            const session::CodeOperator* op = m_shown.code->at_line(run.scriptLine);
            const auto& nodes = program()->nodes;
            const auto found = op ? std::find(nodes.begin(), nodes.end(), op->node) : nodes.end();
            if (found != nodes.end())
                links.push_back({run.range, static_cast<int>((found - nodes.begin()) * 5 % session::hue_count)});
        }
    m_view->setLinks(links);
}

// What the mouse is over wins over what is selected.
void ModelCodePane::showOutline(bool reveals) {
    if (!m_model || isEmpty())
        return;
    const GraphItem& hovered = m_model->selection().hovered();
    std::vector<ByteRange> ranges;
    if (hovered.kind == GraphItem::Kind::Node)
        ranges = rangesOf(hovered.node);
    if (ranges.empty())
        ranges = rangesOf(m_target.node);
    m_view->fill(CodeView::LinkOutline, ranges);
    if (!reveals || ranges.empty())
        return;
    if (std::none_of(ranges.begin(), ranges.end(), [&](const ByteRange& range) { return m_view->isVisible(range); }))
        m_view->reveal(ranges.front());
}

void ModelCodePane::showBlame() {
    const bool wanted =
        m_studio.settings.flag(Setting::Blame) && (m_shown.stage.isIr() || m_shown.stage == session::Form::Cuda);
    m_blame->show(wanted ? m_answer.module : nullptr, m_text.text);
}

void ModelCodePane::followCaret() {
    const quint32 node = nodeAt(m_view->caret());
    if (!m_model || node == session::no_id)
        return m_studio.notices.showStatus(tr("No operator of the graph made this line"));
    m_model->selection().goTo(GraphItem::ofNode(node), this);
    emit m_studio.requests.editorRequested();
}

void ModelCodePane::stepUse(int by) {
    if (!use() || program()->uses.size() < 2)
        return;
    const auto count = static_cast<int>(program()->uses.size());
    const int next = (static_cast<int>(m_target.place->use) + by + count) % count;
    const auto at = static_cast<std::size_t>(std::max(0, positionOf(m_target.node)));
    const auto& nodes = program()->uses[static_cast<std::size_t>(next)].nodes;
    if (at >= nodes.size())
        return;
    const GraphItem item = GraphItem::ofNode(nodes[at]);
    m_model->selection().goTo(item, this);
}

void ModelCodePane::stepRange(int by) {
    const std::vector<ByteRange> ranges = rangesOf(nodeAt(m_view->caret()));
    if (ranges.empty())
        return m_studio.notices.showStatus(tr("No operator of the graph made this line"));
    const auto count = static_cast<int>(ranges.size());
    int at = 0;
    for (int i = 0; i < count; ++i)
        if (ranges[static_cast<std::size_t>(i)].begin <= m_view->caret())
            at = i;
    const ByteRange& next = ranges[static_cast<std::size_t>((at + by + count) % count)];
    m_view->setCaret(next.begin);
    m_view->reveal(next);
    m_studio.notices.showStatus(tr("Range %1 of %2").arg((at + by + count) % count + 1).arg(count));
}

} // namespace hidet::ui
