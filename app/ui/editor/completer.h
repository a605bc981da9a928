// SPDX-License-Identifier: GPL-3.0-only
// When completions are offered and what keys do with them. While the service reads what was just typed, the list of before
// is narrowed here; its answer then replaces the list. The line with the signature of the call around the caret lives
// by the same rules.
#pragma once

#include <QKeyEvent>
#include <QPointer>
#include <algorithm>

#include "app/ui/code/carets.h"
#include "app/ui/code/code_lexer.h"
#include "app/ui/editor/completion_popup.h"
#include "app/ui/editor/signature_tip.h"
#include "app/ui/editor/snippet_places.h"
#include "app/ui/editor/taken_store.h"
#include "app/ui/live/live_pipeline.h"

namespace hidet::ui {

namespace assist = session::assist;

// No names are completed there.
inline bool isCaretInText(const CodeView& view) {
    const int caret = view.caret();
    if (caret == 0)
        return false;
    const ByteRange line = view.rangeOfLine(view.lineOf(caret));
    ask(view, QsciScintillaBase::SCI_COLOURISE, line.begin, line.end);
    const SyntaxColor style = colorAt(view, view.codeLanguage(), caret - 1);
    return style == SyntaxColor::Comment || style == SyntaxColor::String || style == SyntaxColor::Number;
}

class Completer : public QObject {
    Q_OBJECT
public:
    Completer(CodeView& view, LivePipeline& live, TakenStore& taken)
        : m_view(view), m_live(live), m_taken(taken), m_places(view) {
        connect(&live, &LivePipeline::analysed, this, &Completer::analysed);
        connect(&view, &CodeView::caretMoved, this, &Completer::caretMoved);
        connect(&view, &QsciScintillaBase::SCN_FOCUSOUT, this, &Completer::close);
        connect(&view, &QsciScintillaBase::SCN_UPDATEUI, this, [this](int updated) {
            if (updated & (Sci::SC_UPDATE_V_SCROLL | Sci::SC_UPDATE_H_SCROLL))
                scrolled();
        });
    }

    ~Completer() override {
        delete m_popup;
        delete m_tip;
    }

    void setWhileTyping(bool on) { m_whileTyping = on; }

    // the user wants it
    void ask() { want(Why::Asked); }

    void askSignature() {
        m_signatureIsWanted = true;
        if (m_live.answersAreCurrent())
            openSignature();
    }

    // after it was inserted
    void typed(const QString& text) {
        if (text.isEmpty())
            return;
        const QChar c = text.back();
        const bool mayBeInCall = c == ')' && m_tip && m_tip->isVisible(); // in one around the one that ends
        if (c == '(' || c == ',' || mayBeInCall)
            askSignature();
        const bool begins = c == '.' || (isWord(c) && !isOpen());
        if (!isWord(c))
            closeList();
        if (m_whileTyping && begins && !isCaretInText(m_view))
            want(Why::Typed);
    }

    // true: it was for the list
    bool handle(const QKeyEvent& key) {
        if (isOpen() && !isWholeWord()) // views hear late of what the keys before have done
            follow();
        if (!wants(key)) {
            if (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter)
                closeList();
            return m_places.handle(key);
        }
        switch (key.key()) {
        case Qt::Key_Up: m_popup->move(-1); break;
        case Qt::Key_Down: m_popup->move(1); break;
        case Qt::Key_PageUp: m_popup->movePage(-1); break;
        case Qt::Key_PageDown: m_popup->movePage(1); break;
        case Qt::Key_Escape: // the list first, then the signature, then a snippet
            if (isOpen())
                closeList();
            else if (m_tip && m_tip->isVisible())
                close();
            else
                m_places.handle(key);
            break;
        default:
            if (!isWholeWord()) {
                accept();
            } else {
                closeList();
                m_places.handle(key); // there is nothing to take: Tab goes on
            }
            break;
        }
        return true;
    }

    bool wants(const QKeyEvent& key) const {
        const bool tip = m_tip && m_tip->isVisible();
        if (key.key() == Qt::Key_Escape)
            return isOpen() || tip || m_places.wants(key);
        if (!isOpen() || key.modifiers() & ~Qt::KeypadModifier)
            return false;
        switch (key.key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
        case Qt::Key_Tab: return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: return takesReturn();
        default: return false;
        }
    }

    void close() {
        closeList();
        m_signatureIsWanted = false;
        if (m_tip)
            m_tip->setVisible(false);
    }

    bool isOpen() const { return m_popup && m_popup->isVisible(); }

private:
    using Sci = QsciScintillaBase;
    enum class Why { Typed, Asked };

    static bool isWord(QChar c) { return c.isLetterOrNumber() || c == '_'; }

    void caretMoved() {
        if (isOpen())
            follow();
        if (m_tip && m_tip->isVisible())
            askSignature();
    }

    // the list goes along with the caret, or closes
    void follow() { wordBeforeCaret().begin == m_begin ? narrow() : closeList(); }

    void analysed() {
        if (!m_live.answersAreCurrent())
            return;
        if (m_listIsWanted || isOpen())
            open();
        if (m_signatureIsWanted)
            openSignature();
    }

    // Typing scrolls too; what belongs to a line that is still seen goes along with it.
    void scrolled() {
        if (!m_view.isVisible({m_view.caret(), m_view.caret()}))
            return close();
        for (FloatingPanel* panel : {static_cast<FloatingPanel*>(m_popup), static_cast<FloatingPanel*>(m_tip)})
            if (panel && panel->isVisible())
                panel->placeAgain();
    }

    void want(Why why) {
        m_why = why;
        m_listIsWanted = true;
        if (m_live.answersAreCurrent())
            open();
    }

