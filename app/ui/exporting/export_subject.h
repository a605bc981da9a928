// SPDX-License-Identifier: GPL-3.0-only
// What is exported: a script as it stands on the screen, a model, or one operator of a model.
#pragma once

#include <memory>

#include <QPointer>

#include "app/session/exporting/export.h"
#include "app/session/model/model_code.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

// Of a script: everything that it builds, a module, or one function.
struct ExportPart {
    QString text;
    int module = 0;   // 1-based; 0: all
    QString function; // empty: all public ones
    bool isSame(const ExportPart& other) const { return module == other.module && function == other.function; }
};

struct ExportSubject {
    QPointer<Document> document;
    QPointer<LiveModel> model;
    quint32 node = session::no_id; // one operator, of the graph that is run

    bool isEmpty() const { return !document && !model; }
    bool isOperator() const { return model && node != session::no_id; }
    bool isModel() const { return model && !isOperator(); }
    bool isScript() const { return document && document->isScript(); }
    QString title() const;  // "softmax.py", "dense1 of mlp.onnx"
    QString key() const;    // that what was chosen for it is remembered by
    QString folder() const; // of its file
    QString stem() const;   // of files that are made of it: "softmax"
    friend bool operator==(const ExportSubject&, const ExportSubject&) = default;
};

ExportSubject frontOf(const Studio& studio);            // the script or the model in front
ExportSubject selectedOperator(const LiveModel& model); // empty: nothing that has code is selected
QList<ExportPart> partsOf(const ExportSubject& subject, const Studio& studio, bool withFunctions);
// The function around this byte of the script, if it is one of the parts; else all.
ExportPart partAt(const QList<ExportPart>& parts, const Studio& studio, int offset);

bool isForCpu(const ExportSubject& subject); // an operator that is compiled for the CPU
// Of an operator whose kernels share memory that who calls them brings: how much. Else empty.
QString workspaceOf(const ExportSubject& subject);

// All that an export needs on another thread. The operator's kernels are IR that is asked for there.
struct ExportOrder {
    session::ExportRequest request;
    std::shared_ptr<const session::ModelCode> code; // null: the request is whole
    session::CodeQuestion question;
};
ExportOrder orderOf(const ExportSubject& subject, const Studio& studio);
session::ExportResult exported(ExportOrder& order, const std::atomic<bool>& cancelled); // on any thread

} // namespace hidet::ui
