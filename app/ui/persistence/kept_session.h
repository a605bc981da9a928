// SPDX-License-Identifier: GPL-3.0-only
// A window as it is kept on disk: its scripts with what was not saved, where the carets were, panes and docks. Reading
// takes anything: what cannot be understood is left out.
#pragma once

#include <optional>

#include <QJsonObject>
#include <QList>
#include <QMap>
#include <QStringList>

#include "app/ui/document/document.h"
#include "app/ui/workbench/graph_marks.h"

namespace hidet::ui {

class LiveModel;

struct KeptDocument {
    QString path; // empty: never saved
    int number = 0;
    FileForm form;
    std::optional<QByteArray> unsaved; // nothing: the file has all of it
    int line = 1;                      // of the caret
    int column = 1;
    int firstLine = 0; // shown at the top
    QList<int> folded; // lines whose blocks are hidden, from 1 on
    QStringList calls; // of kernel factories that the live view shows
    QJsonObject plans; // of runs, as the PlanStore has them
    // Of a model, or of the graph that a script traces:
    QByteArray choices;
    int traced = 0;                // of several graphs
    QStringList scripts;           // what defines operators of it
    QList<GraphMark> marks;        // bookmarks and notes
    QString numbers;               // the file that it is coloured by
    QMap<QString, QString> inputs; // files that it runs on, by name
    // Of a script: what stands beside it, the graph that it traces or that of a model.
    bool hasGraph = false;
    QString beside;
    bool hasWork() const { return unsaved || !choices.isEmpty(); } // that no file has
    friend bool operator==(const KeptDocument&, const KeptDocument&) = default;
};

// The text of a pinned pane, by the number that the layout calls it.
struct KeptPin {
    int number = 0;
    QString label;
    QByteArray text;
    QString stage; // that it is of, as StageName::key(); empty: a script
    friend bool operator==(const KeptPin&, const KeptPin&) = default;
};

struct KeptSession {
    QList<KeptDocument> documents;
    QList<KeptDocument> closed; // that can be reopened, the last one first
    QList<KeptPin> pins;
    int current = -1;
    QString workspace; // the file that the window was opened from; empty: none
    QJsonObject layout;
    QByteArray geometry;
    friend bool operator==(const KeptSession&, const KeptSession&) = default;
};

// What is kept of a model, and put back. Choices are a step of undo; true: there are some, and they were others.
KeptDocument keptOf(const LiveModel& model);
bool restoreAround(LiveModel& model, const KeptDocument& kept);

QJsonObject toJson(const KeptDocument& document);
KeptDocument keptDocument(const QJsonObject& json);
QJsonObject toJson(const KeptSession& session);
KeptSession keptSession(const QJsonObject& json);

// Files of JSON; a write is whole or not at all.
std::optional<QJsonObject> readJson(const QString& path);
bool writeJson(const QString& path, const QJsonObject& json);

} // namespace hidet::ui
