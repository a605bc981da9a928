// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/script_editor.h"

namespace hidet::ui {

ScriptEditor::ScriptEditor(Studio& studio, Document& document, QWidget* parent)
    : CodeView(studio.themes, Language::Script, parent), m_studio(studio), m_document(document),
      m_live(*studio.liveOf(document)) {
    setObjectName("editor");
    setAccessibleName(tr("Script %1").arg(document.title()));
    setMarginWidth(SymbolMargin, 16);
    setAutoIndent(true);
    setBraceMatching(StrictBraceMatch);
    setIndentationGuides(true);
    showText(document.text());
    setModified(false);
    connect(this, &QsciScintilla::textChanged, this, &ScriptEditor::textWasChanged);
    connect(&document, &Document::stateChanged, this,
            [this] { setAccessibleName(tr("Script %1").arg(m_document.title())); });
    connect(&m_live, &LivePipeline::updated, this, &ScriptEditor::showLive);
    connect(&studio, &Studio::findingsChanged, this, [this](const Document* changed) {
        if (changed == &m_document)
            showProblems();
    });
    connect(&studio.links, &LinkHub::focusChanged, this, &ScriptEditor::showFocus);
    connect(&studio.settings, &Settings::changed, this, [this](Setting setting) {
        if (setting == Setting::LinkColors)
            showLinks();
    });
    connect(this, &CodeView::caretMoved, this, [this](int offset) {
        if (isCurrentText())
            m_studio.links.setCaret(this, placeOf({offset, offset}));
    });
    connect(this, &CodeView::hovered, this, [this](int offset) {
        if (isCurrentText())
            m_studio.links.setMouse(this, placeOf({offset, offset}));
    });
    connect(this, &CodeView::hoverLeft, this, [this] { m_studio.links.setMouse(this, std::nullopt); });
    showLive();
}

void ScriptEditor::textWasChanged() {
    m_document.edited(bytes());
}

bool ScriptEditor::isCurrentText() const {
    return m_live.evaluatedText() == m_document.text();
}

void ScriptEditor::showLive() {
    if (!isCurrentText())
        return; // the next snapshot is on its way; indicators move with the text until then
    showProblems();
    showLinks();
    showFocus();
}

void ScriptEditor::showProblems() {
    std::vector<ByteRange> errors, warnings;
    markerDeleteAll(ErrorMark);
    markerDeleteAll(WarningMark);
    std::vector<session::DiagnosticView> all = m_studio.findings(m_document);
    if (const auto& snapshot = m_live.latest())
        all.insert(all.end(), snapshot->diagnostics.begin(), snapshot->diagnostics.end());
    for (const session::DiagnosticView& diagnostic : all) {
        if (!diagnostic.place.known() || diagnostic.place.file != m_document.name().toStdString())
            continue;
        const bool error = diagnostic.severity == Severity::Error;
        ByteRange range = rangeOf(diagnostic.place);
        if (range.end <= range.begin)
            range.end = std::min(range.begin + 1, byteCount());
        (error ? errors : warnings).push_back(range);
        markerAdd(lineOf(range.begin), error ? ErrorMark : WarningMark);
    }
    fill(ErrorSquiggle, errors);
    fill(WarningSquiggle, warnings);
}

void ScriptEditor::showLinks() {
    std::vector<LinkedRange> links;
    if (m_studio.settings.flag(Setting::LinkColors))
        for (int line = 0; line < lines(); ++line) {
            const int hue = m_live.hues().hue(line + 1);
            if (hue < 0)
                continue;
            ByteRange range = rangeOfLine(line);
            const QByteArray text = bytes(range);
            while (range.begin < range.end && text[range.begin - range.end + text.size()] == ' ')
                ++range.begin;
            links.push_back({range, hue});
        }
    setLinks(links);
}

void ScriptEditor::showFocus() {
    const auto& focus = m_studio.links.focus();
    if (!focus || focus->place.file != m_document.name().toStdString() || focus->origin == this)
        return setOutlined({});
    const ByteRange range = rangeOf(focus->place);
    setOutlined({range});
    CodeView::reveal(range);
}

ByteRange ScriptEditor::rangeOf(const session::Place& place) const {
    const int begin = offsetOf(place.line - 1, place.column - 1);
    const int end = place.end_line > 0 ? offsetOf(place.end_line - 1, place.end_column - 1) : begin;
    return {begin, std::max(begin, end)};
}

session::Place ScriptEditor::placeOf(ByteRange range) const {
    session::Place place;
    place.file = m_document.name().toStdString();
    place.line = lineOf(range.begin) + 1;
    place.column = columnOf(range.begin) + 1;
    place.end_line = lineOf(range.end) + 1;
    place.end_column = columnOf(range.end) + 1;
    return place;
}

void ScriptEditor::reveal(const session::Place& place) {
    const ByteRange range = rangeOf(place);
    setCaret(range.begin);
    CodeView::reveal(range);
    setFocus();
}

void ScriptEditor::replaceAll(const QByteArray& text) {
    if (text == bytes())
        return;
    const int line = lineOf(caret());
    const int column = columnOf(caret());
    const long first = SendScintilla(SCI_GETFIRSTVISIBLELINE);
    beginUndoAction();
    SendScintilla(SCI_SETTARGETSTART, 0UL);
    SendScintilla(SCI_SETTARGETEND, static_cast<unsigned long>(byteCount()));
    SendScintilla(SCI_REPLACETARGET, static_cast<unsigned long>(text.size()), text.constData());
    endUndoAction();
    setCaret(offsetOf(line, column));
    SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(first));
}

} // namespace hidet::ui
