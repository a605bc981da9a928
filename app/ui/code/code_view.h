// SPDX-License-Identifier: GPL-3.0-only
// The text widget under the editor and every stage pane: Scintilla, set up from the theme, with our own numbers for
// markers, indicators and styles. Scintilla hands numbers out without saying when it has none left, and some of those it
// hands out belong to folding, so all of them are fixed here.
//
// Positions are byte offsets into the UTF-8 text, as in the compiler's tables.
#pragma once

#include <memory>
#include <vector>

#include <Qsci/qsciscintilla.h>

#include "app/ui/code/language.h"

namespace hidet::ui {

class CodeLexer;
class TextPatch;
class VisibleFill;

struct ByteRange {
    int begin = 0;
    int end = 0;
    bool contains(int offset) const { return begin <= offset && offset < end; }
    friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct LinkedRange {
    ByteRange range;
    int hue = 0; // into Theme::links
};

class CodeView : public QsciScintilla {
    Q_OBJECT
public:
    enum Marker {
        ErrorMark,
        WarningMark,
        FindingMark,
        PinnedMark,
        HoveredLine,
        CaretLine,
        AddedLine,
        RemovedLine,
        GapLine,
        FixMark,
        NoteMark, // not seen: a line with a note behind it
        BreakpointMark,
        ConditionMark, // one that has a condition
        HollowMark,    // one that is not reached, or whose condition cannot be computed
        StandMark,     // where a kernel stands that is debugged
        StandLine      // the same, behind the text
    };
    enum Indicator {  // 0 to 7 are Scintilla's own
        LinkFill = 8, // every colour of a link by one indicator, as a value
        LinkOutline,
        ErrorSquiggle,
        WarningSquiggle,
        SearchHit,
        SearchCurrent,
        SameName,
        BracketPair,
        AddedWord,
        RemovedWord,
        Semantic, // text colour as a value
        StaleText,
        SearchScope,
        AutoClosed, // not seen: a closing bracket or quote that the editor has typed
    };
    enum Margin { NumberMargin, SymbolMargin, FoldMargin, NoteMargin };

    CodeView(ThemeSource& themes, Language language, QWidget* parent = nullptr);
    ~CodeView() override;

    void setLanguage(Language language);
    Language codeLanguage() const;

    // Replaces the text, where it differs line by line: the first visible line and the caret stay with their text. Not for
    // the editor: undo is emptied.
    struct Kept { // whether the line is still there
        bool top = true;
        bool caret = true;
    };
    Kept showText(const QByteArray& text);
    Kept showText(const TextPatch& patch); // of the text that is shown
    QByteArray bytes() const;
    QByteArray bytes(ByteRange range) const;
    int byteCount() const;

    int caret() const;
    void setCaret(int offset);
    int lineOf(int offset) const;                    // 0-based
    int columnOf(int offset) const;                  // bytes from the start of the line
    ByteRange rangeOfLine(int line) const;           // without the end of line
    int offsetOf(int line, int column) const;        // of 0-based line and byte column, kept inside the text
    int offsetAt(const QPoint& viewportPoint) const; // -1: not over a character
    QRect rectOf(ByteRange range) const;             // of its first line, in the viewport
    // Of its first row, in the viewport. It measures nothing: to ask where a text is that is not seen, Scintilla measures it,
    // and forgets what it knows of one that is seen.
    int topOfLine(int line) const;

    // Scrolls as little as it can so that the range is seen, with some lines around it.
    void reveal(ByteRange range);
    bool isVisible(ByteRange range) const;
    int firstLine() const; // that is seen; 0-based
    void setFirstLine(int line);
    ByteRange selection() const;
    void copy() override; // with colours

    void setLinks(const std::vector<LinkedRange>& links);
    void setLinksFaded(bool faded); // they are of an older text, and have moved with this one
    bool areLinksFaded() const { return m_linksFaded; }
    void fill(Indicator indicator, const std::vector<ByteRange>& ranges); // replaces what it had
    // Within a range, an indicator has these and no others. Where it is so already nothing is painted again: to clear a text
    // and to fill it as before paints all of it. Of ranges that overlap the later one counts.
    struct Fill {
        ByteRange range;
        int value = 1;
    };
    void fill(Indicator indicator, ByteRange within, const std::vector<Fill>& fills);
    static int valueOf(const QColor& color); // of indicators whose value is a colour
    void setStale(bool stale);               // the text is painted half way to the panel
    bool isStale() const { return m_stale; }
    // Without: the margin of line numbers is gone. Diffs show numbers of their own.
    void setNumbered(bool numbered);

    ThemeSource& themes() const { return m_themes; }

signals:
    void caretMoved(int offset);
    void hovered(int offset); // the mouse rests over a character
    void hoverLeft();
    void painting();  // what is seen, next
    void scrolled();  // by whomever; when it is painted. The scroll bars do not always say so
    void textShown(); // after showText(), which is silent otherwise
    void zoomRequested(int steps);

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    virtual void applyTheme(); // again after every change of theme or font

private:
    void setUpOnce();
    void fitNumberMargin();

    ThemeSource& m_themes;
    CodeLexer* m_lexer;
    bool m_stale = false;
    bool m_linksFaded = false;
    bool m_numbered = true;
    int m_digits = 0;
    std::vector<LinkedRange> m_links;
    std::unique_ptr<VisibleFill> m_linkFill;
};

} // namespace hidet::ui
