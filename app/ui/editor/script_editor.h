// SPDX-License-Identifier: GPL-3.0-only
// The editor of one document. What the text means (colours by meaning, problems, links to stages) comes from the document's
// live pipeline, and lies on top as indicators. An answer is shown only for the text that it is of.
#pragma once

#include <QPointer>

#include "app/ui/code/code_view.h"
#include "app/ui/code/visible_fill.h"
#include "app/ui/core/one_shot.h"
#include "app/ui/editor/choice_list.h"
#include "app/ui/editor/completer.h"
#include "app/ui/editor/debug_marks.h"
#include "app/ui/editor/hover_card.h"
#include "app/ui/editor/in_place_field.h"
#include "app/ui/editor/inlay_hints.h"
#include "app/ui/editor/line_notes.h"
#include "app/ui/editor/typing.h"
#include "app/ui/live/live_pipeline.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

class ScriptEditor : public CodeView {
    Q_OBJECT
public:
    ScriptEditor(Studio& studio, TakenStore& taken, Document& document, QWidget* parent = nullptr);
    ~ScriptEditor() override;

    Document& document() const { return m_document; }
    LivePipeline& live() const { return m_live; }
    Completer& completer() { return m_completer; }

    void reveal(const session::Place& place); // moves the caret there, as a jump, and takes the keyboard
    // Replaces the whole text as one step of undo; caret and scroll position stay.
    void replaceAll(const QByteArray& text);
    // Applies the edits of a fix as one step of undo. False, and a sentence in the status line: the text is not what they
    // were made for.
    bool apply(const std::vector<session::FixView>& edits);

    // Between places (1-based lines and byte columns) and byte offsets of the text now.
    ByteRange rangeOf(const session::Place& place) const;
    session::Place placeOf(ByteRange range) const;

    // Problems of this document, in the order of the text.
    struct Problem {
        ByteRange range;
        session::DiagnosticView diagnostic;
    };
    const std::vector<Problem>& problems() const { return m_problems; }
    void goToProblem(int step); // 1 or -1 from the caret, around the end
    void showFixes();           // a list at the caret
    struct Fix {
        QString title;
        std::vector<session::FixView> edits;
    };
    // Of problems and of accesses, and imports of names that nothing binds.
    std::vector<Fix> fixesAt(int line) const;
    const LineNotes& notes() const { return m_notes; }

    void showCard(int offset, FloatingPanel::Prefer prefer);
    void goToDefinition(int offset);
    void goToUse(int step);
    const InlayHints& hints() const { return m_hints; }
    DebugMarks& debugMarks() { return m_debugMarks; }
    void renameAtCaret();
    void findReferences() { emit referencesRequested(caret()); }
    void undo() override;
    void redo() override;

signals:
    void problemsChanged();
    void jumping(const hidet::session::Place& target);
    void renameRequested(int offset, const QString& name); // of the name there
    void referencesRequested(int offset);

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void applyTheme() override;

private:
    void listen();
    void applySettings();
    void textWasChanged();
    void documentWasChanged();
    void showLive();
    void showProblems();
    void showLinks();
    void showFocus();
    std::optional<session::Place> linkedLine(int line) const;
    void showMeaning();
    void showUses();
    void showMarks();
    void showNotes();
    int offsetOfPlace(int line, int column) const;
    void marginWasClicked(int margin, int line);
    void closeCard();
    void takeKey(QKeyEvent& key);
    std::vector<const session::DiagnosticView*> problemsAt(int offset) const;
    void jumpTo(ByteRange range);
    std::vector<session::FixView> importsFor(int line) const;
    bool isCurrentText() const; // the newest snapshot is of what the editor shows

    Studio& m_studio;
    Document& m_document;
    LivePipeline& m_live;
    Typing m_typing;
    Completer m_completer;
    VisibleFill m_meaning;
    InlayHints m_hints;
    DebugMarks m_debugMarks;
    std::vector<Problem> m_problems;
    std::vector<ByteRange> m_unknown; // names that nothing binds, of the text whose values are known
    QPointer<HoverCard> m_card;
    QPointer<InPlaceField> m_rename;
    QPointer<ChoiceList> m_choices;
    std::vector<Fix> m_offered;
    LineNotes m_notes;
    OneShot m_cardTimer;
    QString m_saidProblem; // in the status line
    OneShot m_usesTimer;
    OneShot m_fading; // of links
    int m_cardOffset = 0;
    int m_cardCaret = -1; // where the caret was when the card was opened
    int m_renamedOffset = 0;
    std::vector<int> m_history; // what Typing has written into the step that is undone or redone
    bool m_telling = false;     // the document what was typed here
};

} // namespace hidet::ui
