// SPDX-License-Identifier: GPL-3.0-only
// What commands do to the graph in front.
#include "app/ui/graph/canvas/graph_pane.h"

namespace hidet::ui {

void GraphPane::bindCommands() {
    bindView();
    bindFolding();
    bindSearch();
}

void GraphPane::bindView() {
    const auto some = [this] { return isInFront() && m_canvas->picture(); };
    const auto selected = [this, some] {
        return some() && !rectOfItem(*m_canvas->picture(), m_model.selection().selected()).isEmpty();
    };
    const auto part = [this, some, selected] { return some() && (m_model.selection().marked() || selected()); };
    const auto switchMinimap = [this] {
        m_minimap->setWanted(!m_minimap->isWanted());
        m_studio.notices.showStatus(m_minimap->isWanted()
                                        ? tr("The minimap is shown while there is more than the window holds")
                                        : tr("The minimap is hidden"));
    };
    m_studio.commands.bind(
        this,
        {{Command::GraphFit, [this] { m_canvas->viewport().fit(); }, some},
         {Command::GraphFitSelection, [this] { m_canvas->viewport().fitItem(m_model.selection().selected()); },
          selected},
         {Command::GraphActualSize, [this] { m_canvas->viewport().actualSize(m_model.selection().selected()); }, some},
         {Command::ViewZoomIn, [this] { m_canvas->viewport().zoomBy(1.25); }, some},
         {Command::ViewZoomOut, [this] { m_canvas->viewport().zoomBy(0.8); }, some},
         {Command::ViewZoomReset, [this] { m_canvas->viewport().actualSize(m_model.selection().selected()); }, some},
         {Command::GraphMinimap, switchMinimap, some},
         {Command::PanePicture, [this] { exportPicture(Part::All); }, some},
         {Command::GraphPictureSelection, [this] { exportPicture(Part::Selection); }, part}});
}

void GraphPane::bindFolding() {
    Commands& commands = m_studio.commands;
    const auto some = [this] { return isInFront() && m_canvas->picture(); };
    const auto selected = [this, some] { return some() && m_model.selection().selected(); };
    const auto hasGroup = [this, selected] {
        return selected() && (m_model.selection().selected().kind == GraphItem::Kind::Group ||
                              enclosing(*m_canvas->picture(), m_model.selection().selected()));
    };
    const auto openAll = [this] {
        if (!m_canvas->picture())
            return;
        QSet<GraphKey> keys;
        for (const auto& group : m_canvas->picture()->boxes->drawn.groups)
            keys.insert(group.key);
        m_model.display().setAllOpen(keys);
    };
    const auto someOpen = [this, some] { return some() && !m_model.display().open().isEmpty(); };
    const auto someMarked = [this] { return isInFront() && m_model.selection().marked().has_value(); };
    commands.bind(this, {{Command::GraphToggle, [this] { m_canvas->toggle(m_model.selection().selected()); }, hasGroup},
                         {Command::GraphOpenAll, openAll, some},
                         {Command::GraphCloseAll, [this] { m_model.display().setAllOpen({}); }, someOpen},
                         {Command::GraphUnmark, [this] { m_model.selection().mark({}); }, someMarked},
                         {Command::GraphPath, [this] { m_canvas->highlight({}); }, selected},
                         {Command::GraphProducers, [this] { m_canvas->highlight(Along::Producers); }, selected},
                         {Command::GraphConsumers, [this] { m_canvas->highlight(Along::Consumers); }, selected}});
    struct Toggle {
        Command command;
        bool session::GroupingOptions::*option;
    };
    for (const Toggle& toggle : {Toggle{Command::GraphScopes, &session::GroupingOptions::by_scope},
                                 Toggle{Command::GraphRepeats, &session::GroupingOptions::by_repeat},
                                 Toggle{Command::GraphKernels, &session::GroupingOptions::by_kernel}})
        commands.bind(
            toggle.command, this,
            [this, option = toggle.option] {
                session::GroupingOptions grouping = m_model.display().grouping();
                grouping.*option = !(grouping.*option);
                // Kernels are those of the last graph.
                if (grouping.by_kernel && option == &session::GroupingOptions::by_kernel)
                    m_model.graphs().setShown(-1);
                m_model.display().setGrouping(grouping);
            },
            some);
}

void GraphPane::bindSearch() {
    GraphSearch& search = m_strip->search();
    const auto some = [this] { return isInFront() && m_model.graphs().shown(); };
    const auto found = [this, &search] { return isInFront() && search.hasHits(); };
    m_studio.commands.bind(this, {{Command::EditFind, [&search] { search.open(); }, some},
                                  {Command::EditFindNext, [&search] { search.step(1); }, found},
                                  {Command::EditFindPrevious, [&search] { search.step(-1); }, found},
                                  {Command::GraphExpression, [&search] { search.toggleExpression(); }, some}});
}

} // namespace hidet::ui
