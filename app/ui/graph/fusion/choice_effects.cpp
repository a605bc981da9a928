// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/fusion/choice_effects.h"

#include <algorithm>

#include <QPointer>

namespace hidet::ui {

namespace {

using session::ModelChoice;
using session::SnapshotPtr;

constexpr std::size_t most_compared = 32; // choices, each by an optimisation of its own

bool isPlanned(const session::ModelSnapshot& snapshot) {
    return snapshot.is_complete && snapshot.phase == session::ModelPhase::Planned;
}

session::ModelViewRequest requestOf(const LiveModel& model) {
    session::ModelViewRequest request;
    static_cast<session::ModelRequest&>(request) = model.request();
    request.choices_text.clear();
    return request;
}

} // namespace

ChoiceEffects& ChoiceEffects::of(LiveModel& model) {
    auto* found = model.findChild<ChoiceEffects*>(QString(), Qt::FindDirectChildrenOnly);
    return found ? *found : *new ChoiceEffects(model);
}

ChoiceEffects::ChoiceEffects(LiveModel& model) : QObject(&model), m_model(model), m_revision(model.setup().revision()) {
    connect(&model.setup(), &ModelSetup::choicesChanged, this, [this] {
        m_onlyChoices = true;
        list();
        emit changed();
    });
    connect(&model.results(), &ModelResults::findingsChanged, this, [this] {
        noteRevision();
        noteFindings();
        emit changed();
    });
    connect(&model.graphs(), &ModelGraphs::snapshotChanged, this, &ChoiceEffects::noteSnapshot);
    list();
    noteSnapshot();
    noteFindings();
}

// Another file, target or script makes all of it another model; other choices do not.
void ChoiceEffects::noteRevision() {
    if (m_revision == m_model.setup().revision())
        return;
    m_revision = m_model.setup().revision();
    m_each.cancel();
    m_eachOf.clear();
    if (std::exchange(m_onlyChoices, false))
        return;
    m_baseline.cancel();
    m_before.reset();
    m_baselineFailed = false;
    m_measuredBefore = nullptr;
}

void ChoiceEffects::noteSnapshot() {
    if (const auto now = after(); now && m_model.setup().choices().isEmpty())
        m_before = now;
    list();
    findBaseline();
    findEach();
    emit changed();
}

void ChoiceEffects::noteFindings() {
    if (!m_model.results().isStale() && m_model.setup().choices().isEmpty() && m_model.results().findings().bench)
        m_measuredBefore = m_model.results().findings().bench;
}

std::optional<session::ModelTotals> ChoiceEffects::after() const {
    const SnapshotPtr& snapshot = m_model.graphs().snapshot();
    const bool isOfToday =
        !m_model.graphs().isBusy() && snapshot && snapshot->choices == m_model.setup().choices().toStdString();
    return isOfToday && isPlanned(*snapshot) ? std::optional(snapshot->totals) : std::nullopt;
}

std::shared_ptr<const session::ModelBenchResult> ChoiceEffects::measuredAfter() const {
    return m_model.results().isStale() || m_model.setup().choices().isEmpty() ? nullptr
                                                                              : m_model.results().findings().bench;
}

// What is switched off stays in its place; where a choice on the same subject came back, it is that one.
void ChoiceEffects::list() {
    const SnapshotPtr& snapshot = m_model.graphs().snapshot();
    const std::string text = m_model.setup().choices().toStdString();
    const bool isHeeded = snapshot && snapshot->choices == text;
    std::vector<Row> rows;
    for (session::ListedChoice& listed :
         session::listed_choices(text, isHeeded ? snapshot->diagnostics : std::vector<session::DiagnosticView>{})) {
        Row row{std::move(listed), true, {}};
        for (const Row& known : m_rows)
            if (known.isOn && known.listed.choice == row.listed.choice && m_eachOf == text)
                row.change = known.change;
        std::erase_if(m_off, [&](const ModelChoice& off) { return session::same_subject(off, row.listed.choice); });
        rows.push_back(std::move(row));
    }
    for (const ModelChoice& off : m_off)
        rows.push_back({{off, {}, false}, false, {}});
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return session::comes_before(a.listed.choice, b.listed.choice);
    });
    m_rows = std::move(rows);
}

