// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/persistence/kept_session.h"

#include <utility>

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>

#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/model_files.h"
#include "app/ui/workbench/model_numbers.h"
#include "lang/base/files.h"

namespace hidet::ui {

namespace {

QJsonObject jsonOfMark(const GraphMark& mark) {
    QJsonObject out{{"key", QString::fromStdString(mark.anchor.key)},
                    {"name", QString::fromStdString(mark.anchor.name)},
                    {"op", QString::fromStdString(mark.anchor.op)},
                    {"bookmark", mark.isBookmark}};
    if (!mark.note.isEmpty())
        out["note"] = mark.note;
    return out;
}

GraphMark markOf(const QJsonObject& json) {
    return {{json["key"].toString().toStdString(), json["name"].toString().toStdString(),
             json["op"].toString().toStdString()},
            json["bookmark"].toBool(),
            json["note"].toString()};
}

QStringList textsOf(const QJsonValue& list) {
    QStringList out;
    for (const QJsonValue& each : list.toArray())
        if (each.isString())
            out << each.toString();
    return out;
}

} // namespace

// What was decided about a model, and what was noted, is as much work as text.
KeptDocument keptOf(const LiveModel& model) {
    KeptDocument out;
    out.path = model.path();
    out.choices = model.setup().choices();
    out.traced = model.setup().traced();
    out.hasGraph = model.document();
    out.scripts = model.setup().scripts();
    out.marks = model.marks().all();
    out.numbers = model.numbers().path();
    out.inputs = model.setup().inputs();
    return out;
}

bool restoreAround(LiveModel& model, const KeptDocument& kept) {
    if (model.document())
        model.setup().setTraced(kept.traced);
    if (!kept.scripts.isEmpty())
        model.setup().setScripts(kept.scripts);
    model.marks().restore(kept.marks);
    if (!kept.inputs.isEmpty())
        model.setup().setInputs(kept.inputs);
    if (!kept.numbers.isEmpty() && model.numbers().path().isEmpty())
        model.numbers().choose(kept.numbers);
    if (kept.choices.isEmpty() || kept.choices == model.setup().choices())
        return false;
    model.setup().choose(kept.choices, QCoreApplication::translate("Session", "restore choices"));
    return true;
}

QJsonObject toJson(const KeptDocument& document) {
    QJsonObject out{{"path", document.path},      {"number", document.number},
                    {"crlf", document.form.crlf}, {"mark", document.form.byteOrderMark},
                    {"line", document.line},      {"column", document.column},
                    {"first", document.firstLine}};
    if (!document.folded.isEmpty()) {
        QJsonArray folded;
        for (int line : document.folded)
            folded << line;
        out["folded"] = folded;
    }
    if (!document.calls.isEmpty())
        out["calls"] = QJsonArray::fromStringList(document.calls);
    if (!document.plans.isEmpty())
        out["plans"] = document.plans;
    if (document.unsaved)
        out["unsaved"] = QString::fromUtf8(*document.unsaved);
    if (!document.choices.isEmpty())
        out["choices"] = QString::fromUtf8(document.choices);
    if (document.traced > 0)
        out["traced"] = document.traced;
    if (document.hasGraph)
        out["graph"] = true;
    if (!document.beside.isEmpty())
        out["beside"] = document.beside;
    if (!document.scripts.isEmpty())
        out["scripts"] = QJsonArray::fromStringList(document.scripts);
    QJsonArray marks;
    for (const GraphMark& mark : document.marks)
        marks << jsonOfMark(mark);
    if (!marks.isEmpty())
        out["marks"] = marks;
    if (!document.numbers.isEmpty())
        out["numbers"] = document.numbers;
    QJsonObject inputs;
    for (auto each = document.inputs.begin(); each != document.inputs.end(); ++each)
        inputs[each.key()] = each.value();
    if (!inputs.isEmpty())
        out["inputs"] = inputs;
    return out;
}

KeptDocument keptDocument(const QJsonObject& json) {
    KeptDocument out;
    out.path = json["path"].toString();
    out.number = json["number"].toInt();
    out.form = {json["crlf"].toBool(), json["mark"].toBool()};
    out.line = json["line"].toInt(1);
    out.column = json["column"].toInt(1);
    out.firstLine = json["first"].toInt();
    for (const QJsonValue& line : json["folded"].toArray())
        if (line.toInt() > 0)
            out.folded << line.toInt();
    out.calls = textsOf(json["calls"]);
    out.plans = json["plans"].toObject();
    if (json["unsaved"].isString())
        out.unsaved = json["unsaved"].toString().toUtf8();
    out.choices = json["choices"].toString().toUtf8();
    if (out.unsaved && isModelFile(out.path)) // as earlier programs wrote it
        out.choices = *std::exchange(out.unsaved, std::nullopt);
    out.traced = json["traced"].toInt();
    out.hasGraph = json["graph"].toBool();
    out.beside = json["beside"].toString();
    out.scripts = textsOf(json["scripts"]);
    for (const QJsonValue& each : json["marks"].toArray())
        if (const GraphMark mark = markOf(each.toObject());
            !mark.anchor.key.empty() && (mark.isBookmark || !mark.note.isEmpty()))
            out.marks << mark;
    out.numbers = json["numbers"].toString();
    const QJsonObject inputs = json["inputs"].toObject();
    for (auto each = inputs.begin(); each != inputs.end(); ++each)
        if (each.value().isString())
            out.inputs[each.key()] = each.value().toString();
    return out;
}

QJsonObject toJson(const KeptSession& session) {
    QJsonArray documents;
    for (const KeptDocument& document : session.documents)
        documents << toJson(document);
    QJsonArray closed;
    for (const KeptDocument& document : session.closed)
        closed << toJson(document);
    QJsonArray pins;
    for (const KeptPin& pin : session.pins)
        pins << QJsonObject{
            {"number", pin.number}, {"label", pin.label}, {"text", QString::fromUtf8(pin.text)}, {"stage", pin.stage}};
    return {{"version", 1},
            {"documents", documents},
            {"closed", closed},
            {"pins", pins},
            {"current", session.current},
            {"workspace", session.workspace},
            {"layout", session.layout},
            {"geometry", QString::fromLatin1(session.geometry.toBase64())}};
}

KeptSession keptSession(const QJsonObject& json) {
    KeptSession out;
    for (const QJsonValue& document : json["documents"].toArray()) {
        const KeptDocument kept = keptDocument(document.toObject());
        if (!kept.path.isEmpty() || kept.unsaved)
            out.documents << kept;
    }
    for (const QJsonValue& document : json["closed"].toArray()) {
        const KeptDocument kept = keptDocument(document.toObject());
        if (!kept.path.isEmpty() || kept.unsaved)
            out.closed << kept;
    }
    for (const QJsonValue& pin : json["pins"].toArray())
        if (pin["number"].toInt() > 0)
            out.pins << KeptPin{pin["number"].toInt(), pin["label"].toString(), pin["text"].toString().toUtf8(),
                                pin["stage"].toString()};
    out.current = json["current"].toInt(-1);
    out.workspace = json["workspace"].toString();
    out.layout = json["layout"].toObject();
    out.geometry = QByteArray::fromBase64(json["geometry"].toString().toLatin1());
    return out;
}

std::optional<QJsonObject> readJson(const QString& path) {
    const Result<std::string> read = read_file(path.toStdString());
    if (!read)
        return std::nullopt;
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(read.value()));
    return document.isObject() ? std::optional(document.object()) : std::nullopt;
}

bool writeJson(const QString& path, const QJsonObject& json) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return false;
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    file.write(QJsonDocument(json).toJson(QJsonDocument::Compact));
    return file.commit();
}

} // namespace hidet::ui
