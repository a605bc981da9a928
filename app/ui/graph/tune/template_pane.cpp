// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/tune/template_pane.h"

#include <tuple>
#include <utility>

#include <QFileInfo>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/code/code_target.h"
#include "app/ui/graph/tune/template_copies.h"
#include "app/ui/widgets/parts.h"

namespace hidet::ui {

namespace {

QString change(const QString& what, const std::optional<double>& before, const std::optional<double>& after,
               const QString& mark) {
    if (!before || !after)
        return after ? tr("%1 %2").arg(what, mark + timeText(*after)) : QString();
    return tr("%1 %2 before, %3 now").arg(what, mark + timeText(*before), mark + timeText(*after));
}

} // namespace

TemplatePane::TemplatePane(Studio& studio, QWidget* parent)
    : QWidget(parent), m_studio(studio), m_parts(new BarParts(studio.themes, this)), m_title(m_parts->newLabel()),
      m_effect(m_parts->newLabel()), m_edit(new QToolButton(this)), m_back(new QToolButton(this)),
      m_open(new QToolButton(this)), m_notice(new PaneNotice(studio.themes, this)),
      m_view(new CodeView(studio.themes, Language::Script, this)), m_empty(new EmptyState(this)) {
    build();
    connect(&studio.tabs, &OpenTabs::currentChanged, this, &TemplatePane::follow);
    follow();
}

void TemplatePane::build() {
    setProperty("panel", true);
    setAttribute(Qt::WA_StyledBackground);
    m_title->setObjectName("template.title");
    m_effect->setObjectName("template.effect");
    m_effect->setMostLines(2);
    m_notice->setObjectName("template.notice");
    m_empty->setObjectName("template.empty");
    named(m_view, "template.view", tr("Script of the template"));
    m_view->setAutoIndent(true);
    for (const auto& [button, command, words] : {std::tuple(m_edit, Command::TemplateEdit, tr("Edit for this model")),
                                                 {m_back, Command::TemplateBack, tr("Put back")}}) {
        QAction* action = m_studio.commands.action(command);
        button->setText(words);
        button->setAccessibleName(action->text());
        button->setToolTip(action->statusTip());
        connect(button, &QToolButton::clicked, action, &QAction::trigger);
    }
    m_open->setText(tr("Open"));
    m_open->setAccessibleName(tr("Open the script in the editor"));
    m_open->setToolTip(tr("Opens the script in a tab of its own"));
    for (QToolButton* button : {m_edit, m_back, m_open}) {
        button->hide();
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setAutoRaise(true);
        button->setFont(m_studio.themes.smallFont());
    }
    newColumn(this, {newRow({8, 2, 4, 2}, 4, {{m_title, 1}, m_edit, m_open, m_back}),
                     newRow({8, 0, 8, 2}, -1, {m_effect}),
                     m_notice,
                     {m_view, 1},
                     {m_empty, 1}});
    setFocusProxy(m_view);
    connect(m_view, &QsciScintilla::textChanged, this, [this] {
        if (!m_filling && isEdited())
            m_save.start();
    });
    connect(m_open, &QToolButton::clicked, this, [this] {
        flush();
        if (m_shown)
            m_studio.requests.show({m_shown->file, m_shown->line, 1, m_shown->line, 1});
    });
}

void TemplatePane::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_model)
        ModelTuning::of(*m_model).setWanted(this, true);
    refresh();
}

void TemplatePane::hideEvent(QHideEvent* event) {
    flush();
    QWidget::hideEvent(event);
    if (m_model)
        ModelTuning::of(*m_model).setWanted(this, false);
}

void TemplatePane::follow() {
    LiveModel* model = m_studio.tabs.model();
    if (model == m_model)
        return refresh();
    flush();
    ModelTuning::leave(m_model, this);
    m_model = model;
    if (m_model) {
        connect(m_model, &LiveModel::stateChanged, this, &TemplatePane::refresh);
        connect(&m_model->graphs(), &ModelGraphs::snapshotChanged, this, &TemplatePane::refresh);
        connect(&m_model->graphs(), &ModelGraphs::shownChanged, this, &TemplatePane::refresh);
        connect(&m_model->results(), &ModelResults::findingsChanged, this, &TemplatePane::refresh);
        connect(&m_model->selection(), &GraphSelection::peekChanged, this, &TemplatePane::refresh);
        connect(&m_model->selection(), &GraphSelection::selectionChanged, this, &TemplatePane::refresh);
        ModelTuning& tuning = ModelTuning::of(*m_model);
        connect(&tuning, &ModelTuning::changed, this, &TemplatePane::showEffect);
        tuning.setWanted(this, isVisible());
    }
    refresh();
}

