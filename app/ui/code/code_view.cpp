// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/code/code_view.h"

#include <algorithm>
#include <optional>

#include <QClipboard>
#include <QGuiApplication>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include "app/ui/code/carets.h"
#include "app/ui/code/code_lexer.h"
#include "app/ui/code/colored_copy.h"
#include "app/ui/code/text_patch.h"
#include "app/ui/code/visible_fill.h"
#include "lang/base/ranges.h"

namespace hidet::ui {

using Sci = QsciScintillaBase;

namespace {

constexpr int dwell_ms = 120;
constexpr int lines_around = 3;
constexpr int faded_alpha = 90;

// Scintilla takes colours as 0xBBGGRR.
long bgr(const QColor& color) {
    return color.red() | color.green() << 8 | color.blue() << 16;
}

void setTextColors(CodeLexer& lexer, const Theme& theme) {
    lexer.setDefaultColor(theme.text);
    for (int style = 0; style < static_cast<int>(SyntaxColor::Count); ++style)
        lexer.setColor(theme.color(static_cast<SyntaxColor>(style)), style);
}

void applyIndicators(const CodeView& view) {
    using enum CodeView::Indicator;
    const Theme& theme = view.themes().theme();
    struct Row {
        CodeView::Indicator indicator;
        int style;
        QColor color;
        int alpha, outline;
        bool under;
    };
    const Row rows[] = {
        {LinkFill, Sci::INDIC_FULLBOX, theme.accent, view.areLinksFaded() ? faded_alpha : 255, 0, true},
        {LinkOutline, Sci::INDIC_FULLBOX, theme.accent, 0, 255, false},
        {ErrorSquiggle, Sci::INDIC_SQUIGGLEPIXMAP, theme.error, 255, 255, false},
        {WarningSquiggle, Sci::INDIC_SQUIGGLEPIXMAP, theme.warning, 255, 255, false},
        {SearchHit, Sci::INDIC_FULLBOX, theme.warning, 32, 120, true},
        {SearchCurrent, Sci::INDIC_FULLBOX, theme.warning, 0, 255, true},
        {SameName, Sci::INDIC_FULLBOX, theme.text, 8, 60, true},
        {BracketPair, Sci::INDIC_FULLBOX, theme.accent, 40, 120, true},
        {AddedWord, Sci::INDIC_FULLBOX, theme.addedWord, 255, 0, true},
        {RemovedWord, Sci::INDIC_FULLBOX, theme.removedWord, 255, 0, true},
        {Semantic, Sci::INDIC_TEXTFORE, theme.text, 255, 255, false},
        {StaleText, Sci::INDIC_TEXTFORE, theme.stale(theme.text), 255, 255, false},
        {SearchScope, Sci::INDIC_FULLBOX, theme.accent, 20, 40, true},
        {AutoClosed, Sci::INDIC_HIDDEN, theme.text, 0, 0, true},
    };
    for (const Row& row : rows) {
        ask(view, Sci::SCI_INDICSETSTYLE, row.indicator, row.style);
        ask(view, Sci::SCI_INDICSETFORE, row.indicator, bgr(row.color));
        ask(view, Sci::SCI_INDICSETALPHA, row.indicator, row.alpha);
        ask(view, Sci::SCI_INDICSETOUTLINEALPHA, row.indicator, row.outline);
        ask(view, Sci::SCI_INDICSETUNDER, row.indicator, row.under);
    }
    for (CodeView::Indicator byValue : {LinkFill, Semantic})
        ask(view, Sci::SCI_INDICSETFLAGS, byValue, Sci::SC_INDICFLAG_VALUEBEFORE);
}

// Scintilla fills a margin with signs of folds in it by a pattern, in as many pieces as there are threads to wait for; so the
// margin has none, and gets Scintilla's signs here.
void paintFolds(const CodeView& view) {
    const int width = view.marginWidth(CodeView::FoldMargin);
    if (width == 0 || view.folding() == QsciScintilla::NoFoldStyle)
        return;
    const int left = view.marginWidth(CodeView::NumberMargin) + view.marginWidth(CodeView::SymbolMargin);
    const int height = static_cast<int>(ask(view, Sci::SCI_TEXTHEIGHT));
    const int arm = (std::min(width, height - 2) - 1) / 2 - 2;
    const long first = ask(view, Sci::SCI_GETFIRSTVISIBLELINE);
    const long rows = ask(view, Sci::SCI_LINESONSCREEN) + 1;
    const auto levelOf = [&](long line) { return ask(view, Sci::SCI_GETFOLDLEVEL, line); };
    QPainter painter(view.viewport());
    painter.setPen(view.themes().theme().muted);
    painter.setBrush(view.themes().theme().muted);
    for (long row = 0; row < rows; ++row) {
        const auto line = ask(view, Sci::SCI_DOCLINEFROMVISIBLE, first + row);
        const bool isFirst = ask(view, Sci::SCI_VISIBLEFROMDOCLINE, line) == first + row;
        if (!isFirst || line + 1 >= view.lines() || !(levelOf(line) & Sci::SC_FOLDLEVELHEADERFLAG) ||
            (levelOf(line) & Sci::SC_FOLDLEVELNUMBERMASK) >= (levelOf(line + 1) & Sci::SC_FOLDLEVELNUMBERMASK))
            continue;
        const int x = left + width / 2;
        const int y = static_cast<int>(row) * height + height / 2;
        painter.drawRect(x - arm, y - 1, 2 * arm, 2);
        if (!ask(view, Sci::SCI_GETFOLDEXPANDED, line))
            painter.drawRect(x - 1, y - arm, 2, 2 * arm);
    }
}

// Other colours of its styles would have Scintilla measure every line again, twice for a text that is old for a moment.
void paintStale(const CodeView& view) {
    int left = 0;
    for (auto margin : {CodeView::NumberMargin, CodeView::SymbolMargin, CodeView::FoldMargin, CodeView::NoteMargin})
        left += view.marginWidth(margin);
    QColor veil = view.themes().theme().panel;
    veil.setAlphaF(0.5F);
    QPainter(view.viewport()).fillRect(view.viewport()->rect().adjusted(left, 0, 0, 0), veil);
}

} // namespace

CodeView::CodeView(ThemeSource& themes, Language language, QWidget* parent)
    : QsciScintilla(parent), m_themes(themes), m_lexer(new CodeLexer(language, themes, this)) {
    m_linkFill = std::make_unique<VisibleFill>(*this, LinkFill);
    setUtf8(true);
    setLexer(m_lexer);
    setUpOnce();
    applyTheme();
    connect(&themes, &ThemeSource::changed, this, [this] { applyTheme(); });
    connect(this, &QsciScintilla::cursorPositionChanged, this, [this] { emit caretMoved(caret()); });
    connect(this, &QsciScintillaBase::SCN_DWELLSTART, this, [this](int position, int, int) {
        if (position >= 0)
            emit hovered(position);
    });
    connect(this, &QsciScintilla::linesChanged, this, &CodeView::fitNumberMargin);
    connect(this, &QsciScintillaBase::SCN_UPDATEUI, this, [this](int what) {
        if (what & (SC_UPDATE_V_SCROLL | SC_UPDATE_H_SCROLL))
            emit scrolled();
    });
    connect(this, &QsciScintillaBase::SCN_DWELLEND, this, [this](int, int, int) { emit hoverLeft(); });
}

CodeView::~CodeView() = default;

void CodeView::setUpOnce() {
    setFrameShape(QFrame::NoFrame);
    setIndentationsUseTabs(false);
    setTabWidth(4);
    setEolMode(EolUnix);
    // The standard is 2,000 pixels and a scroll bar in every pane.
    SendScintilla(SCI_SETSCROLLWIDTH, 1);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1);
    SendScintilla(SCI_SETENDATLASTLINE, 1);
    SendScintilla(SCI_SETMOUSEDWELLTIME, dwell_ms);
    SendScintilla(SCI_SETEXTRAASCENT, 1);
    SendScintilla(SCI_SETEXTRADESCENT, 1);
    SendScintilla(SCI_SETMULTIPLESELECTION, 1);
    SendScintilla(SCI_SETADDITIONALSELECTIONTYPING, 1);
    SendScintilla(SCI_SETMULTIPASTE, SC_MULTIPASTE_EACH);
    SendScintilla(SCI_SETPHASESDRAW, SC_PHASES_MULTIPLE);
    SendScintilla(SCI_SETLAYOUTCACHE,
                  SC_CACHE_PAGE); // the standard measures all that is seen in each phase of painting
    setMarginType(NumberMargin, QsciScintilla::NumberMargin);
    setMarginType(SymbolMargin, QsciScintilla::SymbolMargin);
    setMarginWidth(SymbolMargin, 0);
    setMarginMarkerMask(SymbolMargin, 1 << ErrorMark | 1 << WarningMark | 1 << FindingMark | 1 << PinnedMark |
                                          1 << FixMark | 1 << BreakpointMark | 1 << ConditionMark | 1 << HollowMark |
                                          1 << StandMark |
                                          1 << StandLine); // or one that shines through is not painted behind the text
    setFolding(PlainFoldStyle, FoldMargin);
    setMarginMarkerMask(FoldMargin, 0); // paintFolds() has its signs
    setMarginWidth(FoldMargin, 12);
    setMarginType(NoteMargin, QsciScintilla::TextMargin);
    setMarginWidth(NoteMargin, 0);
    markerDefine(QsciScintilla::Circle, ErrorMark);
    markerDefine(QsciScintilla::Circle, WarningMark);
    markerDefine(QsciScintilla::Circle, FindingMark);
    markerDefine(QsciScintilla::Bookmark, PinnedMark);
    markerDefine(QsciScintilla::Invisible, NoteMark);
    for (int marker : {HoveredLine, CaretLine, AddedLine, RemovedLine, GapLine, StandLine})
        markerDefine(QsciScintilla::Background, marker);
    // Keys that the registry owns must not be taken by the widget: it asks for all that it knows.
    for (int key : {'L', 'D', 'T', 'U'})
        SendScintilla(SCI_CLEARCMDKEY, static_cast<unsigned long>(key | SCMOD_CTRL << 16));
    for (int key : {'L', 'D', 'T', 'U', 'Z'})
        SendScintilla(SCI_CLEARCMDKEY, static_cast<unsigned long>(key | (SCMOD_CTRL | SCMOD_SHIFT) << 16));
}

