// SPDX-License-Identifier: GPL-3.0-only
// Which operators share kernels, which do not and why, and what would be otherwise. Everything here is of the graph that is
// run, whichever graph the canvas shows.
#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>

#include "app/ui/core/words.h"
#include "app/ui/docks/docks.h"
#include "app/ui/graph/fusion/blockers_page.h"
#include "app/ui/graph/fusion/choice_actions.h"
#include "app/ui/graph/fusion/kernels_page.h"
#include "app/ui/graph/fusion/rules_page.h"
#include "app/ui/graph/fusion/what_if_page.h"
#include "app/ui/widgets/elided_label.h"
#include "app/ui/workbench/dock_parts.h"

namespace hidet::ui {

namespace {

enum FusionPage { Kernels, NotFused, WhatIf, Rules };

class FusionDock : public DockWidget {
public:
    explicit FusionDock(Studio& studio) : m_studio(studio) {
        build();
        bindChoiceCommands(studio, this);
        studio.commands.bind(
            Command::GraphWhyNot, this, [this] { walk(); },
            [this] {
                const LiveModel* model = m_studio.tabs.model();
                return model && model->graphs().last() && !model->graphs().last()->blockers.empty();
            });
        connect(&studio.tabs, &OpenTabs::currentChanged, this, &FusionDock::follow);
        studio.themes.follow(this, &FusionDock::applyTheme);
        follow();
    }

protected:
    void shown() override {
        setWanted(true);
        refresh();
    }
    void hideEvent(QHideEvent* event) override {
        DockWidget::hideEvent(event);
        setWanted(false);
    }

private:
    void build() {
        setNames("fusion", m_tabs, "tabs", m_summary, "summary", m_empty, "empty");
        m_tabs->setAccessibleName(tr("What is shown of fusion"));
        m_tabs->setExpanding(false);
        for (int page = Kernels; page <= Rules; ++page)
            m_tabs->addTab(titleOf(page));
        m_summary->setProperty("muted", true);
        m_summary->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        QWidget* pages[] = {m_kernels, m_blockers, m_whatIf, m_rules};
        for (QWidget* page : pages)
            m_pages->addWidget(page);
        auto* whole = new QWidget(this);
        newColumn(whole, {newRow({0, 0, 8, 0}, usual_spacing, {m_tabs, {m_summary, 1}}), {m_pages, 1}});
        fillDock(*this, m_stack, m_empty, whole);
        setFocusProxy(m_tabs);
        connect(m_tabs, &QTabBar::currentChanged, m_pages, &QStackedWidget::setCurrentIndex);
    }

    QString titleOf(int page) const {
        const QString titles[] = {tr("Kernels"), tr("Not fused"), tr("What if"), tr("Rules")};
        return titles[page];
    }

    void applyTheme() {
        m_summary->setFont(italic(m_studio.themes.smallFont())); // it is predicted
        refresh();
    }

    // Listens to the model in front.
    void follow() {
        LiveModel* model = m_studio.tabs.model();
        if (model == m_model)
            return refresh();
        if (m_model) {
            m_model->unfollow(this);
            disconnect(&ChoiceEffects::of(*m_model), nullptr, this, nullptr);
            ChoiceEffects::of(*m_model).setWanted(false);
        }
        m_model = model;
        if (m_model) {
            connect(m_model, &LiveModel::stateChanged, this, &FusionDock::refresh);
            connect(&m_model->graphs(), &ModelGraphs::snapshotChanged, this, &FusionDock::refresh);
            connect(&m_model->setup(), &ModelSetup::choicesChanged, this, &FusionDock::refresh);
            connect(&m_model->results(), &ModelResults::findingsChanged, this, &FusionDock::refresh);
            connect(&m_model->selection(), &GraphSelection::selectionChanged, this, &FusionDock::followSelection);
            connect(&ChoiceEffects::of(*m_model), &ChoiceEffects::changed, this, &FusionDock::refresh);
            setWanted(isVisible());
        }
        refresh();
    }

