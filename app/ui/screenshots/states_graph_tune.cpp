// SPDX-License-Identifier: GPL-3.0-only
// States of templates and of the schedules that they offer. What was measured comes from records that the scene writes: a
// tenth above the prediction or below it, by the place of the candidate, so that it is the same everywhere.
#include <set>

#include <QJsonDocument>
#include <QJsonObject>

#include "app/session/model/tune/what_if.h"
#include "app/session/tune/tuning.h"
#include "app/ui/core/placement.h"
#include "app/ui/graph/code/model_code.h"
#include "app/ui/graph/tune/model_tuning.h"
#include "app/ui/graph/tune/template_pane.h"
#include "app/ui/graph/tune/tuning_page.h"
#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

namespace {

QString recordOf(const session::ModelTuneResult& result, const session::TunedOperator& op,
                 const session::TunedCandidate& candidate, double seconds, const QString& problem) {
    const auto text = [](const std::string& utf8) { return QString::fromStdString(utf8); };
    const QJsonObject record{{"operator", text(op.signature)},
                             {"machine", text(result.where)},
                             {"source", text(candidate.source)},
                             {"schedule", text(candidate.schedule)},
                             {"seconds", problem.isEmpty() ? QJsonValue(seconds) : QJsonValue()},
                             {"spread", 0.04},
                             {"problem", problem}};
    return QString::fromUtf8(QJsonDocument(record).toJson(QJsonDocument::Compact)) + '\n';
}

// All but the last three candidates of each operator; the third one is wrong.
bool writeRecords(const session::ModelTuneResult& result, const QString& path) {
    QString lines;
    for (const session::TunedOperator& op : result.operators) {
        const std::size_t count = op.candidates.size() > 3 ? op.candidates.size() - 3 : op.candidates.size();
        for (std::size_t i = 0; i < count; ++i) {
            const double share = 0.85 + 0.09 * double(i * 7 % 11);
            lines += recordOf(result, op, op.candidates[i], op.candidates[i].predicted * share,
                              i == 2 ? QString("it does not compile") : QString());
        }
    }
    return static_cast<bool>(session::merge_records(path.toStdString(), lines.toStdString()));
}

std::size_t differentTimes(const session::TunedOperator& op) {
    std::set<double> times;
    for (const session::TunedCandidate& candidate : op.candidates)
        times.insert(candidate.predicted);
    return times.size();
}

// The operator with many candidates that differ is selected.
const session::TunedOperator* openTuned(Scene& scene) {
    setPlacement(scene.settings(), session::Placement::Emulate);
    if (!scene.openModel("encoder"))
        return nullptr;
    LiveModel& model = *scene.studio().tabs.model();
    model.setup().setDimensions({{"batch", 1024}});
    const auto half = session::ModelChoice::precision({}, "float16");
    model.setup().choose(QByteArray::fromStdString(session::with_choice({}, half)), "choose");
    scene.settle();
    scene.trigger("dock.tuning");
    ModelTuning& tuning = ModelTuning::of(model);
    tuning.setRecords(scene.folder() + "/tuning.db");
    scene.settle();
    if (!tuning.result() || !writeRecords(*tuning.result(), scene.folder() + "/tuning.db")) {
        scene.showError("nothing was looked up");
        return nullptr;
    }
    model.setup().outdate();
    scene.settle();
    const session::TunedOperator* most = nullptr;
    for (const session::TunedOperator& op : tuning.result()->operators)
        if (!most || differentTimes(op) * op.candidates.size() > differentTimes(*most) * most->candidates.size())
            most = &op;
    if (most) {
        model.selection().select(GraphItem::ofNode(most->anchors.front()));
        model.selection().reveal(model.selection().selected());
    }
    scene.settle();
    return most;
}

} // namespace

void show_graph_tuning(Scene& scene) {
    const session::TunedOperator* op = openTuned(scene);
    if (!op)
        return scene.showError("no operator has several schedules");
    ModelTuning::of(*scene.studio().tabs.model()).choose(*op, op->candidates[1].schedule);
    scene.settle();
}

void show_graph_template(Scene& scene) {
    if (!openTuned(scene))
        return scene.showError("no operator has several schedules");
    scene.perform("template.show");
    scene.perform("template.edit");
    scene.waitFor([&] { return scene.window().findChild<ModelCodePane*>()->isSettled(); });
}

} // namespace hidet::ui
