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
    Commands& commands = m_studio.commands;
    const auto some = [this] { return isInFront() && m_canvas->picture(); };
    const auto selected = [this, some] {
        return some() && !rectOfItem(*m_canvas->picture(), m_model.selected()).isEmpty();
    };
    commands.bind(
        Command::GraphFit, this, [this] { m_canvas->fit(); }, some);
    commands.bind(
        Command::GraphFitSelection, this, [this] { m_canvas->fitItem(m_model.selected()); }, selected);
    commands.bind(
        Command::GraphActualSize, this, [this] { m_canvas->actualSize(); }, some);
    commands.bind(
        Command::ViewZoomIn, this, [this] { m_canvas->zoomBy(1.25); }, some);
    commands.bind(
        Command::ViewZoomOut, this, [this] { m_canvas->zoomBy(0.8); }, some);
    commands.bind(
        Command::ViewZoomReset, this, [this] { m_canvas->actualSize(); }, some);
    commands.bind(
        Command::GraphMinimap, this,
        [this] {
            m_minimap->setWanted(!m_minimap->isWanted());
            m_studio.showStatus(m_minimap->isWanted()
                                    ? tr("The minimap is shown while there is more than the window holds")
                                    : tr("The minimap is hidden"));
        },
        some);
    commands.bind(
        Command::PanePicture, this, [this] { exportPicture(Part::All); }, some);
    commands.bind(
        Command::GraphPictureSelection, this, [this] { exportPicture(Part::Selection); },
        [this, some, selected] { return some() && (m_model.marked() || selected()); });
}

void GraphPane::bindFolding() {
    Commands& commands = m_studio.commands;
    const auto some = [this] { return isInFront() && m_canvas->picture(); };
    const auto selected = [this, some] { return some() && m_model.selected(); };
    commands.bind(
        Command::GraphToggle, this, [this] { m_canvas->toggle(m_model.selected()); },
        [this, selected] {
            return selected() && (m_model.selected().kind == GraphItem::Kind::Group ||
                                  enclosing(*m_canvas->picture(), m_model.selected()));
        });
    commands.bind(
        Command::GraphOpenAll, this, [this] { m_canvas->openAll(); }, some);
    commands.bind(
        Command::GraphCloseAll, this, [this] { m_canvas->closeAll(); },
        [this, some] { return some() && !m_model.open().isEmpty(); });
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
                session::GroupingOptions grouping = m_model.grouping();
                grouping.*option = !(grouping.*option);
                // Kernels are those of the last graph.
                if (grouping.by_kernel && option == &session::GroupingOptions::by_kernel)
                    m_model.setShown(-1);
                m_model.setGrouping(grouping);
            },
            some);
    for (const auto& [command, along] : {std::pair{Command::GraphPath, std::optional<Along>()},
                                         {Command::GraphProducers, Along::Producers},
                                         {Command::GraphConsumers, Along::Consumers}})
        commands.bind(
            command, this, [this, way = along] { m_canvas->highlight(way); }, selected);
    commands.bind(
        Command::GraphUnmark, this, [this] { m_model.mark({}); },
        [this] { return isInFront() && m_model.marked().has_value(); });
}

void GraphPane::bindSearch() {
    Commands& commands = m_studio.commands;
    GraphSearch& search = m_strip->search();
    commands.bind(
        Command::EditFind, this, [&search] { search.open(); }, [this] { return isInFront() && m_model.graph(); });
    const auto found = [this, &search] { return isInFront() && search.hasHits(); };
    commands.bind(
        Command::EditFindNext, this, [&search] { search.step(1); }, found);
    commands.bind(
        Command::EditFindPrevious, this, [&search] { search.step(-1); }, found);
    commands.bind(
        Command::GraphExpression, this, [&search] { search.toggleExpression(); },
        [this] { return isInFront() && m_model.graph(); });
}

} // namespace hidet::ui
