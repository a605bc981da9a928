// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/script/templates.h"

#include <algorithm>
#include <set>

#include "compiler/graph/plan/extent.h"
#include "compiler/graph/script/factory/factory_call.h"
#include "compiler/graph/script/host_names.h"
#include "compiler/graph/script/implementation.h"
#include "compiler/graph/script/schedule_text.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/ops.h"
#include "lang/base/text.h"
#include "lang/host/interpreter.h"
#include "lang/host/tensors/tensor_ops.h"

namespace hidet::graph {

namespace {

HostValue remember(ScriptGraphs& graphs, TunedFunction tuned) {
    const std::string& name = lang::as_function(tuned.function).name;
    tuned.shown = HostValue::native(name, [&graphs, called = TunedFunction{tuned.function, tuned.spaces, {}}](
                                              Evaluator& evaluator, Args& args, Span span) {
        return call_factory(graphs, evaluator, called, args, span);
    });
    graphs.tuned.push_back(std::move(tuned));
    return graphs.tuned.back().shown;
}

std::vector<std::string> parameters_of(const HostValue& function) {
    return transformed<std::string>(lang::as_function(function).params,
                                    [&](const lang::ast::Param& param) { return param.name.text; });
}

std::vector<std::string> names_in(const std::string& key) { // "block_m, block_n"
    std::vector<std::string> names = split(key, ',');
    for (std::string& name : names)
        name = std::string(trimmed(name));
    return names;
}

TuningAxis axis_of(Evaluator& evaluator, const std::string& key, const HostValue& choices, Span span) {
    TuningAxis axis{names_in(key), {}};
    for (const HostValue& choice : evaluator.iterate(choices, span)) {
        std::vector<HostValue> values = {choice};
        if (axis.parameters.size() > 1)
            values = evaluator.iterate(choice, span);
        if (!std::ranges::all_of(values, is_plain))
            fail(DiagId::BadValue, span,
                 cat("a choice for '", key, "' is a number, a bool, None, a short text, or a tuple of such"));
        if (values.size() != axis.parameters.size())
            fail(DiagId::BadValue, span,
                 cat("'", key, "' is ", axis.parameters.size(), " parameters, but a choice of ", values.size(),
                     " is given"));
        axis.choices.push_back(std::move(values));
    }
    if (axis.choices.empty())
        fail(DiagId::BadValue, span, cat("there is no choice for '", key, "'"));
    return axis;
}

// `combinations={'block_m, block_n': [(64, 64), (128, 256)]}` and keywords of one parameter each.
std::vector<TuningAxis> axes_of(Evaluator& evaluator, const Args& args, std::int64_t level, Span span) {
    std::vector<TuningAxis> axes;
    const auto add = [&](const std::string& key, HostValue choices, Span at) {
        if (choices.is(ValueKind::Function)) {
            Args of_level;
            of_level.positional = {HostValue::integer(level)};
            choices = evaluator.call(choices, of_level, at);
        }
        axes.push_back(axis_of(evaluator, key, choices, at));
    };
    for (std::size_t i = 0; i < args.keywords.size(); ++i) {
        const auto& [name, value] = args.keywords[i];
        const Span at = i < args.keyword_spans.size() ? args.keyword_spans[i] : span;
        if (name != "combinations") {
            add(name, value, at);
            continue;
        }
        if (!value.is(ValueKind::Dict))
            fail(DiagId::BadType, at, cat("combinations is a dict, not '", lang::type_name(value), "'"));
        for (const HostValue& key : evaluator.iterate(value, at)) {
            if (!key.is(ValueKind::Str))
                fail(DiagId::BadType, at, "combinations have names of parameters as keys");
            add(key.as_str(), evaluator.subscript(value, key, at, at), at);
        }
    }
    return axes;
}

void check_names(const std::vector<TuningAxis>& axes, const HostValue& function, Span span) {
    const std::vector<std::string> known = parameters_of(function);
    std::set<std::string> seen;
    for (const TuningAxis& axis : axes)
        for (const std::string& name : axis.parameters) {
            if (std::ranges::find(known, name) == known.end())
                throw DiagnosticError(Diagnostic::make(DiagId::BadValue, span,
                                                       cat("'", lang::as_function(function).name,
                                                           "' has no parameter '", name, "' to tune"))
                                          .suggest(span, name, known));
            if (!seen.insert(name).second)
                fail(DiagId::BadValue, span, cat("parameter '", name, "' is given twice"));
        }
}

void check_size(const std::vector<TuningAxis>& axes, Span span) {
    std::size_t points = 1;
    for (const TuningAxis& axis : axes)
        points = std::min(points * axis.choices.size(), most_points + 1);
    if (points > most_points)
        fail(DiagId::BadValue, span, cat("the space has more than ", most_points, " points"));
}

// tune.space(level, name=[...], ...)
HostValue space(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "space", {"level", "**"});
    const std::int64_t level = a.integer(0);
    if (level < 1 || level > 2)
        fail(DiagId::BadValue, a.span(0), "a space is of level 1 or 2; level 0 is the defaults of the parameters");
    auto axes = std::make_shared<const std::vector<TuningAxis>>(axes_of(evaluator, args, level, span));
    return HostValue::native("space", [&graphs, level, axes](Evaluator&, Args& inner, Span at) {
        const Arguments b(inner, at, "space", {"function"});
        TunedFunction given = decorated(graphs, b[0], "tune.space() decorates", b.span(0));
        check_names(*axes, given.function, at);
        auto& rows = given.spaces[level];
        rows.insert(rows.end(), axes->begin(), axes->end());
        check_names(rows, given.function, at);
        check_size(rows, at);
        return remember(graphs, std::move(given));
    });
}

// Of dynamic extents, a condition must hold for the typical ones; where the kernel runs it is looked at again.
bool holds(ScriptGraphs& graphs, Evaluator& evaluator, const HostValue& condition, Span span) {
    if (!condition.is(ValueKind::Expr))
        return evaluator.truth(condition, span);
    const Dim asked = simplified(condition.as_expr());
    if (const auto known = constant_of(asked))
        return *known != 0;
    const auto typical = evaluate(asked, graphs.typical);
    if (!typical)
        fail(DiagId::ScheduleRefused, span, "the condition is about no extents of the task");
    graphs.condition = graphs.condition ? ir::make_binary(ir::BinOp::And, graphs.condition, asked) : asked;
    return *typical != 0;
}

// tune.check(condition, 'why')
HostValue check(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "check", {"condition", "message="});
    if (!holds(graphs, evaluator, a[0], a.span(0)))
        fail(DiagId::ScheduleRefused, span, a.given(1) ? a.str(1) : "the condition does not hold");
    return {};
}