    void setWanted(bool wanted) {
        if (m_model)
            ChoiceEffects::of(*m_model).setWanted(wanted);
    }

    void followSelection(QObject* origin) {
        if (origin == m_kernels || origin == m_blockers || !isVisible())
            return;
        m_kernels->follow();
        m_blockers->follow();
    }

    // While it is not seen it keeps no state of the model but the newest.
    void letGo() {
        m_kernels->show(nullptr);
        m_blockers->show(nullptr);
        m_rules->show(nullptr);
    }

    void refresh() {
        if (!isVisible())
            return letGo();
        LiveModel* model = m_model;
        showEmpty();
        m_kernels->show(model);
        m_blockers->show(model);
        m_whatIf->show(model);
        m_rules->show(model);
        const std::size_t choices = model ? ChoiceEffects::of(*model).rows().size() : 0;
        const std::size_t counts[] = {m_kernels->count(), m_blockers->count(), choices, 0};
        for (int page = Kernels; page <= Rules; ++page)
            m_tabs->setTabText(page,
                               counts[page] ? QString("%1  %2").arg(titleOf(page)).arg(counts[page]) : titleOf(page));
        showSummary();
    }

    void showEmpty() {
        const bool isThere = m_model && !m_model->graphs().isBroken() && m_model->graphs().snapshot();
        m_stack->setCurrentIndex(isThere ? 1 : 0);
        if (isThere)
            return;
        m_empty->say(tr("Kernels and what was not fused"), !m_model ? tr("Appears here when a model is in front")
                                                           : m_model->graphs().isBroken()
                                                               ? tr("The model cannot be read")
                                                               : tr("Appears here as soon as the model is read"));
        m_empty->offer(m_studio.commands.action(Command::FileOpen), m_model ? QString() : tr("Open a model"));
    }

    // What the choices change, whichever page is in front.
    void showSummary() {
        m_summary->setText({});
        if (!m_model)
            return;
        const ChoiceEffects& effects = ChoiceEffects::of(*m_model);
        const auto now = effects.after();
        if (!now) {
            const QString doing = m_model->graphs().doing();
            return m_summary->setText(doing.isEmpty() ? QString() : capitalized(doing));
        }
        const session::ModelTotals& totals = *now;
        const FigureUnit unit = unitOfSeconds(totals.seconds);
        QString text = tr("%1, %2, predicted ~%3 %4 on %5")
                           .arg(totals.kernels == 1 ? tr("1 kernel") : tr("%1 kernels").arg(totals.kernels),
                                totals.launches == 1 ? tr("1 launch") : tr("%1 launches").arg(totals.launches),
                                unit.text(totals.seconds), unit.name,
                                QString::fromStdString(m_model->graphs().snapshot()->roofs.name));
        if (effects.before() && !m_model->setup().choices().isEmpty()) {
            const session::ModelChange change = session::change_between(*effects.before(), totals);
            text += change.seconds == 0
                        ? tr(", as without choices")
                        : tr(", about %1 from your choices").arg(changeText(change.seconds, unitOfSeconds));
        }
        m_summary->setText(text);
    }

    void walk() {
        // The list may not have been shown yet.
        m_blockers->show(m_model);
        m_tabs->setCurrentIndex(NotFused);
        m_blockers->step();
    }

    Studio& m_studio;
    QStackedWidget* m_stack = new QStackedWidget(this);
    EmptyState* m_empty = new EmptyState(this);
    QTabBar* m_tabs = new QTabBar(this);
    ElidedLabel* m_summary = new ElidedLabel(this);
    QStackedWidget* m_pages = new QStackedWidget(this);
    KernelsPage* m_kernels = new KernelsPage(m_studio, this);
    BlockersPage* m_blockers = new BlockersPage(m_studio, this);
    WhatIfPage* m_whatIf = new WhatIfPage(m_studio, this);
    RulesPage* m_rules = new RulesPage(m_studio, this);
    QPointer<LiveModel> m_model;
};

} // namespace

DockWidget* makeFusionDock(Studio& studio) {
    return new FusionDock(studio);
}

} // namespace hidet::ui
