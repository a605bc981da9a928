// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/diff_pane.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QSplitter>
#include <QToolButton>

#include "app/ui/core/icons.h"
#include "app/ui/panes/diff_text.h"

namespace hidet::ui {

DiffPane::DiffPane(Studio& studio, const QString& state, QWidget* parent) : Pane(parent), m_studio(studio) {
    m_inline = state.section(':', 1, 1) == "inline";
    const QString sides = state.section(':', 2);
    m_leftSide = DiffSide::of(sides.section('|', 0, 0));
    m_rightSide = DiffSide::of(sides.section('|', 1, 1));
    build();
    connect(&studio, &Studio::currentChanged, this, &DiffPane::refresh);
    connect(&studio, &Studio::liveUpdated, this, &DiffPane::refresh);
    connect(&studio.stages, &StageHub::shownChanged, this, &DiffPane::refresh);
    connect(&studio.stages, &StageHub::baselineChanged, this, &DiffPane::refresh);
    connect(&studio.themes, &ThemeSource::changed, this, &DiffPane::applyTheme);
    connect(&studio.links, &LinkHub::focusChanged, this, &DiffPane::showFocus);
    connect(&studio.settings, &Settings::changed, this, [this](Setting setting) {
        if (setting == Setting::LinkColors)
            showLinks();
    });
    applyTheme();
    refresh();
}

CodeView* DiffPane::newView(const QString& name) {
    CodeView* view = newDiffView(m_studio.themes, name);
    view->installEventFilter(this);
    return view;
}

QToolButton* DiffPane::newButton(const QString& icon, const QString& name, const QString& tip) {
    auto* button = new QToolButton(this);
    button->setAccessibleName(name);
    button->setToolTip(tip);
    button->setFocusPolicy(Qt::TabFocus);
    m_icons << std::pair(button, icon);
    return button;
}

void DiffPane::build() {
    setProperty("panel", true);
    auto side = [this](const char* name, const QString& label, bool isLeft) {
        auto* button = new QToolButton(this);
        button->setObjectName(name);
        button->setAccessibleName(label);
        button->setPopupMode(QToolButton::InstantPopup);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon); // which stands at the left, above its column
        m_icons << std::pair(button, QStringLiteral("arrow"));
        button->setFocusPolicy(Qt::StrongFocus);
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        auto* menu = new QMenu(button);
        button->setMenu(menu);
        connect(menu, &QMenu::aboutToShow, this, [this, menu, isLeft] { fillSideMenu(*menu, isLeft); });
        return button;
    };
    m_leftButton = side("diff.left", tr("Left side"), true);
    m_rightButton = side("diff.right", tr("Right side"), false);
    m_counts = new ElidedLabel(this);
    m_counts->setObjectName("diff.counts");
    m_counts->setProperty("muted", true);
    m_counts->setMinimumWidth(m_counts->fontMetrics().horizontalAdvance("No differences"));
    m_counts->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_previous =
        newButton("up", tr("Previous change"), m_studio.commands.action(Command::PanePreviousChange)->toolTip());
    m_next = newButton("down", tr("Next change"), m_studio.commands.action(Command::PaneNextChange)->toolTip());
    m_inlineButton = newButton("split", tr("Side by side"), tr("Two columns, or one"));
    m_inlineButton->setObjectName("diff.split");
    m_inlineButton->setCheckable(true);
    m_ignore = newButton("filter", tr("What does not count"), tr("What does not count as a difference"));
    m_ignore->setObjectName("diff.ignore");
    m_ignore->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_ignore);
    QAction* spaces = menu->addAction(tr("Ignore white space"));
    QAction* renames = menu->addAction(tr("Ignore renamed variables"));
    for (QAction* action : {spaces, renames}) {
        action->setCheckable(true);
        connect(action, &QAction::toggled, this,
                [this, spaces, renames] { setOptions(spaces->isChecked(), renames->isChecked()); });
    }
    m_ignore->setMenu(menu);
    auto* header = new QWidget(this);
    m_sides = new QHBoxLayout;
    m_sides->setSpacing(4);
    m_sides->addWidget(m_leftButton, 1);
    m_sides->addWidget(m_rightButton, 1);
    auto* tools = new QHBoxLayout;
    tools->setSpacing(4);
    tools->addWidget(m_counts, 1);
    for (QToolButton* button : {m_previous, m_next, m_inlineButton, m_ignore})
        tools->addWidget(button);
    // One line where there is room, or else two.
    m_header = new QBoxLayout(QBoxLayout::LeftToRight, header);
    m_header->setContentsMargins(8, 4, 4, 4);
    m_header->setSpacing(4);
    m_header->addLayout(m_sides, 1);
    m_header->addLayout(tools, 0);
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    connect(m_inlineButton, &QToolButton::clicked, this, [this](bool on) { setInline(!on); });

    m_left = newView("diff.left_view");
    m_right = newView("diff.right_view");
    for (CodeView* view : {m_left, m_right}) {
        CodeView* other = view == m_left ? m_right : m_left;
        connect(view, &CodeView::scrolled, this, [this, view, other] {
            if (!m_inline && m_body->currentWidget() == m_both)
                scrollAlike(*view, *other);
        });
        auto placeAt = [this, view](int offset) {
            return (view == m_left ? m_leftLinks : m_rightLinks).placeAt(offset);
        };
        connect(view, &CodeView::caretMoved, this, [this, view, placeAt](int offset) {
            if (view->hasFocus())
                m_studio.links.setCaret(view, placeAt(offset));
        });
        connect(view, &CodeView::hovered, this,
                [this, view, placeAt](int offset) { m_studio.links.setMouse(view, placeAt(offset)); });
        connect(view, &CodeView::hoverLeft, this, [this, view] { m_studio.links.setMouse(view, std::nullopt); });
    }
    auto* both = new QSplitter(Qt::Horizontal);
    both->setChildrenCollapsible(false);
    both->addWidget(m_left);
    both->addWidget(m_right);
    m_both = both;
    m_body = new QStackedWidget(this);
    m_empty = new EmptyState(m_body);
    m_body->addWidget(m_both);
    m_body->addWidget(m_empty);
    auto* line = new QFrame(this);
    line->setProperty("separator", true);
    line->setFixedHeight(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header);
    column->addWidget(line);
    column->addWidget(m_body, 1);
    setFocusProxy(m_left);
}

