// SPDX-License-Identifier: GPL-3.0-only
// What a run panel holds for one function: texts as they were typed, empty where the script decides. Plain values, compared,
// undone and kept as JSON; what is wrong with them is told field by field.
#pragma once

#include <optional>
#include <vector>

#include <QHash>
#include <QJsonObject>
#include <QList>
#include <QMap>
#include <QString>

#include "app/session/kernel_bench/kernel_bench.h"

namespace hidet::ui {

struct ArgumentPlan {
    QString name;
    QString dtype;                     // of a pointer
    QString shape;                     // "64, m"
    QString value;                     // of a scalar
    QString file;                      // of Fill::File
    std::optional<session::Fill> fill; // nothing: the script's data where it has some
    bool isEmpty() const { return dtype.isEmpty() && shape.isEmpty() && value.isEmpty() && file.isEmpty() && !fill; }
    friend bool operator==(const ArgumentPlan&, const ArgumentPlan&) = default;
};

struct ReferencePlan {
    enum Kind { Automatic, Checks, Function, Variant, Emulator, None };
    Kind kind = Automatic;
    int module = 0;   // Variant
    QString function; // Function, Variant
    friend bool operator==(const ReferencePlan&, const ReferencePlan&) = default;
};

struct RunPlan {
    int module = 0;                    // 0: the first that fits
    QString function;                  // empty: whatever the script calls
    QString calls;                     // of kernel factories: "matmul({m}, 64, 64)"; empty: those of the live view
    QList<ArgumentPlan> arguments;     // those that differ from the script
    QMap<QString, QString> dimensions; // likewise
    QString seed;
    ReferencePlan reference;
    QString absolute, relative; // tolerance; empty: what fits the type
    bool measure = true;
    QString block = "0";            // whose shared tensors are kept: "0,1"
    int tileLine = 0;               // as they are behind this line; 0: when the block ends
    QString sweepName, sweepValues; // "256, 512, 1024..4096*2"
    friend bool operator==(const RunPlan&, const RunPlan&) = default;

    const ArgumentPlan* argument(const QString& name) const;
    ArgumentPlan& argumentFor(const QString& name); // made if it is not there
    void tidy();                                    // drops what says nothing
    bool isDefault() const;                         // all as the script has it
    bool sweeps() const { return !sweepName.isEmpty() && !sweepValues.trimmed().isEmpty(); }
    QString key() const; // of the function: "1/matmul"
};
QJsonObject toJson(const RunPlan& plan);
RunPlan planFrom(const QJsonObject& object);

struct PlanProblem {
    QString field; // "a.shape", "a.value", "a.file", "m.dimension", "seed", "absolute", "relative", "sweep"
    QString reason;
};
using PlanProblems = QList<PlanProblem>;
QString reasonFor(const PlanProblems& problems, const QString& field); // empty: nothing is wrong with it

// What the function gets of a parameter: as typed, or as the script has it.
struct EffectiveArgument {
    QString dtype;
    QString shape; // as shown: "64, 80", empty for scalars
    QString value;
    session::Fill fill = session::Fill::Default;
};
EffectiveArgument effective(const RunPlan& plan, const session::FunctionSignature& function,
                            const session::ParameterView& parameter);
QString effectiveDimension(const RunPlan& plan, const session::FunctionSignature& function, const QString& name);
// The arguments are those of the script's first call, all of them.
bool takesScriptData(const RunPlan& plan, const session::FunctionSignature& function);

// `folder` is the script's. A null function: the whole script runs.
PlanProblems check(const RunPlan& plan, const session::FunctionSignature* function, const QString& folder);
// What to ask of a worker; script, target and limits are the caller's. `check` has found nothing.
session::TileChoice tileChoiceOf(const RunPlan& plan);
session::KernelBenchRequest requestOf(const RunPlan& plan, const session::FunctionSignature* function);

// "256, 512, 1024..4096*2, 8..32+8" as numbers; nothing: it is wrong, and why.
std::optional<std::vector<std::int64_t>> parseSweep(const QString& text, QString& reason);
QStringList sweepNames(const session::FunctionSignature& function, const QString& calls);

// The function that the plan means, the first one where it names none; null: there is none.
const session::FunctionSignature* functionOf(const RunPlan& plan, const session::SignatureResult& signatures,
                                             int* module = nullptr);

} // namespace hidet::ui
