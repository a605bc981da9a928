// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/persistence/workspace_file.h"

#include <functional>

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>

#include "app/ui/core/words.h"
#include "app/ui/persistence/workspace_paths.h"

namespace hidet::ui {

namespace {

constexpr int workspace_version = 1;
const QString format_name = QStringLiteral("hidet-workspace");

QString inWords(const char* text) {
    return QCoreApplication::translate("Workspace", text);
}

// A text of several lines is a list of them, which differs line by line.
QJsonValue linesOf(const QString& text) {
    return text.contains('\n') ? QJsonValue(QJsonArray::fromStringList(text.split('\n'))) : QJsonValue(text);
}

QJsonValue textOf(const QJsonValue& lines) {
    if (!lines.isArray())
        return lines;
    return listOf(lines.toArray(), [](const QJsonValue& line) { return line.toString(); }).join('\n');
}

using Change = std::function<QJsonValue(const QJsonValue&)>;

void alter(QJsonObject& object, const QString& key, const Change& change) {
    if (object.contains(key))
        object[key] = change(object[key]);
}

QJsonArray eachOf(const QJsonValue& list, const Change& change) {
    QJsonArray out;
    for (const QJsonValue& each : list.toArray())
        out << change(each);
    return out;
}

// Paths of what is open, wherever they stand in what is kept of it.
struct PathChange {
    std::function<QString(const QString&)> path;

    QJsonValue operator()(const QJsonValue& value) const { return path(value.toString()); }

    // A file that an argument is read from is named from the script's folder on where it is not absolute, and stays so.
    QJsonValue ofPlan(const QJsonValue& value, const std::function<QString(const QString&)>& file) const {
        QJsonObject plan = value.toObject();
        alter(plan, "arguments", [&](const QJsonValue& arguments) {
            return eachOf(arguments, [&](const QJsonValue& each) {
                QJsonObject argument = each.toObject();
                alter(argument, "file", [&](const QJsonValue& named) { return file(named.toString()); });
                return QJsonValue(argument);
            });
        });
        return plan;
    }

