// SPDX-License-Identifier: GPL-3.0-only
#include <QFileInfo>

#include "app/ui/core/words.h"
#include "app/ui/graph/inspector/inspector_parts.h"

namespace hidet::ui {

namespace {

QList<InspectorRow> valueRows(const InspectorSource& source, const std::vector<std::uint32_t>& values) {
    QList<InspectorRow> rows;
    for (const std::uint32_t id : values)
        if (const session::GraphValue* value = source.graph().value(id)) {
            InspectorRow row = fact(nameOf(*value), typeOf(*value));
            row.link.item = GraphItem::ofValue(id);
            rows << row;
        }
    return rows;
}

QList<InspectorRow> about(const session::ModelSnapshot& snapshot) {
    QList<InspectorRow> rows;
    if (!snapshot.producer.empty())
        rows << fact(tr("Producer"), text(snapshot.producer));
    if (snapshot.opset > 0)
        rows << fact(tr("Opset"), QString::number(snapshot.opset));
    rows << fact(tr("File"), text(snapshot.path));
    return rows;
}

double constantBytes(const session::ModelGraph& graph) {
    double bytes = 0;
    for (const auto& value : graph.values)
        if (value->is_constant)
            bytes += value->bytes.value_or(0);
    return bytes;
}

double predictedSeconds(const InspectorSource& source) {
    if (!source.kernels || !source.kernels->is_measured())
        return source.snapshot->totals.seconds;
    double seconds = 0;
    for (const session::KernelFigures& kernel : source.kernels->rows())
        seconds += kernel.predicted;
    return seconds;
}

QList<InspectorRow> totals(const InspectorSource& source) {
    const session::ModelSnapshot& snapshot = *source.snapshot;
    QList<InspectorRow> rows{
        fact(tr("Imported"), counted(snapshot.graphs.front()->nodes.size(), tr("1 operator"), tr("%1 operators")))};
    rows << figure(tr("Weights"), snapshot.weight_bytes.value_or(constantBytes(source.last())), "B");
    if (snapshot.phase == session::ModelPhase::Imported)
        return rows;
    rows << fact(tr("Optimised"), counted(snapshot.totals.nodes, tr("1 operator"), tr("%1 operators")));
    rows << fact(tr("Kernels"), QString::number(snapshot.totals.kernels));
    rows << figure(tr("Operations"), snapshot.totals.flops, "FLOP");
    rows << figure(tr("Memory traffic"), snapshot.totals.bytes, "B");
    rows << predicted(source, tr("Predicted"), predictedSeconds(source));
    if (source.findings.bench)
        rows << measured(source, tr("Measured"), source.findings.bench->times.median, "s");
    if (snapshot.arena_bytes)
        rows << figure(tr("Activations"), *snapshot.arena_bytes, "B");
    if (!snapshot.totals.assumed.empty()) {
        const QStringList names = textsOf(snapshot.totals.assumed);
        rows << fact(tr("Assumed to be 1"), names.join(", "));
        rows.last().hint = tr("Dynamic dimensions without a value: %1").arg(names.join(", "));
    }
    return rows;
}

QList<InspectorRow> numbers(const InspectorSource& source, const QStringList& unmatched) {
    if (!source.findings.numbers)
        return {};
    const session::NumberFile& file = *source.findings.numbers;
    QList<InspectorRow> rows{fact(tr("File"), QFileInfo(text(file.path)).fileName()),
                             fact(tr("Title"), text(file.title))};
    rows.first().hint = text(file.path);
    if (!file.unit.empty())
        rows << fact(tr("Unit"), text(file.unit));
    rows << fact(tr("Numbers"), QString::number(file.numbers.size()));
    if (unmatched.isEmpty())
        return rows;
    InspectorRow row =
        fact(tr("Meet no operator"), counted(std::size_t(unmatched.size()), tr("1 name"), tr("%1 names")));
    row.tone = InspectorTone::Error;
    row.hint = tr("Names in the file that no operator and no kernel of the model has");
    for (const QString& name : unmatched)
        row.rows << sentence(name);
    row.rows = shortened(row.rows);
    rows << row;
    return rows;
}

QList<InspectorRow> device(const session::DeviceRoofs& roofs) {
    if (roofs.flops <= 0)
        return {};
    return {fact(tr("Name"), text(roofs.name)), figure(tr("Arithmetic"), roofs.flops, "FLOP/s"),
            figure(tr("Memory"), roofs.bytes_per_second, "B/s"), figure(tr("Launch"), roofs.launch_seconds, "s")};
}

QList<InspectorRow> problems(const session::ModelSnapshot& snapshot) {
    return listOf(snapshot.diagnostics,
                  [&](const session::DiagnosticView& diagnostic) { return sentence(text(diagnostic.message)); });
}

} // namespace

Inspector inspectorOfModel(const InspectorSource& source, const QString& file, const QStringList& unmatched) {
    Inspector inspector;
    const session::ModelSnapshot& snapshot = *source.snapshot;
    inspector.title = snapshot.name.empty() ? file : text(snapshot.name);
    inspector.subtitle = tr("Model");
    inspector.text = tr("Select something in the graph to see all that is known of it");
    addSection(inspector, tr("Problems"), problems(snapshot));
    addSection(inspector, tr("Totals"), totals(source));
    addSection(inspector, tr("Numbers from a file"), numbers(source, unmatched));
    addSection(inspector, tr("Inputs"), valueRows(source, source.graph().inputs));
    addSection(inspector, tr("Outputs"), valueRows(source, source.graph().outputs));
    addSection(inspector, tr("About"), about(snapshot));
    addSection(inspector, tr("Predictions assume"), device(session::machine_of(snapshot, source.findings)));
    return inspector;
}

} // namespace hidet::ui
