// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/run/run_plan.h"

#include <algorithm>
#include <cmath>

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QRegularExpression>

#include "app/ui/core/words.h"
#include "lang/base/ranges.h"

namespace hidet::ui {

namespace {

using session::Fill;
using session::FunctionSignature;
using session::ParameterKind;
using session::ParameterView;

constexpr std::size_t most_sweep_values = 64;
constexpr std::int64_t most_elements = std::int64_t(1) << 36;

QStringList partsOf(QString shape) {
    shape = shape.trimmed();
    if (shape.startsWith('[') && shape.endsWith(']'))
        shape = shape.mid(1, shape.size() - 2);
    QStringList parts = listOf(shape.split(','), [](const QString& part) { return part.trimmed(); });
    if (parts.size() > 1 && parts.last().isEmpty())
        parts.removeLast();
    return parts;
}

QString joined(const std::vector<std::string>& shape) {
    return textsOf(shape).join(", ");
}

bool isKnown(const std::vector<std::string>& shape) {
    return !shape.empty() && std::find(shape.begin(), shape.end(), "?") == shape.end();
}

bool isName(const QString& text) {
    static const QRegularExpression name("^[A-Za-z_]\\w*$");
    return name.match(text).hasMatch();
}

bool isMemory(const ParameterView& parameter) {
    return parameter.kind == ParameterKind::Tensor || parameter.kind == ParameterKind::Pointer;
}

bool isDimensionOf(const FunctionSignature& function, const std::string& name) {
    return std::find(function.dimensions.begin(), function.dimensions.end(), name) != function.dimensions.end();
}

bool isParameter(const FunctionSignature& function, const std::string& name) {
    return std::any_of(function.parameters.begin(), function.parameters.end(),
                       [&](const ParameterView& parameter) { return parameter.name == name; });
}

// Anything that keeps the script's own tensors from fitting.
bool changesShapes(const RunPlan& plan) {
    return plan.sweeps() || !plan.dimensions.isEmpty() ||
           std::any_of(plan.arguments.begin(), plan.arguments.end(), [](const ArgumentPlan& argument) {
               return !argument.shape.isEmpty() || !argument.dtype.isEmpty() || !argument.value.isEmpty();
           });
}

std::optional<std::int64_t> wholeNumber(const QString& text) {
    bool fine = false;
    const qlonglong value = text.trimmed().toLongLong(&fine);
    return fine ? std::optional<std::int64_t>(value) : std::nullopt;
}

// Empty: nothing is wrong.
QString shapeProblem(const QString& text, const FunctionSignature& function, const ParameterView& parameter,
                     const RunPlan& plan) {
    const QStringList parts = partsOf(text);
    if (parameter.kind == ParameterKind::Tensor && parts.size() != qsizetype(parameter.shape.size()))
        return tr("'%1' has %2 dimensions").arg(QString::fromStdString(parameter.name)).arg(parameter.shape.size());
    double elements = 1;
    for (const QString& part : parts) {
        if (isName(part)) {
            if (!isDimensionOf(function, part.toStdString()) && part != plan.sweepName &&
                !plan.dimensions.contains(part) && !isParameter(function, part.toStdString()))
                return tr("'%1' is not a dimension of the function").arg(part);
            continue;
        }
        const auto extent = wholeNumber(part);
        if (!extent)
            return part.isEmpty() ? tr("an extent is missing") : tr("'%1' is not a whole number").arg(part);
        if (*extent < 1)
            return tr("an extent is at least 1");
        elements *= double(*extent);
    }
    return elements > double(most_elements) ? tr("that is more than 64 Gi elements") : QString();
}

QString scalarProblem(const QString& text, const ParameterView& parameter) {
    const QString value = text.trimmed();
    if (parameter.kind == ParameterKind::Text)
        return {};
    const QString dtype = QString::fromStdString(parameter.dtype);
    if (dtype == "bool")
        return value == "True" || value == "False" ? QString() : tr("write True or False");
    if (dtype.contains('f')) {
        bool fine = false;
        value.toDouble(&fine);
        return fine ? QString() : tr("'%1' is not a number").arg(value);
    }
    const auto number = wholeNumber(value);
    if (!number)
        return tr("'%1' is not a whole number").arg(value);
    return dtype.startsWith('u') && *number < 0 ? tr("it cannot be negative") : QString();
}

QString toleranceProblem(const QString& text) {
    if (text.trimmed().isEmpty())
        return {};
    bool fine = false;
    const double value = text.trimmed().toDouble(&fine);
    return fine && value >= 0 && std::isfinite(value) ? QString() : tr("write a number from 0 on, such as 1e-4");
}

void checkArguments(const RunPlan& plan, const FunctionSignature& function, const QString& folder, PlanProblems& out) {
    for (const ParameterView& parameter : function.parameters) {
        const QString name = QString::fromStdString(parameter.name);
        const ArgumentPlan* typed = plan.argument(name);
        const EffectiveArgument argument = effective(plan, function, parameter);
        if (!isMemory(parameter)) {
            if (typed && !typed->value.trimmed().isEmpty()) {
                if (const QString reason = scalarProblem(typed->value, parameter); !reason.isEmpty())
                    out << PlanProblem{name + ".value", reason};
            } else if (!function.called && argument.value.isEmpty() && plan.sweepName != name &&
                       !isDimensionOf(function, parameter.name)) {
                out << PlanProblem{name + ".value", tr("the script does not say: give a value")};
            }
            continue;
        }
        if (typed && !typed->shape.trimmed().isEmpty()) {
            if (const QString reason = shapeProblem(typed->shape, function, parameter, plan); !reason.isEmpty())
                out << PlanProblem{name + ".shape", reason};
            else if (typed->fill == Fill::FromScript)
                out << PlanProblem{name + ".shape",
                                   tr("the script's data have the script's shape: choose another fill")};
        } else if (parameter.kind == ParameterKind::Pointer && argument.fill != Fill::FromScript &&
                   argument.fill != Fill::File && argument.shape.isEmpty()) {
            out << PlanProblem{name + ".shape", tr("a pointer has no shape of its own: give one")};
        }
        if (argument.fill == Fill::File) {
            const QString file = typed ? typed->file : QString();
            if (file.isEmpty())
                out << PlanProblem{name + ".file", tr("choose a .npy file")};
            else if (!QFileInfo::exists(QDir(folder).absoluteFilePath(file)))
                out << PlanProblem{name + ".file", tr("there is no file '%1'").arg(file)};
        }
        if (argument.fill == Fill::FromScript && !function.called)
            out << PlanProblem{name + ".fill", tr("the script does not call the function: choose another fill")};
    }
    for (const std::string& dimension : function.dimensions) {
        const QString name = QString::fromStdString(dimension);
        const QString value = effectiveDimension(plan, function, name);
        if (plan.sweeps() && plan.sweepName == name)
            continue;
        const auto number = wholeNumber(value);
        if (plan.dimensions.contains(name) ? !number || *number < 1 : false)
            out << PlanProblem{name + ".dimension", tr("a dimension is a whole number from 1 on")};
        else if (value.isEmpty() && !takesScriptData(plan, function))
            out << PlanProblem{name + ".dimension", tr("the script does not say: give a value")};
    }
}

std::vector<std::string> extentsOf(const QString& shape) {
    return shape.trimmed().isEmpty() ? std::vector<std::string>() : utf8Of(partsOf(shape));
}

session::Reference referenceOf(const RunPlan& plan) {
    using Kind = session::ReferenceKind;
    session::Reference out;
    out.function = plan.reference.function.toStdString();
    switch (plan.reference.kind) {
    case ReferencePlan::Automatic: out.kind = Kind::Automatic; break;
    case ReferencePlan::Checks: out.kind = Kind::ScriptChecks; break;
    case ReferencePlan::Function: out.kind = Kind::ScriptFunction; break;
    case ReferencePlan::Variant:
        out.kind = Kind::Variant;
        out.module = plan.reference.module;
        break;
    case ReferencePlan::Emulator: out.kind = Kind::Emulator; break;
    case ReferencePlan::None: out.kind = Kind::None; break;
    }
    return out;
}

QString fillName(Fill fill) {
    for (const session::FillInfo& info : session::all_fills())
        if (info.fill == fill)
            return info.name;
    return {};
}

} // namespace

const ArgumentPlan* RunPlan::argument(const QString& name) const {
    return first_in(arguments, name, &ArgumentPlan::name);
}

ArgumentPlan& RunPlan::argumentFor(const QString& name) {
    for (ArgumentPlan& argument : arguments)
        if (argument.name == name)
            return argument;
    arguments << ArgumentPlan{name, {}, {}, {}, {}, {}};
    return arguments.last();
}

void RunPlan::tidy() {
    arguments.removeIf([](const ArgumentPlan& argument) { return argument.isEmpty(); });
    for (const QString& name : dimensions.keys())
        if (dimensions[name].trimmed().isEmpty())
            dimensions.remove(name);
}

bool RunPlan::isDefault() const {
    RunPlan plain;
    plain.module = module;
    plain.function = function;
    return *this == plain;
}

QString RunPlan::key() const {
    return QString("%1/%2").arg(module).arg(function);
}

QJsonObject toJson(const RunPlan& plan) {
    QJsonArray arguments;
    for (const ArgumentPlan& argument : plan.arguments) {
        QJsonObject row{{"name", argument.name}};
        for (const auto& [key, value] : {std::pair<QString, QString>{"dtype", argument.dtype},
                                         {"shape", argument.shape},
                                         {"value", argument.value},
                                         {"file", argument.file},
                                         {"fill", argument.fill ? fillName(*argument.fill) : QString()}})
            if (!value.isEmpty())
                row[key] = value;
        arguments << row;
    }
    QJsonObject dimensions;
    for (auto it = plan.dimensions.begin(); it != plan.dimensions.end(); ++it)
        dimensions[it.key()] = it.value();
    return {{"module", plan.module},
            {"function", plan.function},
            {"calls", plan.calls},
            {"arguments", arguments},
            {"dimensions", dimensions},
            {"seed", plan.seed},
            {"reference", int(plan.reference.kind)},
            {"referenceModule", plan.reference.module},
            {"referenceFunction", plan.reference.function},
            {"absolute", plan.absolute},
            {"relative", plan.relative},
            {"measure", plan.measure},
            {"block", plan.block},
            {"tileLine", plan.tileLine},
            {"sweepName", plan.sweepName},
            {"sweepValues", plan.sweepValues}};
}

RunPlan planFrom(const QJsonObject& object) {
    RunPlan plan;
    plan.module = object["module"].toInt();
    plan.function = object["function"].toString();
    plan.calls = object["calls"].toString();
    for (const QJsonValue& value : object["arguments"].toArray()) {
        const QJsonObject row = value.toObject();
        plan.arguments << ArgumentPlan{
            row["name"].toString(),  row["dtype"].toString(), row["shape"].toString(),
            row["value"].toString(), row["file"].toString(),  session::find_fill(row["fill"].toString().toStdString())};
    }
    const QJsonObject dimensions = object["dimensions"].toObject();
    for (auto it = dimensions.begin(); it != dimensions.end(); ++it)
        plan.dimensions[it.key()] = it.value().toString();
    plan.seed = object["seed"].toString();
    const int kind = object["reference"].toInt();
    if (kind >= 0 && kind <= ReferencePlan::None)
        plan.reference.kind = static_cast<ReferencePlan::Kind>(kind);
    plan.reference.module = object["referenceModule"].toInt();
    plan.reference.function = object["referenceFunction"].toString();
    plan.absolute = object["absolute"].toString();
    plan.relative = object["relative"].toString();
    plan.measure = object["measure"].toBool(true);
    plan.block = object["block"].toString("0");
    plan.tileLine = std::max(0, object["tileLine"].toInt());
    plan.sweepName = object["sweepName"].toString();
    plan.sweepValues = object["sweepValues"].toString();
    plan.tidy();
    return plan;
}

QString reasonFor(const PlanProblems& problems, const QString& field) {
    for (const PlanProblem& problem : problems)
        if (problem.field == field)
            return capitalized(problem.reason);
    return {};
}

EffectiveArgument effective(const RunPlan& plan, const FunctionSignature& function, const ParameterView& parameter) {
    static const ArgumentPlan nothing;
    const ArgumentPlan* found = plan.argument(QString::fromStdString(parameter.name));
    const ArgumentPlan& typed = found ? *found : nothing;
    EffectiveArgument out;
    out.dtype = typed.dtype.isEmpty() ? QString::fromStdString(parameter.dtype) : typed.dtype;
    if (!isMemory(parameter)) {
        out.value = !typed.value.isEmpty() ? typed.value : QString::fromStdString(parameter.script_value);
        if (out.value == "?")
            out.value.clear();
        if (out.value.isEmpty() && isDimensionOf(function, parameter.name))
            out.value = effectiveDimension(plan, function, QString::fromStdString(parameter.name));
        return out;
    }
    const bool ownShape = changesShapes(plan);
    out.fill = typed.fill.value_or(function.called && !ownShape ? Fill::FromScript : Fill::Default);
    if (!typed.shape.isEmpty())
        out.shape = typed.shape;
    else if (isKnown(parameter.script_shape) && (!ownShape || parameter.kind == ParameterKind::Pointer))
        out.shape = joined(parameter.script_shape);
    else
        out.shape = joined(parameter.shape);
    return out;
}

QString effectiveDimension(const RunPlan& plan, const FunctionSignature& function, const QString& name) {
    if (plan.dimensions.contains(name))
        return plan.dimensions.value(name);
    for (const ParameterView& parameter : function.parameters) {
        if (!isKnown(parameter.script_shape) || parameter.script_shape.size() != parameter.shape.size())
            continue;
        for (std::size_t i = 0; i < parameter.shape.size(); ++i)
            if (parameter.shape[i] == name.toStdString())
                return QString::fromStdString(parameter.script_shape[i]);
    }
    for (const ParameterView& parameter : function.parameters)
        if (parameter.name == name.toStdString() && parameter.script_value != "?")
            return QString::fromStdString(parameter.script_value);
    return {};
}

bool takesScriptData(const RunPlan& plan, const FunctionSignature& function) {
    return function.called && plan.arguments.isEmpty() && plan.dimensions.isEmpty() && !plan.sweeps();
}

PlanProblems check(const RunPlan& plan, const FunctionSignature* function, const QString& folder) {
    PlanProblems out;
    if (!plan.seed.trimmed().isEmpty()) {
        bool fine = false;
        plan.seed.trimmed().toULongLong(&fine);
        if (!fine)
            out << PlanProblem{"seed", tr("a seed is a whole number from 0 on")};
    }
    for (const auto& [field, text] : {std::pair{"absolute", &plan.absolute}, std::pair{"relative", &plan.relative}})
        if (const QString reason = toleranceProblem(*text); !reason.isEmpty())
            out << PlanProblem{field, reason};
    if (!plan.sweepValues.trimmed().isEmpty()) {
        QString reason;
        if (!parseSweep(plan.sweepValues, reason))
            out << PlanProblem{"sweep", reason};
        else if (plan.sweepName.isEmpty())
            out << PlanProblem{"sweep", tr("choose what takes these values")};
    } else if (!plan.sweepName.isEmpty()) {
        out << PlanProblem{"sweep", tr("write the values of '%1', such as 256, 512, 1024").arg(plan.sweepName)};
    }
    if (function)
        checkArguments(plan, *function, folder, out);
    return out;
}

session::TileChoice tileChoiceOf(const RunPlan& plan) {
    session::TileChoice out;
    const QStringList parts = plan.block.split(',');
    for (std::size_t d = 0; d < out.block.size() && int(d) < parts.size(); ++d)
        out.block.at(d) = std::max<qint64>(0, parts[int(d)].trimmed().toLongLong());
    if (parts.size() == 1)
        out.block = {out.block[0], -1, -1}; // its number
    out.line = plan.tileLine;
    return out;
}

session::KernelBenchRequest requestOf(const RunPlan& plan, const FunctionSignature* function) {
    session::KernelBenchRequest out;
    out.module = plan.module;
    out.function = plan.function.toStdString();
    for (const QString& call : plan.calls.split(';', Qt::SkipEmptyParts))
        out.calls.push_back(call.trimmed().toStdString());
    out.run.seed = plan.seed.trimmed().toULongLong();
    out.measure = plan.measure;
    if (!plan.absolute.trimmed().isEmpty())
        out.tolerance.absolute = plan.absolute.trimmed().toDouble();
    if (!plan.relative.trimmed().isEmpty())
        out.tolerance.relative = plan.relative.trimmed().toDouble();
    if (plan.sweeps()) {
        QString ignored;
        out.vary = session::Sweep{plan.sweepName.toStdString(),
                                  parseSweep(plan.sweepValues, ignored).value_or(std::vector<std::int64_t>{})};
    }
    if (!function) { // not known yet
        if (plan.reference.kind == ReferencePlan::Automatic)
            out.reference.kind = session::ReferenceKind::Automatic;
        return out;
    }
    out.function = function->name;
    out.reference = referenceOf(plan);
    if (takesScriptData(plan, *function))
        return out;
    for (const ParameterView& parameter : function->parameters) {
        const EffectiveArgument argument = effective(plan, *function, parameter);
        const ArgumentPlan* typed = plan.argument(QString::fromStdString(parameter.name));
        session::ArgumentSpec spec;
        spec.name = parameter.name;
        if (!isMemory(parameter)) {
            if (plan.sweepName == QString::fromStdString(parameter.name) ||
                (isDimensionOf(*function, parameter.name) && (!typed || typed->value.isEmpty())))
                continue; // the sweep or the dimension says
            spec.value = argument.value.trimmed().toStdString();
            if (spec.value.empty())
                continue;
        } else {
            spec.fill = argument.fill;
            if (typed)
                spec.dtype = typed->dtype.toStdString();
            if (typed && argument.fill == Fill::File)
                spec.file = typed->file.toStdString();
            const bool shaped = (typed && !typed->shape.isEmpty()) || parameter.kind == ParameterKind::Pointer;
            if (shaped && argument.fill != Fill::FromScript && argument.fill != Fill::File)
                spec.shape = extentsOf(argument.shape);
        }
        out.arguments.push_back(std::move(spec));
    }
    for (const std::string& dimension : function->dimensions) {
        const QString name = QString::fromStdString(dimension);
        if (const auto value = wholeNumber(effectiveDimension(plan, *function, name)); value && name != plan.sweepName)
            out.dimensions.push_back({dimension, *value});
    }
    return out;
}

std::optional<std::vector<std::int64_t>> parseSweep(const QString& text, QString& reason) {
    static const QRegularExpression range("^(\\d+)\\s*\\.\\.\\s*(\\d+)\\s*(?:([*+])\\s*(\\d+))?$");
    std::vector<std::int64_t> out;
    for (const QString& piece : text.split(',')) {
        const QString part = piece.trimmed();
        if (part.isEmpty()) {
            reason = tr("a value is missing");
            return std::nullopt;
        }
        if (const auto number = wholeNumber(part)) {
            out.push_back(*number);
        } else if (const auto match = range.match(part); match.hasMatch()) {
            const std::int64_t last = match.captured(2).toLongLong();
            const bool times = match.captured(3) == "*";
            const std::int64_t step = match.captured(4).isEmpty() ? 1 : match.captured(4).toLongLong();
            std::int64_t value = match.captured(1).toLongLong();
            if (value < 1 || step < (times ? 2 : 1) || last < value) {
                reason = tr("'%1' goes nowhere: write 256..4096*2 or 16..128+16").arg(part);
                return std::nullopt;
            }
            for (; value <= last && out.size() <= most_sweep_values; value = times ? value * step : value + step)
                out.push_back(value);
        } else {
            reason = tr("'%1' is not a number or a range such as 256..4096*2").arg(part);
            return std::nullopt;
        }
        if (out.back() < 1) {
            reason = tr("sizes are at least 1");
            return std::nullopt;
        }
        if (out.size() > most_sweep_values) {
            reason = tr("these are more than %1 values").arg(most_sweep_values);
            return std::nullopt;
        }
    }
    return out;
}

QStringList sweepNames(const FunctionSignature& function, const QString& calls) {
    static const QRegularExpression brace("\\{(\\w+)\\}");
    QStringList out;
    for (auto it = brace.globalMatch(calls); it.hasNext();)
        out << it.next().captured(1);
    out << textsOf(function.dimensions);
    for (const ParameterView& parameter : function.parameters) {
        const QString name = QString::fromStdString(parameter.name);
        if (parameter.kind == ParameterKind::Scalar && !parameter.dtype.empty() &&
            !QString::fromStdString(parameter.dtype).contains('f') && parameter.dtype != "bool")
            out << name;
        if (parameter.kind == ParameterKind::Pointer)
            for (std::size_t axis = 0; axis < parameter.script_shape.size(); ++axis)
                out << QString("%1.%2").arg(name).arg(axis);
    }
    out.removeDuplicates();
    return out;
}

const FunctionSignature* functionOf(const RunPlan& plan, const session::SignatureResult& signatures, int* module) {
    const FunctionSignature* first = nullptr;
    int firstModule = 0;
    for (const session::ModuleSignatures& candidate : signatures.modules) {
        if (plan.module != 0 && candidate.number != plan.module)
            continue;
        for (const FunctionSignature& function : candidate.functions) {
            const bool named = !plan.function.isEmpty() && function.name == plan.function.toStdString();
            // Without a name: what the script calls, else what stands first.
            if (!named && (!plan.function.isEmpty() || (first && (first->called || !function.called))))
                continue;
            first = &function;
            firstModule = candidate.number;
            if (named)
                break;
        }
        if (first && !plan.function.isEmpty())
            break;
    }
    if (module)
        *module = firstModule;
    return first;
}

} // namespace hidet::ui