    QJsonObject ofDocument(QJsonObject document, const std::function<QString(const QString&)>& file) const {
        for (const char* key : {"path", "beside", "numbers"})
            alter(document, key, *this);
        alter(document, "scripts", [&](const QJsonValue& scripts) { return eachOf(scripts, *this); });
        alter(document, "inputs", [&](const QJsonValue& value) {
            QJsonObject inputs = value.toObject();
            for (const QString& name : inputs.keys())
                if (inputs[name].isString())
                    alter(inputs, name, *this);
            return QJsonValue(inputs);
        });
        alter(document, "plans", [&](const QJsonValue& value) {
            QJsonObject plans = value.toObject();
            alter(plans, "plan", [&](const QJsonValue& plan) { return ofPlan(plan, file); });
            alter(plans, "others", [&](const QJsonValue& others) {
                QJsonObject out = others.toObject();
                for (const QString& key : out.keys())
                    out[key] = ofPlan(out[key], file);
                return QJsonValue(out);
            });
            return QJsonValue(plans);
        });
        return document;
    }
};

const QString workspace_mark = QStringLiteral("$workspace/");

QJsonObject portableDocument(const KeptDocument& kept, const QString& folder) {
    const PathChange paths{[&](const QString& path) { return pathFrom(folder, path); }};
    QJsonObject out = paths.ofDocument(toJson(kept), [&](const QString& file) {
        const QString named = pathFrom(folder, file);
        return named == file ? file : workspace_mark + named;
    });
    for (const char* key : {"unsaved", "choices"})
        alter(out, key, [](const QJsonValue& text) { return linesOf(text.toString()); });
    for (const char* key : {"crlf", "mark"}) // as most files are
        if (!out[key].toBool())
            out.remove(key);
    if (!kept.path.isEmpty())
        out.remove("number");
    return out;
}

QJsonObject documentHere(QJsonObject json, const QString& folder) {
    for (const char* key : {"unsaved", "choices"})
        alter(json, key, textOf);
    const PathChange paths{[&](const QString& path) { return pathIn(folder, path); }};
    return paths.ofDocument(json, [&](const QString& file) {
        return file.startsWith(workspace_mark) ? pathIn(folder, file.mid(workspace_mark.size())) : file;
    });
}

QJsonArray sharesOf(const QJsonArray& sizes) {
    int sum = 0;
    for (const QJsonValue& size : sizes)
        sum += std::max(0, size.toInt());
    QJsonArray out;
    for (const QJsonValue& size : sizes)
        if (sum > 0)
            out << int((std::max(0, size.toInt()) * 200LL + sum) / (2LL * sum));
    return out;
}

QJsonObject portableStages(QJsonObject stages) {
    alter(stages, "sizes", [](const QJsonValue& sizes) { return sharesOf(sizes.toArray()); });
    if (stages["sizes"].toArray().isEmpty())
        stages.remove("sizes");
    alter(stages, "children", [](const QJsonValue& children) {
        return eachOf(children, [](const QJsonValue& child) { return QJsonValue(portableStages(child.toObject())); });
    });
    return stages;
}

// A splitter that is given less than its parts need at least shares what is left otherwise.
QJsonObject stagesHere(QJsonObject stages) {
    alter(stages, "sizes", [](const QJsonValue& sizes) {
        return eachOf(sizes, [](const QJsonValue& share) { return QJsonValue(share.toInt() * 100); });
    });
    alter(stages, "children", [](const QJsonValue& children) {
        return eachOf(children, [](const QJsonValue& child) { return QJsonValue(stagesHere(child.toObject())); });
    });
    return stages;
}

QJsonObject layoutHere(QJsonObject layout) {
    for (const QString& mode : layout.keys())
        if (layout[mode].isObject()) {
            QJsonObject state = layout[mode].toObject();
            alter(state, "stages", [](const QJsonValue& stages) { return stagesHere(stages.toObject()); });
            layout[mode] = state;
        }
    return layout;
}

// Modes with what they show by name, and none of Qt's own pixels.
QJsonObject portableLayout(QJsonObject layout) {
    for (const QString& mode : layout.keys()) {
        if (!layout[mode].isObject())
            continue;
        QJsonObject state = layout[mode].toObject();
        state.remove("docks");
        state.remove("splitter");
        alter(state, "stages", [](const QJsonValue& stages) { return portableStages(stages.toObject()); });
        layout[mode] = state;
    }
    return layout;
}

QJsonObject jsonOfRun(session::RunRecord run, const QString& folder) {
    const bool isBaseline = run.is_baseline;
    run.script = pathFrom(folder, QString::fromStdString(run.script)).toStdString();
    QJsonObject out =
        QJsonDocument::fromJson(QByteArray::fromStdString(session::line_of(run))).object()["run"].toObject();
    if (isBaseline)
        out["baseline"] = true;
    return out;
}

std::optional<session::RunRecord> runOf(const QJsonValue& json, const QString& folder) {
    std::vector<session::RunRecord> read;
    const QByteArray line = QJsonDocument(QJsonObject{{"run", json}}).toJson(QJsonDocument::Compact);
    if (!session::apply_line(line.toStdString(), read) || read.size() != 1)
        return {};
    session::RunRecord& run = read.front();
    run.script = pathIn(folder, QString::fromStdString(run.script)).toStdString();
    run.is_baseline = json["baseline"].toBool();
    return run;
}

QJsonObject documentOf(const Workspace& workspace, const QString& folder) {
    QJsonArray documents, pins, runs;
    for (const KeptDocument& kept : workspace.session.documents) {
        QJsonObject document = portableDocument(kept, folder);
        const QJsonObject others = workspace.othersOf.value(keyOf(kept));
        for (auto it = others.begin(); it != others.end(); ++it)
            document[it.key()] = it.value();
        documents << document;
    }
    for (const KeptPin& pin : workspace.session.pins)
        pins << QJsonObject{{"number", pin.number},
                            {"label", pin.label},
                            {"stage", pin.stage},
                            {"text", linesOf(QString::fromUtf8(pin.text))}};
    for (const session::RunRecord& run : workspace.runs)
        runs << jsonOfRun(run, folder);
    QJsonObject out = workspace.others;
    out["format"] = format_name;
    out["version"] = workspace_version;
    out["documents"] = documents;
    out["front"] = workspace.session.current;
    out["layout"] = portableLayout(workspace.session.layout);
    out["pins"] = pins;
    out["runs"] = runs;
    out["settings"] = workspace.settings;
    return out;
}

// What the reader makes of it, and what it does not know.
class Reader {
public:
    explicit Reader(const QString& folder) : m_folder(folder) {}

