// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/widgets/find_bar.h"

#include <algorithm>

#include <QGridLayout>
#include <QKeyEvent>
#include <QStyle>

#include "app/ui/core/icons.h"
#include "app/ui/widgets/parts.h"
#include "lang/base/ranges.h"

namespace hidet::ui {

using Sci = QsciScintillaBase;

constexpr int pause_ms = 120;
// More edits than this are one replacement of all that lies between the first and the last.
constexpr std::size_t most_single_edits = 2'000;

FindBar::FindBar(CodeView& view, QWidget* parent)
    : QWidget(parent), m_view(view),
      m_case(option("Aa", tr("Match case"), tr("Capital and small letters are different"))),
      m_words(option("W", tr("Whole words"), tr("Finds words, not their parts"))),
      m_expression(
          option(".*", tr("Regular expression"), tr("The text is a regular expression; \\1 stands for a group"))),
      m_inSelection(option("[ ]", tr("In selection"), tr("Only in what is selected now"))),
      m_previous(new QToolButton(this)), m_next(new QToolButton(this)), m_close(new QToolButton(this)),
      m_replace(new QPushButton(tr("Replace"), this)), m_replaceAll(new QPushButton(tr("Replace all"), this)),
      m_search(), m_fill(view, CodeView::SearchHit) {
    setObjectName("findBar");
    makeBar(*this);
    m_what->setObjectName("findText");
    m_what->setAccessibleName(tr("Find"));
    m_what->setPlaceholderText(tr("Find"));
    m_what->setMinimumWidth(120);
    m_with->setObjectName("replaceText");
    m_with->setAccessibleName(tr("Replace with"));
    m_with->setPlaceholderText(tr("Replace with"));
    m_count->setObjectName("findCount");
    m_count->setProperty("muted", true);
    m_count->setMinimumWidth(fontMetrics().horizontalAdvance("000 of 000"));
    m_replace->setObjectName("replaceOne");
    m_replaceAll->setObjectName("replaceAll");
    const std::tuple<QToolButton*, QString, QString> buttons[] = {
        {m_previous, tr("Previous hit"), tr("Goes to the hit before (Shift+Enter)")},
        {m_next, tr("Next hit"), tr("Goes to the next hit (Enter)")},
        {m_close, tr("Close the search"), tr("Back to the text (Esc)")}};
    for (const auto& [button, name, help] : buttons) {
        button->setAccessibleName(name);
        button->setToolTip(help);
    }
    newRow({}, 4, {m_replace, m_replaceAll, stretched(1)}, m_replaceTools);
    // Both fields in one column: they begin and end together.
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(8, 4, 8, 4);
    grid->setHorizontalSpacing(4);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(0, 1);
    grid->addWidget(m_what, 0, 0);
    grid->addWidget(makeTools(), 0, 1);
    grid->addWidget(m_with, 1, 0);
    grid->addWidget(m_replaceTools, 1, 1);
    setVisible(false);

    connect(&m_search, &TextSearch::found, this, &FindBar::take);
    connect(m_what, &QLineEdit::textChanged, this, [this] { search(Then::ShowNearest); });
    for (QToolButton* button : {m_case, m_words, m_expression})
        connect(button, &QToolButton::toggled, this, [this] { search(Then::ShowNearest); });
    connect(m_inSelection, &QToolButton::toggled, this, &FindBar::chooseScope);
    connect(m_next, &QToolButton::clicked, this, &FindBar::findNext);
    connect(m_previous, &QToolButton::clicked, this, &FindBar::findPrevious);
    connect(m_close, &QToolButton::clicked, this, &FindBar::closeBar);
    connect(m_replace, &QPushButton::clicked, this, &FindBar::replaceCurrent);
    connect(m_replaceAll, &QPushButton::clicked, this, &FindBar::replaceAll);
    auto searchAgain = [this] {
        if (isVisible())
            m_again.start(pause_ms);
    };
    connect(&view, &CodeView::textChanged, this, searchAgain);
    connect(&view, &CodeView::textShown, this, searchAgain);
    connect(&view, &CodeView::caretMoved, this, [this] {
        if (isVisible())
            showCount();
    });
    connect(&view.themes(), &ThemeSource::changed, this, &FindBar::applyTheme);
    for (QWidget* widget : findChildren<QWidget*>())
        widget->installEventFilter(this);
    applyTheme();
}

QWidget* FindBar::makeTools() {
    auto* row = new QWidget(this);
    auto* layout = newRow({}, 2, {m_case, m_words, m_expression, m_inSelection}, row);
    layout->addSpacing(6);
    layout->addWidget(m_count);
    for (QToolButton* button : {m_previous, m_next, m_close})
        layout->addWidget(button);
    return row;
}

QToolButton* FindBar::option(const QString& text, const QString& name, const QString& help) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setCheckable(true);
    button->setAccessibleName(name);
    button->setToolTip(name + ": " + help);
    button->setObjectName("find." + text);
    return button;
}

