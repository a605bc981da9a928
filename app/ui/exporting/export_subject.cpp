// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/exporting/export_subject.h"

#include <algorithm>

#include <QDir>
#include <QFileInfo>

#include "app/session/work/large_thread.h"
#include "app/ui/core/paths.h"
#include "app/ui/core/words.h"
#include "app/ui/graph/code/code_target.h"

namespace hidet::ui {

namespace {

const session::GraphNode* nodeOf(const ExportSubject& subject) {
    const auto& snapshot = subject.model->graphs().snapshot();
    return snapshot && snapshot->last() ? snapshot->last()->node(subject.node) : nullptr;
}

// "/encoder/layer.0/norm1" is "encoder_layer_0_norm1": what files and C functions are called.
QString fileName(QString name) {
    for (QChar& c : name)
        if (!(c.unicode() < 128 && c.isLetterOrNumber()))
            c = '_';
    while (name.startsWith('_'))
        name.remove(0, 1);
    return name.isEmpty() ? QStringLiteral("operator") : name;
}

QString kernelsText(const session::ModuleSnapshot& module) {
    QStringList names;
    for (const session::FunctionSnapshot& function : module.functions)
        if (function.kind == "cuda_kernel" || function.kind == "cpu_kernel")
            names << text(function.name);
    return names.join(", ");
}

void fillScript(session::ExportRequest& request, const Document& document, const LivePipeline* live) {
    request.source = sourceOf(document);
    const QString history = stateFolder() + "/history.jsonl"; // what was measured of it
    if (QFileInfo::exists(history))
        request.history = history.toStdString();
    if (live)
        request.calls = utf8Of(live->calls());
}

} // namespace

QString ExportSubject::title() const {
    if (document)
        return document->title();
    if (!model)
        return {};
    const session::GraphNode* found = isOperator() ? nodeOf(*this) : nullptr;
    return found ? tr("%1 of %2").arg(text(found->name), model->title()) : model->title();
}

QString ExportSubject::key() const {
    if (document)
        return document->path();
    return isOperator() ? model->path() + '#' + stem() : model ? model->path() : QString();
}

QString ExportSubject::folder() const {
    const QString path = document ? document->path() : model ? model->path() : QString();
    return path.isEmpty() ? QDir::homePath() : QFileInfo(path).absolutePath();
}

QString ExportSubject::stem() const {
    if (document)
        return fileName(QFileInfo(document->title()).completeBaseName());
    if (!model)
        return {};
    const session::GraphNode* found = isOperator() ? nodeOf(*this) : nullptr;
    return fileName(found ? text(found->name) : QFileInfo(model->path()).completeBaseName());
}

ExportSubject frontOf(const Studio& studio) {
    ExportSubject out;
    out.model = studio.tabs.model();
    if (!out.model)
        out.document = studio.tabs.current();
    return out;
}

ExportSubject selectedOperator(const LiveModel& model) {
    const auto& snapshot = model.graphs().snapshot();
    if (!snapshot || !snapshot->code || model.selection().selected().kind == GraphItem::Kind::Group)
        return {};
    const CodeTarget target = targetOf(model, *snapshot->code);
    if (target.node == session::no_id)
        return {};
    ExportSubject out;
    out.model = const_cast<LiveModel*>(&model);
    out.node = target.node;
    return out;
}

QList<ExportPart> partsOf(const ExportSubject& subject, const Studio& studio, bool withFunctions) {
    QList<ExportPart> out;
    out << ExportPart{tr("All"), 0, {}};
    const LivePipeline* live = subject.document == studio.tabs.current() ? studio.scripts.live() : nullptr;
    if (!live || !live->latest())
        return out;
    const auto& modules = live->latest()->modules;
    for (const session::LiveModule& each : modules) {
        const session::ModuleSnapshot& module = *each.snapshot;
        if (modules.size() > 1)
            out << ExportPart{tr("Module %1: %2").arg(module.number).arg(kernelsText(module)), module.number, {}};
        if (!withFunctions)
            continue;
        for (const session::FunctionSnapshot& function : module.functions)
            if (function.kind == "cuda_kernel" || function.kind == "cpu_kernel" || function.kind == "public")
                out << ExportPart{modules.size() > 1 ? tr("%1 of module %2").arg(text(function.name)).arg(module.number)
                                                     : text(function.name),
                                  modules.size() > 1 ? module.number : 0, text(function.name)};
    }
    return out;
}

ExportPart partAt(const QList<ExportPart>& parts, const Studio& studio, int offset) {
    const LivePipeline* live = studio.scripts.live();
    if (!live || !live->answersAreCurrent())
        return parts.first();
    ExportPart found = parts.first();
    const auto at = static_cast<std::uint32_t>(std::max(0, offset));
    const auto look = [&](const auto& self, const std::vector<session::assist::OutlineNode>& nodes) -> void {
        for (const session::assist::OutlineNode& node : nodes) {
            if (at < node.range.begin || at >= node.range.end)
                continue;
            for (const ExportPart& part : parts)
                if (!part.function.isEmpty() && part.function == text(node.name))
                    found = part;
            self(self, node.children);
        }
    };
    look(look, session::assist::outline(*live->answers()));
    return found;
}

static std::optional<session::CodePlace> placeOf(const ExportSubject& subject) {
    if (!subject.isOperator() || !subject.model->graphs().snapshot() || !subject.model->graphs().snapshot()->code)
        return {};
    return subject.model->graphs().snapshot()->code->place_of(subject.node);
}

bool isForCpu(const ExportSubject& subject) {
    const auto place = placeOf(subject);
    return place && !subject.model->graphs().snapshot()->code->programs()[place->program].is_cuda;
}

QString workspaceOf(const ExportSubject& subject) {
    const auto place = placeOf(subject);
    if (!place)
        return {};
    const session::ModelSnapshot& snapshot = *subject.model->graphs().snapshot();
    const quint32 step = snapshot.code->programs()[place->program].uses[place->use].step;
    for (const session::MemoryRow& row : snapshot.memory) {
        if (row.place != "workspace" || step < row.first_step || step > row.last_step)
            continue;
        return row.bytes ? tr("# workspace: %1 bytes that the kernels share").arg(qint64(*row.bytes))
                         : tr("# workspace: memory that the kernels share; its size depends on dimensions that have no "
                              "value");
    }
    return {};
}

ExportOrder orderOf(const ExportSubject& subject, const Studio& studio) {
    ExportOrder order;
    session::ExportRequest& request = order.request;
    request.version = HIDET_VERSION;
    request.tools = studio.tools;
    if (subject.document) {
        fillScript(request, *subject.document,
                   subject.document == studio.tabs.current() ? studio.scripts.live() : nullptr);
    } else if (subject.isOperator()) {
        request.source.name = (subject.stem() + ".ir").toStdString();
        request.source.is_ir = true;
        order.code = subject.model->graphs().snapshot() ? subject.model->graphs().snapshot()->code : nullptr;
        order.question.pass = 0; // as it was scheduled: passes come when it is exported
        const auto place = order.code ? order.code->place_of(subject.node) : std::nullopt;
        if (place)
            order.question.program = place->program;
        else
            order.code = nullptr;
    } else if (subject.model) {
        request.model = subject.model->request();
    }
    return order;
}

static session::ExportResult madeOf(ExportOrder& order, const std::atomic<bool>& cancelled) {
    order.request.cancelled = &cancelled;
    order.request.model.cancelled = &cancelled;
    if (order.code) {
        order.question.cancelled = &cancelled;
        session::CodeAnswer answer = order.code->answer(order.question);
        if (!answer.code) {
            session::ExportResult failed;
            static_cast<session::Outcome&>(failed) = answer;
            return failed;
        }
        order.request.source.text = answer.code->text.text;
    }
    return make_export(order.request);
}

session::ExportResult exported(ExportOrder& order, const std::atomic<bool>& cancelled) {
    session::ExportResult result;
    session::on_large_thread([&] { result = madeOf(order, cancelled); }); // walks of IR recurse
    return result;
}

} // namespace hidet::ui