QString DiffPane::state() const {
    return QString("diff:%1:%2|%3").arg(m_inline ? "inline" : "side", m_leftSide.name(), m_rightSide.name());
}

QString DiffPane::title() const {
    if (followsPasses())
        return tr("Changes of the pass");
    return m_leftText.title == m_rightText.title ? tr("%1, changes").arg(m_rightText.title)
                                                 : tr("%1 against %2").arg(m_rightText.title, m_leftText.title);
}

void DiffPane::setSides(const DiffSide& left, const DiffSide& right) {
    m_leftSide = left;
    m_rightSide = right;
    refresh();
}

void DiffPane::setInline(bool isInline) {
    m_inline = isInline;
    refresh();
}

void DiffPane::setOptions(bool ignoreWhitespace, bool ignoreRenames) {
    m_ignoreWhitespace = ignoreWhitespace;
    m_ignoreRenames = ignoreRenames;
    refresh();
}

void DiffPane::addStages(QMenu& menu, bool isLeft, const QString& function, bool baseline) {
    auto add = [&](QMenu& to, const StageName& stage, const QString& text) {
        const DiffSide side{stage, function, baseline};
        QAction* action = to.addAction(text);
        action->setCheckable(true);
        action->setChecked(side == (isLeft ? m_leftSide : m_rightSide));
        connect(action, &QAction::triggered, this,
                [this, side, isLeft] { setSides(isLeft ? side : m_leftSide, isLeft ? m_rightSide : side); });
    };
    add(menu, "ir", tr("IR after all passes"));
    add(menu, "ir:script", tr("IR of the script"));
    for (const char* form : {"cuda", "ptx", "sass", "cpp"})
        add(menu, form, titleOf(form));
    const LivePipeline* live = m_studio.live();
    const session::ModuleId module = function.isEmpty() ? live->module() : findModule(live->board(), function);
    QMenu* after = menu.addMenu(tr("IR after a pass"));
    for (const session::PassSnapshot& pass : live->board().passes(module))
        if (pass.number > 0 && pass.changed)
            add(*after, nameOfPass(live->board().passes(module), pass.number),
                QString("%1  %2").arg(pass.number).arg(QString::fromStdString(pass.name)));
    after->setEnabled(!after->isEmpty());
}

void DiffPane::fillSideMenu(QMenu& menu, bool isLeft) {
    menu.clear();
    const LivePipeline* live = m_studio.live();
    if (!live)
        return;
    addStages(menu, isLeft, {}, false);
    menu.addSeparator();
    if (live->board().modules().size() > 1)
        for (const session::BoardModule& module : live->board().modules())
            if (!module.snapshot->functions.empty())
                addStages(*menu.addMenu(moduleTitle(*module.snapshot)), isLeft,
                          QString::fromStdString(module.snapshot->functions.front().name), false);
    const Baseline* baseline = m_studio.stages.baseline(m_studio.current());
    QMenu* old = menu.addMenu(baseline ? tr("Baseline %1").arg(baseline->label) : tr("Baseline"));
    old->setEnabled(baseline);
    if (baseline)
        addStages(*old, isLeft, {}, true);
}

