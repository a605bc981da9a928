// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/diff_pane.h"

#include <algorithm>

#include <QMenu>
#include <QToolButton>

#include "app/ui/core/icons.h"
#include "app/ui/core/words.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

DiffPane::DiffPane(Studio& studio, const QString& state, QWidget* parent)
    : Pane(parent), m_studio(studio), m_leftGpu(studio, nullptr), m_rightGpu(studio, nullptr) {
    const QString sides = state.section(':', 2);
    m_leftSide = DiffSide::of(sides.section('|', 0, 0));
    m_rightSide = DiffSide::of(sides.section('|', 1, 1));
    build();
    m_diff->setInline(state.section(':', 1, 1) == "inline");
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &DiffPane::refresh);
    studio.scripts.follow({&LiveScripts::liveUpdated, &LiveScripts::explanationChanged}, this, &DiffPane::refresh,
                          StaggeredUpdates::Rank::Text);
    for (OtherGpu* gpu : {&m_leftGpu, &m_rightGpu})
        connect(gpu, &OtherGpu::changed, this, &DiffPane::refresh);
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
    auto side = [this](const char* name, const QString& label, bool isLeft) {
        auto* button = new QToolButton(this);
        button->setObjectName(name);
        button->setAccessibleName(label);
        button->setPopupMode(QToolButton::InstantPopup);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon); // which stands at the left, above its column
        button->setFocusPolicy(Qt::StrongFocus);
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        auto* menu = new QMenu(button);
        button->setMenu(menu);
        connect(menu, &QMenu::aboutToShow, this, [this, menu, isLeft] { fillSideMenu(*menu, isLeft); });
        return button;
    };
    m_leftButton = side("diff.left", tr("Left side"), true);
    m_rightButton = side("diff.right", tr("Right side"), false);
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
    m_sides = newRow({}, 4, {{m_leftButton, 1}, {m_rightButton, 1}});
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
            return (view == &m_diff->left() ? m_leftLinks : m_rightLinks).placeAt(offset);
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
    m_leftFigures = figuresOf("diff.left_figures");
    m_rightFigures = figuresOf("diff.right_figures");
    auto* line = new QFrame(this);
    line->setProperty("separator", true);
    line->setFixedHeight(1);
    newColumn(this, {header, m_figures, line, {m_diff, 1}});
    setFocusProxy(m_diff);
}

QString DiffPane::state() const {
    return stateOf(isInline(), m_leftSide, m_rightSide);
}

QString DiffPane::stateOf(bool isInline, const DiffSide& left, const DiffSide& right) {
    return QString("diff:%1:%2|%3").arg(isInline ? "inline" : "side", left.name(), right.name());
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
    m_diff->setInline(isInline);
    refresh();
}

void DiffPane::setOptions(bool ignoreWhitespace, bool ignoreRenames) {
    m_ignoreWhitespace = ignoreWhitespace;
    m_ignoreRenames = ignoreRenames;
    refresh();
}

void DiffPane::addSide(QMenu& menu, bool isLeft, const DiffSide& side, const QString& text) {
    QAction* action = menu.addAction(text);
    action->setCheckable(true);
    action->setChecked(side == (isLeft ? m_leftSide : m_rightSide));
    connect(action, &QAction::triggered, this,
            [this, side, isLeft] { setSides(isLeft ? side : m_leftSide, isLeft ? m_rightSide : side); });
}

