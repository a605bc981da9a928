// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/diff_pane.h"

#include <algorithm>

#include <QMenu>
#include <QToolButton>

#include "app/ui/core/icons.h"
#include "app/ui/core/mnemonics.h"
#include "app/ui/core/words.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

DiffPane::DiffPane(Studio& studio, const QString& state, QWidget* parent)
    : Pane(parent), m_studio(studio), m_left{{studio, nullptr}}, m_right{{studio, nullptr}} {
    const QString sides = state.section(':', 2);
    m_left.chosen = DiffSide::of(sides.section('|', 0, 0));
    m_right.chosen = DiffSide::of(sides.section('|', 1, 1));
    build();
    m_diff->setInline(state.section(':', 1, 1) == "inline");
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &DiffPane::refresh);
    studio.scripts.follow({&LiveScripts::liveUpdated, &LiveScripts::explanationChanged}, this, &DiffPane::refresh,
                          StaggeredUpdates::Rank::Text);
    for (const Side* side : {&m_left, &m_right})
        connect(&side->gpu, &OtherGpu::changed, this, &DiffPane::refresh);
    connect(&studio.stages, &StageHub::shownChanged, this, &DiffPane::refresh);
    connect(&studio.stages, &StageHub::baselineChanged, this, &DiffPane::refresh);
    connect(&studio.themes, &ThemeSource::changed, this, &DiffPane::applyTheme);
    connect(&studio.links, &LinkHub::focusChanged, this, &DiffPane::showFocus);
    applyTheme();
    refresh();
}

void DiffPane::build() {
    setProperty("panel", true);
    m_diff = new DiffView(m_studio, "diff", this);
    auto addButton = [this](Side& side, const char* name, const QString& label) {
        auto* button = side.button = new QToolButton(this);
        button->setObjectName(name);
        button->setAccessibleName(label);
        button->setPopupMode(QToolButton::InstantPopup);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon); // which stands at the left, above its column
        button->setFocusPolicy(Qt::StrongFocus);
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        auto* menu = new QMenu(button);
        button->setMenu(menu);
        connect(menu, &QMenu::aboutToShow, this, [this, menu, &side] { fillSideMenu(*menu, side); });
    };
    addButton(m_left, "diff.left", tr("Left side"));
    addButton(m_right, "diff.right", tr("Right side"));
    m_ignore = m_diff->addTool("filter", tr("What does not count"), tr("What does not count as a difference"));
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
    m_sides = newRow({}, 4, {{m_left.button, 1}, {m_right.button, 1}});
    auto* tools = newRow({}, 4, {{m_diff->counts(), 1}});
    for (QToolButton* button : m_diff->tools())
        tools->addWidget(button);
    // One line where there is room, or else two.
    m_header = new QBoxLayout(QBoxLayout::LeftToRight, header);
    m_header->setContentsMargins(8, 4, 4, 4);
    m_header->setSpacing(4);
    m_header->addLayout(m_sides, 1);
    m_header->addLayout(tools, 0);
    connect(m_diff, &DiffView::inlineRequested, this, &DiffPane::setInline);
    connect(m_diff, &DiffView::resized, this, &DiffPane::placeTitles);
    for (CodeView* view : {&m_diff->left(), &m_diff->right()}) {
        auto placeAt = [this, view](int offset) {
            return (view == &m_diff->left() ? m_left : m_right).links.placeAt(offset);
        };
        connect(view, &CodeView::caretMoved, this, [this, view, placeAt](int offset) {
            if (view->hasFocus())
                m_studio.links.setCaret(view, placeAt(offset));
        });
        connect(view, &CodeView::hovered, this,
                [this, view, placeAt](int offset) { m_studio.links.setMouse(view, placeAt(offset)); });
        connect(view, &CodeView::hoverLeft, this, [this, view] { m_studio.links.setMouse(view, std::nullopt); });
    }
    m_figures = new QWidget(this);
    m_figuresLine = new QBoxLayout(QBoxLayout::LeftToRight, m_figures);
    m_figuresLine->setContentsMargins(8, 0, 4, 4);
    m_figuresLine->setSpacing(4);
    auto figuresOf = [&](const char* name) {
        auto* label = new ElidedLabel(m_figures);
        label->setObjectName(name);
        label->setProperty("muted", true);
        m_figuresLine->addWidget(label, 1);
        return label;
    };
    m_left.figures = figuresOf("diff.left_figures");
    m_right.figures = figuresOf("diff.right_figures");
    auto* line = new QFrame(this);
    line->setProperty("separator", true);
    line->setFixedHeight(1);
    newColumn(this, {header, m_figures, line, {m_diff, 1}});
    setFocusProxy(m_diff);
}