    void open() {
        assist::Completions found =
            assist::completions(*m_live.answers(), static_cast<std::uint32_t>(m_view.caret()),
                                {.unimported = true, .snippets = true, .taken = &m_taken.names()});
        const std::string typed = m_view.bytes({static_cast<int>(found.replaced.begin), m_view.caret()}).toStdString();
        m_items = std::move(found.items);
        m_asked = m_view.caret();
        m_likely.clear();
        for (const assist::Completion& item : m_items) {
            const auto letters = assist::fuzzy_score(typed, item.label);
            m_likely.push_back(item.score - (letters ? letters->score : 0));
        }
        m_begin = wordBeforeCaret().begin;
        narrow();
        m_listIsWanted = !isOpen() && !m_live.valuesAreCurrent(); // they may have names that were not known before
    }

    void narrow() {
        const std::string word = m_view.bytes({m_begin, m_view.caret()}).toStdString();
        const char before = static_cast<char>(hidet::ui::ask(m_view, Sci::SCI_GETCHARAT, m_begin - 1));
        std::vector<assist::Completion> shown;
        for (std::size_t i = 0; i < m_items.size(); ++i)
            if (auto match = assist::fuzzy_score(word, m_items[i].label)) {
                shown.push_back(m_items[i]);
                shown.back().matches = std::move(match->matches);
                shown.back().score = match->score + m_likely[i];
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

    void accept() {
        const assist::Completion* chosen = isOpen() ? m_popup->chosen() : nullptr;
        if (!chosen)
            return;
        const assist::Completion item = *chosen;
        closeList();
        m_taken.take(item.label);
        insert(item);
        m_view.setFocus();
        if (item.insert.ends_with('('))
            askSignature();
    }

    // At every caret that has had the same letters typed, with what the name needs elsewhere in the text: one step of undo.
    void insert(const assist::Completion& item) {
        const SnippetText snippet =
            item.is_snippet ? parsedSnippet(QByteArray::fromStdString(item.insert)) : SnippetText();
        const QByteArray text = item.is_snippet ? snippet.text : QByteArray::fromStdString(item.insert);
        const QByteArray typed = m_view.bytes({m_begin, m_view.caret()});
        const int rest =
            static_cast<int>(hidet::ui::ask(m_view, Sci::SCI_WORDENDPOSITION, m_view.caret(), 1)) - m_view.caret();
        std::vector<TextEdit> edits;
        for (const Caret& caret : caretsOf(m_view)) {
            const int begin = caret.at - static_cast<int>(typed.size());
            const bool same = begin >= 0 && m_view.bytes({begin, caret.at}) == typed;
            const int end = caret.at == m_view.caret() ? caret.at + rest : caret.at;
            edits.push_back({{same ? begin : caret.at, end}, text});
        }
        const std::size_t words = edits.size();
        const int sinceAsked = m_view.caret() - m_asked; // what was typed since has moved what is behind it
        for (const assist::Edit& edit : item.edits) {
            const auto begin = static_cast<int>(edit.range.begin), end = static_cast<int>(edit.range.end);
            const int moved = begin >= m_asked ? sinceAsked : 0;
            edits.push_back({{begin + moved, end + moved}, QByteArray::fromStdString(edit.text)});
        }
        std::vector<Caret> after;
        for (std::size_t i = 0; i < words; ++i) {
            int end = edits[i].range.begin + static_cast<int>(text.size());
            for (std::size_t k = 0; k < edits.size(); ++k)
                if (k != i && edits[k].range.begin <= edits[i].range.begin)
                    end += static_cast<int>(edits[k].text.size()) - (edits[k].range.end - edits[k].range.begin);
            after.push_back({end, end});
        }
        applyEdits(m_view, edits);
        setCarets(m_view, after);
        if (item.is_snippet && words == 1)
            m_places.begin(snippet, after.front().at - static_cast<int>(text.size()));
    }

    // What would bring more than its own name is not meant by a Return that ends a line: Tab takes it, or going to its row.
    bool takesReturn() const {
        const assist::Completion* item = m_popup->chosen();
        const bool isMore = item && (item->is_snippet || !item->edits.empty());
        return !isWholeWord() && (!isMore || m_popup->userChose() || m_why == Why::Asked);
    }

    void openSignature() {
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

    void closeList() {
        m_listIsWanted = false;
        if (m_popup)
            m_popup->setVisible(false);
    }

    ByteRange wordBeforeCaret() const {
        return {static_cast<int>(hidet::ui::ask(m_view, Sci::SCI_WORDSTARTPOSITION, m_view.caret(), 1)),
                m_view.caret()};
    }

    // What is typed is on the list: there is nothing to accept, unless the user has gone to another row.
    bool isWholeWord() const {
        const ByteRange word = wordBeforeCaret();
        if (word.begin != m_begin)
            return false;
        const long end = hidet::ui::ask(m_view, Sci::SCI_WORDENDPOSITION, word.end, 1);
        return end == word.end && !m_popup->userChose() && m_popup->offers(m_view.bytes(word).toStdString());
    }

    CodeView& m_view;
    LivePipeline& m_live;
    TakenStore& m_taken;
    QPointer<CompletionPopup> m_popup;
    QPointer<SignatureTip> m_tip;
    std::vector<session::assist::Completion> m_items; // as the service has ranked them
    std::vector<int> m_likely;                        // what each gains for being likely here, without its letters
    SnippetPlaces m_places;                           // of what was taken last
    int m_begin = 0;                                  // of the word that they complete
    int m_asked = 0;                                  // where the caret was when they were asked for
    Why m_why = Why::Typed;
    bool m_listIsWanted = false; // when the text has been read; and again, when its values are known
    bool m_signatureIsWanted = false;
    bool m_whileTyping = true;
};

} // namespace hidet::ui