void CodeView::applyTheme() {
    const Theme& theme = m_themes.theme();
    const QFont font = m_themes.codeFont();
    m_lexer->setDefaultFont(font);
    m_lexer->setDefaultPaper(theme.panel);
    m_lexer->setPaper(theme.panel, -1);
    m_lexer->setFont(font, -1);
    for (int style = 0; style < static_cast<int>(SyntaxColor::Count); ++style) {
        m_lexer->setPaper(theme.panel, style);
        m_lexer->setFont(font, style);
    }
    setTextColors(*m_lexer, theme);
    setColor(theme.text);
    setPaper(theme.panel);
    setCaretForegroundColor(theme.text);
    setCaretWidth(2);
    setCaretLineVisible(true);
    setCaretLineBackgroundColor(theme.currentLine);
    setSelectionBackgroundColor(theme.selection);
    SendScintilla(SCI_SETSELFORE, 0UL, 0L);
    SendScintilla(SCI_SETADDITIONALSELBACK, bgr(theme.selection));
    SendScintilla(SCI_SETADDITIONALCARETFORE, bgr(theme.accent));
    setMarginsBackgroundColor(theme.panel);
    setMarginsForegroundColor(theme.muted);
    setMarginsFont(font);
    setFoldMarginColors(theme.panel, theme.panel);
    setMarkerBackgroundColor(theme.error, ErrorMark);
    setMarkerForegroundColor(theme.error, ErrorMark);
    setMarkerBackgroundColor(theme.warning, WarningMark);
    setMarkerForegroundColor(theme.warning, WarningMark);
    setMarkerBackgroundColor(theme.error, FindingMark);
    setMarkerForegroundColor(theme.panel, FindingMark);
    setMarkerBackgroundColor(theme.accent, PinnedMark);
    setMarkerForegroundColor(theme.accent, PinnedMark);
    setMarkerBackgroundColor(theme.currentLine, HoveredLine);
    setMarkerBackgroundColor(theme.currentLine, CaretLine);
    setMarkerBackgroundColor(theme.added, AddedLine);
    setMarkerBackgroundColor(theme.removed, RemovedLine);
    setMarkerBackgroundColor(theme.window, GapLine);
    setIndentationGuidesForegroundColor(theme.line);
    setIndentationGuidesBackgroundColor(theme.panel);
    setMatchedBraceBackgroundColor(theme.selection);
    setMatchedBraceForegroundColor(theme.text);
    setUnmatchedBraceForegroundColor(theme.error);
    setUnmatchedBraceBackgroundColor(theme.panel);
    setEdgeColor(theme.line);
    m_digits = 0;
    fitNumberMargin();
    applyIndicators(*this);
    setLinks(std::vector<LinkedRange>(m_links));
}

