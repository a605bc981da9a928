// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/stage_pane.h"

#include <algorithm>

#include <QKeyEvent>
#include <QTime>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/panes/anchor.h"
#include "app/ui/workbench/by_hand.h"
#include "app/ui/workbench/profiles.h"
#include "app/ui/workbench/scroll_sync.h"

namespace hidet::ui {

namespace {

// Why a script builds nothing, in one line.
QString firstMistake(const LivePipeline& live) {
    if (!live.latest())
        return {};
    for (const session::DiagnosticView& diagnostic : live.latest()->diagnostics)
        if (diagnostic.severity == Severity::Error)
            return diagnostic.place.known() ? StagePane::tr("Line %1: %2")
                                                  .arg(diagnostic.place.line)
                                                  .arg(QString::fromStdString(diagnostic.message))
                                            : sentence(diagnostic.message);
    return {};
}

QString whatAppears(const StageName& stage) {
    if (stage.isIr())
        return StagePane::tr("The IR of the script's kernels will appear here");
    return StagePane::tr("%1 of the script's kernels will appear here").arg(titleOf(stage));
}

// A text that was changed by hand has no such stage, but its script does; empty: it is of none.
QString nameOfScript(const Studio& studio) {
    const auto byHand = byHandOf(studio, *studio.tabs.current());
    if (!byHand || !byHand->head.is_of_script())
        return {};
    return byHand->script ? StagePane::tr("Show %1").arg(byHand->scriptTitle()) : StagePane::tr("Open the script");
}

void showScriptOfCopy(Studio& studio) {
    const Document* copy = studio.tabs.current();
    const auto byHand = copy ? byHandOf(studio, *copy) : std::nullopt;
    if (byHand && byHand->script)
        studio.tabs.setCurrent(byHand->script);
    else if (byHand)
        openScriptOf(studio, *byHand, *copy);
}

} // namespace

StagePane::StagePane(Studio& studio, StageName stage, QWidget* parent)
    : CodePane(studio, "pane", languageOf(stage), parent), m_stage(std::move(stage)),
      m_explains(m_header->newButton("explained", "gauge", tr("Explain machine code"),
                                     tr("Show how instructions are scheduled, and how many registers are live"))),
      m_pinned(m_header->newButton("pinned", "pin", tr("Pin this pane"),
                                   tr("Keep showing this text while the script changes"))) {
    build();
    listen();
    rebind();
}

void StagePane::build() {
    m_view->installEventFilter(this);
    m_modules->setObjectName("pane.module");
    m_modules->setAccessibleName(tr("Module"));
    m_modules->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_modules->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); // Qt keeps the least width of its first texts
    m_modules->hide();
    m_pinned->setCheckable(true);
    m_header->addChoice(m_modules);
    m_header->addButton(m_explains);
    m_header->addButton(m_pinned);
    m_explains->setCheckable(true);
    m_row->insertWidget(0, m_machine);
    const auto rows = [this] {
        StageRows out{{StageName::lowered(), tr("IR after all passes")},
                      {StageName::ofScript(), titleOf(StageName::ofScript())}};
        out << generatedRows();
        if (const LivePipeline* live = m_studio.scripts.live())
            out << passRows(live->board().passes(live->module()), titleOf, [](const auto&) { return true; });
        return out;
    };
    m_header->stages().setSource(rows, titleOf);
}

