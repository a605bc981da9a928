// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/editor/completer.h"

#include <algorithm>

#include "app/ui/code/carets.h"
#include "app/ui/live/live_pipeline.h"

namespace hidet::ui {

namespace assist = session::assist;
using Sci = QsciScintillaBase;

static bool isWord(QChar c) {
    return c.isLetterOrNumber() || c == '_';
}

Completer::Completer(CodeView& view, LivePipeline& live) : m_view(view), m_live(live) {
    connect(&live, &LivePipeline::analysed, this, &Completer::analysed);
    connect(&view, &CodeView::caretMoved, this, &Completer::caretMoved);
    connect(&view, &QsciScintillaBase::SCN_FOCUSOUT, this, &Completer::close);
    connect(&view, &QsciScintillaBase::SCN_UPDATEUI, this, [this](int updated) {
        if (updated & (Sci::SC_UPDATE_V_SCROLL | Sci::SC_UPDATE_H_SCROLL))
            scrolled();
    });
}

// Typing scrolls too; what belongs to a line that is still seen goes along with it.
void Completer::scrolled() {
    if (!m_view.isVisible({m_view.caret(), m_view.caret()}))
        return close();
    for (FloatingPanel* panel : {static_cast<FloatingPanel*>(m_popup), static_cast<FloatingPanel*>(m_tip)})
        if (panel && panel->isVisible())
            panel->placeAgain();
}

Completer::~Completer() {
    delete m_popup;
    delete m_tip;
}

void Completer::ask() {
    m_why = Why::Asked;
    m_listIsWanted = true;
    if (m_live.answersAreCurrent())
        open();
}

void Completer::askSignature() {
    m_signatureIsWanted = true;
    if (m_live.answersAreCurrent())
        openSignature();
}

bool Completer::isInText() const {
    const int caret = m_view.caret();
    if (caret == 0)
        return false;
    const ByteRange line = m_view.rangeOfLine(m_view.lineOf(caret));
    hidet::ui::ask(m_view, Sci::SCI_COLOURISE, line.begin, line.end);
    const auto style = static_cast<SyntaxColor>(hidet::ui::ask(m_view, Sci::SCI_GETSTYLEAT, caret - 1));
    return style == SyntaxColor::Comment || style == SyntaxColor::String || style == SyntaxColor::Number;
}

void Completer::typed(const QString& text) {
    if (text.isEmpty())
        return;
    const QChar c = text.back();
    if (c == '(' || c == ',') {
        askSignature();
    } else if (c == ')' && m_tip && m_tip->isVisible()) { // there may be a call around this one
        askSignature();
    }
    const bool begins = c == '.' || (isWord(c) && !isOpen());
    if (!isWord(c))
        closeList();
    if (!m_whileTyping || !begins || isInText())
        return;
    m_why = Why::Typed;
    m_listIsWanted = true;
    if (m_live.answersAreCurrent())
        open();
}

ByteRange Completer::wordBeforeCaret() const {
    return {static_cast<int>(hidet::ui::ask(m_view, Sci::SCI_WORDSTARTPOSITION, m_view.caret(), 1)), m_view.caret()};
}

void Completer::caretMoved() {
    if (isOpen())
        follow();
    if (m_tip && m_tip->isVisible())
        askSignature();
}

void Completer::follow() {
    if (wordBeforeCaret().begin == m_begin)
        narrow();
    else
        closeList();
}

void Completer::analysed() {
    if (!m_live.answersAreCurrent())
        return;
    if (m_listIsWanted || isOpen())
        open();
    if (m_signatureIsWanted)
        openSignature();
}

void Completer::open() {
    const auto offset = static_cast<std::uint32_t>(m_view.caret());
    assist::Completions found = assist::completions(*m_live.answers(), offset);
    m_items = std::move(found.items);
    m_begin = wordBeforeCaret().begin;
    narrow();
    m_listIsWanted = !isOpen() && !m_live.valuesAreCurrent(); // they may have names that were not known before
}

void Completer::narrow() {
    const std::string word = m_view.bytes({m_begin, m_view.caret()}).toStdString();
    const char before = static_cast<char>(hidet::ui::ask(m_view, Sci::SCI_GETCHARAT, m_begin - 1));
    std::vector<assist::Completion> shown;
    for (const assist::Completion& item : m_items)
        if (auto match = assist::fuzzy_score(word, item.label)) {
            shown.push_back(item);
            shown.back().matches = std::move(match->matches);
            shown.back().score = match->score;
        }
    std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    const bool nothingTyped = word.empty() && m_why == Why::Typed && before != '.';
    const bool nothingToAdd = m_why == Why::Typed && shown.size() == 1 && shown.front().insert == word;
    if (shown.empty() || nothingTyped || nothingToAdd)
        return closeList();
    if (!m_popup) {
        m_popup = new CompletionPopup(m_view);
        connect(m_popup, &CompletionPopup::accepted, this, &Completer::accept);
    }
    m_popup->show(std::move(shown), {m_begin, m_begin});
}

bool Completer::wants(const QKeyEvent& key) const {
    const bool tip = m_tip && m_tip->isVisible();
    if (key.key() == Qt::Key_Escape)
        return isOpen() || tip;
    if (!isOpen() || key.modifiers() & ~Qt::KeypadModifier)
        return false;
    switch (key.key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Tab: return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: return !isWholeWord();
    default: return false;
    }
}

// What is typed is on the list: there is nothing to accept, unless the user has gone to another row.
bool Completer::isWholeWord() const {
    const ByteRange word = wordBeforeCaret();
    if (word.begin != m_begin)
        return false;
    const long end = hidet::ui::ask(m_view, Sci::SCI_WORDENDPOSITION, word.end, 1);
    return end == word.end && !m_popup->userChose() && m_popup->offers(m_view.bytes(word).toStdString());
}

bool Completer::handle(const QKeyEvent& key) {
    if (isOpen() && !isWholeWord()) // views hear late of what the keys before have done
        follow();
    if (!wants(key)) {
        if (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter)
            closeList();
        return false;
    }
    switch (key.key()) {
    case Qt::Key_Up: m_popup->move(-1); break;
    case Qt::Key_Down: m_popup->move(1); break;
    case Qt::Key_PageUp: m_popup->movePage(-1); break;
    case Qt::Key_PageDown: m_popup->movePage(1); break;
    case Qt::Key_Escape: // the list first, then the signature
        if (isOpen())
            closeList();
        else
            close();
        break;
    default:
        if (isWholeWord())
            closeList();
        else
            accept();
        break;
    }
    return true;
}

void Completer::accept() {
    const assist::Completion* item = isOpen() ? m_popup->chosen() : nullptr;
    if (!item)
        return;
    const QByteArray text = QByteArray::fromStdString(item->insert);
    const QByteArray typed = m_view.bytes({m_begin, m_view.caret()});
    const int rest =
        static_cast<int>(hidet::ui::ask(m_view, Sci::SCI_WORDENDPOSITION, m_view.caret(), 1)) - m_view.caret();
    closeList();
    std::vector<TextEdit> edits;
    for (const Caret& caret : caretsOf(m_view)) { // other carets have had the same letters typed
        const int begin = caret.at - static_cast<int>(typed.size());
        const bool same = begin >= 0 && m_view.bytes({begin, caret.at}) == typed;
        const int end = caret.at == m_view.caret() ? caret.at + rest : caret.at;
        edits.push_back({{same ? begin : caret.at, end}, text});
    }
    std::vector<Caret> after;
    int shift = 0;
    for (const TextEdit& edit : edits) {
        const int end = edit.range.begin + shift + static_cast<int>(text.size());
        after.push_back({end, end});
        shift += static_cast<int>(text.size()) - (edit.range.end - edit.range.begin);
    }
    applyEdits(m_view, edits);
    setCarets(m_view, after);
    m_view.setFocus();
    if (text.endsWith('('))
        askSignature();
}

void Completer::openSignature() {
    m_signatureIsWanted = !m_live.valuesAreCurrent();
    const assist::SignatureHelp help =
        assist::signature_help(*m_live.answers(), static_cast<std::uint32_t>(m_view.caret()));
    if (help.label.empty()) {
        if (m_tip)
            m_tip->setVisible(false);
        return;
    }
    if (!m_tip)
        m_tip = new SignatureTip(m_view);
    m_tip->show(help);
}

void Completer::closeList() {
    m_listIsWanted = false;
    if (m_popup)
        m_popup->setVisible(false);
}

void Completer::close() {
    closeList();
    m_signatureIsWanted = false;
    if (m_tip)
        m_tip->setVisible(false);
}

} // namespace hidet::ui
