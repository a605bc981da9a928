// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/script_editor.h"

#include <algorithm>

#include <QKeyEvent>
#include <QMenu>
#include <QScopedValueRollback>

#include "app/ui/code/carets.h"
#include "app/ui/core/command_keys.h"
#include "app/ui/core/icons.h"
#include "app/ui/core/mnemonics.h"
#include "app/ui/core/words.h"
#include "app/ui/editor/item_icons.h"
#include "app/ui/workbench/scroll_sync.h"

namespace hidet::ui {

namespace assist = session::assist;

namespace {

constexpr int longest_word = 32;

// The menu under the right mouse button, or under the key for it: what can be done with what is at the caret.
class MenuMaker {
public:
    MenuMaker(Studio& studio, ScriptEditor& editor, QMenu& menu)
        : m_studio(studio), m_editor(editor), m_menu(menu),
          m_word(QString::fromUtf8(wordAt(editor, editor.caret())).left(longest_word)) {}

    void fill() {
        fixes();
        if (!m_word.isEmpty())
            names();
        if (m_editor.document().isScript())
            breakpoints();
        stages();
        m_menu.addSeparator();
        add(Command::EditFormat, m_editor.selection().begin < m_editor.selection().end ? tr("Format the selected lines")
                                                                                       : tr("Format the script"));
        m_menu.addSeparator();
        for (Command command : {Command::EditCut, Command::EditCopy, Command::EditPaste, Command::EditSelectAll})
            m_menu.addAction(m_studio.commands.action(command));
    }

private:
    // A command under words that fit here; its key is shown.
    void add(Command command, const QString& text) {
        QAction* action = m_studio.commands.action(command);
        QAction* shown = m_menu.addAction(text, action, &QAction::trigger);
        shown->setObjectName(Commands::idOf(action));
        shown->setShortcut(action->shortcut());
        shown->setShortcutContext(Qt::WidgetShortcut); // the command's own is the one that acts
        shown->setEnabled(action->isEnabled());
    }

    void fixes() {
        const auto fixes = m_editor.fixesAt(m_editor.lineOf(m_editor.caret()));
        for (const ScriptEditor::Fix& fix : fixes)
            m_menu.addAction(icon("bulb", m_studio.themes.theme().accent), withoutMnemonics(fix.title), &m_editor,
                             [&editor = m_editor, fix] { editor.apply(fix.edits); });
        if (!fixes.empty())
            m_menu.addSeparator();
    }

    void names() {
        add(Command::GoDefinition, tr("Go to the definition of '%1'").arg(m_word));
        add(Command::GoReferences, tr("Find references to '%1'").arg(m_word));
        add(Command::EditRename, tr("Rename '%1'...").arg(m_word));
        add(Command::GoInformation, tr("Show what is known of '%1'").arg(m_word));
        add(Command::HelpManual, tr("What is '%1'? (the manual)").arg(m_word));
        m_menu.addSeparator();
    }

    void breakpoints() {
        const int line = m_editor.lineOf(m_editor.caret()) + 1;
        const Breakpoint* there = m_studio.debug.breakpointAt(m_editor.document(), line);
        if (m_studio.debug.stop())
            add(Command::DebugWriter, tr("Who wrote this element last"));
        add(Command::DebugBreakpoint, there ? tr("Remove the breakpoint") : tr("Set a breakpoint"));
        add(Command::DebugCondition, tr("Condition of the breakpoint..."));
        m_menu.addSeparator();
    }

    // The caret is what the panes follow: the stage shows what became of it.
    void stages() {
        QMenu* became = m_menu.addMenu(tr("What this line became"));
        QList<StageName> stages{StageName::lowered()};
        stages << generatedStages();
        for (const StageName& stage : stages)
            became->addAction(titleOf(stage), &m_editor,
                              [&studio = m_studio, stage] { studio.requests.showStage(stage); });
        add(Command::PaneFollowLink, tr("Follow to the next pane"));
        add(Command::PassesBlame, tr("Name the pass of each line"));
    }