void StagePane::listen() {
    connect(&m_header->stages(), &StageChooser::chosen, this, [this](const StageName& stage) {
        setStage(stage);
        m_studio.stages.setShown(m_stage);
    });
    connect(m_modules, &QComboBox::activated, this, [this](int row) {
        if (LivePipeline* live = m_studio.scripts.live())
            live->setModule(m_modules->itemData(row).toInt());
    });
    connect(m_pinned, &QToolButton::clicked, this, &StagePane::setPinned);
    connect(m_explains, &QToolButton::clicked, this, [this](bool on) { m_studio.settings.set(Setting::Machine, on); });
    m_studio.settings.follow({Setting::Machine}, this, [this] { nameParts(); });
    connect(m_studio.profiles, &Profiles::changed, this,
            [this] { m_machine->setProfile(m_studio.profiles->of(m_studio.tabs.current())); });
    connect(m_machine, &LineStrip::lineClicked, this,
            [this](int line) { m_view->setCaret(m_view->rangeOfLine(line).begin); });
    connect(&m_studio.tabs, &OpenTabs::currentChanged, this, &StagePane::rebind);
    m_studio.scripts.follow({&LiveScripts::liveUpdated}, this, &StagePane::refresh, StaggeredUpdates::Rank::Text);
    connect(&m_studio.scripts, &LiveScripts::analysed, this, [this] {
        if (m_saysNoKernel) // of the text before
            refresh();
    });
    connect(&m_studio.stages, &StageHub::filtersChanged, this, [this] {
        m_header->setStage(m_stage);
        refresh();
    });
    connect(&m_studio.links, &LinkHub::focusChanged, this, &StagePane::showFocus);
    connect(m_view, &CodeView::caretMoved, this, [this](int offset) {
        m_machine->setActive(m_view->lineOf(offset));
        pointAt(offset, LinkHub::By::Caret);
    });
    connect(m_view, &CodeView::hovered, this, [this](int offset) {
        m_machine->setActive(m_view->lineOf(offset));
        pointAt(offset, LinkHub::By::Mouse);
        explain(offset);
    });
    connect(m_view, &CodeView::hoverLeft, this, [this] {
        m_studio.links.setMouse(m_view, std::nullopt);
        m_machine->setActive(m_view->lineOf(m_view->caret()));
        m_card->hide();
    });
    connect(m_blame, &BlameMargin::lineActivated, this, [this](int line) {
        m_view->setCaret(m_view->rangeOfLine(line).begin);
        if (const QString pass = m_blame->passOf(line); !pass.isEmpty())
            emit m_studio.stages.passRequested(pass);
    });
    new ScrollSync(m_studio, *m_view,
                   {[this](int line) -> std::optional<std::pair<session::Place, int>> {
                        if (!linksHold())
                            return {};
                        const auto anchor = anchorAt(*m_text.links, session::LineTable(m_text.text->text), line);
                        return anchor ? std::optional(std::pair(anchor->place, anchor->below)) : std::nullopt;
                    },
                    [this](const session::Place& place) {
                        if (!linksHold())
                            return -1;
                        return lineOf({place, 0, 0}, *m_text.links, session::LineTable(m_text.text->text)).value_or(-1);
                    }});
}

QString StagePane::title() const {
    return titleOf(m_stage);
}

QString StagePane::state() const {
    return m_pin ? QString("pin:%1:%2").arg(m_pin).arg(m_stage.key()) : m_stage.key();
}

QString StagePane::fileName() const {
    const session::BoardModule* shown = module();
    return fileNameOf(shown ? moduleTitle(*shown->snapshot).section(',', 0, 0) : QStringLiteral("module"), m_stage);
}

const session::BoardModule* StagePane::module() const {
    const LivePipeline* live = m_studio.scripts.live();
    return live ? live->board().module(live->module()) : nullptr;
}

void StagePane::setStage(const StageName& stage) {
    if (stage == m_stage && !m_pin)
        return;
    m_pin = 0;
    m_stage = stage;
    m_prepare.cancel();
    refresh();
    emit titleChanged();
}

void StagePane::setPinned(bool pinned) {
    if (pinned == isPinned())
        return;
    const session::BoardModule* shown = module();
    if (pinned && m_shown.text) {
        const QString what = shown ? moduleTitle(*shown->snapshot) : title();
        m_pin = m_studio.stages.keep({m_shown, shown ? shown->snapshot : nullptr,
                                      tr("%1 as of %2").arg(what, QTime::currentTime().toString("HH:mm:ss")), m_stage});
    } else {
        m_pin = 0;
    }
    refresh();
    emit titleChanged();
}

void StagePane::showPinned(int number) {
    if (m_studio.stages.pinned(number))
        m_pin = number;
    refresh();
}

void StagePane::rebind() {
    m_shown = {};
    m_saysNoKernel = false;
    m_prepare.cancel();
    if (!m_pin) {
        m_text = {};
        m_view->showText(QByteArray());
        showMachine();
    }
    refresh();
}

// A pane behind another tab waits until it is seen.
void StagePane::refresh() {
    nameParts();
    if (isPutOff())
        return;
    const LivePipeline* live = m_studio.scripts.live();
    if (const PinnedText* pinned = m_studio.stages.pinned(m_pin))
        m_shown = pinned->view;
    else if (live)
        m_shown = viewOf(live->board(), live->module(), m_stage);
    else
        m_shown = {};
    showModules();
    prepare();
    showState();
}