    ReadWorkspace read(const QJsonObject& json) {
        if (const int version = json["version"].toInt(); version > workspace_version)
            m_out.remarks << inWords("it was written by a newer program (version %1)").arg(version);
        Workspace& workspace = m_out.workspace;
        workspace.others =
            unknown(json, {"format", "version", "documents", "front", "layout", "pins", "runs", "settings"}, {});
        for (const QJsonValue& each : listOf(json, "documents"))
            addDocument(each);
        QJsonArray pins;
        for (const QJsonValue& each : listOf(json, "pins")) {
            QJsonObject pin = each.toObject();
            alter(pin, "text", textOf);
            pins << pin;
        }
        for (const QJsonValue& each : listOf(json, "runs"))
            addRun(each);
        if (json.contains("settings") && !json["settings"].isObject())
            m_out.remarks << inWords("'settings' is no object");
        workspace.settings = json["settings"].toObject();
        KeptSession& session = workspace.session;
        const KeptSession rest = keptSession({{"pins", pins}, {"layout", layoutHere(json["layout"].toObject())}});
        session.pins = rest.pins;
        session.layout = rest.layout;
        const int front = json["front"].toInt(-1);
        session.current = front < 0 || front >= m_places.size() ? -1 : m_places[front];
        return std::move(m_out);
    }

private:
    QJsonArray listOf(const QJsonObject& json, const QString& key) {
        if (json.contains(key) && !json[key].isArray())
            m_out.remarks << inWords("'%1' is no list").arg(key);
        return json[key].toArray();
    }

    QJsonObject unknown(const QJsonObject& json, const QStringList& known, const QString& where) {
        QJsonObject out;
        for (auto it = json.begin(); it != json.end(); ++it) {
            if (known.contains(it.key()))
                continue;
            out[it.key()] = it.value();
            m_out.remarks << (where.isEmpty() ? inWords("'%1' is not known").arg(it.key())
                                              : inWords("'%1' of %2 is not known").arg(it.key(), where));
        }
        return out;
    }

    void addDocument(const QJsonValue& json) {
        QList<KeptDocument>& documents = m_out.workspace.session.documents;
        KeptDocument kept = keptDocument(documentHere(json.toObject(), m_folder));
        if (kept.path.isEmpty() && !kept.unsaved) {
            m_places << -1;
            m_out.remarks << inWords("document %1 has neither a path nor a text").arg(m_places.size());
            return;
        }
        if (kept.path.isEmpty())
            kept.number = freeNumber(kept.number);
        static const QStringList known{"path",   "number",  "crlf",  "mark",    "line",    "column", "first",
                                       "folded", "calls",   "plans", "unsaved", "choices", "traced", "graph",
                                       "beside", "scripts", "marks", "numbers", "inputs"};
        const QJsonObject others = unknown(json.toObject(), known, json["path"].toString());
        if (!others.isEmpty())
            m_out.workspace.othersOf[keyOf(kept)] = others;
        m_places << int(documents.size());
        documents << kept;
    }

    // Titles tell documents without a path apart.
    int freeNumber(int number) {
        constexpr int most = 1'000'000; // a file may say anything
        for (number = number < 1 || number > most ? 1 : number; m_numbers.contains(number); ++number) {
        }
        m_numbers << number;
        return number;
    }