QString DiffPane::stateOf(bool isInline, const DiffSide& left, const DiffSide& right) {
    return QString("diff:%1:%2|%3").arg(isInline ? "inline" : "side", left.name(), right.name());
}

QString DiffPane::title() const {
    if (followsPasses())
        return tr("Changes of the pass");
    return leftTitle() == rightTitle() ? tr("%1, changes").arg(rightTitle())
                                       : tr("%1 against %2").arg(rightTitle(), leftTitle());
}

void DiffPane::setSides(const DiffSide& left, const DiffSide& right) {
    m_left.chosen = left;
    m_right.chosen = right;
    refresh();
}

void DiffPane::setInline(bool isInline) {
    m_diff->setInline(isInline);
    refresh();
}

void DiffPane::setOptions(bool ignoreWhitespace, bool ignoreRenames) {
    m_ignoreWhitespace = ignoreWhitespace;
    m_ignoreRenames = ignoreRenames;
    refresh();
}

void DiffPane::addChoice(QMenu& menu, Side& side, const DiffSide& choice, const QString& text) {
    QAction* action = menu.addAction(withoutMnemonics(text));
    action->setCheckable(true);
    action->setChecked(choice == side.chosen);
    connect(action, &QAction::triggered, this, [this, &side, choice] {
        side.chosen = choice;
        refresh();
    });
}

void DiffPane::addStages(QMenu& menu, Side& side, const QString& function, bool baseline) {
    auto add = [&](QMenu& to, const StageName& stage, const QString& text) {
        addChoice(to, side, {stage, function, baseline}, text);
    };
    add(menu, StageName::lowered(), tr("IR after all passes"));
    add(menu, StageName::ofScript(), titleOf(StageName::ofScript()));
    for (const StageName& stage : generatedStages())
        add(menu, stage, titleOf(stage));
    const LivePipeline* live = m_studio.scripts.live();
    const session::ModuleId module = function.isEmpty() ? live->module() : findModule(live->board(), function);
    QMenu* after = menu.addMenu(tr("IR after a pass"));
    for (const session::PassSnapshot& pass : live->board().passes(module))
        if (pass.number > 0 && pass.changed)
            add(*after, nameOfPass(live->board().passes(module), pass.number),
                QString("%1  %2").arg(pass.number).arg(QString::fromStdString(pass.name)));
    after->setEnabled(!after->isEmpty());
}

// The stage that the side shows, or else the one of the panes.
void DiffPane::addGpus(QMenu& menu, Side& side) {
    const StageName shown = stageShownBy(m_studio, side.chosen);
    const StageName stage = shown.isEmpty() ? m_studio.stages.shown() : shown;
    QMenu* gpus = menu.addMenu(tr("%1 for another GPU").arg(titleOf(stage)));
    for (const QString& arch : choicesOf(Setting::Arch)) {
        if (arch == m_studio.settings.text(Setting::Arch))
            continue;
        addChoice(*gpus, side, DiffSide::forArch(stage, side.chosen.function, arch), arch);
    }
}

// Scripts that are open, and all that was kept: pinned panes, texts of past runs.
void DiffPane::addTexts(QMenu& menu, Side& side) {
    QMenu* scripts = menu.addMenu(tr("Text of a script"));
    addChoice(*scripts, side, DiffSide::ofScript(), tr("The script in front"));
    for (const Document* document : m_studio.tabs.documents())
        addChoice(*scripts, side, DiffSide::ofScript(document->title()), document->title());
    QMenu* kept = menu.addMenu(tr("Kept text"));
    for (const auto& [number, pinned] : m_studio.stages.allPinned()) {
        const DiffSide choice = DiffSide::ofPinned(number, pinned.stage);
        addChoice(*kept, side, choice, resolved(m_studio, choice).title);
    }
    kept->setEnabled(!kept->isEmpty());
}