quint32 TemplatePane::selectedNode() const {
    const auto code = m_model && m_model->graphs().snapshot() ? m_model->graphs().snapshot()->code : nullptr;
    return code ? targetOf(*m_model, *code).node : session::no_id;
}

void TemplatePane::refresh() {
    if (!isVisible())
        return;
    const auto code = !m_model                        ? nullptr
                      : m_model->selection().peeked() ? m_model->selection().peeked()->code
                      : m_model->graphs().snapshot()  ? m_model->graphs().snapshot()->code
                                                      : nullptr;
    const QString title = tr("The template of the selected operator will appear here");
    if (!code)
        return say(title, m_model ? tr("The model is being read and planned") : tr("No model is open"));
    CodeTarget target = targetOf(*m_model, *code);
    if (m_model->selection().selected().kind == GraphItem::Kind::Group)
        target = targetOf(
            *m_model, *code,
            nodesOf(*m_model->graphs().shown(), m_model->display().grouping(), m_model->selection().selected().group));
    if (!target.place)
        return say(target.node == session::no_id ? title : target.title, target.text);
    auto found = code->template_of(*target.place);
    if (!found)
        return say(tr("No template"), code->programs()[target.place->program].is_cuda
                                          ? tr("The rules schedule this operator: no template is for it")
                                          : tr("On a CPU the rules schedule all operators"));
    // The model may not have been read with its copy yet.
    if (const QString copy = copyOf(*m_model, *found); found->is_ours && m_model->setup().scripts().contains(copy)) {
        auto edited = std::make_shared<session::CodeTemplate>(*found);
        edited->file = copy.toStdString();
        edited->is_ours = false;
        found = std::move(edited);
    }
    show(std::move(found));
}

void TemplatePane::say(const QString& title, const QString& text) {
    flush();
    m_shown = nullptr;
    m_path.clear();
    m_title->setText({});
    m_view->hide();
    m_empty->show();
    m_empty->say(title, text);
    for (QToolButton* button : {m_edit, m_back, m_open})
        button->hide();
    showEffect();
    showMistake();
    m_studio.commands.refresh();
}

void TemplatePane::show(std::shared_ptr<const session::CodeTemplate> shown) {
    const bool isOther = !m_shown || m_shown->file != shown->file;
    if (isOther)
        flush();
    const bool isAnotherPlace = isOther || m_shown->name != shown->name;
    m_shown = std::move(shown);
    const QString file = QString::fromStdString(m_shown->file);
    m_empty->hide();
    m_view->show();
    m_open->setVisible(!m_shown->is_ours);
    if (isTemplateCopy(*m_model, file) && m_model->setup().scripts().contains(file)) {
        if (isOther || m_path != file)
            showCopy(file);
        m_title->setText(tr("%1, edited").arg(QFileInfo(file).fileName()));
    } else {
        flush(); // it may be a script of the model no more
        m_path.clear();
        m_title->setText(m_shown->is_ours ? tr("%1, read only").arg(file)
                                          : tr("%1, a script of this model").arg(QFileInfo(file).fileName()));
        fill(QByteArray::fromStdString(m_shown->text), true);
    }
    m_edit->setVisible(m_shown->is_ours);
    m_back->setVisible(isEdited());
    if (isAnotherPlace)
        m_view->setFirstLine(m_shown->line > 3 ? m_shown->line - 3 : 0);
    showEffect();
    showMistake();
    m_studio.commands.refresh();
}

// Its text is that of the file: the model may be compiled with an older one, or with none while there is a mistake in it.
void TemplatePane::showCopy(const QString& path) {
    FileError error;
    const auto read = readTextFile(path, error);
    m_path = read ? path : QString();
    m_onDisk = read ? read->text : QByteArray::fromStdString(m_shown->text);
    fill(m_onDisk, !read);
}

