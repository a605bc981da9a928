// SPDX-License-Identifier: GPL-3.0-only
// The editor of one document. What the text means (colours by meaning, problems, links to stages) comes from the document's
// live pipeline and lies on top as indicators.
#pragma once

#include "app/ui/code/code_view.h"
#include "app/ui/window/studio.h"

namespace hidet::ui {

class ScriptEditor : public CodeView {
    Q_OBJECT
public:
    ScriptEditor(Studio& studio, Document& document, QWidget* parent = nullptr);

    Document& document() const { return m_document; }
    void reveal(const session::Place& place); // moves the caret there
    // Replaces the whole text as one step of undo; caret and scroll position stay.
    void replaceAll(const QByteArray& text);

    // Between places (1-based lines and byte columns) and byte offsets of the text now.
    ByteRange rangeOf(const session::Place& place) const;
    session::Place placeOf(ByteRange range) const;

private:
    void textWasChanged();
    void showLive();
    void showProblems();
    void showLinks();
    void showFocus();
    bool isCurrentText() const; // the newest snapshot is of what the editor shows

    Studio& m_studio;
    Document& m_document;
    LivePipeline& m_live;
};

} // namespace hidet::ui