    Studio& m_studio;
    ScriptEditor& m_editor;
    QMenu& m_menu;
    QString m_word;
};

void openEditorMenu(Studio& studio, ScriptEditor& editor, const QPoint& globalPlace) {
    studio.commands.refresh();
    auto* menu = new QMenu(&editor);
    menu->setObjectName("editorMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    MenuMaker(studio, editor, *menu).fill();
    menu->popup(globalPlace);
}

} // namespace

constexpr int card_ms = 350; // after the mouse has come to rest
constexpr int uses_ms = 120;

static Language languageIn(const Document& document) {
    if (const auto form = document.byHand())
        return languageOf(*form);
    return document.isIr() ? Language::Ir : Language::Script;
}

ScriptEditor::ScriptEditor(Studio& studio, TakenStore& taken, Document& document, QWidget* parent)
    : CodeView(studio.themes, languageIn(document), parent), m_studio(studio), m_document(document),
      m_live(*studio.scripts.liveOf(document)), m_typing(*this), m_completer(*this, m_live, taken),
      m_meaning(*this, Semantic), m_hints(*this), m_debugMarks(studio, *this, document), m_notes(*this),
      m_cardTimer(card_ms, [this] { showCard(m_cardOffset, FloatingPanel::Prefer::Below); }),
      m_usesTimer(uses_ms, [this] { showUses(); }),
      m_fading(LineNotes::fade_after_ms, [this] { setLinksFaded(true); }) {
    setObjectName("editor");
    setAccessibleName(tr("Script %1").arg(document.title()));
    setMarginWidth(SymbolMargin, 18);
    setMarginSensitivity(SymbolMargin, true);
    setAutoIndent(false);
    setBackspaceUnindents(true);
    setBraceMatching(StrictBraceMatch);
    setIndentationGuides(true);
    applyTheme();
    applySettings();
    showText(document.text());
    setModified(false);
    m_debugMarks.listen();
    listen();
    showLive();
    showMeaning();
    showNotes();
}

ScriptEditor::~ScriptEditor() {
    delete m_card;
    delete m_rename;
    delete m_choices;
}

void ScriptEditor::listen() {
    connect(this, &QsciScintilla::textChanged, this, &ScriptEditor::textWasChanged);
    connect(this, &QsciScintilla::marginClicked, this,
            [this](int margin, int line) { marginWasClicked(margin, line); });
    connect(this, &CodeView::zoomRequested, this, [this](int steps) {
        m_studio.commands.action(steps > 0 ? Command::ViewZoomIn : Command::ViewZoomOut)->trigger();
    });
    connect(&m_document, &Document::textChanged, this, &ScriptEditor::documentWasChanged);
    connect(&m_document, &Document::stateChanged, this,
            [this] { setAccessibleName(tr("Script %1").arg(m_document.title())); });
    connect(&m_live, &LivePipeline::updated, this, &ScriptEditor::showLive);
    connect(&m_studio.scripts, &LiveScripts::findingsChanged, this, [this](const Document* changed) {
        if (changed == &m_document && isCurrentText())
            showProblems();
    });
    connect(&m_live, &LivePipeline::analysed, this, &ScriptEditor::showMeaning);
    connect(&m_live, &LivePipeline::explanationChanged, this, &ScriptEditor::showNotes);
    connect(&m_studio.commands, &Commands::begins, this, [this](const QAction* action) {
        if (action != m_studio.commands.action(Command::EditComplete) &&
            action != m_studio.commands.action(Command::EditSignature))
            m_completer.close();
    });
    connect(&m_studio.links, &LinkHub::focusChanged, this, &ScriptEditor::showFocus);
    connect(&m_studio.settings, &Settings::changed, this, [this](Setting setting) {
        if (setting == Setting::LinkColors)
            showLinks();
        if (setting == Setting::InlayHints)
            showMeaning();
        if (setting == Setting::AccessNotes)
            showNotes();
        applySettings();
    });
    connect(this, &CodeView::caretMoved, this, [this](int offset) {
        if (isCurrentText() && m_live.areLinksCurrent())
            m_studio.links.setCaret(this, placeOf({offset, offset}));
        if (offset != m_cardCaret) // it may be told late of the jump that the card was opened after
            closeCard();
        fill(SameName, {});
        m_usesTimer.start();
        if (isCurrentText())
            showMarks();
        m_typing.forgetLeftPairs();
    });
    SendScintilla(SCI_SETMODEVENTMASK,
                  static_cast<unsigned long>(SendScintilla(SCI_GETMODEVENTMASK)) | SC_MOD_CONTAINER);
    connect(this, &QsciScintillaBase::SCN_MODIFIED, this,
            [this](int, int what, const char*, int, int, int, int, int, int token, int) {
                if (what & SC_MOD_CONTAINER)
                    m_history.push_back(token);
            });
    connect(this, &CodeView::hovered, this, [this](int offset) {
        if (isCurrentText())
            m_studio.links.setMouse(this, placeOf({offset, offset}));
        m_cardOffset = offset;
        m_cardTimer.start();
    });
    connect(this, &CodeView::hoverLeft, this, [this] {
        m_studio.links.setMouse(this, std::nullopt);
        closeCard();
    });
    connect(this, &QsciScintillaBase::SCN_UPDATEUI, this, [this](int updated) {
        if (m_card && m_card->isVisible() && updated & (SC_UPDATE_V_SCROLL | SC_UPDATE_H_SCROLL))
            m_card->isOverView() ? m_card->placeAgain() : closeCard();
    });
    new ScrollSync(m_studio, *this,
                   {[this](int line) -> std::optional<std::pair<session::Place, int>> {
                        const auto place = isCurrentText() ? linkedLine(line) : std::nullopt;
                        return place ? std::optional(std::pair(*place, place->line - 1 - line)) : std::nullopt;
                    },
                    [this](const session::Place& place) {
                        return isCurrentText() && place.file == m_document.name().toStdString() ? place.line - 1 : -1;
                    }});
}

void ScriptEditor::applySettings() {
    const Settings& settings = m_studio.settings;
    setTabWidth(std::clamp(settings.number(Setting::TabWidth), 1, 16));
    const bool wraps = settings.flag(Setting::WrapLines);
    setWrapMode(wraps ? WrapWord : WrapNone);
    if (!wraps) // QScintilla has gone back to the layout of one line
        SendScintilla(SCI_SETLAYOUTCACHE, SC_CACHE_PAGE);
    setWrapIndentMode(WrapIndentIndented);
    m_typing.setClosingBrackets(settings.flag(Setting::CloseBrackets));
    m_completer.setWhileTyping(settings.flag(Setting::CompleteWhileTyping));
}

void ScriptEditor::applyTheme() {
    CodeView::applyTheme();
    const Theme& theme = themes().theme();
    const qreal scale = devicePixelRatioF();
    const std::tuple<int, const char*, QColor> marks[] = {
        {ErrorMark, "error", theme.error}, {WarningMark, "warning", theme.warning}, {FixMark, "bulb", theme.accent}};
    SendScintilla(SCI_RGBAIMAGESETSCALE, static_cast<unsigned long>(scale * 100));
    DebugMarks::applyTheme(*this);
    for (const auto& [mark, name, color] : marks)
        markerDefine(icon(name, color).pixmap(QSize(16, 16), scale).toImage(), mark);
    showMeaning();
}

void ScriptEditor::textWasChanged() {
    const QScopedValueRollback telling(m_telling, true);
    m_document.edited(bytes());
    m_notes.setCurrent(m_live.explanationIsCurrent());
    closeCard();
}

// From elsewhere: text that was kept from the last time.
void ScriptEditor::documentWasChanged() {
    if (m_telling || m_document.text() == bytes())
        return;
    if (byteCount() > 0 || isUndoAvailable())
        return replaceAll(m_document.text());
    showText(m_document.text());
}

bool ScriptEditor::isCurrentText() const {
    return m_live.evaluatedText() == m_document.text();
}

void ScriptEditor::showLive() {
    if (!isCurrentText())
        return; // the next snapshot is on its way; indicators move with the text until then
    showProblems();
    if (m_live.areLinksCurrent()) {
        m_fading.stop();
        setLinksFaded(false);
    } else if (!areLinksFaded() && !m_fading.isActive()) {
        m_fading.start();
    }
    showLinks();
    showFocus();
}

// What became something, token by token; of what goes on over several lines the first.
void ScriptEditor::showLinks() {
    if (!m_live.areLinksCurrent() && m_studio.settings.flag(Setting::LinkColors))
        return; // those of before have moved with the text
    std::vector<LinkedRange> links;
    if (m_studio.settings.flag(Setting::LinkColors))
        for (const session::Place& place : m_live.linked()) {
            const int hue = m_live.hues().hue(place.line);
            const ByteRange line = rangeOfLine(place.line - 1);
            ByteRange range = rangeOf(place);
            range.end = std::min(range.end, line.end);
            if (hue >= 0 && range.begin < range.end)
                links.push_back({range, hue});
        }
    setLinks(links);
}

void ScriptEditor::showFocus() {
    const auto& focus = m_studio.links.focus();
    if (!focus || focus->place.file != m_document.name().toStdString() || !m_live.areLinksCurrent())
        return fill(LinkOutline, {});
    if (focus->origin == this) { // what the others outline came from this
        const session::Place* own = m_live.linkedAt(focus->place.line, focus->place.column);
        return fill(LinkOutline, own ? std::vector<ByteRange>{rangeOf(*own)} : std::vector<ByteRange>{});
    }
    const ByteRange range = rangeOf(focus->place);
    fill(LinkOutline, {range});
    CodeView::reveal(range);
}

// The first line at `line` or soon below it that became something.
std::optional<session::Place> ScriptEditor::linkedLine(int line) const {
    constexpr int lines_to_look = 200;
    for (const session::Place& place : m_live.linked())
        if (place.line > line)
            return place.line <= line + lines_to_look ? std::optional(place) : std::nullopt;
    return std::nullopt;
}

void ScriptEditor::showMeaning() {
    if (!m_live.valuesAreCurrent())
        return;
    const Theme& theme = themes().theme();
    std::vector<VisibleFill::Item> items;
    m_unknown.clear();
    for (const assist::SemanticToken& token : assist::semantic_tokens(*m_live.answers())) {
        const ByteRange range{static_cast<int>(token.range.begin), static_cast<int>(token.range.end)};
        items.push_back({range, valueOf(theme.color(colorOf(token.kind)))});
        if (token.kind == assist::SemanticKind::Unresolved)
            m_unknown.push_back(range);
    }
    m_meaning.set(std::move(items));
    if (isCurrentText())
        showMarks();
    m_hints.show(m_studio.settings.flag(Setting::InlayHints) ? assist::inlay_hints(*m_live.answers())
                                                             : std::vector<assist::InlayHint>());
    showUses();
}

void ScriptEditor::showUses() {
    std::vector<ByteRange> ranges;
    if (m_live.answersAreCurrent())
        for (const assist::Use& use : assist::references(*m_live.answers(), static_cast<std::uint32_t>(caret())))
            ranges.push_back({static_cast<int>(use.range.begin), static_cast<int>(use.range.end)});
    fill(SameName, ranges.size() > 1 ? ranges : std::vector<ByteRange>());
}

void ScriptEditor::goToUse(int step) {
    if (!m_live.answersAreCurrent())
        return;
    std::vector<ByteRange> uses;
    for (const assist::Use& use : assist::references(*m_live.answers(), static_cast<std::uint32_t>(caret())))
        uses.push_back({static_cast<int>(use.range.begin), static_cast<int>(use.range.end)});
    std::sort(uses.begin(), uses.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (uses[i].begin <= caret() && caret() <= uses[i].end)
            return jumpTo(uses[(i + static_cast<std::size_t>(step) + uses.size()) % uses.size()]);
}

ByteRange ScriptEditor::rangeOf(const session::Place& place) const {
    const int begin = offsetOfPlace(place.line, place.column);
    const int end = place.end_line > 0 ? offsetOfPlace(place.end_line, place.end_column) : begin;
    return {begin, std::max(begin, end)};
}

// Columns of places count code points.
int ScriptEditor::offsetOfPlace(int line, int column) const {
    const ByteRange range = rangeOfLine(line - 1);
    const QByteArray text = bytes(range);
    int at = 0;
    for (int left = column - 1; left > 0 && at < text.size(); --left)
        do
            ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    return range.begin + at;
}

session::Place ScriptEditor::placeOf(ByteRange range) const {
    const auto column = [this](int offset) {
        const QByteArray before = bytes({rangeOfLine(lineOf(offset)).begin, offset});
        return 1 + static_cast<int>(std::ranges::count_if(
                       before, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
    };
    session::Place place;
    place.file = m_document.name().toStdString();
    place.line = lineOf(range.begin) + 1;
    place.column = column(range.begin);
    place.end_line = lineOf(range.end) + 1;
    place.end_column = column(range.end);
    return place;
}

void ScriptEditor::jumpTo(ByteRange range) {
    emit jumping(placeOf(range));
    ensureLineVisible(lineOf(range.begin));
    setCaret(range.begin);
    CodeView::reveal(range);
    setFocus();
}

void ScriptEditor::reveal(const session::Place& place) {
    jumpTo(rangeOf(place));
}

void ScriptEditor::replaceAll(const QByteArray& text) {
    if (text == bytes())
        return;
    const int line = lineOf(caret());
    const int column = columnOf(caret());
    const long first = SendScintilla(SCI_GETFIRSTVISIBLELINE);
    applyEdits(*this, {{{0, byteCount()}, text}});
    setCaret(offsetOf(line, column));
    SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(first));
}

// ---- keys and mouse -------------------------------------------------------------------------------------------------

// Scintilla asks for every key that it could do something with. What the registry has a command for is the registry's.
bool ScriptEditor::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        auto& key = static_cast<QKeyEvent&>(*event);
        if (m_completer.wants(key) || (key.key() == Qt::Key_Escape && m_card && m_card->isVisible())) {
            event->accept();
            return true;
        }
        const bool severalCarets = SendScintilla(SCI_GETSELECTIONS) > 1;
        if (ownerOf(m_studio.commands, key) && !(key.key() == Qt::Key_Escape && severalCarets)) {
            event->ignore();
            return false;
        }
    }
    return CodeView::event(event);
}

void ScriptEditor::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && m_card && m_card->isVisible())
        return closeCard();
    if (m_completer.handle(*event))
        return;
    if (const QString why = refusalOf(m_studio.commands, *event); !why.isEmpty())
        return m_studio.notices.showStatus(why);
    closeCard();
    if (!m_typing.handle(*event))
        takeKey(*event);
    const QString text = event->text();
    if (!text.isEmpty() && text[0].isPrint() && !isForCommands(*event))
        m_completer.typed(text);
}