void CodeView::setLinksFaded(bool faded) {
    if (faded == m_linksFaded)
        return;
    m_linksFaded = faded;
    SendScintilla(SCI_INDICSETALPHA, static_cast<unsigned long>(LinkFill), faded ? faded_alpha : 255);
}

void CodeView::setLanguage(Language language) {
    if (m_lexer->codeLanguage() == language)
        return;
    m_lexer->setLanguage(language);
    SendScintilla(SCI_COLOURISE, 0UL, -1L);
}

Language CodeView::codeLanguage() const {
    return m_lexer->codeLanguage();
}

CodeView::Kept CodeView::showText(const QByteArray& text) {
    const QByteArray before = bytes();
    if (before == text)
        return {};
    return showText(TextPatch(std::string_view(before.constData(), static_cast<std::size_t>(before.size())),
                              std::string_view(text.constData(), static_cast<std::size_t>(text.size()))));
}

CodeView::Kept CodeView::showText(const TextPatch& patch) {
    if (patch.hunks().empty())
        return {};
    const bool isFirst = byteCount() == 0;
    const int top = firstLine();
    const int line = lineOf(caret());
    const int column = columnOf(caret());
    const bool locked = isReadOnly();
    {
        const QSignalBlocker quiet(this);
        setReadOnly(false);
        SendScintilla(SCI_SETUNDOCOLLECTION, 0UL);
        const std::vector<TextPatch::Replacement> changes = patch.replacements();
        for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
            SendScintilla(SCI_SETTARGETSTART, static_cast<unsigned long>(change->begin));
            SendScintilla(SCI_SETTARGETEND, static_cast<unsigned long>(change->end));
            const char* now = change->text.empty() ? "" : change->text.data();
            SendScintilla(SCI_REPLACETARGET, static_cast<unsigned long>(change->text.size()), now);
        }
        SendScintilla(SCI_SETUNDOCOLLECTION, 1UL);
        SendScintilla(SCI_EMPTYUNDOBUFFER);
        setReadOnly(locked);
        // A first text begins at its top: there is nothing that it could stay at.
        const int offset = isFirst ? 0 : offsetOf(patch.nearest(line), column);
        SendScintilla(SCI_SETEMPTYSELECTION, static_cast<unsigned long>(offset));
        setFirstLine(isFirst ? 0 : patch.nearest(top));
    }
    fitNumberMargin();
    m_links.clear();
    emit textShown();
    return {patch.mapped(top) >= 0, patch.mapped(line) >= 0};
}

