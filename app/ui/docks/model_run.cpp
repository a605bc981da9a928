// SPDX-License-Identifier: GPL-3.0-only
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpressionValidator>
#include <QStackedWidget>
#include <QToolButton>

#include "app/ui/core/figures.h"
#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/graph/runs/model_runs.h"
#include "app/ui/graph/runs/model_verdict.h"
#include "app/ui/widgets/empty_state.h"
#include "app/ui/widgets/figure_table.h"
#include "app/ui/workbench/dock_parts.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

class ModelRunDock : public DockWidget {
public:
    explicit ModelRunDock(Studio& studio) : m_studio(studio) {
        setNames("model_run", m_empty, "empty", m_words, "words", m_values, "values", m_facts, "facts");
        m_facts->setProperty("muted", true);
        for (QLabel* label : {m_words, m_facts}) {
            label->setWordWrap(true);
            label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        }
        fillDock(*this, m_pages, m_empty, makePage());
        setFocusProxy(m_values);
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &ModelRunDock::refresh);
        connect(&studio.tabs, &OpenTabs::modelAdded, this, [this](LiveModel* added) {
            connect(&added->graphs(), &ModelGraphs::snapshotChanged, this, &ModelRunDock::refresh);
            connect(&added->results(), &ModelResults::findingsChanged, this, &ModelRunDock::refresh);
        });
        connect(studio.modelRuns, &ModelRuns::reportChanged, this, &ModelRunDock::refresh);
        connect(studio.jobs, &JobRunner::changed, this, &ModelRunDock::refreshWords);
        connect(&studio.themes, &ThemeSource::changed, this, &ModelRunDock::refresh);
        refresh();
    }

