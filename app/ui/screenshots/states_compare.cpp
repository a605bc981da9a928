// SPDX-License-Identifier: GPL-3.0-only
// States of two models side by side.
#include <QFile>
#include <QRegularExpression>
#include <QTabBar>

#include "app/ui/core/paths.h"
#include "app/ui/graph/compare/compare_host.h"
#include "app/ui/graph/graph_area.h"
#include "app/ui/screenshots/screenshots.h"

namespace hidet::ui {

namespace {

// The sample as a document, with other work in some of its layers.
QString editedSample(Scene& scene) {
    session::ModelShowRequest request;
    request.path = (samplesFolder() + "/models/encoder.onnx").toStdString();
    request.target = session::Target::Cpu;
    request.form = session::ModelForm::Document;
    request.tools = scene.studio().tools;
    QStringList lines = QString::fromStdString(session::show_model(request).text).split('\n');
    static const QRegularExpression ends("\"inputs\":\\[(\\d+),.*\"outputs\":\\[(\\d+)\\]");
    QString from, to; // of the operator that is left out
    for (QString& line : lines) {
        if (line.contains("\"name\":\"/encoder/layer.1/feed_forward/gelu/Erf\""))
            line.replace("\"op\":\"Erf\"", "\"op\":\"Tanh\"");
        if (line.contains("\"name\":\"/encoder/layer.3/norm2/LayerNormalization\""))
            line.replace("\"epsilon\":9.999999747378752e-06", "\"epsilon\":0.001");
        if (line.contains("\"name\":\"/encoder/layer.2/attention/Div\"")) {
            const QRegularExpressionMatch match = ends.match(line);
            from = match.captured(1);
            to = match.captured(2);
            line.clear();
        } else if (line.contains("\"name\":\"/encoder/layer.2/attention/Add\"") && !to.isEmpty()) {
            line.replace("\"inputs\":[" + to + ",", "\"inputs\":[" + from + ",");
        }
        if (line == "},") // the rest is of other graphs
            break;
    }
    QFile file(scene.folder() + "/encoder-edited.json");
    if (!file.open(QIODevice::WriteOnly) || file.write(lines.join('\n').toUtf8()) < 0)
        scene.showError(file.errorString());
    return file.fileName();
}

} // namespace

namespace {

ModelCompare* compareSample(Scene& scene) {
    const QString second = editedSample(scene);
    scene.openModel("encoder");
    LiveModel* left = scene.studio().tabs.model();
    scene.openModelFile(second);
    LiveModel* right = scene.studio().tabs.model();
    if (!left || !right || left == right) {
        scene.showError("two models are needed");
        return nullptr;
    }
    CompareHost& host = scene.window().findChild<GraphArea*>()->comparison();
    host.start(*left, *right);
    scene.waitFor([&] { return host.view() && !host.view()->pair().isBusy(); });
    return host.view();
}

} // namespace

void show_graph_compare(Scene& scene) {
    ModelCompare* view = compareSample(scene);
    if (!view)
        return;
    view->pair().left().graphs().setShown(0);
    view->pair().right().graphs().setShown(0);
    scene.waitFor([&] { return !view->pair().isBusy(); });
    scene.settle();
    scene.trigger("pane.next_change");
}

void show_graph_compare_times(Scene& scene) {
    ModelCompare* view = compareSample(scene);
    if (!view)
        return;
    view->findChild<QTabBar*>("compare.tabs")->setCurrentIndex(1);
    view->kernels().selectRow(0);
}

} // namespace hidet::ui
