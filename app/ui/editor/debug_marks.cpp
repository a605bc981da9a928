// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/debug_marks.h"

#include "app/ui/core/icons.h"

namespace hidet::ui {

namespace {

constexpr int stand_alpha = 32; // with which muted text keeps its contrast in every theme
constexpr unsigned breakpoint_marks = 1U << CodeView::BreakpointMark | 1U << CodeView::HollowMark;

} // namespace

DebugMarks::DebugMarks(Studio& studio, CodeView& view, Document& document)
    : m_studio(studio), m_view(view), m_document(document) {}

void DebugMarks::listen() {
    connect(&m_view, &QsciScintilla::textChanged, this, &DebugMarks::follow);
    connect(&m_studio.debug, &DebugBoard::changed, this, &DebugMarks::showStand);
    connect(&m_studio.debug, &DebugBoard::breakpointsChanged, this, [this](const Document* changed) {
        if (changed == &m_document)
            show();
    });
}

void DebugMarks::toggle(int line) {
    if (m_document.isScript())
        m_studio.debug.toggleBreakpoint(m_document, line + 1);
    else
        m_studio.notices.showStatus(tr("Only scripts are debugged"));
}

void DebugMarks::applyTheme(CodeView& view) {
    const Theme& theme = view.themes().theme();
    const qreal scale = view.devicePixelRatioF();
    const std::tuple<int, const char*, QColor> marks[] = {{CodeView::BreakpointMark, "breakpoint", theme.error},
                                                          {CodeView::HollowMark, "breakpoint_hollow", theme.error},
                                                          {CodeView::StandMark, "run", theme.warning}};
    for (const auto& [mark, name, color] : marks)
        view.markerDefine(icon(name, color).pixmap(QSize(16, 16), scale).toImage(), mark);
    QColor behind = theme.warning;
    behind.setAlpha(stand_alpha);
    view.setMarkerBackgroundColor(behind, CodeView::StandLine);
}

void DebugMarks::show() {
    m_view.markerDeleteAll(CodeView::BreakpointMark);
    m_view.markerDeleteAll(CodeView::HollowMark);
    for (const Breakpoint& each : m_studio.debug.breakpoints(m_document))
        m_view.markerAdd(each.line - 1, each.isPlaced ? CodeView::BreakpointMark : CodeView::HollowMark);
}

void DebugMarks::showStand() {
    m_view.markerDeleteAll(CodeView::StandMark);
    m_view.markerDeleteAll(CodeView::StandLine);
    const DebugStop* stop = m_studio.debug.stop();
    if (!stop || stop->file != m_document.name())
        return;
    m_view.markerAdd(stop->line - 1, CodeView::StandMark);
    m_view.markerAdd(stop->line - 1, CodeView::StandLine);
}

// Where all of the text is replaced, as by reading a file again, the markers fall together in the first line: those of the board are
// put back.
void DebugMarks::follow() {
    if (m_view.byteCount() == 0) {
        m_isEmptied = true;
        return;
    }
    if (std::exchange(m_isEmptied, false))
        return show();
    std::vector<Breakpoint> moved;
    for (int line = m_view.markerFindNext(0, breakpoint_marks); line >= 0;
         line = m_view.markerFindNext(line + 1, breakpoint_marks))
        moved.push_back({line + 1, (m_view.markersAtLine(line) & 1U << CodeView::BreakpointMark) != 0});
    m_studio.debug.setBreakpoints(m_document, std::move(moved));
}

} // namespace hidet::ui