// Scintilla writes the text of any key that it has no command for.
void ScriptEditor::takeKey(QKeyEvent& key) {
    QKeyEvent taken(key.type(), key.key(), key.modifiers(), isForCommands(key) ? QString() : key.text(),
                    key.isAutoRepeat());
    CodeView::keyPressEvent(&taken);
    key.setAccepted(taken.isAccepted());
}

void ScriptEditor::undo() {
    const int size = byteCount();
    m_history.clear();
    CodeView::undo();
    m_typing.undone(m_history, byteCount() - size);
}

void ScriptEditor::redo() {
    m_history.clear();
    CodeView::redo();
    m_typing.redone(m_history);
}

void ScriptEditor::mousePressEvent(QMouseEvent* event) {
    closeCard();
    m_completer.close();
    const LineNote* note = event->button() == Qt::LeftButton ? m_notes.at(event->position().toPoint()) : nullptr;
    if (note)
        return m_studio.requests.showAccess(m_notes.lineOf(*note) + 1);
    const int offset = event->button() == Qt::LeftButton ? offsetAt(event->position().toPoint()) : -1;
    if (offset >= 0 && event->modifiers() == Qt::ControlModifier) {
        setFocus();
        return goToDefinition(offset);
    }
    if (offset >= 0 && event->modifiers() == Qt::AltModifier) {
        setFocus();
        ask(*this, SCI_ADDSELECTION, offset, offset);
        return;
    }
    CodeView::mousePressEvent(event);
}

// Where the mouse is, or below the caret for the key of the menu.
void ScriptEditor::contextMenuEvent(QContextMenuEvent* event) {
    closeCard();
    m_completer.close();
    const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
    const int offset = byMouse ? offsetAt(viewport()->mapFromGlobal(event->globalPos())) : -1;
    const ByteRange chosen = selection();
    if (offset >= 0 && !(chosen.begin <= offset && offset <= chosen.end))
        setCaret(offset);
    setFocus();
    const QRect at = rectOf({caret(), caret()});
    openEditorMenu(m_studio, *this, byMouse ? event->globalPos() : viewport()->mapToGlobal(at.bottomLeft()));
}

void ScriptEditor::focusOutEvent(QFocusEvent* event) {
    closeCard();
    CodeView::focusOutEvent(event);
}

} // namespace hidet::ui
