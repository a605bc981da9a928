// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/run_panel.h"

#include "app/ui/core/placement.h"
#include "app/ui/core/words.h"

#include <QFormLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QToolButton>

namespace hidet::ui {

namespace {

constexpr int form_width = 304;
constexpr int arguments_width = 400;
constexpr int results_width = 736;

struct ReferenceChoice {
    QString label;
    ReferencePlan plan;
};

std::vector<ReferenceChoice> referencesOf(const session::FunctionSignature* function,
                                          const session::SignatureResult* known, int module) {
    std::vector<ReferenceChoice> out{{RunPanel::tr("Automatic"), {}}};
    if (!function)
        return out;
    if (function->called)
        out.push_back({RunPanel::tr("The script's own checks"), {ReferencePlan::Checks, 0, {}}});
    for (const std::string& name : function->references)
        out.push_back({RunPanel::tr("Function '%1'").arg(QString::fromStdString(name)),
                       {ReferencePlan::Function, 0, QString::fromStdString(name)}});
    for (const session::ModuleSignatures& other : known->modules)
        for (const session::FunctionSignature& variant : other.functions)
            if ((other.number != module || variant.name != function->name) &&
                variant.parameters.size() == function->parameters.size())
                out.push_back(
                    {RunPanel::tr("'%1' of module %2").arg(QString::fromStdString(variant.name)).arg(other.number),
                     {ReferencePlan::Variant, other.number, QString::fromStdString(variant.name)}});
    out.push_back({RunPanel::tr("Emulator"), {ReferencePlan::Emulator, 0, {}}});
    out.push_back({RunPanel::tr("Nothing"), {ReferencePlan::None, 0, {}}});
    return out;
}

} // namespace

RunPanel::RunPanel(Studio& studio) : m_studio(studio), m_runs(*studio.runs) {
    makePanel(*this);
    m_values = line(&RunPlan::sweepValues, "values", tr("Values of the sweep"), tr("sizes"),
                    tr("Sizes that are run one after the other: 256, 512, 1024..4096*2, 8..64+8"));
    m_seed = line(&RunPlan::seed, "seed", tr("Seed"), "0", tr("Of random numbers"));
    m_absolute = line(&RunPlan::absolute, "absolute", tr("Absolute tolerance"), tr("automatic"),
                      tr("What an element may differ by"));
    m_relative = line(&RunPlan::relative, "relative", tr("Relative tolerance"), tr("automatic"),
                      tr("What an element may differ by, as a part of what is expected"));
    m_calls = line(&RunPlan::calls, "calls", tr("Instantiate"), tr("matmul_kernel({n}, {n}, 64)"),
                   tr("Calls of functions that make kernels; a name in braces can be swept"));
    newColumn(this, {m_splitter});
    m_splitter->addWidget(makeForm());
    m_splitter->addWidget(makeArguments());
    m_splitter->addWidget(m_results);
    m_splitter->setChildrenCollapsible(true);
    m_splitter->setSizes({form_width, arguments_width, results_width});
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setStretchFactor(2, 3);
    setFocusProxy(m_function);

    connect(&m_runs, &RunController::planChanged, this, &RunPanel::refresh);
    connect(&m_runs, &RunController::signaturesChanged, this, &RunPanel::refresh);
    connect(&studio.scripts, &LiveScripts::analysed, &m_late, qOverload<>(&QTimer::start));
    connect(studio.jobs, &JobRunner::changed, this, &RunPanel::refresh);
    connect(&m_runs, &RunController::detailRequested, m_results, &RunResults::showDetail);
    auto say = [this] {
        const Document* document = m_studio.tabs.current();
        setHasToSay(document && m_runs.report(*document), true);
    };
    connect(&m_runs, &RunController::reportChanged, this, say);
    connect(&studio.tabs, &OpenTabs::currentChanged, this, say);
    refresh();
}

QLineEdit* RunPanel::line(QString RunPlan::*member, const QString& name, const QString& label, const QString& hint,
                          const QString& help) {
    auto* out = new QLineEdit(this);
    out->setObjectName("run." + name);
    out->setAccessibleName(label);
    out->setPlaceholderText(hint);
    out->setToolTip(help);
    out->setProperty("help", help);
    out->installEventFilter(this);
    connect(out, &QLineEdit::textEdited, this, [this, out, member](const QString& text) {
        change(out->objectName(), tr("change %1").arg(out->accessibleName().toLower()),
               [&](RunPlan& plan) { plan.*member = text; });
    });
    m_lines.append({out, member});
    return out;
}

QWidget* RunPanel::makeForm() {
    auto* form = new QWidget(this);
    form->setProperty("panel", true);
    QScrollArea* area = newScrollArea(form, this);
    area->setMinimumWidth(220);
    auto* rows = new QFormLayout(form);
    rows->setContentsMargins(8, 8, 8, 8);
    rows->setHorizontalSpacing(8);
    rows->setVerticalSpacing(4);
    rows->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    auto add = [rows](const QString& text, QLayout* field, QWidget* buddy) {
        auto* label = new QLabel(text);
        label->setBuddy(buddy);
        label->setProperty("muted", true);
        rows->addRow(label, field);
    };
    setNames("run", m_function, "function", m_reference, "reference", m_sweep, "sweep", m_measure, "measure", m_target,
             "target");
    m_function->setAccessibleName(tr("Function"));
    m_function->setToolTip(tr("What runs"));
    m_reference->setAccessibleName(tr("Reference"));
    m_reference->setToolTip(tr("What the results are compared with"));
    m_sweep->setAccessibleName(tr("What is swept"));
    m_sweep->setToolTip(tr("A size that takes one value after the other"));
    m_measure->setToolTip(tr("Repeats the call to know how long it takes"));
    for (QComboBox* box : {m_function, m_reference, m_sweep}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(8);
        box->installEventFilter(this);
    }
    m_target->setProperty("muted", true);
    m_target->setWordWrap(true);
    add(tr("Function"), newRow({}, usual_spacing, {m_function}), m_function);
    add(tr("Compare with"), newRow({}, usual_spacing, {m_reference}), m_reference);
    add(tr("Tolerance"), newRow({}, 4, {{m_absolute, 1}, {m_relative, 1}}), m_absolute);
    add(tr("Seed"), newRow({}, 4, {{m_seed, 1}, {m_measure, 1}}), m_seed);
    add(tr("Sweep"), newRow({}, 4, {{m_sweep, 1}, {m_values, 1}}), m_sweep);
    add(tr("Instantiate"), newRow({}, usual_spacing, {m_calls}), m_calls);
    add(tr("Runs on"), newRow({}, usual_spacing, {m_target}), m_target);

    connect(m_function, &QComboBox::activated, this, [this](int row) {
        const QStringList chosen = m_function->itemData(row).toStringList();
        if (m_studio.tabs.current() && chosen.size() == 2)
            m_runs.plans().choose(*m_studio.tabs.current(), chosen[0].toInt(), chosen[1]);
    });
    connect(m_reference, &QComboBox::activated, this, [this](int row) {
        const QVariantList chosen = m_reference->itemData(row).toList();
        change("reference", tr("choose a reference"), [&](RunPlan& plan) {
            plan.reference = {static_cast<ReferencePlan::Kind>(chosen[0].toInt()), chosen[1].toInt(),
                              chosen[2].toString()};
        });
    });
    connect(m_sweep, &QComboBox::activated, this, [this](int row) {
        change("sweep", tr("choose what is swept"),
               [&](RunPlan& plan) { plan.sweepName = m_sweep->itemData(row).toString(); });
    });
    connect(m_measure, &QCheckBox::toggled, this, [this](bool on) {
        change("measure", tr("change what is measured"), [&](RunPlan& plan) { plan.measure = on; });
    });
    return area;
}

QWidget* RunPanel::makeArguments() {
    auto* box = new QWidget(this);
    box->setMinimumWidth(240);
    setNames("run", m_arguments, "arguments", m_message, "message");
    m_arguments->setAccessibleName(tr("Arguments"));
    m_arguments->setModel(m_model);
    m_arguments->setItemDelegate(new ArgumentDelegate(m_studio, *m_model, m_arguments));
    m_arguments->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked |
                                 QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    m_arguments->setSelectionMode(QAbstractItemView::SingleSelection);
    m_arguments->setShowGrid(false);
    m_arguments->setWordWrap(false);
    m_arguments->setTabKeyNavigation(false);
    m_arguments->verticalHeader()->hide();
    m_arguments->verticalHeader()->setMinimumSectionSize(16);
    m_arguments->verticalHeader()->setDefaultSectionSize(24);
    QHeaderView* header = m_arguments->horizontalHeader();
    header->setHighlightSections(false);
    header->setMinimumSectionSize(64); // 'Shape' whole
    header->setSectionResizeMode(ArgumentModel::Name, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(ArgumentModel::Type, QHeaderView::ResizeToContents);
    header->setSectionResizeMode(ArgumentModel::Shape, QHeaderView::Stretch);
    header->setSectionResizeMode(ArgumentModel::Value, QHeaderView::ResizeToContents);
    m_arguments->installEventFilter(this);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(m_arguments);
    m_message->setWordWrap(true);
    m_message->setProperty("role", "error");
    m_message->setAccessibleName(tr("What is wrong with the values"));
    auto* reset = new QToolButton(box);
    reset->setDefaultAction(m_studio.commands.action(Command::RunReset));
    reset->setObjectName("run.reset");
    auto* foot = newRow({8, 4, 8, 4}, 8, {{m_message, 1}, {reset, 0, Qt::AlignRight | Qt::AlignBottom}});
    newColumn(box, {{m_pages, 1}, foot});
    return box;
}

void RunPanel::change(const QString& field, const QString& what, const std::function<void(RunPlan&)>& how) {
    Document* document = m_studio.tabs.current();
    if (!document || m_refreshing)
        return;
    RunPlan plan = m_runs.plans().plan(*document);
    how(plan);
    m_runs.plans().change(*document, plan, field, what);
}

void RunPanel::showFunctions(const RunPlan& plan) {
    const session::SignatureResult* known = m_runs.signatures();
    int chosenModule = 0;
    const session::FunctionSignature* chosen = known ? functionOf(plan, *known, &chosenModule) : nullptr;
    m_function->clear();
    int row = -1;
    if (known)
        for (const session::ModuleSignatures& module : known->modules)
            for (const session::FunctionSignature& function : module.functions) {
                const QString name = QString::fromStdString(function.name);
                m_function->addItem(known->modules.size() > 1 ? tr("%1, module %2").arg(name).arg(module.number) : name,
                                    QStringList{QString::number(module.number), name});
                if (&function == chosen)
                    row = m_function->count() - 1;
            }
    if (row < 0 && !plan.function.isEmpty()) {
        m_function->addItem(tr("%1 (not there)").arg(plan.function),
                            QStringList{QString::number(plan.module), plan.function});
        row = m_function->count() - 1;
    }
    m_function->setCurrentIndex(row);
    m_function->setPlaceholderText(known ? tr("the whole script") : QString());
    m_function->setEnabled(m_function->count() > 0);
}

void RunPanel::showReferences(const RunPlan& plan) {
    m_reference->clear();
    int module = 0;
    const session::SignatureResult* known = m_runs.signatures();
    const session::FunctionSignature* function = known ? functionOf(plan, *known, &module) : nullptr;
    int row = -1;
    const std::vector<ReferenceChoice> choices = referencesOf(function, known, module);
    for (const ReferenceChoice& choice : choices) {
        m_reference->addItem(choice.label,
                             QVariantList{int(choice.plan.kind), choice.plan.module, choice.plan.function});
        if (choice.plan == plan.reference)
            row = m_reference->count() - 1;
    }
    if (row < 0) {
        m_reference->addItem(tr("'%1' (not there)").arg(plan.reference.function),
                             QVariantList{int(plan.reference.kind), plan.reference.module, plan.reference.function});
        row = m_reference->count() - 1;
    }
    m_reference->setCurrentIndex(row);
    m_reference->setEnabled(function != nullptr);
}

void RunPanel::showSweep(const RunPlan& plan) {
    m_sweep->clear();
    m_sweep->addItem(tr("nothing"), QString());
    QStringList names;
    if (const session::FunctionSignature* function = m_runs.function())
        names = sweepNames(*function, plan.calls);
    if (!plan.sweepName.isEmpty() && !names.contains(plan.sweepName))
        names << plan.sweepName;
    for (const QString& name : names)
        m_sweep->addItem(name, name);
    m_sweep->setCurrentIndex(std::max(0, m_sweep->findData(plan.sweepName)));
}

void RunPanel::mark(QWidget* field, const QString& reason) {
    field->setToolTip(reason.isEmpty() ? field->property("help").toString() : reason);
    field->setAccessibleDescription(reason);
    field->setStyleSheet(reason.isEmpty()
                             ? QString()
                             : QString("QLineEdit { border-color: %1; }").arg(m_studio.themes.theme().error.name()));
}

void RunPanel::refresh() {
    m_refreshing = true;
    Document* document = m_studio.tabs.current();
    const RunPlan plan = document ? m_runs.plans().plan(*document) : RunPlan();
    showFunctions(plan);
    showReferences(plan);
    showSweep(plan);
    const PlanProblems problems = m_runs.problems();
    for (const auto& [edit, member] : std::as_const(m_lines)) {
        if (edit->text() != plan.*member)
            edit->setText(plan.*member);
        edit->setEnabled(document);
        const QString field = edit == m_values ? "sweep" : edit->objectName().mid(4);
        mark(edit, reasonFor(problems, field));
    }
    m_measure->setChecked(plan.measure);
    m_measure->setEnabled(document);
    m_target->setText(info(m_runs.target()).where);
    const bool rows = m_model->rowCount() > 0;
    m_pages->setCurrentWidget(rows ? static_cast<QWidget*>(m_arguments) : m_empty);
    const session::SignatureResult* known = m_runs.signatures();
    const session::FunctionSignature* function = m_runs.function();
    m_empty->setText(!document  ? tr("Open a script to choose what it runs with")
                     : function ? tr("'%1' takes no arguments").arg(QString::fromStdString(function->name))
                     : !known || (known->modules.empty() && !m_runs.signaturesAreCurrent())
                         ? tr("The arguments of the kernel appear here")
                     : known->modules.empty() ? tr("The script builds no kernel. Run starts it as a program")
                                              : tr("Choose a function"));
    const bool busy = m_studio.jobs->running() != nullptr;
    const QString reason = document && !busy && !problems.isEmpty() ? m_runs.whyNotRunnable() : QString();
    m_message->setText(reason.isEmpty() ? reason : tr("Run waits. %1").arg(capitalized(reason)));
    m_refreshing = false;
}

void RunPanel::undo(bool forwards) {
    Document* document = m_studio.tabs.current();
    if (!document)
        return;
    QUndoStack& stack = m_runs.plans().undoStack(*document);
    const QString what = forwards ? stack.redoText() : stack.undoText();
    if (what.isEmpty())
        return;
    forwards ? stack.redo() : stack.undo();
    m_studio.notices.showStatus(forwards ? tr("Made again: %1").arg(what) : tr("Taken back: %1").arg(what));
}

// Undo belongs to what has the keyboard: here it takes back values, not text of the script.
bool RunPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool back = key->matches(QKeySequence::Undo);
        const bool forwards =
            key->matches(QKeySequence::Redo) ||
            (key->key() == Qt::Key_Z && key->modifiers() == (Qt::ControlModifier | Qt::ShiftModifier));
        if (back || forwards) {
            event->accept();
            if (event->type() == QEvent::KeyPress)
                undo(forwards);
            return true;
        }
    }
    return DockWidget::eventFilter(watched, event);
}

} // namespace hidet::ui
