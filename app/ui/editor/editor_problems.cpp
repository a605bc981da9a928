// SPDX-License-Identifier: GPL-3.0-only
// What the editor says of lines: problems, what can be done about them, notes on performance.
#include <algorithm>
#include <utility>

#include <QHelpEvent>
#include <QMap>
#include <QPaintEvent>
#include <QToolTip>

#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"
#include "app/ui/editor/script_editor.h"

namespace hidet::ui {

void ScriptEditor::showProblems() {
    std::vector<ByteRange> errors, warnings;
    m_problems.clear();
    std::vector<session::DiagnosticView> all = m_studio.scripts.findings(m_document);
    if (const auto& snapshot = m_live.latest())
        for (const auto* said : {&snapshot->diagnostics, &snapshot->refuted})
            all.insert(all.end(), said->begin(), said->end());
    for (const session::DiagnosticView& diagnostic : all) {
        if (!diagnostic.place.known() || diagnostic.place.file != m_document.name().toStdString())
            continue;
        const bool error = diagnostic.severity == Severity::Error;
        ByteRange range = rangeOf(diagnostic.place);
        // A statement of many lines is marked at its first: a page of squiggles says nothing.
        range.end = std::min(range.end, rangeOfLine(lineOf(range.begin)).end);
        if (range.end <= range.begin)
            range.end = std::min(range.begin + 1, byteCount());
        m_problems.push_back({range, diagnostic});
        (error ? errors : warnings).push_back(range);
    }
    std::stable_sort(m_problems.begin(), m_problems.end(),
                     [](const Problem& a, const Problem& b) { return a.range.begin < b.range.begin; });
    fill(ErrorSquiggle, errors);
    fill(WarningSquiggle, warnings);
    showMarks();
    const auto isSaid = [this](const Problem& each) {
        return QString::fromStdString(each.diagnostic.message) == m_saidProblem;
    };
    if (!m_saidProblem.isEmpty() && std::ranges::none_of(m_problems, isSaid))
        m_studio.notices.withdrawStatus(std::exchange(m_saidProblem, QString()));
    emit problemsChanged();
}

bool ScriptEditor::apply(const std::vector<session::FixView>& edits) {
    const std::string file = m_document.name().toStdString();
    std::vector<TextEdit> changes;
    for (const session::FixView& edit : edits)
        if (edit.place.file == file)
            changes.push_back({rangeOf(edit.place), QByteArray::fromStdString(edit.text)});
    if (!isCurrentText() || changes.size() != edits.size()) {
        m_studio.notices.showStatus(tr("The script has changed since; its fixes come with the next look at it"));
        return false;
    }
    applyEditsUnderCarets(*this, changes, Stick::After);
    return true;
}

std::vector<ScriptEditor::Fix> ScriptEditor::fixesAt(int line) const {
    std::vector<Fix> out;
    if (!isCurrentText())
        return out;
    for (const Problem& problem : m_problems)
        if (lineOf(problem.range.begin) == line)
            for (const session::FixView& fix : problem.diagnostic.fixes)
                out.push_back({QString::fromStdString(fix.title), {fix}});
    for (session::FixView& fix : importsFor(line))
        if (std::none_of(out.begin(), out.end(),
                         [&](const Fix& other) { return other.title == QString::fromStdString(fix.title); }))
            out.push_back({QString::fromStdString(fix.title), {fix}});
    if (!m_live.explanationIsCurrent())
        return out;
    for (const session::AccessView* view : accessesWithFixes(*m_live.explained(), m_document.name().toStdString()))
        if (view->place.line == line + 1)
            out.push_back({QString::fromStdString(view->fixes.back().title), view->fixes});
    return out;
}

void ScriptEditor::showFixes() {
    const std::vector<Fix> fixes = fixesAt(lineOf(caret()));
    if (fixes.empty()) {
        m_studio.notices.showStatus(isCurrentText() ? tr("There is no fix for this line")
                                                    : tr("The script is still being read"));
        return;
    }
    if (!m_choices) {
        m_choices = new ChoiceList(*this, tr("Fixes"));
        m_choices->setObjectName("fixes");
        connect(m_choices, &ChoiceList::chosen, this,
                [this](int row) { apply(std::vector(m_offered)[static_cast<std::size_t>(row)].edits); });
    }
    m_offered = fixes;
    const QStringList titles = listOf(fixes, &Fix::title);
    closeCard();
    CodeView::reveal({caret(), caret()});
    m_choices->open(titles, icon("bulb", themes().theme().accent), {caret(), caret()});
}

// One picture a line: in the caret's line the one that says that there is a fix. A mark that is there stays: to take all
// away and to set them again paints the whole text.
void ScriptEditor::showMarks() {
    QMap<int, Marker> wanted;
    for (const Problem& problem : m_problems) {
        const int line = lineOf(problem.range.begin);
        if (problem.diagnostic.severity == Severity::Error)
            wanted[line] = ErrorMark;
        else if (!wanted.contains(line))
            wanted[line] = WarningMark;
    }
    const int current = lineOf(caret());
    if (!fixesAt(current).empty())
        wanted[current] = FixMark;
    constexpr unsigned all = 1U << ErrorMark | 1U << WarningMark | 1U << FixMark;
    for (int line = markerFindNext(0, all); line >= 0; line = markerFindNext(line + 1, all))
        for (Marker mark : {ErrorMark, WarningMark, FixMark}) {
            if (!(markersAtLine(line) & (1U << mark)))
                continue;
            if (wanted.contains(line) && wanted[line] == mark)
                wanted.remove(line);
            else
                while (markersAtLine(line) & (1U << mark))
                    markerDelete(line, mark);
        }
    for (auto mark = wanted.cbegin(); mark != wanted.cend(); ++mark)
        markerAdd(mark.key(), mark.value());
}

void ScriptEditor::marginWasClicked(int margin, int line) {
    if (margin != SymbolMargin)
        return;
    for (const Problem& problem : m_problems)
        if (lineOf(problem.range.begin) == line) {
            setCaret(problem.range.begin);
            setFocus();
            return fixesAt(line).empty() ? showCard(problem.range.begin, FloatingPanel::Prefer::Below) : showFixes();
        }
    if (fixesAt(line).empty())
        return m_debugMarks.toggle(line);
    setCaret(rangeOfLine(line).end);
    setFocus();
    showFixes();
}

void ScriptEditor::goToProblem(int step) {
    if (m_problems.empty()) {
        m_studio.notices.showStatus(tr("There are no problems in this script"));
        return;
    }
    const int at = caret();
    const Problem* target = nullptr;
    if (step > 0) {
        for (const Problem& problem : m_problems)
            if (!target && problem.range.begin > at)
                target = &problem;
    } else {
        for (const Problem& problem : m_problems)
            if (problem.range.begin < at)
                target = &problem;
    }
    if (!target)
        target = step > 0 ? &m_problems.front() : &m_problems.back();
    m_saidProblem = QString::fromStdString(target->diagnostic.message);
    const int begin = target->range.begin;
    jumpTo(target->range);
    showCard(begin, FloatingPanel::Prefer::Below);
    m_studio.notices.showStatus(m_saidProblem);
}

std::vector<const session::DiagnosticView*> ScriptEditor::problemsAt(int offset) const {
    std::vector<const session::DiagnosticView*> out;
    if (isCurrentText())
        for (const Problem& problem : m_problems)
            if (problem.range.begin <= offset && offset <= problem.range.end)
                out.push_back(&problem.diagnostic);
    return out;
}

void ScriptEditor::showNotes() {
    const auto& explained = m_live.explained();
    if (!m_studio.settings.flag(Setting::AccessNotes) || !explained)
        return m_notes.show({});
    if (m_live.explanationIsCurrent())
        m_notes.show(notesOf(*explained, m_document.name().toStdString()));
    if (isCurrentText())
        showMarks();
}

void ScriptEditor::paintEvent(QPaintEvent* event) {
    CodeView::paintEvent(event);
    m_hints.paint(*event, m_notes.ends());
    m_notes.paint(event->rect());
}

bool ScriptEditor::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip)
        if (const LineNote* note = m_notes.at(static_cast<QHelpEvent*>(event)->pos())) {
            QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), wrappedTip(note->words), viewport());
            return true;
        }
    return CodeView::viewportEvent(event);
}

} // namespace hidet::ui