private:
    QWidget* makePage() {
        auto* page = new QWidget(this);
        auto* bar = newRow({8, 2, 8, 2}, 4, {});
        for (const Command command :
             {Command::RunRun, Command::ModelCompile, Command::ModelCompare, Command::RunCancel}) {
            auto* button = new QToolButton(page);
            button->setDefaultAction(m_studio.commands.action(command));
            button->setToolButtonStyle(Qt::ToolButtonTextOnly);
            bar->addWidget(button);
        }
        bar->addStretch(1);
        auto* side = new QWidget(page);
        side->setProperty("panel", true);
        newColumn({14, 4, 14, 8}, 8, {m_fields, m_words, m_facts, stretched(1)}, side);
        m_fields->setHorizontalSpacing(8);
        m_fields->setVerticalSpacing(4);
        m_fields->setColumnStretch(2, 1);
        newColumn(page, {bar, {newRow({}, 0, {{newScrollArea(side, page), 2}, {m_values, 3}}), 1}});
        return page;
    }

    void refresh() {
        LiveModel* model = m_studio.tabs.model();
        if (!model || !model->graphs().last())
            return explain(model);
        m_pages->setCurrentIndex(1);
        refreshWords();
        refreshFields(*model);
        m_facts->setText(facts(*model));
        m_values->show(rows(*model));
    }

    // What was said of a dimension may be why the model cannot be read.
    void explain(LiveModel* model) {
        m_pages->setCurrentWidget(m_empty);
        m_empty->say(tr("How the model was run, how long it took and what came out"),
                     !model                       ? tr("Appears here when a model is open")
                     : model->graphs().isBroken() ? tr("This model cannot be read")
                                                  : tr("Appears here when the model is read"));
        const bool offered = model && model->graphs().isBroken() && !model->setup().dimensions().isEmpty();
        m_empty->setAction(offered ? tr("Forget what dimensions are") : QString(), [of = QPointer<LiveModel>(model)] {
            if (of)
                of->setup().setDimensions({});
        });
    }

    void refreshWords() {
        const LiveModel* model = m_studio.tabs.model();
        if (!model)
            return;
        const ModelRuns& runs = *m_studio.modelRuns;
        if (m_studio.jobs->isRunning(*model))
            return m_words->setText(m_studio.jobs->running()->words());
        const VerdictLine line = modelVerdict(*model, runs.report(*model));
        QStringList sentences; // the strip has the figures, this is what they mean
        for (const VerdictPart& part : line.parts)
            if (!part.hint.isEmpty())
                sentences << part.hint;
        if (line.stale)
            sentences << tr("The model or what was chosen for it has changed since");
        m_words->setEnabled(!line.stale);
        m_words->setText(sentences.isEmpty() ? tr("Not run yet") : sentences.join('\n'));
    }

    // Fields stay while what they are for does: typing is not disturbed by what arrives.
    void refreshFields(LiveModel& model) {
        QStringList names = model.setup().dimensions().keys();
        for (const std::string& name : model.graphs().snapshot()->totals.assumed)
            if (!names.contains(text(name)))
                names << text(name);
        names.sort();
        // A dimension that was just cleared is named again by the snapshot that is on its way.
        if (m_fieldsOf != &model || (names != m_names && !model.graphs().isBusy()))
            makeFields(names);
        m_fieldsOf = &model;
        for (QLineEdit* field : std::as_const(m_edits)) {
            const auto known = model.setup().dimensions().constFind(field->property("dimension").toString());
            if (!field->hasFocus())
                field->setText(known == model.setup().dimensions().constEnd() ? QString() : QString::number(*known));
        }
    }

    void makeFields(const QStringList& names) {
        m_names = names;
        m_edits.clear();
        while (QLayoutItem* item = m_fields->takeAt(0)) {
            item->widget()->hide();
            item->widget()->deleteLater(); // it may be what was just typed into
            delete item;
        }
        for (int row = 0; row < names.size(); ++row) {
            auto* label = new QLabel(names[row], this);
            auto* field = new QLineEdit(this);
            field->setObjectName("model_run.dimension." + names[row]);
            field->setProperty("dimension", names[row]);
            field->setPlaceholderText(tr("1"));
            field->setValidator(new QRegularExpressionValidator(QRegularExpression("[0-9]{0,12}"), field));
            field->setFixedWidth(96);
            field->setAccessibleName(tr("Dimension %1").arg(names[row]));
            field->setToolTip(tr("How long %1 is (default: 1)").arg(names[row]));
            label->setBuddy(field);
            m_fields->addWidget(label, row, 0);
            m_fields->addWidget(field, row, 1);
            connect(field, &QLineEdit::editingFinished, this, [this, field] { setDimension(*field); });
            m_edits << field;
        }
    }

    void setDimension(const QLineEdit& field) {
        LiveModel* model = m_studio.tabs.model();
        if (!model || model != m_fieldsOf)
            return;
        QHash<QString, qint64> dimensions = model->setup().dimensions();
        const QString name = field.property("dimension").toString();
        if (field.text().isEmpty())
            dimensions.remove(name);
        else
            dimensions[name] = std::max(1LL, field.text().toLongLong());
        model->setup().setDimensions(dimensions);
    }

    QString facts(const LiveModel& model) const {
        const session::ModelSnapshot& snapshot = *model.graphs().snapshot();
        QStringList out;
        if (!snapshot.producer.empty())
            out << tr("By %1").arg(text(snapshot.producer));
        if (snapshot.opset > 0)
            out << tr("opset %1").arg(snapshot.opset);
        out << tr("%1 operators as imported").arg(snapshot.graphs.front()->nodes.size());
        if (snapshot.phase != session::ModelPhase::Imported)
            out << tr("%1 after the passes, in %2 kernels").arg(snapshot.totals.nodes).arg(snapshot.totals.kernels);
        if (snapshot.weight_bytes)
            out << tr("%1 of weights").arg(bytesText(*snapshot.weight_bytes));
        if (snapshot.arena_bytes)
            out << tr("%1 between kernels").arg(bytesText(*snapshot.arena_bytes));
        const auto& bench = model.results().findings().bench;
        if (bench && !bench->where.empty())
            out << tr("measured on %1").arg(text(bench->where));
        return out.join(", ");
    }

    FigureRows rows(const LiveModel& model) const {
        FigureRows out;
        const session::ModelGraph& graph = *model.graphs().last();
        const auto add = [&](const std::string& name, const QString& what, const std::string& dtype,
                             const std::string& shape, const std::string& numbers) {
            out.push_back({{text(name), text(name)}, what, text(dtype), text(shape), {text(numbers), text(numbers)}});
        };
        for (const std::uint32_t id : graph.inputs)
            if (const session::GraphValue* value = graph.value(id))
                add(value->name, tr("input"), value->dtype, value->shape, {});
        const auto& run = model.results().findings().comparison;
        for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
            const session::GraphValue* value = graph.value(graph.outputs[i]);
            if (run && !model.results().isStale() && i < run->outputs.size()) {
                const session::ModelOutput& made = run->outputs[i];
                add(made.tensor.name, tr("output"), made.tensor.dtype, made.tensor.shape, made.summary);
            } else if (value) {
                add(value->name, tr("output"), value->dtype, value->shape, {});
            }
        }
        return out;
    }

    Studio& m_studio;
    QStackedWidget* m_pages = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    QLabel* m_words = new QLabel(this);
    QLabel* m_facts = new QLabel(this);
    QGridLayout* m_fields = new QGridLayout;
    FigureTable* m_values = new FigureTable(m_studio.themes, tr("Inputs and results of the model"),
                                            {textColumn(tr("Name")), textColumn(tr("Role")), textColumn(tr("Type")),
                                             textColumn(tr("Shape")), textColumn(tr("Values"))},
                                            this);
    QStringList m_names;
    QList<QLineEdit*> m_edits;
    const LiveModel* m_fieldsOf = nullptr; // to compare with, no more
};

} // namespace

DockWidget* makeModelRunDock(Studio& studio) {
    return new ModelRunDock(studio);
}

} // namespace hidet::ui