// Modules with one name are told apart by their numbers.
void StagePane::showModules() {
    const LivePipeline* live = m_studio.scripts.live();
    const std::size_t count = live ? live->board().modules().size() : 0;
    m_modules->setVisible(count > 1);
    if (count <= 1)
        return;
    const QSignalBlocker quiet(m_modules);
    const auto& modules = live->board().modules();
    QHash<QString, int> titles;
    for (const session::BoardModule& module : modules)
        ++titles[moduleTitle(*module.snapshot)];
    for (std::size_t i = 0; i < modules.size(); ++i) {
        const session::ModuleSnapshot& module = *modules[i].snapshot;
        QString title = moduleTitle(module);
        if (titles.value(title) > 1)
            title = tr("%1 (%2)").arg(title).arg(module.number);
        const int row = static_cast<int>(i);
        if (row >= m_modules->count())
            m_modules->addItem({});
        if (m_modules->itemText(row) != title)
            m_modules->setItemText(row, title);
        m_modules->setItemData(row, modules[i].id);
    }
    while (m_modules->count() > static_cast<int>(count))
        m_modules->removeItem(m_modules->count() - 1);
    m_modules->setCurrentIndex(m_modules->findData(live->module()));
}

void StagePane::prepare() {
    const LivePipeline* live = m_studio.scripts.live();
    StageTextRequest request{
        m_shown.text, m_stage.form(), {}, live ? live->document().name().toStdString() : "", m_text.text};
    if (request.form)
        request.filters = filtersInUse(m_studio.settings, *request.form);
    if (request.text == m_text.whole && request.filters == m_text.filters && m_textStage == m_stage) {
        m_prepare.cancel();
        return showLinks(); // hues may be others
    }
    if (isSmall(request)) {
        m_prepare.cancel();
        return take(prepared(request));
    }
    // Snapshots of the same revision come one after the other: what is being prepared already is not begun again.
    if (m_prepare.busy() && request.text == m_preparing.text && request.filters == m_preparing.filters &&
        request.form == m_preparing.form)
        return;
    m_preparing = request;
    m_prepare.run([request](const std::atomic<bool>&) { return prepared(request); },
                  [this](StageText text) { take(std::move(text)); });
}

// Nothing jumps: lines that stay where they are keep their place on the screen; where the first line is another one now,
// or the stage is, what came from the same place of the script takes its place.
void StagePane::take(StageText text) {
    std::optional<Anchor> top, caret;
    const int caretLine = m_view->lineOf(m_view->caret());
    const bool sameStage = m_textStage == m_stage;
    if (m_text.links && text.links) {
        const session::LineTable lines(m_text.text->text);
        top = anchorAt(*m_text.links, lines, m_view->firstLine());
        caret = anchorAt(*m_text.links, lines, caretLine);
    }
    const bool first = !m_text.text;
    const bool isPatch = text.patch && text.before == m_text.text;
    m_text = std::move(text);
    m_textStage = m_stage;
    m_view->setLanguage(languageOf(m_stage));
    const CodeView::Kept kept =
        isPatch ? m_view->showText(*m_text.patch)
                : m_view->showText(m_text.text ? QByteArray::fromStdString(m_text.text->text) : QByteArray());
    m_text.patch = nullptr;
    m_text.before = nullptr;
    if (m_text.links && !first) {
        const session::LineTable lines(m_text.text->text);
        const auto caretNow = caret ? lineOf(*caret, *m_text.links, lines) : std::nullopt;
        if (caretNow && !(kept.caret && sameStage)) {
            const int offset = m_view->rangeOfLine(*caretNow).begin;
            m_view->SendScintilla(QsciScintilla::SCI_SETEMPTYSELECTION, static_cast<unsigned long>(offset));
        }
        const auto topNow = top ? lineOf(*top, *m_text.links, lines) : std::nullopt;
        if (topNow && !(kept.top && sameStage))
            m_view->setFirstLine(*topNow);
    }
    showState(); // before there are links, or each is coloured twice
    showLinks();
    showFocus();
    showBlame();
    showMachine();
}

// The machine code of a text that is still being prepared is that of the next one.
void StagePane::showMachine() {
    const bool isOf = m_stage == session::Form::Sass && m_text.whole && m_text.whole == m_shown.text;
    m_machine->setProfile(m_studio.profiles->of(m_studio.tabs.current()));
    m_machine->show(isOf ? m_shown.machine : nullptr, m_text.whole.get(), m_text.text.get());
    m_machine->setActive(m_view->lineOf(m_view->caret()));
}

QString StagePane::notesOf(int line) const {
    return m_machine->isShown() ? m_machine->htmlOf(line) : QString();
}

