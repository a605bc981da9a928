// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/debug_marks.h"

#include "app/session/debug/condition.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

constexpr int stand_alpha = 32; // with which muted text keeps its contrast in every theme

CodeView::Marker markOf(const Breakpoint& breakpoint) {
    if (!breakpoint.isPlaced || !breakpoint.mistake.isEmpty())
        return CodeView::HollowMark;
    return breakpoint.condition.isEmpty() ? CodeView::BreakpointMark : CodeView::ConditionMark;
}

} // namespace

DebugMarks::DebugMarks(Studio& studio, CodeView& view, Document& document)
    : m_studio(studio), m_view(view), m_document(document) {}

DebugMarks::~DebugMarks() {
    delete m_field;
}

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

void DebugMarks::editCondition(int line) {
    if (!m_document.isScript())
        return m_studio.notices.showStatus(tr("Only scripts are debugged"));
    if (!m_field) {
        m_field = new InPlaceField(m_view, "condition", tr("Condition of the breakpoint"));
        connect(m_field, &InPlaceField::accepted, this, [this](const QString& condition) {
            m_studio.debug.setCondition(m_document, m_conditionLine + 1, condition.trimmed());
        });
    }
    m_conditionLine = line;
    const Breakpoint* there = m_studio.debug.breakpointAt(m_document, line + 1);
    const Breakpoint old = there ? *there : Breakpoint{line + 1};
    const auto check = [this, line, old](const QString& text) -> QString {
        if (text.trimmed().isEmpty())
            return {};
        if (text == old.condition && !old.mistake.isEmpty())
            return capitalized(old.mistake);
        return capitalized(QString::fromStdString(
            session::mistake_in(text.trimmed().toStdString(), m_document.text().toStdString(), line + 1)));
    };
    const ByteRange range = m_view.rangeOfLine(line);
    m_view.reveal(range);
    m_field->open(range, old.condition, check, tr("stops where it holds, as in threadIdx.x == 5 and i > 2"));
}

void DebugMarks::askForWriter() {
    const ByteRange chosen = m_view.selection();
    const QString text = chosen.begin < chosen.end
                             ? QString::fromUtf8(m_view.bytes(chosen))
                             : QString::fromStdString(session::element_at(m_document.text().toStdString(),
                                                                          static_cast<std::uint32_t>(m_view.caret())));
    if (text.isEmpty())
        return m_studio.notices.showStatus(tr("There is no element of a tensor at the caret"));
    if (const DebugStop* stop = m_studio.debug.stop())
        m_studio.requests.showThreads(stop->line);
    emit m_studio.debug.elementRequested(text);
}

void DebugMarks::applyTheme(CodeView& view) {
    const Theme& theme = view.themes().theme();
    const qreal scale = view.devicePixelRatioF();
    const std::tuple<int, const char*, QColor> marks[] = {
        {CodeView::BreakpointMark, "breakpoint", theme.error},
        {CodeView::ConditionMark, "breakpoint_condition", theme.error},
        {CodeView::HollowMark, "breakpoint_hollow", theme.error},
        {CodeView::StandMark, "run", theme.warning}};
    for (const auto& [mark, name, color] : marks)
        view.markerDefine(icon(name, color).pixmap(QSize(16, 16), scale).toImage(), mark);
    QColor behind = theme.warning;
    behind.setAlpha(stand_alpha);
    view.setMarkerBackgroundColor(behind, CodeView::StandLine);
}

void DebugMarks::show() {
    for (const Shown& each : m_shown)
        m_view.markerDeleteHandle(each.handle);
    m_shown.clear();
    for (const Breakpoint& each : m_studio.debug.breakpoints(m_document))
        m_shown.push_back({m_view.markerAdd(each.line - 1, markOf(each)), each});
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
    for (const Shown& each : m_shown)
        if (const int line = m_view.markerLine(each.handle); line >= 0) {
            moved.push_back(each.breakpoint);
            moved.back().line = line + 1;
        }
    m_studio.debug.setBreakpoints(m_document, std::move(moved));
}

} // namespace hidet::ui