void CodeView::fitNumberMargin() {
    if (!m_numbered)
        return;
    const int digits = 2 + static_cast<int>(QString::number(std::max(lines(), 99)).size());
    if (digits == m_digits)
        return;
    m_digits = digits;
    setMarginWidth(NumberMargin, QString(digits, '0'));
}

void CodeView::setNumbered(bool numbered) {
    m_numbered = numbered;
    m_digits = 0;
    setMarginWidth(NumberMargin, 0);
    fitNumberMargin();
}

int CodeView::firstLine() const {
    const long shown = SendScintilla(SCI_GETFIRSTVISIBLELINE);
    return static_cast<int>(SendScintilla(SCI_DOCLINEFROMVISIBLE, static_cast<unsigned long>(shown)));
}

void CodeView::setFirstLine(int line) {
    const long shown = SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(std::max(0, line)));
    SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(shown));
}

void CodeView::copy() {
    if (hasSelectedText() && SendScintilla(SCI_GETSELECTIONS) == 1 && !SendScintilla(SCI_SELECTIONISRECTANGLE))
        QGuiApplication::clipboard()->setMimeData(coloredCopy(*this, selection()).release());
    else
        QsciScintilla::copy();
}

ByteRange CodeView::selection() const {
    return {static_cast<int>(SendScintilla(SCI_GETSELECTIONSTART)),
            static_cast<int>(SendScintilla(SCI_GETSELECTIONEND))};
}