void ChoiceEffects::setOn(const ModelChoice& choice, bool on) {
    const std::string text = m_model.setup().choices().toStdString();
    const QString words = QString::fromStdString(session::words_of(choice));
    if (on) {
        m_model.setup().choose(QByteArray::fromStdString(session::with_choice(text, choice)), words);
        return;
    }
    if (std::find(m_off.begin(), m_off.end(), choice) == m_off.end())
        m_off.push_back(choice);
    m_model.setup().choose(QByteArray::fromStdString(session::without_choice(text, choice)),
                           tr("switch off: %1").arg(words));
}

void ChoiceEffects::fuse(const GraphItem& edge, std::function<void(const QString& reason)> refused) {
    const SnapshotPtr snapshot = m_model.graphs().snapshot();
    const auto choice = snapshot ? session::fusion_of_edge(*snapshot, edge.value, edge.node, true) : std::nullopt;
    if (!choice)
        return;
    m_trial.run(
        [snapshot, edge, choices = m_model.setup().choices().toStdString()](const std::atomic<bool>&) {
            return session::why_not_fused(*snapshot, choices, edge.value, edge.node);
        },
        [this, choice = *choice, refused = std::move(refused)](const std::string& reason) {
            if (!reason.empty())
                return refused(QString::fromStdString(reason));
            m_model.setup().choose(
                QByteArray::fromStdString(session::with_choice(m_model.setup().choices().toStdString(), choice)),
                QString::fromStdString(session::words_of(choice)));
        });
}

void ChoiceEffects::remove(const ModelChoice& choice) {
    std::erase(m_off, choice);
    const std::string text = session::without_choice(m_model.setup().choices().toStdString(), choice);
    m_model.setup().choose(QByteArray::fromStdString(text),
                           tr("forget: %1").arg(QString::fromStdString(session::words_of(choice))));
    list();
    emit changed();
}

void ChoiceEffects::setWanted(bool wanted) {
    m_wanted = wanted;
    if (!wanted) {
        if (m_each.busy())
            m_eachOf.clear();
        return m_each.cancel();
    }
    findBaseline();
    findEach();
}

void ChoiceEffects::findBaseline() {
    if (!m_wanted || m_before || m_baselineFailed || m_baseline.busy() || m_model.setup().choices().isEmpty() ||
        m_model.graphs().isBusy())
        return;
    m_baseline.run(
        [request = requestOf(m_model)](const std::atomic<bool>& stopped) mutable {
            request.cancelled = &stopped;
            const SnapshotPtr snapshot = session::view_model(request);
            return isPlanned(*snapshot) ? std::optional(snapshot->totals) : std::nullopt;
        },
        [this](const std::optional<session::ModelTotals>& totals) {
            m_baselineFailed = !totals;
            m_before = totals;
            emit changed();
        });
}

// One after the other, each shown as soon as it is known.
void ChoiceEffects::findEach() {
    const auto now = after();
    const std::string text = m_model.setup().choices().toStdString();
    if (!m_wanted || !now || text.empty() || m_eachOf == text || m_rows.size() > most_compared)
        return;
    m_eachOf = text;
    m_each.run(
        [this, request = requestOf(m_model), text, totals = *now,
         guarded = QPointer<ChoiceEffects>(this)](const std::atomic<bool>& stopped) mutable {
            request.cancelled = &stopped;
            request.choices_text = text;
            session::changes_by_choice(request, totals,
                                       [&](const ModelChoice& choice, const session::ModelChange& change) {
                                           QMetaObject::invokeMethod(
                                               qApp,
                                               [this, guarded, text, choice, change] {
                                                   if (guarded)
                                                       setChange(text, choice, change);
                                               },
                                               Qt::QueuedConnection);
                                       });
            return !stopped;
        },
        [this](bool isWhole) {
            if (!isWhole)
                m_eachOf.clear();
            emit changed();
        });
}

void ChoiceEffects::setChange(const std::string& choices, const ModelChoice& choice,
                              const session::ModelChange& change) {
    if (choices != m_eachOf)
        return;
    for (Row& row : m_rows)
        if (row.isOn && row.listed.choice == choice)
            row.change = change;
    emit changed();
}

} // namespace hidet::ui