// tune.typical(extent)
HostValue typical(ScriptGraphs& graphs, Evaluator&, Args& args, Span span) {
    const Arguments a(args, span, "typical", {"extent"});
    if (!a[0].is(ValueKind::Expr))
        return HostValue::integer(a.integer(0));
    const auto value = evaluate(a[0].as_expr(), graphs.typical);
    if (!value)
        fail(DiagId::BadValue, a.span(0), "typical() wants an extent of the task, or arithmetic with such");
    return HostValue::integer(*value);
}

// tune.metric('read_bytes', value)
HostValue metric(ScriptGraphs& graphs, Evaluator&, Args& args, Span span) {
    const Arguments a(args, span, "metric", {"name", "value"});
    const std::string name = a.str(0);
    std::erase_if(graphs.metrics, [&](const TemplateMetric& other) { return other.name == name; });
    graphs.metrics.push_back({name, a.real(1)});
    return {};
}

// tune.index(extent)
HostValue index(ScriptGraphs& graphs, Evaluator&, Args& args, Span span) {
    const Arguments a(args, span, "index", {"extent"});
    if (!a[0].is(ValueKind::Expr))
        return HostValue::integer(a.integer(0));
    graphs.counted.push_back(a[0].as_expr());
    const Dim most = dim((std::int64_t{1} << 31) - 1); // so that it is seen to be no negative number
    return HostValue::expr(ir::cast_to(ir::math(ir::IntrinsicId::Min, {a[0].as_expr(), most}), ir::DType::I32));
}

// tune.same(extent, other)
HostValue same(Evaluator&, Args& args, Span span) {
    const Arguments a(args, span, "same", {"extent", "other"});
    const auto extent = [&](std::size_t i) {
        return a[i].is(ValueKind::Expr) ? a[i].as_expr() : dim(static_cast<std::int64_t>(a.integer(i)));
    };
    return HostValue::boolean(same_dim(extent(0), extent(1)));
}