void DiffPane::fillSideMenu(QMenu& menu, Side& side) {
    menu.clear();
    const LivePipeline* live = m_studio.scripts.live();
    if (!live)
        return;
    addStages(menu, side, {}, false);
    menu.addSeparator();
    if (live->board().modules().size() > 1)
        for (const session::BoardModule& module : live->board().modules())
            if (!module.snapshot->functions.empty())
                addStages(*menu.addMenu(moduleTitle(*module.snapshot)), side,
                          QString::fromStdString(module.snapshot->functions.front().name), false);
    const Baseline* baseline = m_studio.stages.baseline(m_studio.tabs.current());
    addGpus(menu, side);
    addTexts(menu, side);
    QMenu* old = menu.addMenu(baseline ? tr("Baseline %1").arg(baseline->label) : tr("Baseline"));
    old->setEnabled(baseline);
    if (baseline)
        addStages(*old, side, {}, true);
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
    const bool above = !isInline() && m_header->direction() == QBoxLayout::LeftToRight;
    const int width = m_diff->left().width() - m_header->contentsMargins().left() - m_sides->spacing();
    m_left.button->setMinimumWidth(above ? width : 0);
    m_left.button->setMaximumWidth(above ? width : QWIDGETSIZE_MAX);
    m_header->activate();
    showChoices();
}

void DiffPane::showChoices() {
    for (const Side* side : {&m_left, &m_right}) {
        QToolButton* button = side->button;
        const QString& text = side->text.title;
        const QFontMetrics metrics = button->fontMetrics();
        const int around = button->sizeHint().width() - metrics.size(Qt::TextShowMnemonic, button->text()).width() + 1;
        button->setText(
            withoutMnemonics(metrics.elidedText(text, Qt::ElideMiddle, std::max(40, button->width() - around))));
        button->setToolTip(text);
        button->setAccessibleDescription(text);
    }
    setAccessibleName(title());
    m_diff->left().setAccessibleName(isInline() ? title() : tr("Left: %1").arg(leftTitle()));
    m_diff->right().setAccessibleName(tr("Right: %1").arg(rightTitle()));
    const bool marked = m_ignoreRenames || m_ignoreWhitespace;
    m_ignore->setIcon(icon("filter", marked ? m_studio.themes.theme().accent : m_studio.themes.theme().muted));
}