void DiffPane::showEvent(QShowEvent* event) {
    Pane::showEvent(event);
    if (m_dirty)
        refresh();
}

void DiffPane::resizeEvent(QResizeEvent* event) {
    Pane::resizeEvent(event);
    const bool wide = width() >= 56 * fontMetrics().averageCharWidth() + 160;
    m_header->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_header->activate();
    placeTitles();
}

// Side by side, each title stands above its column.
void DiffPane::placeTitles() {
    const bool above = !m_inline && m_header->direction() == QBoxLayout::LeftToRight;
    const int width = m_left->width() - m_header->contentsMargins().left() - m_sides->spacing();
    m_leftButton->setMinimumWidth(above ? width : 0);
    m_leftButton->setMaximumWidth(above ? width : QWIDGETSIZE_MAX);
    m_header->activate();
    showChoices();
}

void DiffPane::showChoices() {
    for (const auto& [button, text] : {std::pair(m_leftButton, &m_leftText), std::pair(m_rightButton, &m_rightText)}) {
        button->setText(
            button->fontMetrics().elidedText(text->title, Qt::ElideMiddle, std::max(40, button->width() - 36)));
        button->setToolTip(text->title);
        button->setAccessibleDescription(text->title);
    }
    m_inlineButton->setChecked(!m_inline);
    m_inlineButton->setAccessibleDescription(m_inline ? tr("One column") : tr("Two columns"));
    setAccessibleName(title());
    m_left->setAccessibleName(m_inline ? title() : tr("Left: %1").arg(m_leftText.title));
    m_right->setAccessibleName(tr("Right: %1").arg(m_rightText.title));
    const bool marked = m_ignoreRenames || m_ignoreWhitespace;
    m_ignore->setIcon(icon("filter", marked ? m_studio.themes.theme().accent : m_studio.themes.theme().muted));
}

void DiffPane::refresh() {
    const QString before = title();
    m_leftText = resolved(m_studio, m_leftSide);
    m_rightText = resolved(m_studio, m_rightSide);
    showChoices();
    if (before != title())
        emit titleChanged();
    m_dirty = !isVisible();
    if (m_dirty)
        return;
    if (m_leftText.text && m_rightText.text)
        return compare();
    m_job.cancel();
    m_asked = {};
    m_counts->setText({});
    const SideText& missing = m_leftText.text ? m_rightText : m_leftText;
    m_empty->say(tr("The changes between two stages will appear here"), missing.title + ": " + missing.reason);
    const bool unpinned =
        (m_leftSide.baseline || m_rightSide.baseline) && !m_studio.stages.baseline(m_studio.current());
    QAction* pin = m_studio.commands.action(Command::PanePinBaseline);
    m_empty->setAction(unpinned && pin->isEnabled() ? tr("Pin baseline") : QString(), [pin] { pin->trigger(); });
    m_body->setCurrentWidget(m_empty);
}

void DiffPane::compare() {
    DiffRequest request;
    request.left = m_leftText.text;
    request.right = m_rightText.text;
    request.leftTitle = m_leftText.title.toStdString();
    request.rightTitle = m_rightText.title.toStdString();
    request.isInline = m_inline;
    request.options.ignore_whitespace = m_ignoreWhitespace;
    request.options.ignore_renames = m_ignoreRenames;
    request.script = m_studio.current()->name().toStdString();
    request.leftIsLinked = !m_leftSide.baseline;
    request.rightIsLinked = !m_rightSide.baseline;
    m_body->setCurrentWidget(m_both);
    m_isNew = m_isNew || request.leftTitle != m_asked.leftTitle || request.rightTitle != m_asked.rightTitle;
    if (request.left == m_asked.left && request.right == m_asked.right && m_inline == m_asked.isInline &&
        request.options.ignore_whitespace == m_asked.options.ignore_whitespace &&
        request.options.ignore_renames == m_asked.options.ignore_renames)
        return;
    m_asked = request;
    m_job.run(
        [request](const std::atomic<bool>& stop) mutable {
            request.options.cancelled = &stop;
            return columnsOf(request);
        },
        [this](std::optional<DiffColumns> columns) {
            if (columns)
                take(std::move(*columns));
        });
}