void StagePane::nameParts() {
    const QString name = isPinned() ? tr("%1, pinned").arg(title()) : title();
    setAccessibleName(name);
    m_view->setAccessibleName(name);
    m_header->setStage(m_stage);
    m_pinned->setChecked(isPinned());
    m_header->mark(m_pinned, isPinned());
    m_explains->setVisible(m_stage == session::Form::Sass);
    m_explains->setChecked(m_studio.settings.flag(Setting::Machine));
    m_header->mark(m_explains, m_explains->isChecked());
}

void StagePane::showState() {
    const LivePipeline* live = m_studio.scripts.live();
    const PinnedText* pinned = m_studio.stages.pinned(m_pin);
    const bool working = !pinned && (m_shown.state == session::Freshness::Working || m_prepare.busy());
    m_work->setWorking(working);
    const bool old = m_shown.state == session::Freshness::Stale || (working && m_work->isShown());
    m_view->setStale(old && !pinned);
    m_notice->setAction(pinned ? tr("Unpin") : QString(), [this] { setPinned(false); });
    if (pinned) {
        m_notice->show(PaneNotice::Kind::Hint, tr("Pinned: %1").arg(pinned->label));
    } else if (m_shown.state == session::Freshness::Stale) {
        m_notice->show(PaneNotice::Kind::Warning, sentence(m_shown.reason));
    } else {
        m_notice->show(PaneNotice::Kind::Hint, {});
    }
    const bool timed = m_shown.state == session::Freshness::Fresh && m_shown.ms > 0 && !pinned;
    m_header->setState(working && m_work->isShown() ? tr("working") : timed ? timeText(m_shown.ms * 1e-3) : QString());
    showFigures();
    const bool some = m_shown.text && !m_shown.text->text.empty();
    if (some)
        showText();
    else
        sayEmpty(live);
}

void StagePane::sayEmpty(const LivePipeline* live) {
    // Said once: a button that goes and comes has the whole window laid out twice.
    const auto say = [&empty = showEmpty()](const QString& title, const QString& text, const QString& action = {},
                                            std::function<void()> act = {}) {
        empty.say(title, text);
        empty.setAction(action, std::move(act));
    };
    const auto offer = [&](const QString& title, const QString& text, const QString& name, const QString& command) {
        QAction* action = m_studio.commands.find(command);
        say(title, text, action && action->isEnabled() ? name : QString(), [action] { action->trigger(); });
    };
    if (!live)
        return offer(whatAppears(m_stage), tr("No script is open"), tr("Open a script"), "file.open");
    if (m_shown.text && m_stage.isOf(session::Shown::Host))
        return say(tr("No %1").arg(title()), tr("This script makes nothing that runs on the CPU"));
    if (m_shown.text)
        return say(tr("No %1").arg(title()), tr("This script makes nothing that runs on a GPU"), tr("Show C++"),
                   [this] { emit m_studio.requests.stageRequested(session::Form::Cpp); });
    if (m_saysNoKernel && m_shown.state == session::Freshness::Working && !m_work->isShown())
        return; // which is said of the next text as well, or something else is, in a blink
    m_saysNoKernel = false;
    const QString reason = sentence(m_shown.reason);
    switch (m_shown.state) {
    case session::Freshness::Failed:
        if (m_studio.tabs.current() && m_studio.tabs.current()->byHand() && !m_stage.needsCompiler())
            return say(tr("No %1").arg(title()), reason, nameOfScript(m_studio),
                       [&studio = m_studio] { showScriptOfCopy(studio); });
        return offer(tr("No %1").arg(title()), reason, tr("Show the problems"), "dock.problems");
    case session::Freshness::Unavailable:
        if (!live->board().modules().empty() && !reason.isEmpty())
            return say(tr("%1 cannot be shown here").arg(title()), reason);
        if (const QString mistake = firstMistake(*live); !mistake.isEmpty())
            return offer(whatAppears(m_stage), mistake, tr("Show the problems"), "dock.problems");
        m_saysNoKernel = true;
        return say(whatAppears(m_stage), tr("This script builds no kernel yet"));
    default: return say(whatAppears(m_stage), {});
    }
}

void StagePane::showFigures() {
    QString figures;
    const session::BoardModule* shown = module();
    const std::pair of(m_stage, shown ? shown->id : 0);
    if (m_shown.state == session::Freshness::Working && !m_pin && of == m_figuresOf)
        return; // those of the text that is shown stay until the next is there
    m_figuresOf = of;
    if (shown && !m_pin && m_stage.needsCompiler() && m_shown.state == session::Freshness::Fresh)
        for (session::Form form : {session::Form::Sass, session::Form::Cubin, session::Form::Ptx})
            if (const auto made = form_of(*shown->snapshot, form); made && figures.isEmpty())
                figures = figuresOf(*made);
    m_header->setFigures(figures);
}