OpId operator_named(const Arguments& a, std::size_t which) {
    if (const OpInfo* op = find_op(a.str(which)))
        return op->id;
    std::vector<std::string> names = transformed<std::string>(all_ops(), [&](const OpInfo* op) { return op->name; });
    throw DiagnosticError(
        Diagnostic::make(DiagId::BadValue, a.span(which), cat("there is no operator '", a.str(which), "'"))
            .suggest(a.span(which), a.str(which), names));
}

// hidet.template(operator, dtypes=[...], capability=90, dynamic=True)
HostValue declare(ScriptGraphs& graphs, Evaluator& evaluator, Args& args, Span span) {
    const Arguments a(args, span, "template", {"operator", "*", "dtypes=", "capability=", "dynamic="});
    TemplateDeclaration declaration;
    declaration.scope.op = operator_named(a, 0);
    if (a.given(1))
        for (const HostValue& dtype : evaluator.iterate(a[1], a.span(1)))
            declaration.scope.dtypes.push_back(lang::dtype_argument(dtype, a.span(1)));
    declaration.scope.capability = static_cast<int>(a.integer(2, 0));
    declaration.scope.dynamic = a.boolean(3, false);
    return HostValue::native("template", [&graphs, declaration](Evaluator&, Args& inner, Span at) {
        const Arguments b(inner, at, "template", {"function"});
        TunedFunction given = decorated(graphs, b[0], "hidet.template() decorates", b.span(0));
        const lang::FunctionObject& function = lang::as_function(given.function);
        if (function.params.size() < 2)
            fail(DiagId::BadValue, at, cat("'", function.name, "' must take the task and the target"));
        TemplateDeclaration declared = declaration;
        declared.name = function.name;
        declared.spaces = std::move(given.spaces);
        declared.function = std::move(given.function);
        declared.place = function.def ? function.def->name.span : at;
        std::erase_if(graphs.templates, [&](const TemplateDeclaration& other) { return other.name == declared.name; });
        graphs.templates.push_back(std::move(declared));
        return b[0];
    });
}

} // namespace

void add_templates(ScriptGraphs& graphs, Evaluator&, lang::HostModule& module) {
    module.function("template", with_graphs(graphs, declare));
}

const TunedFunction* tuned_function(const ScriptGraphs& graphs, const HostValue& value) {
    const auto is_shown = [&](const TunedFunction& each) { return each.shown.object() == value.object(); };
    const auto found = value.is(ValueKind::Native) ? std::ranges::find_if(graphs.tuned, is_shown) : graphs.tuned.end();
    return found == graphs.tuned.end() ? nullptr : &*found;
}

TunedFunction decorated(const ScriptGraphs& graphs, const HostValue& value, const char* wanted_by, Span span) {
    if (const TunedFunction* tuned = tuned_function(graphs, value))
        return *tuned;
    if (!value.is(ValueKind::Function))
        fail(DiagId::BadType, span, cat(wanted_by, " a function, not '", lang::type_name(value), "'"));
    return {value, {}, {}};
}

void add_tune(ScriptGraphs& graphs, Evaluator&, lang::HostModule& module) {
    module.function("space", with_graphs(graphs, space));
    module.function("extract_ir_modules",
                    [&graphs](Evaluator&, Args& args, Span span) { return extract_modules(graphs, args, span); });
    module.function("check", with_graphs(graphs, check));
    module.function("index", with_graphs(graphs, index));
    module.function("same", same);
    module.function("typical", with_graphs(graphs, typical));
    module.function("metric", with_graphs(graphs, metric));
}

std::vector<std::string> schedules_of(const std::string& name, const TuningSpaces& spaces, std::int64_t level) {
    std::vector<std::string> all = {name};
    const auto above = spaces.upper_bound(level);
    if (above == spaces.begin())
        return all;
    std::vector<ScheduleText> points = {{name, {}}};
    for (const TuningAxis& axis : std::prev(above)->second) {
        std::vector<ScheduleText> longer;
        for (const ScheduleText& point : points)
            for (const std::vector<HostValue>& choice : axis.choices) {
                longer.push_back(point);
                for (std::size_t i = 0; i < choice.size(); ++i)
                    longer.back().parameters.emplace_back(axis.parameters[i], choice[i]);
            }
        points = std::move(longer);
    }
    for (const ScheduleText& point : points)
        all.push_back(write_schedule(point));
    return all;
}

} // namespace hidet::graph