FindBar* FindBar::of(CodeView& view) {
    QWidget* parent = view.parentWidget();
    for (FindBar* bar : parent->findChildren<FindBar*>())
        if (&bar->m_view == &view)
            return bar;
    auto* bar = new FindBar(view, parent);
    if (auto* layout = qobject_cast<QVBoxLayout*>(parent->layout()))
        layout->addWidget(bar);
    return bar;
}

void FindBar::showReplace(bool shown) {
    m_with->setVisible(shown);
    m_replaceTools->setVisible(shown);
}

void FindBar::openFind() {
    showReplace(false);
    open();
}

void FindBar::openReplace() {
    showReplace(!m_view.isReadOnly());
    open();
}

void FindBar::open() {
    const std::vector<Caret> carets = caretsOf(m_view);
    const Caret selected = carets.front();
    m_from = selected.begin();
    const bool oneLine = m_view.lineOf(selected.begin()) == m_view.lineOf(selected.end());
    if (!selected.isEmpty() && oneLine && !m_expression->isChecked()) {
        const QSignalBlocker quiet(m_what);
        m_what->setText(QString::fromUtf8(m_view.bytes(selected.range())));
    }
    setVisible(true);
    m_what->setFocus(Qt::ShortcutFocusReason);
    m_what->selectAll();
    search(Then::Stay);
}

void FindBar::closeBar() {
    m_search.cancel();
    m_pending = false;
    m_again.stop();
    m_inSelection->setChecked(false);
    setVisible(false);
    m_result = {};
    m_fill.clear();
    m_view.fill(CodeView::SearchCurrent, {});
    m_view.setFocus(Qt::OtherFocusReason);
    emit hitsChanged();
}

SearchQuery FindBar::query() const {
    SearchQuery out;
    out.pattern = m_what->text();
    out.isExpression = m_expression->isChecked();
    out.matchCase = m_case->isChecked();
    out.wholeWords = m_words->isChecked();
    if (m_inSelection->isChecked()) {
        // The indicator has moved with the text.
        const int begin = ask(m_view, Sci::SCI_INDICATORVALUEAT, CodeView::SearchScope, 0)
                              ? 0
                              : static_cast<int>(ask(m_view, Sci::SCI_INDICATOREND, CodeView::SearchScope, 0));
        out.scope =
            ByteRange{begin, static_cast<int>(ask(m_view, Sci::SCI_INDICATOREND, CodeView::SearchScope, begin))};
    }
    return out;
}

void FindBar::chooseScope(bool on) {
    std::vector<ByteRange> scope;
    if (on) {
        const std::vector<Caret> carets = caretsOf(m_view);
        const ByteRange range{carets.front().begin(), carets.back().end()};
        if (range.begin == range.end) {
            const QSignalBlocker quiet(m_inSelection);
            m_inSelection->setChecked(false);
            m_count->setText(tr("Nothing is selected"));
            return;
        }
        scope.push_back(range);
        m_from = range.begin;
    }
    m_view.fill(CodeView::SearchScope, scope);
    search(on ? Then::ShowNearest : Then::Stay);
}

void FindBar::search(Then then) {
    m_again.stop();
    m_then = then;
    m_pending = true;
    SearchQuery wanted = query();
    if (then == Then::ReplaceAll || then == Then::ReplaceOne)
        wanted.replacement = m_with->text();
    if (then == Then::ReplaceOne)
        wanted.scope = m_one;
    m_search.start(m_view.bytes(), wanted);
}

void FindBar::take(const SearchResult& result) {
    m_pending = false;
    if (!isVisible())
        return;
    const Then then = std::exchange(m_then, Then::Stay);
    if (result.text != m_view.bytes()) {                      // the text has changed since; nothing was lost
        search(then == Then::ReplaceOne ? Then::Stay : then); // that hit may be elsewhere now
        return;
    }
    if (then == Then::ReplaceOne)
        return result.edits.empty() ? search(Then::Stay) : applyOne(result.edits.front());
    if (then == Then::ReplaceAll)
        return applyAll(result);
    m_result = result;
    m_fill.set(transformed(m_result.hits, [](const ByteRange& hit) { return VisibleFill::Item{hit, 1}; }));
    m_view.fill(CodeView::SearchCurrent, {});
    switch (then) {
    case Then::ShowNearest: {
        auto hit = std::lower_bound(m_result.hits.begin(), m_result.hits.end(), m_from,
                                    [](const ByteRange& range, int from) { return range.begin < from; });
        if (hit == m_result.hits.end())
            hit = m_result.hits.begin();
        if (hit != m_result.hits.end())
            show(static_cast<std::size_t>(hit - m_result.hits.begin()));
        break;
    }
    case Then::Next: step(1); break;
    case Then::Previous: step(-1); break;
    default: break;
    }
    showCount();
    emit hitsChanged();
}

std::optional<std::size_t> FindBar::currentHit() const {
    const Caret caret = caretsOf(m_view).front();
    auto hit = std::lower_bound(m_result.hits.begin(), m_result.hits.end(), caret.begin(),
                                [](const ByteRange& range, int begin) { return range.begin < begin; });
    if (hit == m_result.hits.end() || !(*hit == caret.range()))
        return std::nullopt;
    return static_cast<std::size_t>(hit - m_result.hits.begin());
}

