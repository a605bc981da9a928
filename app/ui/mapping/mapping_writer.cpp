// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/mapping/mapping_writer.h"

#include "app/ui/editor/symbols.h"
#include "app/ui/mapping/mapping_maker.h"

namespace hidet::ui {

namespace assist = session::assist;

void MappingWriter::show(MappingDataPtr data, bool isSame) {
    m_data = std::move(data);
    if (!isSame)
        m_own.reset();
}

void MappingWriter::forget() {
    m_waiting.reset();
    m_own.reset();
}

bool MappingWriter::isCurrent() const {
    const LivePipeline* live = m_studio.live();
    return live && m_data && live->valuesAreCurrent() &&
           assist::text_of(*m_data->document) == assist::text_of(*live->answers());
}

void MappingWriter::change(const std::function<session::CanvasChange(const MappingData&)>& how) {
    if (!isCurrent())
        return m_studio.showStatus(tr("The script is still being read"));
    apply(how(*m_data), assist::text_of(*m_data->document));
}

bool MappingWriter::apply(const session::CanvasChange& change, const std::string& text) {
    if (!change.refusal.empty()) {
        m_studio.showStatus(QString::fromStdString(change.refusal));
        return false;
    }
    const assist::Edit edit = joined(change, text);
    m_studio.applyFix({{placeIn(*m_studio.live(), m_studio.current()->name(), edit.range), edit.text, "mapping"}});
    return true;
}

void MappingWriter::swap(int left) {
    change([left](const MappingData& data) {
        return assist::swap_factors(*data.document, data.canvas, static_cast<std::size_t>(left));
    });
}

void MappingWriter::remove(int factor) {
    change([factor](const MappingData& data) {
        return assist::remove_factor(*data.document, data.canvas, static_cast<std::size_t>(factor));
    });
}

void MappingWriter::add(const QString& name) {
    change([&name](const MappingData& data) {
        return assist::add_factor(*data.document, data.canvas, data.canvas.factors.size(), name.toStdString());
    });
}

void MappingWriter::changeNumber(int factor, int number, qint64 value) {
    const LivePipeline* live = m_studio.live();
    if (!m_data || !live || !m_studio.current())
        return;
    if (!live->valuesAreCurrent()) {
        m_waiting = {factor, number, value};
        return;
    }
    const std::string now = m_studio.current()->text().toStdString();
    session::CanvasChange change;
    if (m_own && m_own->factor == factor && m_own->number == number && m_own->text == now)
        change.edits.push_back({m_own->literal, std::to_string(value)});
    else if (isCurrent())
        change = assist::set_number(*m_data->document, m_data->canvas, std::size_t(factor), std::size_t(number), value);
    else
        change.refusal = tr("The script has changed since").toStdString();
    if (!apply(change, now))
        return emit refused();
    const assist::Edit& edit = change.edits.front();
    m_own = {factor, number, {edit.range.begin, edit.range.begin + std::uint32_t(edit.text.size())}, now};
    m_own->text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.text);
}

void MappingWriter::takeWaiting() {
    if (const auto waiting = std::exchange(m_waiting, std::nullopt))
        changeNumber(waiting->factor, waiting->number, waiting->value);
}

} // namespace hidet::ui
