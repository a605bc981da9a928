// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/live_model.h"

#include <algorithm>
#include <utility>

#include <QFileInfo>

#include "app/ui/core/placement.h"
#include "app/ui/core/words.h"
#include "app/ui/workbench/graph_marks.h"
#include "app/ui/workbench/model_numbers.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

LiveModel::LiveModel(QString path, Studio& studio, QObject* parent)
    : LiveModel(std::move(path), nullptr, studio, parent) {}

LiveModel::LiveModel(Document& script, Studio& studio, QObject* parent)
    : LiveModel(script.name(), &script, studio, parent) {}

LiveModel::LiveModel(QString path, Document* script, Studio& studio, QObject* parent)
    : QObject(parent), m_studio(studio), m_path(std::move(path)), m_document(script), m_isOfScript(script),
      m_setup(new ModelSetup(this)), m_graphs(new ModelGraphs(studio, this)),
      m_selection(new GraphSelection(studio.commands, this)), m_display(new GraphDisplay(studio.commands, this)),
      m_results(new ModelResults(*m_setup, this)), m_marks(new GraphMarks(*this)),
      m_numbers(new ModelNumbers(studio, *this)) {
    joinParts();
    if (script)
        followScript(*script);
    read();
}

void LiveModel::joinParts() {
    m_studio.settings.follow({Setting::Target, Setting::Processes}, m_setup, [this] { m_setup->outdate(); });
    connect(m_setup, &ModelSetup::outdated, m_selection, [this] { m_selection->peek({}); });
    connect(m_setup, &ModelSetup::outdated, m_results, &ModelResults::findingsChanged);
    connect(m_setup, &ModelSetup::outdated, this, &LiveModel::read);
    connect(m_setup, &ModelSetup::choicesFileChanged, this, &LiveModel::stateChanged);
    connect(m_graphs, &ModelGraphs::replaced, m_selection,
            [this](const ModelCarry& carried) { m_selection->follow(*m_graphs->snapshot(), carried); });
    connect(m_graphs, &ModelGraphs::stateChanged, this, &LiveModel::stateChanged);
    connect(m_graphs, &ModelGraphs::textSettled, m_setup, &ModelSetup::outdate);
    connect(&m_setup->undo(), &QUndoStack::indexChanged, this, [this] { m_studio.commands.refresh(); });
    connect(m_marks, &GraphMarks::changed, this, [this] { m_studio.commands.refresh(); });
    connect(m_numbers, &ModelNumbers::changed, this, [this] { m_studio.commands.refresh(); });
}

void LiveModel::followScript(Document& script) {
    connect(&script, &Document::textChanged, m_graphs, &ModelGraphs::textEdited);
    connect(&script, &Document::stateChanged, this, [this] {
        if (m_document && std::exchange(m_path, m_document->name()) != m_document->name())
            emit stateChanged();
    });
}

Document* LiveModel::document() const {
    return m_document;
}

QString LiveModel::title() const {
    if (m_kept)
        return QString::fromStdString(session::title_of(*m_kept));
    return m_isOfScript ? tr("Graph of %1").arg(QFileInfo(m_path).fileName()) : QFileInfo(m_path).fileName();
}

QString LiveModel::folder() const {
    return QFileInfo(m_path).absolutePath();
}

void LiveModel::setGone(bool gone) {
    if (std::exchange(m_gone, gone) != gone)
        emit stateChanged();
}

void LiveModel::setKept(const session::ModelRecord& run) {
    m_kept = std::make_shared<const session::ModelRecord>(run);
    m_setup->outdate();
    m_results->setBench(session::bench_of(run), m_setup->revision());
}

void LiveModel::unfollow(const QObject* listener) {
    disconnect(listener);
    for (QObject* part : std::initializer_list<QObject*>{m_setup, m_graphs, m_selection, m_display, m_results})
        part->disconnect(listener);
}

void LiveModel::read() {
    const bool isEdited = m_isOfScript || !m_setup->scripts().isEmpty();
    session::ModelRequest shown = request();
    shown.processes = std::clamp(m_studio.settings.number(Setting::Processes), 1, 64);
    m_graphs->read(std::move(shown), isEdited ? ModelGraphs::Source::Script : ModelGraphs::Source::File);
}

session::ModelRequest LiveModel::request() const {
    session::ModelRequest request;
    request.path = m_path.toStdString();
    request.target = info(placementOf(m_studio.settings)).target;
    const QHash<QString, qint64>& dimensions = m_setup->dimensions();
    for (auto at = dimensions.begin(); at != dimensions.end(); ++at)
        request.dims.push_back({at.key().toStdString(), at.value()});
    std::ranges::sort(request.dims, {}, &session::Dimension::name);
    request.with = utf8Of(m_setup->scripts());
    request.traced = m_setup->traced();
    // What is typed counts, saved or not.
    for (const Document* script : m_studio.tabs.documents())
        if (script == m_document || m_setup->scripts().contains(script->path()))
            request.texts.emplace_back(script->name().toStdString(), script->text().toStdString());
    request.choices_text = m_setup->choices().toStdString();
    request.tools = m_studio.tools;
    if (m_kept) {
        request.dims = m_kept->dims;
        request.precision = m_kept->precision;
        request.quantize = m_kept->quantize;
        request.quantize_limit = m_kept->quantize_limit.value_or(0);
        if (m_setup->choices().isEmpty())
            request.choices_text = m_kept->choices;
    }
    return request;
}

} // namespace hidet::ui
