// SPDX-License-Identifier: GPL-3.0-only
// Writes what the mapping canvas changes back to the script, each change as one step of undo.
#pragma once

#include <functional>
#include <optional>

#include "app/ui/editor/symbols.h"
#include "app/ui/mapping/mapping_cells.h"
#include "app/ui/mapping/mapping_maker.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace assist = session::assist;

class MappingWriter : public QObject {
    Q_OBJECT
public:
    MappingWriter(Studio& studio, QObject* parent) : QObject(parent), m_studio(studio) {}

    // What is shown, and whether that is the same expression as before.
    void show(MappingDataPtr data, bool isSame) {
        m_data = std::move(data);
        if (!isSame)
            m_own.reset();
    }

    // what is shown is of the text as it is now
    bool isCurrent() const {
        const LivePipeline* live = m_studio.scripts.live();
        return live && m_data && live->valuesAreCurrent() &&
               assist::text_of(*m_data->document) == assist::text_of(*live->answers());
    }

    // A number that is changed again before the script was evaluated waits for that. One that made a mistake of the script
    // can be changed again all the same: what it was replaced by is known.
    void changeNumber(int factor, int number, qint64 value) {
        const LivePipeline* live = m_studio.scripts.live();
        if (!m_data || !live || !m_studio.tabs.current())
            return;
        if (!live->valuesAreCurrent()) {
            m_waiting = {factor, number, value};
            return;
        }
        const std::string now = m_studio.tabs.current()->text().toStdString();
        session::CanvasChange change;
        if (m_own && m_own->factor == factor && m_own->number == number && m_own->text == now)
            change.edits.push_back({m_own->literal, std::to_string(value)});
        else if (isCurrent())
            change =
                assist::set_number(*m_data->document, m_data->canvas, std::size_t(factor), std::size_t(number), value);
        else
            change.refusal = tr("The script has changed since").toStdString();
        if (!apply(change, now))
            return emit refused();
        const assist::Edit& edit = change.edits.front();
        m_own = {factor, number, {edit.range.begin, edit.range.begin + std::uint32_t(edit.text.size())}, now};
        m_own->text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.text);
    }

    void swap(int left) {
        change([left](const MappingData& data) {
            return assist::swap_factors(*data.document, data.canvas, static_cast<std::size_t>(left));
        });
    }

    void remove(int factor) {
        change([factor](const MappingData& data) {
            return assist::remove_factor(*data.document, data.canvas, static_cast<std::size_t>(factor));
        });
    }

    // behind the last factor
    void add(const QString& name) {
        change([&name](const MappingData& data) {
            return assist::add_factor(*data.document, data.canvas, data.canvas.factors.size(), name.toStdString());
        });
    }

    // the script has been evaluated
    void takeWaiting() {
        if (const auto waiting = std::exchange(m_waiting, std::nullopt))
            changeNumber(waiting->factor, waiting->number, waiting->value);
    }

    // another script is in front
    void forget() {
        m_waiting.reset();
        m_own.reset();
    }

signals:
    void refused(); // what is shown is what counts

private:
    struct Waiting {
        int factor, number;
        qint64 value;
    };
    struct Own { // what was written last
        int factor, number;
        session::assist::Range literal;
        std::string text; // of the whole script, with it
    };
    void change(const std::function<session::CanvasChange(const MappingData&)>& how) {
        if (!isCurrent())
            return m_studio.notices.showStatus(tr("The script is still being read"));
        apply(how(*m_data), assist::text_of(*m_data->document));
    }

    bool apply(const session::CanvasChange& change, const std::string& text) {
        if (!change.refusal.empty()) {
            m_studio.notices.showStatus(QString::fromStdString(change.refusal));
            return false;
        }
        const assist::Edit edit = joined(change, text);
        m_studio.requests.applyFix(
            {{placeIn(*m_studio.scripts.live(), m_studio.tabs.current()->name(), edit.range), edit.text, "mapping"}});
        return true;
    }

    Studio& m_studio;
    MappingDataPtr m_data;
    std::optional<Waiting> m_waiting;
    std::optional<Own> m_own;
};

} // namespace hidet::ui
