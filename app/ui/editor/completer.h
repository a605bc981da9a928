// SPDX-License-Identifier: GPL-3.0-only
// When completions are offered and what keys do with them. While the service reads what was just typed, the list of before
// is narrowed here; its answer then replaces the list. The line with the signature of the call around the caret lives
// by the same rules.
#pragma once

#include <QKeyEvent>
#include <QPointer>

#include "app/ui/editor/completion_popup.h"
#include "app/ui/editor/signature_tip.h"
#include "app/ui/editor/snippet_places.h"
#include "app/ui/editor/taken_store.h"

namespace hidet::ui {

class LivePipeline;

class Completer : public QObject {
    Q_OBJECT
public:
    Completer(CodeView& view, LivePipeline& live, TakenStore& taken);
    ~Completer() override;

    void setWhileTyping(bool on) { m_whileTyping = on; }
    void ask(); // the user wants it
    void askSignature();
    void typed(const QString& text);   // after it was inserted
    bool handle(const QKeyEvent& key); // true: it was for the list
    bool wants(const QKeyEvent& key) const;
    void close();
    bool isOpen() const { return m_popup && m_popup->isVisible(); }

private:
    enum class Why { Typed, Asked };
    void caretMoved();
    void follow(); // the list goes along with the caret, or closes
    void analysed();
    void scrolled();
    void open();
    void narrow();
    void accept();
    void insert(const session::assist::Completion& item);
    bool takesReturn() const;
    void openSignature();
    void closeList();
    ByteRange wordBeforeCaret() const;
    bool isInText() const;
    bool isWholeWord() const;

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
