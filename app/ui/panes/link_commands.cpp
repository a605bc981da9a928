// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/panes/link_commands.h"

#include <algorithm>

#include <QApplication>

namespace hidet::ui {

namespace {

class LinkKeys : public QObject {
public:
    LinkKeys(StageArea& area, Studio& studio) : QObject(&area), m_area(area), m_studio(studio) {
        Commands& commands = studio.commands;
        auto open = [this] { return m_studio.tabs.current() != nullptr; };
        commands.bind(this, open,
                      {{Command::PaneNextLink, [this] { step(1); }},
                       {Command::PanePreviousLink, [this] { step(-1); }},
                       {Command::PaneFollowLink, [this] { follow(); }},
                       {Command::PanePinLink, [this] { pin(); }}});
    }

private:
    // The pane that has the keyboard; null: it is in the script, or elsewhere.
    StagePane* focused() const {
        for (StagePane* pane : m_area.stagePanes())
            if (pane->isAncestorOf(QApplication::focusWidget()))
                return pane;
        return nullptr;
    }

    std::optional<session::Place> here() const {
        if (StagePane* pane = focused())
            return pane->placeAt(pane->view().caret());
        const auto& caret = m_studio.links.caret();
        return caret ? std::optional(caret->place) : std::nullopt;
    }

    void step(int direction) {
        StagePane* pane = focused();
        if (!pane)
            return stepInScript(direction);
        const auto place = here();
        std::vector<ByteRange> ranges = place ? pane->targetsOf(*place) : std::vector<ByteRange>{};
        if (ranges.size() < 2)
            return m_studio.notices.showStatus(ranges.empty() ? tr("Nothing is linked here")
                                                              : tr("No other range came from there"));
        const int caret = pane->view().caret();
        std::size_t at = 0;
        for (std::size_t i = 0; i < ranges.size(); ++i)
            if (ranges[i].begin <= caret)
                at = i;
        const std::size_t next = direction > 0 ? (at + 1) % ranges.size() : (at + ranges.size() - 1) % ranges.size();
        pane->view().setCaret(ranges[next].begin);
        pane->view().reveal(ranges[next]);
        m_studio.notices.showStatus(tr("Range %1 of %2").arg(next + 1).arg(ranges.size()));
    }

    // In the script every line that became something is a range of its own.
    void stepInScript(int direction) {
        const LivePipeline& live = *m_studio.scripts.live();
        const auto place = here();
        const int last = static_cast<int>(live.evaluatedText().count('\n')) + 1;
        for (int line = (place ? place->line : 0) + direction; line >= 1 && line <= last; line += direction)
            if (live.hues().hue(line) >= 0) {
                session::Place target{live.document().name().toStdString(), line, 1, line, 1};
                const QByteArray text = live.evaluatedText().split('\n').value(line - 1);
                while (target.column <= text.size() && text[target.column - 1] == ' ')
                    target.end_column = ++target.column;
                return m_studio.requests.show(target);
            }
        m_studio.notices.showStatus(tr("No other line of the script is linked"));
    }

    void follow() {
        const auto place = here();
        if (!place)
            return m_studio.notices.showStatus(tr("Nothing is linked here"));
        QList<StagePane*> stops;
        for (StagePane* pane : m_area.stagePanes())
            if (pane->isVisible() && (pane == focused() || !pane->targetsOf(*place).empty()))
                stops << pane;
        const qsizetype next = stops.indexOf(focused()) + 1; // the script comes before the first and after the last
        if (next == stops.size()) {
            if (!focused())
                m_studio.notices.showStatus(tr("No pane shows what this became"));
            return m_studio.requests.show(*place);
        }
        CodeView& view = stops[next]->view();
        const std::vector<ByteRange> ranges = stops[next]->targetsOf(*place);
        const auto seen =
            std::find_if(ranges.begin(), ranges.end(), [&](const ByteRange& range) { return view.isVisible(range); });
        const ByteRange target = seen != ranges.end() ? *seen : ranges.front();
        view.setFocus(Qt::OtherFocusReason);
        view.setCaret(target.begin);
        view.reveal(target);
    }

    void pin() {
        LinkHub& links = m_studio.links;
        if (links.isPinned()) {
            links.setPinned(std::nullopt);
            return m_studio.notices.showStatus(tr("The link is no longer pinned"));
        }
        const auto& focus = links.focus();
        if (!focus)
            return m_studio.notices.showStatus(tr("Nothing is linked here"));
        links.setPinned(focus->place);
        m_studio.notices.showStatus(tr("Pinned what line %1 of the script became").arg(links.focus()->place.line));
    }

    StageArea& m_area;
    Studio& m_studio;
};

} // namespace

void bindLinkCommands(StageArea& area, Studio& studio) {
    new LinkKeys(area, studio);
}

} // namespace hidet::ui
