// SPDX-License-Identifier: GPL-3.0-only
// Two things come together here: the target, which is the kernel of what is selected, and the text, which is one stage of
// that kernel's program. Selecting another operator of the same program changes the target alone.
#include "app/ui/graph/code/model_code.h"

#include <algorithm>
#include <utility>

#include "app/ui/core/dispose.h"
#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

constexpr const char* stage_setting = "graph/code_stage";
constexpr int pause_ms = 80; // walking through a graph asks for nothing

QString firstMistake(const session::Outcome& outcome) {
    for (const session::DiagnosticView& each : outcome.diagnostics) {
        if (each.severity != Severity::Error)
            continue;
        QString text = sentence(each.message);
        for (const session::NoteView& note : each.notes)
            text += "\n" + sentence(note.message);
        return text;
    }
    return {};
}

// A script may bring them.
bool lacksOperators(const session::SnapshotPtr& snapshot) {
    return snapshot && std::ranges::any_of(snapshot->diagnostics, [](const session::DiagnosticView& each) {
               return each.is(DiagId::OperatorsMissing);
           });
}

QString titleOfCode(const StageName& stage) {
    if (stage.isScript())
        return ModelCodePane::tr("IR as scheduled");
    return stage.isLowered() ? ModelCodePane::tr("IR after all passes") : titleOf(stage);
}

// The number of a pass is that of the program's own passes, which are known once it is lowered. True: it was another one.
bool movedToPass(session::CodeQuestion& question, const StageName& stage, const session::CodeAnswer& answer) {
    if (!stage.isIr() || stage.isLowered() || !answer.module)
        return false;
    const int pass = std::max(0, passNumber(answer.module->passes, stage));
    return std::exchange(question.pass, pass) != pass;
}

session::CodeAnswer answerOf(const session::TextSnapshot& definition) {
    const auto form = std::make_shared<session::FormSnapshot>();
    form->text = definition;
    session::CodeAnswer answer;
    answer.code = form;
    return answer;
}

QStringList namesOf(const session::ModelCode& code, const std::vector<std::uint32_t>& nodes) {
    QStringList names;
    for (const std::uint32_t node : nodes)
        if (const session::CodeOperator* op = code.find(node))
            if (const QString name = QString::fromStdString(op->name); names.isEmpty() || names.last() != name)
                names << name;
    return names;
}

} // namespace

ModelCodePane::ModelCodePane(Studio& studio, QWidget* parent)
    : CodePane(studio, "code", Language::Cuda, parent), m_kernel(new ElidedLabel(m_header)),
      m_uses(m_header->newLabel("uses")), m_operators(m_header->newLabel("operators")),
      m_previous(m_header->newButton("previous", "up", tr("Previous use of this kernel"),
                                     tr("Select the group before that shares this kernel"))),
      m_next(m_header->newButton("next", "down", tr("Next use of this kernel"),
                                 tr("Select the next group that shares this kernel"))),
      m_stage(StageName::ofKey(studio.settings.extra(stage_setting).toString())), m_pause(pause_ms, [this] { run(); }) {
    build();
    listen();
    rebind();
    showMissing();
}

void ModelCodePane::build() {
    m_view->setAccessibleName(tr("Code of the selected operator"));
    m_kernel->setObjectName("code.kernel");
    m_uses->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    QHBoxLayout* line = m_header->addLine();
    line->addWidget(m_kernel, 2);
    line->addWidget(m_uses, 1);
    line->addWidget(m_previous);
    line->addWidget(m_next);
    m_header->addLine()->addWidget(m_operators);
    m_header->moveFiguresBelow();
    const auto rows = [this] {
        StageRows out;
        for (const StageName& stage : {StageName::definition(), StageName::ofScript(), StageName::lowered()})
            out << StageRow{stage, titleOfCode(stage)};
        out << generatedRows();
        if (m_answer.module) // after the others the IR is as it was
            out << passRows(m_answer.module->passes, titleOfCode, [](const auto& pass) { return pass.changed; });
        return out;
    };
    m_header->stages().setSource(rows, titleOfCode);
}