    void addRun(const QJsonValue& json) {
        if (auto run = runOf(json, m_folder))
            m_out.workspace.runs.push_back(std::move(*run));
        else
            m_out.remarks << inWords("run %1 cannot be read").arg(++m_badRuns);
    }

    QString m_folder;
    ReadWorkspace m_out;
    QList<int> m_places; // of documents in the file, among those that were read; -1: not
    QSet<int> m_numbers;
    int m_badRuns = 0;
};

QString placeIn(const QByteArray& text, int offset) {
    const QByteArray before = text.left(offset);
    const int line = int(before.count('\n')) + 1;
    const qsizetype start = before.lastIndexOf('\n') + 1;
    return inWords("line %1, column %2").arg(line).arg(QString::fromUtf8(before.mid(start)).size() + 1);
}

} // namespace

QString keyOf(const KeptDocument& kept) {
    return kept.path.isEmpty() ? QString::number(kept.number) : kept.path;
}

QByteArray printed(const Workspace& workspace, const QString& folder) {
    return QJsonDocument(documentOf(workspace, folder)).toJson(QJsonDocument::Indented);
}

static QJsonObject withoutSizes(QJsonObject stages) {
    stages.remove("sizes");
    stages.remove("current");
    alter(stages, "children", [](const QJsonValue& children) {
        return eachOf(children, [](const QJsonValue& child) { return QJsonValue(withoutSizes(child.toObject())); });
    });
    return stages;
}

QJsonObject essenceOf(const Workspace& workspace) {
    QJsonObject out = documentOf(workspace, "/");
    out.remove("front");
    alter(out, "documents", [](const QJsonValue& documents) {
        return eachOf(documents, [](const QJsonValue& each) {
            QJsonObject document = each.toObject();
            for (const char* key : {"line", "column", "first", "folded"})
                document.remove(key);
            return QJsonValue(document);
        });
    });
    alter(out, "runs", [](const QJsonValue& runs) {
        QStringList told; // each history has an order and numbers of its own
        for (const QJsonValue& each : runs.toArray()) {
            QJsonObject run = each.toObject();
            run.remove("number");
            told << QString::fromUtf8(QJsonDocument(run).toJson(QJsonDocument::Compact));
        }
        told.sort();
        return QJsonArray::fromStringList(told);
    });
    QJsonObject panes;
    const QJsonObject layout = out["layout"].toObject();
    for (const QString& mode : layout.keys())
        if (layout[mode].isObject())
            panes[mode] = withoutSizes(layout[mode]["stages"].toObject());
    out["layout"] = panes;
    return out;
}

bool isSame(const QJsonObject& essence, const QJsonObject& other) {
    QJsonObject mine = essence, theirs = other;
    const QJsonObject panes = mine.take("layout").toObject(), otherPanes = theirs.take("layout").toObject();
    for (const QString& mode : panes.keys())
        if (otherPanes.contains(mode) && panes[mode] != otherPanes[mode])
            return false;
    return mine == theirs;
}

std::optional<ReadWorkspace> readWorkspace(const QByteArray& text, const QString& folder, QString& mistake) {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (error.error != QJsonParseError::NoError) {
        mistake = inWords("%1: %2").arg(placeIn(text, error.offset), error.errorString());
        if (text.startsWith("<<<<<<< ") || text.contains("\n<<<<<<< "))
            mistake += inWords(" (it has the marks of a merge that was not finished)");
        return {};
    }
    if (document.object()["format"] != format_name) {
        mistake = inWords("line 1, column 1: it is no workspace: its \"format\" is not \"%1\"").arg(format_name);
        return {};
    }
    return Reader(folder).read(document.object());
}

QJsonValue jsonOf(const Settings& settings, Setting setting) {
    switch (infoOf(setting).kind) {
    case SettingKind::Bool: return settings.flag(setting);
    case SettingKind::Int: return settings.number(setting);
    default: return settings.text(setting);
    }
}

} // namespace hidet::ui