bool StagePane::linksHold() const {
    if (!m_text.links || !m_studio.scripts.live())
        return false;
    const auto& latest = m_studio.scripts.live()->latest();
    return !m_pin || (latest && latest->revision == m_shown.revision);
}

void StagePane::showLinks() {
    std::vector<LinkedRange> links;
    const LivePipeline* live = m_studio.scripts.live();
    if (linksHold() && m_studio.settings.flag(Setting::LinkColors))
        for (const HueRun& run : m_text.runs)
            if (const int hue = live->hues().hue(run.scriptLine); hue >= 0)
                links.push_back({run.range, hue});
    m_view->setLinks(links);
}

std::vector<ByteRange> StagePane::targetsOf(const session::Place& place) const {
    if (!linksHold() || m_shown.text != m_text.whole)
        return {};
    return joined(*m_text.text, m_text.links->targets(place));
}

std::optional<session::Place> StagePane::placeAt(int offset) const {
    if (!linksHold())
        return {};
    const session::Link* link = m_text.links->source_of(static_cast<std::uint32_t>(offset));
    return link ? std::optional(link->source) : std::nullopt;
}

void StagePane::showFocus() {
    const auto& focus = m_studio.links.focus();
    const std::vector<ByteRange> ranges = focus ? targetsOf(focus->place) : std::vector<ByteRange>{};
    m_view->fill(CodeView::LinkOutline, ranges);
    if (ranges.empty() || focus->origin == m_view || !isVisible())
        return;
    if (std::any_of(ranges.begin(), ranges.end(), [&](const ByteRange& range) { return m_view->isVisible(range); }))
        return;
    // The nearest one is the least of a jump.
    const int here = m_view->firstLine();
    auto away = [&](const ByteRange& range) { return std::abs(m_view->lineOf(range.begin) - here); };
    m_view->reveal(*std::min_element(ranges.begin(), ranges.end(),
                                     [&](const ByteRange& a, const ByteRange& b) { return away(a) < away(b); }));
}

void StagePane::showBlame() {
    const session::BoardModule* shown = module();
    const PinnedText* pinned = m_studio.stages.pinned(m_pin);
    const bool wanted = m_studio.settings.flag(Setting::Blame) && (m_stage.isIr() || m_stage == session::Form::Cuda);
    const auto from = pinned ? pinned->module : shown ? shown->snapshot : nullptr;
    m_blame->show(wanted ? from : nullptr, m_text.text);
}

void StagePane::pointAt(int offset, LinkHub::By by) {
    std::optional<session::Place> place = placeAt(offset);
    if (by == LinkHub::By::Mouse)
        m_studio.links.setMouse(m_view, std::move(place));
    else if (m_view->hasFocus())
        m_studio.links.setCaret(m_view, std::move(place));
}

void StagePane::reveal(int line, int begin, int end) {
    if (line <= 0)
        return;
    const ByteRange all = m_view->rangeOfLine(line - 1);
    const ByteRange range{std::min(all.begin + begin, all.end), std::min(all.begin + std::max(begin, end), all.end)};
    m_view->setCaret(range.begin);
    m_view->SendScintilla(QsciScintilla::SCI_SETSEL, static_cast<unsigned long>(range.begin),
                          static_cast<long>(range.end));
    m_view->reveal(range);
}

// Steps through the passes without leaving the text. The text is read only, so plain keys are free.
bool StagePane::eventFilter(QObject* watched, QEvent* event) {
    const bool asks = event->type() == QEvent::ShortcutOverride;
    if (watched != m_view || !m_stage.isIr() || (!asks && event->type() != QEvent::KeyPress))
        return CodePane::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool alt = key->modifiers() == Qt::AltModifier;
    std::optional<Command> command;
    if (alt && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down))
        command = key->key() == Qt::Key_Up ? Command::PassesPrevious : Command::PassesNext;
    else if (key->text() == "[" || key->text() == "]")
        command = key->text() == "[" ? Command::PassesPreviousChanged : Command::PassesNextChanged;
    if (!command)
        return CodePane::eventFilter(watched, event);
    if (asks)
        event->accept();
    else
        m_studio.commands.action(*command)->trigger();
    return true;
}

} // namespace hidet::ui