void DiffPane::showLinks() {
    const LivePipeline* live = m_studio.live();
    for (const auto& [view, links] : {std::pair(m_left, &m_leftLinks), std::pair(m_right, &m_rightLinks)}) {
        std::vector<LinkedRange> ranges;
        if (live && m_studio.settings.flag(Setting::LinkColors))
            for (const HueRun& run : links->runs())
                if (const int hue = live->hues().hue(run.scriptLine); hue >= 0)
                    ranges.push_back({run.range, hue});
        view->setLinks(ranges);
    }
    showFocus();
}

void DiffPane::showFocus() {
    const auto& focus = m_studio.links.focus();
    for (const auto& [view, links] : {std::pair(m_left, &m_leftLinks), std::pair(m_right, &m_rightLinks)}) {
        const std::vector<ByteRange> ranges = focus ? links->targets(focus->place) : std::vector<ByteRange>{};
        view->setOutlined(ranges);
        const bool own = focus && (focus->origin == m_left || focus->origin == m_right);
        const bool seen = std::any_of(ranges.begin(), ranges.end(),
                                      [view = view](const ByteRange& range) { return view->isVisible(range); });
        if (!ranges.empty() && !own && !seen && isVisible() && view->QWidget::isVisible())
            view->reveal(ranges.front());
    }
}

void DiffPane::take(DiffColumns columns) {
    m_shown = std::move(columns);
    m_left->setLanguage(m_leftText.language);
    m_right->setLanguage(m_rightText.language);
    m_right->setVisible(!m_inline);
    showDiffColumn(*m_left, m_shown.left);
    if (!m_inline)
        showDiffColumn(*m_right, m_shown.right);
    m_leftLinks = DiffLinks(m_shown.left, m_shown.leftLinks, m_shown.rightLinks);
    m_rightLinks = m_inline ? DiffLinks() : DiffLinks(m_shown.right, m_shown.leftLinks, m_shown.rightLinks);
    showLinks();
    placeTitles();
    const bool same = m_shown.changes.empty();
    if (m_isNew && !same)
        m_left->reveal(m_left->rangeOfLine(m_shown.changes.front()));
    m_isNew = false;
    m_counts->setText(same ? tr("No differences")
                           : tr("+%1 %2%3").arg(m_shown.added).arg(QChar(0x2212)).arg(m_shown.removed));
    m_counts->setAccessibleName(same ? tr("No differences")
                                     : tr("%1 lines added, %2 removed").arg(m_shown.added).arg(m_shown.removed));
    m_previous->setEnabled(!same);
    m_next->setEnabled(!same);
    if (!m_inline)
        scrollAlike(*m_left, *m_right);
}

int DiffPane::change() const {
    const CodeView* view = m_right->hasFocus() ? m_right : m_left;
    const int line = view->lineOf(view->caret());
    const auto after = std::upper_bound(m_shown.changes.begin(), m_shown.changes.end(), line);
    return static_cast<int>(after - m_shown.changes.begin()) - 1;
}

void DiffPane::step(int direction) {
    const int count = static_cast<int>(m_shown.changes.size());
    if (count == 0)
        return m_studio.say(tr("No differences"));
    CodeView* view = m_right->hasFocus() ? m_right : m_left;
    const int at = change();
    const bool inside = at >= 0 && view->lineOf(view->caret()) == m_shown.changes[static_cast<std::size_t>(at)];
    int next = direction > 0 ? at + 1 : inside ? at - 1 : at;
    next = (next + count) % count;
    const int line = m_shown.changes[static_cast<std::size_t>(next)];
    for (CodeView* each : {m_left, m_right}) {
        if (m_inline && each == m_right)
            continue;
        const ByteRange range = each->rangeOfLine(line);
        each->setCaret(range.begin);
        each->reveal(range);
    }
    m_studio.say(tr("Change %1 of %2").arg(next + 1).arg(count));
}

bool DiffPane::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == m_left)
        placeTitles();
    if (event->type() == QEvent::KeyPress && (watched == m_left || watched == m_right)) {
        const QString key = static_cast<QKeyEvent*>(event)->text();
        if (key == "]" || key == "n")
            return step(1), true;
        if (key == "[" || key == "p")
            return step(-1), true;
    }
    return Pane::eventFilter(watched, event);
}

void DiffPane::applyTheme() {
    for (const auto& [button, name] : m_icons)
        button->setIcon(icon(name, m_studio.themes.theme().muted));
    m_counts->setFont(m_studio.themes.smallFont());
    showChoices();
    if (isVisible() && !m_shown.left.marks.empty())
        take(std::move(m_shown));
}

} // namespace hidet::ui