// Of each side, and at the right what differs.
void DiffPane::showFigures() {
    auto said = [this](const SideText& side) {
        if (!side.figures)
            return QString();
        const QString words = textsOf(session::words_of(*side.figures)).join(QString(" ") + QChar(0x00b7) + ' ');
        return isInline() ? side.title + ": " + words : words;
    };
    m_left.figures->setText(said(m_left.text));
    QString right = said(m_right.text);
    if (m_left.text.figures && m_right.text.figures)
        if (const auto changes = session::changes_of(*m_right.text.figures, *m_left.text.figures); !changes.empty())
            right += tr("; from left to right: %1").arg(textsOf(changes).join("; "));
    m_right.figures->setText(right);
    m_figuresLine->setDirection(isInline() ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_figures->setVisible(!m_left.figures->text().isEmpty() || !right.isEmpty());
}

void DiffPane::refresh() {
    const QString before = title();
    for (Side* side : {&m_left, &m_right})
        side->text = side->chosen.arch.isEmpty() ? resolved(m_studio, side->chosen) : side->gpu.text(side->chosen);
    showChoices();
    showFigures();
    if (before != title())
        emit titleChanged();
    m_dirty = !isVisible();
    if (m_dirty)
        return;
    for (Side* side : {&m_left, &m_right})
        if (!side->chosen.arch.isEmpty())
            side->gpu.want(side->chosen);
    if (m_left.text.text && m_right.text.text)
        return compare();
    m_job.cancel();
    m_asked = {};
    const SideText& missing = m_left.text.text ? m_right.text : m_left.text;
    EmptyState& empty = m_diff->showEmpty();
    empty.say(tr("The changes between two stages will appear here"), missing.title + ": " + missing.reason);
    const bool unpinned =
        (m_left.chosen.baseline || m_right.chosen.baseline) && !m_studio.stages.baseline(m_studio.tabs.current());
    QAction* pin = m_studio.commands.action(Command::PanePinBaseline);
    empty.setAction(unpinned && pin->isEnabled() ? tr("Pin baseline") : QString(), [pin] { pin->trigger(); });
}

// The text of a script comes anew each time.
static bool isSame(const std::shared_ptr<const session::TextSnapshot>& text,
                   const std::shared_ptr<const session::TextSnapshot>& other) {
    return text == other || (text && other && text->lines.empty() && other->lines.empty() && text->text == other->text);
}

void DiffPane::compare() {
    DiffRequest request;
    request.left = m_left.text.text;
    request.right = m_right.text.text;
    request.leftTitle = leftTitle().toStdString();
    request.rightTitle = rightTitle().toStdString();
    request.isInline = isInline();
    request.options.ignore_whitespace = m_ignoreWhitespace;
    request.options.ignore_renames = m_ignoreRenames;
    request.script = m_studio.tabs.current() ? m_studio.tabs.current()->name().toStdString() : std::string();
    request.leftIsLinked = m_left.chosen.isLinked();
    request.rightIsLinked = m_right.chosen.isLinked();
    m_diff->showTexts();
    // Beside a script the reader stays where he is.
    m_isNew = m_isNew || request.rightTitle != m_asked.rightTitle ||
              (m_right.chosen.document.isEmpty() && request.leftTitle != m_asked.leftTitle);
    if (isSame(request.left, m_asked.left) && isSame(request.right, m_asked.right) && isInline() == m_asked.isInline &&
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

void DiffPane::showFocus() {
    const auto& focus = m_studio.links.focus();
    for (const auto& [view, links] :
         {std::pair(&m_diff->left(), &m_left.links), std::pair(&m_diff->right(), &m_right.links)}) {
        const std::vector<ByteRange> ranges = focus ? links->targets(focus->place) : std::vector<ByteRange>{};
        view->fill(CodeView::LinkOutline, ranges);
        const bool own = focus && (focus->origin == &m_diff->left() || focus->origin == &m_diff->right());
        const bool seen = std::any_of(ranges.begin(), ranges.end(),
                                      [view = view](const ByteRange& range) { return view->isVisible(range); });
        if (!ranges.empty() && !own && !seen && isVisible() && view->QWidget::isVisible())
            view->reveal(ranges.front());
    }
}

bool DiffPane::hasSameRight() const {
    return m_taken.right && m_taken.isInline == m_asked.isInline && isSame(m_taken.right, m_asked.right);
}

void DiffPane::take(DiffColumns columns) {
    const bool holds = !m_right.chosen.document.isEmpty() && hasSameRight();
    const auto held = holds ? m_diff->heldAt(m_caretLine) : std::nullopt;
    m_taken = m_asked;
    m_diff->left().setLanguage(m_left.text.language);
    m_diff->right().setLanguage(m_right.text.language);
    m_diff->show(std::move(columns));
    const DiffColumns& shown = m_diff->columns();
    m_left.links = DiffLinks(shown.left, shown.leftLinks, shown.rightLinks);
    m_right.links = isInline() ? DiffLinks() : DiffLinks(shown.right, shown.leftLinks, shown.rightLinks);
    showFocus();
    placeTitles();
    if (m_isNew && m_diff->hasChanges())
        m_diff->left().reveal(m_diff->left().rangeOfLine(shown.changes.front()));
    else if (held)
        m_diff->hold(*held);
    m_isNew = false;
}

void DiffPane::applyTheme() {
    const QIcon arrow = icon("arrow", m_studio.themes.theme().muted);
    m_left.button->setIcon(arrow);
    m_right.button->setIcon(arrow);
    showChoices();
}

} // namespace hidet::ui