QByteArray CodeView::bytes() const {
    return bytes({0, byteCount()});
}

QByteArray CodeView::bytes(ByteRange range) const {
    if (range.end <= range.begin)
        return {};
    QByteArray out(range.end - range.begin, '\0');
    SendScintilla(SCI_GETTEXTRANGE, static_cast<long>(range.begin), static_cast<long>(range.end), out.data());
    return out;
}

int CodeView::byteCount() const {
    return static_cast<int>(SendScintilla(SCI_GETLENGTH));
}

int CodeView::caret() const {
    return static_cast<int>(SendScintilla(SCI_GETCURRENTPOS));
}

void CodeView::setCaret(int offset) {
    SendScintilla(SCI_GOTOPOS, static_cast<unsigned long>(std::clamp(offset, 0, byteCount())));
}

int CodeView::lineOf(int offset) const {
    return static_cast<int>(SendScintilla(SCI_LINEFROMPOSITION, static_cast<unsigned long>(offset)));
}

int CodeView::columnOf(int offset) const {
    return offset - static_cast<int>(SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(lineOf(offset))));
}

ByteRange CodeView::rangeOfLine(int line) const {
    return {static_cast<int>(SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line))),
            static_cast<int>(SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line)))};
}

int CodeView::offsetOf(int line, int column) const {
    const int last = std::max(0, static_cast<int>(SendScintilla(SCI_GETLINECOUNT)) - 1);
    const ByteRange range = rangeOfLine(std::clamp(line, 0, last));
    return std::clamp(range.begin + std::max(column, 0), range.begin, range.end);
}

int CodeView::offsetAt(const QPoint& point) const {
    return static_cast<int>(SendScintilla(SCI_CHARPOSITIONFROMPOINTCLOSE, static_cast<unsigned long>(point.x()),
                                          static_cast<long>(point.y())));
}

QRect CodeView::rectOf(ByteRange range) const {
    auto x = [&](int at) {
        return static_cast<int>(SendScintilla(SCI_POINTXFROMPOSITION, 0UL, static_cast<long>(at)));
    };
    auto y = [&](int at) {
        return static_cast<int>(SendScintilla(SCI_POINTYFROMPOSITION, 0UL, static_cast<long>(at)));
    };
    const int end = std::min(range.end, rangeOfLine(lineOf(range.begin)).end);
    const int height = static_cast<int>(SendScintilla(SCI_TEXTHEIGHT, 0UL));
    return {x(range.begin), y(range.begin), std::max(1, x(end) - x(range.begin)), height};
}

