// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/tune/model_tuning.h"

#include <algorithm>
#include <utility>

#include "app/session/model/model_code.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/tune/template_copies.h"

namespace hidet::ui {

namespace {

using session::TunedOperator;

std::string dimensionsOf(const session::ModelRequest& request) {
    std::string out;
    for (const session::Dimension& each : request.dims)
        out += cat('\n', each.name, '=', each.value);
    return out;
}

std::string targetOf(const session::ModelRequest& request) {
    return cat('\n', static_cast<int>(request.target));
}

std::string firstErrorOf(const session::Outcome& outcome) {
    for (const session::DiagnosticView& each : outcome.diagnostics)
        if (each.severity == Severity::Error)
            return each.message;
    return {};
}

} // namespace

ModelTuning& ModelTuning::of(LiveModel& model) {
    auto* found = model.findChild<ModelTuning*>(QString(), Qt::FindDirectChildrenOnly);
    return found ? *found : *new ModelTuning(model);
}

void ModelTuning::leave(LiveModel* model, QObject* who) {
    if (!model)
        return;
    ModelTuning& tuning = of(*model);
    model->unfollow(who);
    tuning.disconnect(who);
    tuning.setWanted(who, false);
}

ModelTuning::ModelTuning(LiveModel& model) : QObject(&model), m_model(model), m_revision(model.setup().revision()) {
    connect(&model.setup(), &ModelSetup::choicesChanged, this, [this] { m_onlyChoices = true; });
    connect(&model.results(), &ModelResults::findingsChanged, this, &ModelTuning::noteFindings);
    connect(&model, &LiveModel::stateChanged, this, &ModelTuning::note);
    connect(&model.graphs(), &ModelGraphs::snapshotChanged, this, &ModelTuning::note);
    m_state = stateNow();
    noteFindings();
}

// What the user said that makes times of two runs comparable.
std::string ModelTuning::settingNow() const {
    const session::ModelRequest request = m_model.request();
    return request.choices_text + dimensionsOf(request) + targetOf(request);
}

// All that a search for schedules goes by.
std::string ModelTuning::stateNow() const {
    const session::ModelRequest request = m_model.request();
    std::string out = session::without_schedules(request.choices_text) + dimensionsOf(request);
    for (const std::string& script : request.with)
        out += '\n' + script;
    return cat(out, targetOf(request), ' ', m_reads, ' ', m_level, ' ', m_records);
}

void ModelTuning::note() {
    if (m_revision != m_model.setup().revision()) {
        m_revision = m_model.setup().revision();
        m_looking.cancel();
        // The file or a script was read again, or what was said before is said otherwise; choices are in the state.
        if (!std::exchange(m_onlyChoices, false))
            ++m_reads;
    }
    const std::string now = stateNow();
    if (std::exchange(m_state, now) != now)
        m_recalling.cancel();
    recall();
    emit changed();
}

void ModelTuning::noteFindings() {
    if (!m_model.results().isStale() && m_model.results().findings().bench) {
        const bool hasCopies = withoutCopies(m_model) != m_model.setup().scripts();
        (hasCopies ? m_measuredAfter : m_measuredBefore) = {m_model.results().findings().bench, settingNow()};
    } else if (withoutCopies(m_model) != m_model.setup().scripts() && m_model.results().isStale()) {
        m_measuredAfter = {}; // the copy may be another
    }
    note();
}

void ModelTuning::setLevel(int level) {
    if (level == m_level)
        return;
    m_level = level;
    note();
}

void ModelTuning::setRecords(const QString& file) {
    m_records = file.toStdString();
    note();
}

void ModelTuning::setWanted(const QObject* who, bool wanted) {
    if (wanted)
        m_watchers.insert(who);
    else
        m_watchers.remove(who);
    if (m_watchers.isEmpty())
        return m_recalling.cancel();
    recall();
}

// Once the model is planned: both at once would read it twice at the same time.
void ModelTuning::recall() {
    const session::SnapshotPtr& snapshot = m_model.graphs().snapshot();
    const bool isReady = !m_model.graphs().isBusy() && snapshot && snapshot->phase == session::ModelPhase::Planned;
    if (m_watchers.isEmpty() || !isReady || m_resultOf == m_state || m_recalling.busy())
        return;
    session::ModelRequest request = m_model.request();
    request.choices_text = session::without_schedules(request.choices_text);
    request.space = m_level;
    request.records = m_records;
    std::optional<session::ModelRequest> before;
    if (const QStringList others = withoutCopies(m_model); others != m_model.setup().scripts()) {
        before = request;
        before->with.clear();
        for (const QString& script : others)
            before->with.push_back(script.toStdString());
    }
    m_recalling.run(
        [request, before](const std::atomic<bool>& stopped) mutable {
            Found found;
            request.cancelled = &stopped;
            found.now = std::make_shared<const session::ModelTuneResult>(session::recall_tuning(request));
            if (before && !stopped) {
                before->cancelled = &stopped;
                found.before = std::make_shared<const session::ModelTuneResult>(session::recall_tuning(*before));
            }
            return found;
        },
        [this, of = m_state](const Found& found) {
            m_result = found.now;
            m_before = found.before;
            m_resultOf = of;
            merge();
            emit changed();
        });
}

void ModelTuning::take(ResultPtr result, quint64 revision) {
    if (!result || revision != m_model.setup().revision())
        return m_resultOf.clear(), note(); // it is in the records
    if (std::exchange(m_tunedOf, m_state) != m_state)
        m_tuned.clear();
    for (const TunedOperator& op : result->operators) {
        std::erase_if(m_tuned, [&](const TunedOperator& known) { return known.signature == op.signature; });
        m_tuned.push_back(op);
    }
    if (m_resultOf != m_state) {
        m_recalling.cancel();
        m_result = result;
        m_resultOf.clear(); // the other operators are to be looked up
    }
    merge();
    recall();
    emit changed();
}

// A worker elsewhere has records of its own.
void ModelTuning::merge() {
    if (m_tuned.empty() || m_tunedOf != m_state || !m_result)
        return;
    auto merged = std::make_shared<session::ModelTuneResult>(*m_result);
    for (const TunedOperator& op : m_tuned) {
        const auto known = std::ranges::find(merged->operators, op.signature, &TunedOperator::signature);
        if (known != merged->operators.end())
            *known = op;
    }
    m_result = std::move(merged);
}

// --- what is known ---

quint32 ModelTuning::anchorOf(quint32 node) const {
    const session::ModelGraph* last = m_model.graphs().last();
    const quint32 kernel = last ? last->kernel_of(node) : session::no_id;
    return kernel == session::no_id ? session::no_id : last->kernels[kernel].anchor;
}

const TunedOperator* ModelTuning::operatorOf(quint32 node) const {
    const quint32 anchor = anchorOf(node);
    return m_result && anchor != session::no_id ? session::operator_of(m_result->operators, anchor) : nullptr;
}

session::CandidateTable ModelTuning::tableOf(const TunedOperator& op) const {
    return session::candidate_table(op, m_model.setup().choices().toStdString());
}

std::optional<double> ModelTuning::predictedIn(const ResultPtr& result, quint32 node) const {
    const quint32 anchor = anchorOf(node);
    const TunedOperator* op =
        result && anchor != session::no_id ? session::operator_of(result->operators, anchor) : nullptr;
    if (!op)
        return {};
    const session::CandidateTable table = tableOf(*op);
    return table.used ? table.rows[*table.used].predicted : std::nullopt;
}

// All steps that compute the kernel's anchor.
std::optional<double> ModelTuning::measuredIn(const Measured& measured, quint32 node) const {
    if (!measured.bench || measured.of != settingNow())
        return {};
    const quint32 anchor = anchorOf(node);
    std::optional<double> out;
    for (const session::ModelStepRow& step : measured.bench->steps)
        if (std::ranges::find(step.node_ids, anchor) != step.node_ids.end())
            out = out.value_or(0) + step.seconds;
    return out;
}

std::optional<ModelTuning::Effect> ModelTuning::effectOf(quint32 node) const {
    if (withoutCopies(m_model) == m_model.setup().scripts() || anchorOf(node) == session::no_id)
        return {};
    Effect effect;
    if (!isStale()) {
        effect.predictedBefore = predictedIn(m_before, node);
        effect.predictedAfter = predictedIn(m_result, node);
    }
    effect.measuredBefore = measuredIn(m_measuredBefore, node);
    effect.measuredAfter = measuredIn(m_measuredAfter, node);
    if (const auto& bench = m_measuredAfter.bench ? m_measuredAfter.bench : m_measuredBefore.bench)
        effect.where = bench->is_emulated ? tr("the emulator") : text(bench->where);
    return effect;
}

// --- what is decided ---

void ModelTuning::choose(const TunedOperator& op, const std::string& schedule) {
    const std::string choices = session::with_schedule(m_model.setup().choices().toStdString(), op, schedule);
    const QString what = schedule.empty() ? tr("automatic schedule of '%1'").arg(text(op.name))
                                          : tr("schedule '%1' by %2").arg(text(op.name), text(schedule));
    m_model.setup().choose(QByteArray::fromStdString(choices), what);
}

void ModelTuning::chooseFastest() {
    if (!m_result)
        return;
    const session::FastestChoices fastest =
        session::with_fastest(m_model.setup().choices().toStdString(), m_result->operators);
    m_model.setup().choose(QByteArray::fromStdString(fastest.choices),
                           tr("the fastest schedules of %1 operators").arg(fastest.operators));
}

void ModelTuning::showCode(const TunedOperator& op, const std::string& schedule) {
    session::ModelViewRequest request;
    static_cast<session::ModelRequest&>(request) = m_model.request();
    request.choices_text = session::with_schedule(request.choices_text, op, schedule);
    const quint32 anchor = op.anchors.empty() ? session::no_id : op.anchors.front();
    m_looking.run(
        [request](const std::atomic<bool>& stopped) mutable {
            request.cancelled = &stopped;
            return session::view_model(request);
        },
        [this, anchor, schedule](const session::SnapshotPtr& snapshot) {
            emit changed();
            const auto place = snapshot->code ? snapshot->code->place_of(anchor) : std::nullopt;
            if (!place)
                return emit failed(
                    tr("The code of %1 cannot be shown: %2").arg(text(schedule), text(firstErrorOf(*snapshot))));
            const std::string& made = snapshot->code->programs()[place->program].uses[place->use].schedule;
            if (made != schedule)
                return emit failed(tr("%1 does not take this operator").arg(text(schedule)));
            m_model.selection().select(GraphItem::ofNode(anchor), this);
            m_model.selection().peek(PeekedCode{snapshot->code, anchor, text(schedule)});
        });
    emit changed();
}

} // namespace hidet::ui
