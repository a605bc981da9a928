// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/editor_pane.h"

#include <QDir>
#include <QFileInfo>

#include "app/ui/code/carets.h"
#include "app/ui/editor/by_hand_bar.h"
#include "app/ui/editor/start_panel.h"
#include "app/ui/widgets/parts.h"
#include "lang/base/ranges.h"

namespace hidet::ui {

constexpr int narrowest = 360;

EditorPane::EditorPane(Studio& studio, TakenStore& taken, Document& document, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_editor(new ScriptEditor(studio, taken, document, this)) {
    setFocusProxy(m_editor);
    setMinimumWidth(narrowest);
    newColumn(this,
              {new ByHandBar(studio, document, this), {newRow({}, 0, {m_hot, {m_editor, 1}, m_overview}), 1}, m_goBar});
    FindBar* find = FindBar::of(*m_editor);
    connect(find, &FindBar::hitsChanged, this, [this, find] {
        m_overview->setLines(OverviewRuler::Kind::Hit, transformed(find->hits(), [&](const ByteRange& hit) {
                                 return m_editor->lineOf(hit.begin);
                             }));
    });
    connect(studio.profiles, &Profiles::changed, this,
            [this, &studio] { m_hot->setLines(studio.profiles->linesOf(m_editor->document())); });
    connect(m_editor, &ScriptEditor::problemsChanged, this, &EditorPane::showProblems);
    connect(m_overview, &OverviewRuler::lineClicked, this, [this](int line) {
        m_editor->reveal({{}, line + 1, 1, line + 1, 1});
    });
    connect(m_goBar, &GoBar::closed, this, [this] { m_editor->setFocus(); });
    connect(m_goBar, &GoBar::placeRequested, this, &EditorPane::goTo);
    showProblems();
}

void EditorPane::showProblems() {
    std::vector<int> errors, warnings;
    for (const ScriptEditor::Problem& problem : m_editor->problems())
        (problem.diagnostic.severity == Severity::Error ? errors : warnings)
            .push_back(m_editor->lineOf(problem.range.begin));
    m_overview->setLines(OverviewRuler::Kind::Error, std::move(errors));
    m_overview->setLines(OverviewRuler::Kind::Warning, std::move(warnings));
}

void EditorPane::openGoBar() {
    m_goBar->open(m_editor->lineOf(m_editor->caret()) + 1, lineCount(*m_editor));
}

void EditorPane::offerStarts() {
    auto* starts = new StartPanel(m_studio, *m_editor, this);
    delete m_starts;
    m_starts = starts;
    // The pane has its size only when the window has laid it out.
    QMetaObject::invokeMethod(
        starts,
        [this, starts] {
            if (m_editor->document().isUntouched())
                starts->open();
        },
        Qt::QueuedConnection);
}

// A file is the one of that name among those that are open, or else one on the disk, seen from the script's folder.
void EditorPane::goTo(const session::Place& place) {
    if (place.file.empty())
        return m_editor->reveal(place);
    const QString wanted = QString::fromStdString(place.file);
    session::Place target = place;
    for (const Document* document : m_studio.tabs.documents())
        if (document->name() == wanted || document->name().endsWith('/' + wanted)) {
            target.file = document->name().toStdString();
            return m_studio.requests.show(target);
        }
    const QFileInfo file(QDir(m_editor->document().folder()), wanted);
    target.file = file.absoluteFilePath().toStdString();
    m_studio.requests.show(target);
}

} // namespace hidet::ui