void TemplatePane::fill(const QByteArray& text, bool isReadOnly) {
    m_view->setReadOnly(false);
    m_filling = true;
    m_view->showText(text);
    m_filling = false;
    m_view->setReadOnly(isReadOnly);
}

void TemplatePane::flush() {
    m_save.stop();
    if (!isEdited() || m_view->bytes() == m_onDisk)
        return;
    FileError error;
    const QByteArray text = m_view->bytes();
    if (!writeTextFile(m_path, {text, {}}, error))
        return m_studio.notices.showError(error.message, {{tr("Try again"), [this] { flush(); }}});
    m_onDisk = text;
}

void TemplatePane::showEffect() {
    const quint32 node = selectedNode();
    const auto effect =
        m_model && m_shown && node != session::no_id ? ModelTuning::of(*m_model).effectOf(node) : std::nullopt;
    QStringList out;
    if (effect && isEdited()) {
        const QString predicted = change(tr("predicted"), effect->predictedBefore, effect->predictedAfter, "~");
        const QString measured = change(tr("measured"), effect->measuredBefore, effect->measuredAfter, {});
        if (!predicted.isEmpty())
            out << predicted;
        else if (ModelTuning::of(*m_model).isBusy() || m_model->graphs().isBusy())
            out << tr("predicting");
        if (!measured.isEmpty())
            out << (effect->where.isEmpty() ? measured : tr("%1 on %2").arg(measured, effect->where));
        else if (!effect->measuredAfter)
            out << tr("not measured: run the model");
    }
    m_effect->setText(capitalized(out.join("; ")));
    m_effect->setVisible(!out.isEmpty());
}

// The model stays as it was while there is a mistake in the copy.
void TemplatePane::showMistake() {
    const auto failed = m_model && isEdited() ? m_model->graphs().failed() : nullptr;
    m_notice->setAction({}, {});
    QString said;
    if (failed)
        for (const session::DiagnosticView& each : failed->diagnostics)
            if (each.severity == Severity::Error && QString::fromStdString(each.place.file) == m_path &&
                said.isEmpty()) {
                said = tr("Line %1: %2").arg(each.place.line).arg(sentence(each.message));
                m_notice->setAction(tr("Go there"), [this, line = each.place.line, column = each.place.column] {
                    m_view->setCaret(m_view->offsetOf(line - 1, column - 1));
                    m_view->ensureCursorVisible();
                    m_view->setFocus();
                });
            }
    m_notice->show(PaneNotice::Kind::Warning, said);
}

bool TemplatePane::canEdit() const {
    return m_model && m_shown && m_shown->is_ours && isVisible();
}

void TemplatePane::edit() {
    if (!canEdit())
        return;
    const bool wasThere = QFileInfo::exists(copyOf(*m_model, *m_shown));
    FileError error;
    const session::CodeTemplate ours = *m_shown;
    const QString path = takeCopy(*m_model, ours, error);
    if (path.isEmpty())
        return m_studio.notices.showError(error.message);
    // The text is there at once; the kernel follows.
    auto copy = std::make_shared<session::CodeTemplate>(ours);
    copy->file = path.toStdString();
    copy->is_ours = false;
    show(std::move(copy));
    m_view->setFocus();
    if (!wasThere || m_onDisk == QByteArray::fromStdString(ours.text))
        return m_studio.notices.showStatus(tr("%1 is a copy for this model now").arg(QFileInfo(path).fileName()));
    m_studio.notices.notify({"template-copy",
                             NoticeKind::Info,
                             tr("%1 is as it was edited before").arg(QFileInfo(path).fileName()),
                             {{tr("Start from ours"),
                               [this, path, text = ours.text] {
                                   if (m_path != path)
                                       return;
                                   m_view->selectAll();
                                   m_view->replaceSelectedText(QString::fromStdString(text));
                                   flush();
                               }}},
                             {}});
}

void TemplatePane::putBack() {
    if (!canPutBack())
        return;
    flush();
    const QString path = std::exchange(m_path, {});
    m_shown = nullptr;
    m_view->setReadOnly(true);
    leaveCopy(*m_model, path);
    m_studio.notices.showStatus(tr("%1 is as it came again; the edited copy is kept").arg(QFileInfo(path).fileName()));
    refresh();
}

} // namespace hidet::ui