void FindBar::showCount() {
    const bool bad = !m_result.error.isEmpty() || (m_result.hits.empty() && !m_what->text().isEmpty());
    const QString total =
        m_result.isWhole ? QString::number(m_result.hits.size()) : tr("more than %1").arg(m_result.hits.size());
    const std::optional<std::size_t> current = currentHit();
    if (!m_result.error.isEmpty())
        m_count->setText(m_result.error);
    else if (m_what->text().isEmpty())
        m_count->clear();
    else if (m_result.hits.empty())
        m_count->setText(tr("No hits"));
    else if (current)
        m_count->setText(tr("%1 of %2").arg(*current + 1).arg(total));
    else
        m_count->setText(tr("%1 hits").arg(total));
    m_count->setProperty("role", bad ? QVariant("error") : QVariant());
    m_count->style()->unpolish(m_count);
    m_count->style()->polish(m_count);
    const bool some = !m_result.hits.empty();
    for (QWidget* button : std::initializer_list<QWidget*>{m_next, m_previous, m_replace, m_replaceAll})
        button->setEnabled(some);
}

void FindBar::find(Then then) {
    if (isVisible() && !m_pending)
        return step(then == Then::Next ? 1 : -1);
    if (isVisible()) { // as soon as the hits are known
        m_then = then;
        return;
    }
    if (m_what->text().isEmpty())
        return openFind();
    setVisible(true);
    search(then);
}

// From the caret, around the end.
void FindBar::step(int direction) {
    const std::vector<ByteRange>& hits = m_result.hits;
    if (hits.empty())
        return;
    const Caret caret = caretsOf(m_view).front();
    auto after = std::lower_bound(hits.begin(), hits.end(), caret.begin(),
                                  [](const ByteRange& range, int begin) { return range.begin < begin; });
    auto index = after - hits.begin();
    const auto count = static_cast<std::ptrdiff_t>(hits.size());
    if (direction < 0)
        index -= 1;
    else if (after != hits.end() && *after == caret.range())
        index += 1;
    show(static_cast<std::size_t>((index + count) % count));
}

void FindBar::show(std::size_t index) {
    const ByteRange hit = m_result.hits[index];
    m_view.reveal(hit);
    setCarets(m_view, {{hit.begin, hit.end}});
    ask(m_view, Sci::SCI_SCROLLCARET);
    m_view.fill(CodeView::SearchCurrent, {hit});
    m_from = hit.begin;
    showCount();
}

void FindBar::replaceCurrent() {
    if (m_view.isReadOnly() || m_pending)
        return;
    const std::optional<std::size_t> current = currentHit();
    if (!current)
        return step(1);
    m_one = m_result.hits[*current];
    // Groups depend on what stands around the hit, so it is found again in the text, which may take its time.
    if (m_expression->isChecked())
        return search(Then::ReplaceOne);
    applyOne({m_one, m_with->text().toUtf8()});
}

void FindBar::applyOne(const TextEdit& edit) {
    applyEdits(m_view, {edit});
    const int end = edit.range.begin + static_cast<int>(edit.text.size());
    setCarets(m_view, {{end, end}});
    search(Then::Next);
}

void FindBar::replaceAll() {
    if (!m_view.isReadOnly())
        search(Then::ReplaceAll);
}

void FindBar::applyAll(const SearchResult& result) {
    if (result.edits.empty())
        return search(Then::Stay);
    const int at = movedBy(result.edits, m_view.caret(), Stick::After);
    if (result.edits.size() <= most_single_edits) {
        applyEdits(m_view, result.edits);
    } else {
        const ByteRange all{result.edits.front().range.begin, result.edits.back().range.end};
        QByteArray text;
        int from = all.begin;
        for (const TextEdit& edit : result.edits) {
            text += result.text.mid(from, edit.range.begin - from);
            text += edit.text;
            from = edit.range.end;
        }
        applyEdits(m_view, {{all, text}});
    }
    setCarets(m_view, {{at, at}});
    m_result = {};
    search(Then::Stay);
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return false;
    auto& key = static_cast<QKeyEvent&>(*event);
    const bool enter = key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter;
    const bool inField = watched == m_what || watched == m_with;
    if (key.key() != Qt::Key_Escape && !(enter && inField && key.modifiers() != Qt::AltModifier))
        return false;
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (key.key() == Qt::Key_Escape)
        closeBar();
    else if (watched == m_with)
        key.modifiers() & Qt::ControlModifier ? replaceAll() : replaceCurrent();
    else
        key.modifiers() & Qt::ShiftModifier ? findPrevious() : findNext();
    return true;
}

void FindBar::applyTheme() {
    const Theme& theme = m_view.themes().theme();
    m_previous->setIcon(icon("up", theme.text));
    m_next->setIcon(icon("down", theme.text));
    m_close->setIcon(icon("close", theme.text));
}

} // namespace hidet::ui