void DiffPane::addStages(QMenu& menu, bool isLeft, const QString& function, bool baseline) {
    auto add = [&](QMenu& to, const StageName& stage, const QString& text) {
        addSide(to, isLeft, {stage, function, baseline}, text);
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
void DiffPane::addGpus(QMenu& menu, bool isLeft) {
    const DiffSide& now = isLeft ? m_leftSide : m_rightSide;
    const StageName shown = stageShownBy(m_studio, now);
    const StageName stage = shown.isEmpty() ? m_studio.stages.shown() : shown;
    QMenu* gpus = menu.addMenu(tr("%1 for another GPU").arg(titleOf(stage)));
    for (const QString& arch : choicesOf(Setting::Arch)) {
        if (arch == m_studio.settings.text(Setting::Arch))
            continue;
        addSide(*gpus, isLeft, DiffSide::forArch(stage, now.function, arch), arch);
    }
}

// Scripts that are open, and all that was kept: pinned panes, texts of past runs.
void DiffPane::addTexts(QMenu& menu, bool isLeft) {
    QMenu* scripts = menu.addMenu(tr("Text of a script"));
    addSide(*scripts, isLeft, DiffSide::ofScript(), tr("The script in front"));
    for (const Document* document : m_studio.tabs.documents())
        addSide(*scripts, isLeft, DiffSide::ofScript(document->title()), document->title());
    QMenu* kept = menu.addMenu(tr("Kept text"));
    for (const auto& [number, pinned] : m_studio.stages.allPinned()) {
        const DiffSide side = DiffSide::ofPinned(number, pinned.stage);
        addSide(*kept, isLeft, side, resolved(m_studio, side).title);
    }
    kept->setEnabled(!kept->isEmpty());
}

void DiffPane::fillSideMenu(QMenu& menu, bool isLeft) {
    menu.clear();
    const LivePipeline* live = m_studio.scripts.live();
    if (!live)
        return;
    addStages(menu, isLeft, {}, false);
    menu.addSeparator();
    if (live->board().modules().size() > 1)
        for (const session::BoardModule& module : live->board().modules())
            if (!module.snapshot->functions.empty())
                addStages(*menu.addMenu(moduleTitle(*module.snapshot)), isLeft,
                          QString::fromStdString(module.snapshot->functions.front().name), false);
    const Baseline* baseline = m_studio.stages.baseline(m_studio.tabs.current());
    addGpus(menu, isLeft);
    addTexts(menu, isLeft);
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
    const bool above = !isInline() && m_header->direction() == QBoxLayout::LeftToRight;
    const int width = m_diff->left().width() - m_header->contentsMargins().left() - m_sides->spacing();
    m_leftButton->setMinimumWidth(above ? width : 0);
    m_leftButton->setMaximumWidth(above ? width : QWIDGETSIZE_MAX);
    m_header->activate();
    showChoices();
}

void DiffPane::showChoices() {
    for (const auto& [button, text] : {std::pair(m_leftButton, &m_leftText), std::pair(m_rightButton, &m_rightText)}) {
        const QFontMetrics metrics = button->fontMetrics();
        const int around = button->sizeHint().width() - metrics.size(Qt::TextShowMnemonic, button->text()).width() + 1;
        button->setText(metrics.elidedText(text->title, Qt::ElideMiddle, std::max(40, button->width() - around)));
        button->setToolTip(text->title);
        button->setAccessibleDescription(text->title);
    }
    setAccessibleName(title());
    m_diff->left().setAccessibleName(isInline() ? title() : tr("Left: %1").arg(m_leftText.title));
    m_diff->right().setAccessibleName(tr("Right: %1").arg(m_rightText.title));
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
    m_leftFigures->setText(said(m_leftText));
    QString right = said(m_rightText);
    if (m_leftText.figures && m_rightText.figures)
        if (const auto changes = session::changes_of(*m_rightText.figures, *m_leftText.figures); !changes.empty())
            right += tr("; from left to right: %1").arg(textsOf(changes).join("; "));
    m_rightFigures->setText(right);
    m_figuresLine->setDirection(isInline() ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_figures->setVisible(!m_leftFigures->text().isEmpty() || !right.isEmpty());
}

void DiffPane::refresh() {
    const QString before = title();
    auto textOf = [this](const DiffSide& side, const OtherGpu& gpu) {
        return side.arch.isEmpty() ? resolved(m_studio, side) : gpu.text(side);
    };
    m_leftText = textOf(m_leftSide, m_leftGpu);
    m_rightText = textOf(m_rightSide, m_rightGpu);
    showChoices();
    showFigures();
    if (before != title())
        emit titleChanged();
    m_dirty = !isVisible();
    if (m_dirty)
        return;
    for (const auto& [side, gpu] : {std::pair(&m_leftSide, &m_leftGpu), std::pair(&m_rightSide, &m_rightGpu)})
        if (!side->arch.isEmpty())
            gpu->want(*side);
    if (m_leftText.text && m_rightText.text)
        return compare();
    m_job.cancel();
    m_asked = {};
    const SideText& missing = m_leftText.text ? m_rightText : m_leftText;
    EmptyState& empty = m_diff->showEmpty();
    empty.say(tr("The changes between two stages will appear here"), missing.title + ": " + missing.reason);
    const bool unpinned =
        (m_leftSide.baseline || m_rightSide.baseline) && !m_studio.stages.baseline(m_studio.tabs.current());
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
    request.left = m_leftText.text;
    request.right = m_rightText.text;
    request.leftTitle = m_leftText.title.toStdString();
    request.rightTitle = m_rightText.title.toStdString();
    request.isInline = isInline();
    request.options.ignore_whitespace = m_ignoreWhitespace;
    request.options.ignore_renames = m_ignoreRenames;
    request.script = m_studio.tabs.current() ? m_studio.tabs.current()->name().toStdString() : std::string();
    request.leftIsLinked = m_leftSide.isLinked();
    request.rightIsLinked = m_rightSide.isLinked();
    m_diff->showTexts();
    // Beside a script the reader stays where he is.
    m_isNew = m_isNew || request.rightTitle != m_asked.rightTitle ||
              (m_rightSide.document.isEmpty() && request.leftTitle != m_asked.leftTitle);
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
         {std::pair(&m_diff->left(), &m_leftLinks), std::pair(&m_diff->right(), &m_rightLinks)}) {
        const std::vector<ByteRange> ranges = focus ? links->targets(focus->place) : std::vector<ByteRange>{};
        view->setOutlined(ranges);
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
    const bool holds = !m_rightSide.document.isEmpty() && hasSameRight();
    const auto held = holds ? m_diff->heldAt(m_caretLine) : std::nullopt;
    m_taken = m_asked;
    m_diff->left().setLanguage(m_leftText.language);
    m_diff->right().setLanguage(m_rightText.language);
    m_diff->show(std::move(columns));
    const DiffColumns& shown = m_diff->columns();
    m_leftLinks = DiffLinks(shown.left, shown.leftLinks, shown.rightLinks);
    m_rightLinks = isInline() ? DiffLinks() : DiffLinks(shown.right, shown.leftLinks, shown.rightLinks);
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
    m_leftButton->setIcon(arrow);
    m_rightButton->setIcon(arrow);
    showChoices();
}

} // namespace hidet::ui