bool CodeView::isVisible(ByteRange range) const {
    const long first = SendScintilla(SCI_GETFIRSTVISIBLELINE);
    const long count = SendScintilla(SCI_LINESONSCREEN);
    const long line = SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(lineOf(range.begin)));
    return line >= first && line < first + count;
}

int CodeView::topOfLine(int line) const {
    const long row = SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line));
    return static_cast<int>((row - SendScintilla(SCI_GETFIRSTVISIBLELINE)) * SendScintilla(SCI_TEXTHEIGHT, 0UL));
}

void CodeView::reveal(ByteRange range) {
    const int line = lineOf(range.begin);
    ensureLineVisible(line);
    const long first = SendScintilla(SCI_GETFIRSTVISIBLELINE);
    const long count = std::max(1L, SendScintilla(SCI_LINESONSCREEN));
    const long shown = SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line));
    const long last =
        SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(lineOf(std::max(range.begin, range.end - 1))));
    const long around = std::min<long>(lines_around, count / 4);
    long target = first;
    if (shown < first + around)
        target = shown - around;
    else if (last > first + count - 1 - around)
        target = std::min(shown - around, last - count + 1 + around);
    if (target != first)
        SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(std::max(0L, target)));
}

void CodeView::setLinks(const std::vector<LinkedRange>& links) {
    m_links = links;
    const Theme& theme = m_themes.theme();
    std::vector<Fill> fills;
    fills.reserve(m_links.size());
    for (const LinkedRange& link : m_links) {
        const QColor color = theme.links[static_cast<std::size_t>(link.hue) % theme.links.size()];
        fills.push_back({link.range, valueOf(color)});
    }
    m_linkFill->set(std::move(fills));
}

void CodeView::fill(Indicator indicator, const std::vector<ByteRange>& ranges) {
    const std::vector<Fill> fills = transformed(ranges, [](const ByteRange& range) { return Fill{range}; });
    fill(indicator, {0, byteCount()}, fills);
}

void CodeView::fill(Indicator indicator, ByteRange within, const std::vector<Fill>& fills) {
    const auto length = [](ByteRange range) { return static_cast<long>(range.end - range.begin); };
    SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(indicator));
    const auto clear = [&](ByteRange gap) {
        if (gap.begin < gap.end)
            SendScintilla(SCI_INDICATORCLEARRANGE, static_cast<unsigned long>(gap.begin), length(gap));
    };
    int filled = within.begin;
    std::optional<int> value;
    for (const Fill& each : fills) {
        const ByteRange range{std::max(each.range.begin, within.begin), std::min(each.range.end, within.end)};
        if (range.begin >= range.end)
            continue;
        clear({filled, range.begin});
        if (value != each.value)
            SendScintilla(SCI_SETINDICATORVALUE, static_cast<unsigned long>(each.value));
        value = each.value;
        SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(range.begin), length(range));
        filled = std::max(filled, range.end);
    }
    clear({filled, within.end});
}

int CodeView::valueOf(const QColor& color) {
    return static_cast<int>(SC_INDICVALUEBIT | bgr(color));
}

void CodeView::setStale(bool stale) {
    if (m_stale == stale)
        return;
    m_stale = stale;
    viewport()->update();
}

void CodeView::paintEvent(QPaintEvent* event) {
    emit painting();
    QsciScintilla::paintEvent(event);
    paintFolds(*this);
    if (m_stale)
        paintStale(*this);
}

void CodeView::wheelEvent(QWheelEvent* event) {
    if (!(event->modifiers() & Qt::ControlModifier))
        return QsciScintilla::wheelEvent(event);
    if (const int steps = event->angleDelta().y() / QWheelEvent::DefaultDeltasPerStep)
        emit zoomRequested(steps);
    event->accept();
}

void CodeView::leaveEvent(QEvent* event) {
    QsciScintilla::leaveEvent(event);
    emit hoverLeft();
}

} // namespace hidet::ui
