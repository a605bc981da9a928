// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/diff_view.h"

#include <algorithm>

#include <QKeyEvent>
#include <QSplitter>
#include <Qsci/qscistyle.h>

#include "app/ui/code/code_view.h"

namespace hidet::ui {

namespace {

constexpr int number_style = 201;

CodeView* newDiffView(ThemeSource& themes, const QString& name) {
    auto* view = new CodeView(themes, Language::Plain);
    view->setReadOnly(true);
    view->setObjectName(name);
    view->setNumbered(false);
    view->setMarginWidth(CodeView::FoldMargin, 0);
    view->setFolding(QsciScintilla::NoFoldStyle, CodeView::FoldMargin);
    view->setMarginType(CodeView::NoteMargin, QsciScintilla::TextMarginRightJustified);
    return view;
}

// One column of a difference in a text widget: numbers of its own in the margin, changed lines and words coloured.
void showDiffColumn(CodeView& view, const DiffColumn& column) {
    const Theme& theme = view.themes().theme();
    view.showText(column.text);
    for (int marker : {CodeView::AddedLine, CodeView::RemovedLine, CodeView::GapLine})
        view.markerDeleteAll(marker);
    view.clearMarginText();
    const QsciStyle style(number_style, {}, theme.muted, theme.panel, view.themes().codeFont());
    QString widest;
    for (std::size_t line = 0; line < column.marks.size(); ++line) {
        const int at = static_cast<int>(line);
        switch (column.marks[line]) {
        case DiffMark::Added: view.markerAdd(at, CodeView::AddedLine); break;
        case DiffMark::Removed: view.markerAdd(at, CodeView::RemovedLine); break;
        case DiffMark::Gap: view.markerAdd(at, CodeView::GapLine); break;
        case DiffMark::None: break;
        }
        const QString& number = column.numbers[at];
        if (number.size() > widest.size())
            widest = number;
        view.setMarginText(at, number + ' ', style);
    }
    view.setMarginWidth(CodeView::NoteMargin, "00" + widest);
    view.fill(CodeView::AddedWord, column.wordsAreAdded ? column.words : column.addedWords);
    view.fill(CodeView::RemovedWord, column.wordsAreAdded ? std::vector<ByteRange>{} : column.words);
}

// Two columns of equal length.
void scrollAlike(const CodeView& leader, CodeView& other) {
    const long column = leader.SendScintilla(QsciScintilla::SCI_GETXOFFSET);
    if (other.firstLine() != leader.firstLine())
        other.setFirstLine(leader.firstLine());
    if (other.SendScintilla(QsciScintilla::SCI_GETXOFFSET) != column)
        other.SendScintilla(QsciScintilla::SCI_SETXOFFSET, static_cast<unsigned long>(column));
}

} // namespace

DiffView::DiffView(Studio& studio, const QString& name, QWidget* parent)
    : QStackedWidget(parent), m_studio(studio), m_name(name), m_parts(new BarParts(studio.themes, parent)),
      m_counts(m_parts->newLabel()) {
    auto* both = new QSplitter(Qt::Horizontal, this);
    both->setChildrenCollapsible(false);
    m_both = both;
    m_left = newView("left_view");
    m_right = newView("right_view");
    m_left->setAccessibleName(tr("Before")); // until there is something to compare
    m_right->setAccessibleName(tr("After"));
    for (CodeView* view : {m_left, m_right}) {
        both->addWidget(view);
        CodeView* other = view == m_left ? m_right : m_left;
        connect(view, &CodeView::scrolled, this, [this, view, other] {
            if (!m_inline && !isEmpty())
                scrollAlike(*view, *other);
        });
    }
    addWidget(m_both);
    addWidget(m_empty);
    setFocusProxy(m_left);
    m_counts->setObjectName(name + ".counts");
    m_counts->setMinimumWidth(m_counts->fontMetrics().horizontalAdvance("No differences"));
    m_counts->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    const Commands& commands = studio.commands;
    m_previous = addTool("up", tr("Previous change"), commands.action(Command::PanePreviousChange)->toolTip());
    m_next = addTool("down", tr("Next change"), commands.action(Command::PaneNextChange)->toolTip());
    m_split = addTool("split", tr("Side by side"), commands.action(Command::PaneInline)->toolTip());
    m_split->setObjectName(name + ".split");
    m_split->setCheckable(true);
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    connect(m_split, &QToolButton::clicked, this, [this](bool on) { emit inlineRequested(!on); });
    connect(&studio.themes, &ThemeSource::changed, this, &DiffView::applyTheme);
    setInline(false);
    applyTheme();
}

CodeView* DiffView::newView(const QString& part) {
    CodeView* view = newDiffView(m_studio.themes, m_name + '.' + part);
    view->installEventFilter(this);
    return view;
}

QToolButton* DiffView::addTool(const QString& icon, const QString& name, const QString& tip) {
    m_tools << m_parts->newButton(icon, name, tip);
    return m_tools.last();
}

void DiffView::setInline(bool isInline) {
    m_inline = isInline;
    m_split->setChecked(!isInline);
    m_split->setAccessibleDescription(isInline ? tr("One column") : tr("Two columns"));
}

void DiffView::show(DiffColumns columns) {
    m_columns = std::move(columns);
    showTexts();
    showColumns();
    m_counts->setText(hasChanges() ? tr("+%1 %2%3").arg(m_columns.added).arg(QChar(0x2212)).arg(m_columns.removed)
                                   : tr("No differences"));
    m_counts->setAccessibleName(hasChanges()
                                    ? tr("%1 lines added, %2 removed").arg(m_columns.added).arg(m_columns.removed)
                                    : tr("No differences"));
    m_previous->setEnabled(hasChanges());
    m_next->setEnabled(hasChanges());
}

void DiffView::showColumns() {
    m_right->setVisible(!m_inline);
    showDiffColumn(*m_left, m_columns.left);
    if (m_inline)
        return;
    showDiffColumn(*m_right, m_columns.right);
    scrollAlike(*m_left, *m_right);
}

EmptyState& DiffView::showEmpty() {
    m_columns = {};
    m_counts->setText({});
    m_previous->setEnabled(false);
    m_next->setEnabled(false);
    m_empty->setAction({}, {});
    setCurrentWidget(m_empty);
    return *m_empty;
}

std::optional<DiffView::Held> DiffView::heldAt(int wanted) const {
    const std::vector<int>& lines = m_columns.rightLines;
    const int first = m_left->firstLine();
    const int seen = static_cast<int>(m_left->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
    std::optional<Held> out;
    for (int row = first; row < first + seen && row < static_cast<int>(lines.size()); ++row)
        if (const int line = lines[static_cast<std::size_t>(row)]; line > 0 && (!out || line == wanted))
            out = Held{line, row - first};
    return out;
}

void DiffView::hold(const Held& held) {
    const auto found = std::find(m_columns.rightLines.begin(), m_columns.rightLines.end(), held.line);
    if (found == m_columns.rightLines.end())
        return;
    const int row = static_cast<int>(found - m_columns.rightLines.begin());
    m_left->setFirstLine(std::max(0, row - held.below));
    if (!m_inline)
        scrollAlike(*m_left, *m_right);
}

void DiffView::step(int direction) {
    const std::vector<int>& changes = m_columns.changes;
    if (changes.empty())
        return m_studio.notices.showStatus(tr("No differences"));
    const CodeView* view = m_right->hasFocus() ? m_right : m_left;
    const int line = view->lineOf(view->caret());
    const auto after = std::upper_bound(changes.begin(), changes.end(), line);
    const int at = static_cast<int>(after - changes.begin()) - 1; // the one at or before the caret
    const int count = static_cast<int>(changes.size());
    const bool isOnIt = at >= 0 && changes[static_cast<std::size_t>(at)] == line;
    const int next = ((direction > 0 ? at + 1 : isOnIt ? at - 1 : at) + count) % count;
    const int target = changes[static_cast<std::size_t>(next)];
    for (CodeView* each : {m_left, m_right}) {
        if (m_inline && each == m_right)
            continue;
        each->setCaret(each->rangeOfLine(target).begin);
        each->reveal(each->rangeOfLine(target));
    }
    emit stepped(target);
    m_studio.notices.showStatus(tr("Change %1 of %2").arg(next + 1).arg(count));
}

bool DiffView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == m_left)
        emit resized();
    if (event->type() == QEvent::KeyPress && (watched == m_left || watched == m_right)) {
        const QString key = static_cast<QKeyEvent*>(event)->text();
        if (key == "]" || key == "n")
            return step(1), true;
        if (key == "[" || key == "p")
            return step(-1), true;
    }
    return QStackedWidget::eventFilter(watched, event);
}

void DiffView::applyTheme() {
    if (!isEmpty() && !m_columns.left.marks.empty())
        showColumns();
}

} // namespace hidet::ui