void ModelCodePane::listen() {
    connect(&m_header->stages(), &StageChooser::chosen, this, &ModelCodePane::setStage);
    connect(m_previous, &QToolButton::clicked, this, [this] { stepUse(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { stepUse(1); });
    m_studio.themes.follow(this, [this] { m_kernel->setFont(m_studio.themes.codeFont()); });
    connect(&m_studio.tabs, &OpenTabs::currentChanged, this, &ModelCodePane::rebind);
    connect(&m_studio.stages, &StageHub::filtersChanged, this, [this] {
        m_header->setStage(stage());
        refresh();
    });
    connect(&m_studio.settings, &Settings::changed, this, [this](Setting setting) {
        if (setting == Setting::Arch)
            refresh();
    });
    connect(m_view, &CodeView::caretMoved, this, [this](int offset) {
        const bool byUser = offset != std::exchange(m_restingCaret, -1);
        if (!m_view->hasFocus() || !byUser || !m_model)
            return;
        const quint32 node = nodeAt(offset);
        if (node != session::no_id && m_model->selection().selected() != GraphItem::ofNode(node))
            m_model->selection().select(GraphItem::ofNode(node), this);
    });
    connect(m_view, &CodeView::hovered, this, [this](int offset) {
        const quint32 node = nodeAt(offset);
        if (m_model)
            m_model->selection().hover(node == session::no_id ? GraphItem() : GraphItem::ofNode(node), this);
        explain(offset);
    });
    connect(m_blame, &BlameMargin::lineActivated, this, [this](int line) {
        if (const QString pass = m_blame->passOf(line); !pass.isEmpty())
            setStage(StageName::afterPass(pass));
    });
    connect(m_view, &CodeView::hoverLeft, this, [this] {
        m_card->hide();
        if (m_model)
            m_model->selection().hover({}, this);
    });
}

void ModelCodePane::rebind() {
    if (m_model == m_studio.tabs.model())
        return;
    if (m_model)
        m_model->unfollow(this);
    m_model = m_studio.tabs.model();
    m_shown = {};
    m_target = {};
    stopAsking();
    if (m_model) {
        connect(m_model, &LiveModel::stateChanged, this, &ModelCodePane::refresh);
        connect(&m_model->graphs(), &ModelGraphs::snapshotChanged, this, &ModelCodePane::refresh);
        connect(&m_model->graphs(), &ModelGraphs::shownChanged, this, &ModelCodePane::refresh);
        connect(&m_model->selection(), &GraphSelection::peekChanged, this, &ModelCodePane::refresh);
        connect(&m_model->selection(), &GraphSelection::selectionChanged, this, [this](QObject* origin) {
            m_revealing = m_revealing || origin != this;
            refresh();
        });
        connect(&m_model->selection(), &GraphSelection::hoverChanged, this, [this](QObject* origin) {
            if (origin != this)
                showOutline(false);
        });
    }
    m_revealing = true;
    refresh();
}

bool ModelCodePane::isSettled() const {
    return !m_dirty && !m_pause.isActive() && !m_asking.busy() && !m_grouping.busy();
}

const session::CodeProgram* ModelCodePane::program() const {
    return m_target.place && m_wanted.code ? &m_wanted.code->programs()[m_target.place->program] : nullptr;
}

const session::CodeUse* ModelCodePane::use() const {
    return program() ? &program()->uses[m_target.place->use] : nullptr;
}

// --- what is asked for ---

// A pane that is not seen waits until it is.
void ModelCodePane::refresh() {
    if (isPutOff())
        return;
    const bool isPeeked = m_model && m_model->graphs().snapshot() && m_model->selection().peeked();
    const auto code = isPeeked                                  ? m_model->selection().peeked()->code
                      : m_model && m_model->graphs().snapshot() ? m_model->graphs().snapshot()->code
                                                                : nullptr;
    m_grouping.cancel();
    if (!code) {
        stopAsking();
        m_target = {};
        return showMissing();
    }
    if (m_model->selection().selected().kind == GraphItem::Kind::Group)
        return resolveGroup(code);
    setCode(code);
    aim(targetOf(*m_model, *code));
}

void ModelCodePane::setCode(std::shared_ptr<const session::ModelCode> code) {
    if (code == m_wanted.code)
        return;
    hold(m_wanted.code, std::move(code));
    m_asked = {};
}

// Which operators a group has is worked out elsewhere: there may be many.
void ModelCodePane::resolveGroup(std::shared_ptr<const session::ModelCode> code) {
    const auto graph = m_model->graphs().snapshot()->graphs[static_cast<std::size_t>(m_model->graphs().shownNumber())];
    m_grouping.run([graph, grouping = m_model->display().grouping(), group = m_model->selection().selected().group](
                       const std::atomic<bool>&) { return nodesOf(*graph, grouping, group); },
                   [this, code](const QList<quint32>& nodes) {
                       setCode(code);
                       aim(targetOf(*m_model, *code, nodes));
                   });
}

void ModelCodePane::aim(CodeTarget target) {
    m_target = std::move(target);
    if (m_target.place)
        return ask();
    stopAsking();
    m_wanted.program = session::no_id;
    if (m_target.node != session::no_id && m_stage.isDefinition()) { // there is one all the same
        m_wanted.stage = m_stage;
        return take(m_wanted, m_wanted.madeOf(answerOf(*m_wanted.code->definition(m_target.node))));
    }
    sayEmpty(m_target.title, m_target.text);
    if (m_target.node != session::no_id)
        m_empty->setAction(tr("Show its definition"), [this] { setStage(StageName::definition()); });
}

void ModelCodePane::stopAsking() {
    m_pause.stop();
    m_asking.cancel();
}

void ModelCodePane::ask() {
    m_wanted.program = m_target.place->program;
    m_wanted.stage = m_stage;
    if (m_stage.isEmpty() || m_stage == session::Form::Cuda)
        m_wanted.stage = program()->is_cuda ? session::Form::Cuda : session::Form::Cpp;
    m_wanted.arch = m_studio.settings.text(Setting::Arch);
    const auto form = m_wanted.stage.form();
    m_wanted.filters =
        m_wanted.stage.needsCompiler() ? filtersInUse(m_studio.settings, *form) : std::vector<session::Filter>();
    m_header->setStage(m_wanted.stage);
    if (m_wanted.stage.isOf(program()->is_cuda ? session::Shown::Host : session::Shown::Kernels))
        return showElsewhere();
    const bool isDefinition = m_wanted.stage.isDefinition(); // its names are those of this group
    if (m_wanted == m_shown && !isDefinition) {
        stopAsking();
        showHeader();
        showState();
        showOutline(m_revealing);
        m_revealing = false;
        return emit refreshed();
    }
    if (isDefinition) {
        m_asking.cancel();
        return take(m_wanted, m_wanted.madeOf(answerOf(*m_wanted.code->definition(*m_target.place))));
    }
    if (auto known = knownNow()) {
        m_asking.cancel();
        return take(m_wanted, m_wanted.madeOf(std::move(*known)));
    }
    const bool isAsked = (m_pause.isActive() || m_asking.busy()) && m_wanted == m_asked;
    if (!isAsked) {
        m_asked = m_wanted;
        m_asking.cancel();
        m_pause.start();
    }
    showState();
}

// A stage that kernels of the other target have.
void ModelCodePane::showElsewhere() {
    const bool isCuda = program()->is_cuda;
    stopAsking();
    m_shown = {};
    m_answer = {};
    sayEmpty(tr("No %1").arg(titleOfCode(m_wanted.stage)),
             isCuda ? tr("This kernel runs on the GPU") : tr("This kernel runs on the CPU"));
    m_empty->setAction(isCuda ? tr("Show CUDA") : tr("Show C++"),
                       [this, isCuda] { setStage(isCuda ? session::Form::Cuda : session::Form::Cpp); });
    showHeader();
    showState();
    emit refreshed();
}

// What needs no other thread.
std::optional<session::CodeAnswer> ModelCodePane::knownNow() const {
    session::CodeQuestion question = m_wanted.question(m_studio.tools, m_answer);
    std::optional<session::CodeAnswer> known = m_wanted.code->known(question);
    if (known && movedToPass(question, m_wanted.stage, *known))
        known = m_wanted.code->known(question);
    if (!known || !known->code)
        return known;
    const std::shared_ptr<const session::TextSnapshot> text(known->code, &known->code->text);
    return isSmall({text, {}, {}, {}, {}}) ? known : std::nullopt;
}

session::CodeQuestion ModelCodePane::Wanted::question(const std::shared_ptr<session::Tools>& tools,
                                                      const session::CodeAnswer& before) const {
    session::CodeQuestion question;
    question.program = program;
    question.form = stage.form();
    question.arch = arch.toStdString();
    question.tools = tools;
    if (stage.isIr() && !stage.isLowered())
        question.pass = before.module ? std::max(0, passNumber(before.module->passes, stage)) : 0;
    return question;
}

ModelCodePane::Made ModelCodePane::Wanted::madeOf(session::CodeAnswer answer) const {
    StageTextRequest request;
    if (answer.code)
        request.text = std::shared_ptr<const session::TextSnapshot>(answer.code, &answer.code->text);
    request.form = stage.form();
    request.filters = filters;
    request.script = code->graph_name();
    return {std::move(answer), prepared(request)};
}

ModelCodePane::Made ModelCodePane::Wanted::made(session::CodeQuestion question) const {
    session::CodeAnswer answer = code->answer(question);
    if (movedToPass(question, stage, answer))
        answer = code->answer(question);
    return madeOf(std::move(answer));
}

void ModelCodePane::run() {
    session::CodeQuestion question = m_wanted.question(m_studio.tools, m_answer);
    m_asking.run(
        [wanted = m_wanted, question](const std::atomic<bool>& stopped) mutable {
            question.cancelled = &stopped;
            return wanted.made(question);
        },
        [this, wanted = m_wanted](Made&& result) { take(wanted, std::move(result)); });
    showState();
}

// --- what is shown ---

void ModelCodePane::take(const Wanted& wanted, Made made) {
    const bool sameText = wanted.program == m_shown.program && wanted.stage == m_shown.stage;
    m_pause.stop();
    m_answer = std::move(made.answer);
    m_text = std::move(made.text);
    auto before = std::exchange(m_shown, wanted).code;
    if (before != wanted.code)
        disposeInBackground(std::move(before));
    m_header->setStage(wanted.stage);
    m_revealing = m_revealing || !sameText;
    showHeader();
    const bool some = m_answer.code != nullptr;
    if (some)
        showMade(wanted);
    else
        sayEmpty(m_answer.lacks_tool ? tr("%1 cannot be shown here").arg(titleOfCode(wanted.stage))
                                     : tr("No %1").arg(titleOfCode(wanted.stage)),
                 firstMistake(m_answer));
    if (!some && !wanted.stage.isLowered() && m_answer.module)
        m_empty->setAction(tr("Show IR"), [this] { setStage(StageName::lowered()); });
    showState();
    emit refreshed();
    emit titleChanged();
}

void ModelCodePane::showMade(const Wanted& wanted) {
    showText();
    m_header->setCopies(true);
    m_view->setLanguage(languageOf(wanted.stage));
    m_view->showText(QByteArray::fromStdString(m_text.text->text));
    m_restingCaret = m_view->caret();
    if (m_revealing)
        m_view->setFirstLine(0);
    showLinks();
    showBlame();
    showOutline(m_revealing);
    m_revealing = false;
}

void ModelCodePane::showHeader() {
    const session::CodeOperator* op = m_wanted.code ? m_wanted.code->find(m_target.node) : nullptr;
    QStringList kernels, figures;
    if (use())
        for (const std::string& kernel : use()->kernels)
            kernels << QString::fromStdString(kernel);
    PaneHeader::say(*m_kernel, kernels.join(", "));
    PaneHeader::say(*m_operators, use() ? namesOf(*m_wanted.code, use()->nodes).join(", ")
                                  : op  ? QString::fromStdString(op->name)
                                        : QString());
    const std::size_t count = use() ? program()->uses.size() : 0;
    PaneHeader::say(*m_uses, count > 1 ? tr("%1 of %2 groups").arg(m_target.place->use + 1).arg(count) : QString());
    m_uses->setToolTip(count > 1 ? tr("Groups of operators that share this kernel") : QString());
    m_previous->setVisible(count > 1);
    m_next->setVisible(count > 1);
    if (use() && m_wanted.stage.isOf(session::Shown::Kernels))
        figures << m_wanted.arch;
    if (use() && m_answer.code && m_shown.stage.needsCompiler() && m_shown == m_wanted)
        if (const QString text = figuresOf(*m_answer.code); !text.isEmpty())
            figures << text;
    m_header->setFigures(figures.join(", "));
}

QString ModelCodePane::headerText() const {
    QStringList parts;
    for (const ElidedLabel* each : {m_kernel, m_uses, m_operators})
        if (!each->text().isEmpty())
            parts << each->text();
    if (!m_header->figures().isEmpty())
        parts << m_header->figures();
    return parts.join("; ");
}

// A text that is not what is selected now is greyed, once that takes longer than a blink.
void ModelCodePane::showState() {
    const bool planning = m_model && m_model->graphs().isBusy();
    const bool asking = m_pause.isActive() || m_asking.busy();
    m_work->setWorking(planning || asking);
    const bool seen = m_work->isShown();
    m_header->setState(planning && seen ? m_model->graphs().doing()
                       : asking && seen ? m_wanted.stage.needsCompiler() ? tr("compiling") : tr("lowering")
                       : m_answer.code && m_answer.code->ms > 0.05 ? timeText(m_answer.code->ms * 1e-3)
                                                                   : QString());
    m_view->setStale((planning || asking) && seen);
    const auto failed = m_model ? m_model->graphs().failed() : nullptr;
    const auto peeked = m_model ? m_model->selection().peeked() : std::nullopt;
    m_notice->setAction(peeked ? tr("Back to its own code") : QString(), [this] {
        if (m_model)
            m_model->selection().peek({});
    });
    if (peeked)
        return m_notice->show(PaneNotice::Kind::Hint, tr("As it would be by %1").arg(peeked->schedule));
    m_notice->show(failed ? PaneNotice::Kind::Warning : PaneNotice::Kind::Hint,
                   failed ? tr("Not read again: %1").arg(firstMistake(*failed).section('\n', 0, 0)) : QString());
}

// There is no planned model: it is being read, it is broken, or there is none.
void ModelCodePane::showMissing() {
    setCode(nullptr);
    m_wanted = {};
    m_shown = {};
    m_answer = {};
    showHeader();
    const QString title = tr("The code of the selected operator will appear here");
    if (!m_model)
        sayEmpty(title, tr("No model is open"));
    else if (m_model->graphs().isBusy() || !m_model->graphs().snapshot())
        sayEmpty(title,
                 m_model->graphs().isBusy() ? tr("The model is being read and planned") : tr("The model was not read"));
    else
        sayEmpty(tr("No code"), firstMistake(*m_model->graphs().snapshot()).isEmpty()
                                    ? tr("The model was not planned")
                                    : firstMistake(*m_model->graphs().snapshot()));
    if (m_model && !m_model->graphs().isBusy() && lacksOperators(m_model->graphs().snapshot()))
        m_empty->setAction(m_studio.commands.action(Command::ModelScripts)->text(),
                           [this] { m_studio.commands.action(Command::ModelScripts)->trigger(); });
    else if (m_model && !m_model->graphs().isBusy())
        m_empty->setAction(tr("Read the model again"), [this] {
            if (m_model)
                m_model->setup().outdate();
        });
    showState();
    emit refreshed();
}

void ModelCodePane::sayEmpty(const QString& title, const QString& text) {
    showEmpty().say(title, text);
    m_header->setCopies(false);
    if (!m_target.place) {
        m_shown = {};
        m_answer = {};
        showHeader();
        showState();
        emit refreshed();
    }
}

void ModelCodePane::setStage(const StageName& stage) {
    m_stage = stage;
    m_studio.settings.setExtra(stage_setting, stage.key());
    refresh();
}

QString ModelCodePane::title() const {
    const QString stage = titleOfCode(this->stage());
    return use() && !use()->kernels.empty() ? tr("%1 of %2").arg(stage, QString::fromStdString(use()->kernels.front()))
                                            : stage;
}

QString ModelCodePane::fileName() const {
    return fileNameOf(use() && !use()->kernels.empty() ? QString::fromStdString(use()->kernels.front())
                                                       : tr("operator"),
                      m_shown.stage);
}

} // namespace hidet::ui
