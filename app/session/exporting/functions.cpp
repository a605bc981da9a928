// SPDX-License-Identifier: Apache-2.0
#include "app/session/exporting/functions.h"

#include <algorithm>
#include <set>

#include "app/session/exporting/exporter.h"
#include "app/session/preview/sites.h"
#include "app/session/work/refusal.h"
#include "app/session/work/steps.h"
#include "compiler/graph/plan/host_code.h"
#include "compiler/ir/intrinsic.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/structure.h"
#include "lang/base/text.h"

namespace hidet::session {

namespace {

// What parameters of a function must not be called in one of the languages that it is exported to.
const std::set<std::string>& reserved_words() {
    static const std::set<std::string> words = {
        "auto",     "break",    "case",     "char",     "const",   "continue", "default",   "do",     "double",
        "else",     "enum",     "extern",   "float",    "for",     "goto",     "if",        "inline", "int",
        "long",     "register", "return",   "short",    "signed",  "sizeof",   "static",    "struct", "switch",
        "typedef",  "union",    "unsigned", "void",     "while",   "bool",     "class",     "new",    "delete",
        "this",     "template", "and",      "or",       "not",     "xor",      "def",       "del",    "from",
        "import",   "in",       "is",       "lambda",   "None",    "pass",     "raise",     "try",    "with",
        "yield",    "stream",   "device",   "operator", "private", "public",   "namespace", "using",  "virtual",
        "volatile", "restrict"};
    return words;
}

// How a kernel uses the tensor that a map describes.
class MapUse : public ir::Walker {
public:
    explicit MapUse(const ir::Var& map) : m_map(map) {}
    bool reads = false;
    bool writes = false;

protected:
    using ir::Walker::visit;
    void visit(const ir::Intrinsic& call) override {
        const bool stores = call.id == ir::IntrinsicId::CopyTensorS2G;
        const bool loads = call.id == ir::IntrinsicId::CopyTensorG2S || call.id == ir::IntrinsicId::CopyIm2colG2S;
        const bool is_only_named = call.id == ir::IntrinsicId::PrefetchTensorMap;
        for (const ir::ExprRef& operand : call.args)
            if (is_map(operand)) {
                writes |= !loads && !is_only_named;
                reads |= !stores && !is_only_named;
            } else {
                walk(operand);
            }
    }
    void visit(const ir::Var& var) override { // anything else may be anything
        if (&var == &m_map)
            reads = writes = true;
    }

private:
    bool is_map(const ir::ExprRef& expr) const {
        if (const auto* address = ir::as<ir::Address>(expr))
            return is_map(address->place);
        return ir::as<ir::Var>(expr) == &m_map;
    }
    const ir::Var& m_map;
};

// Makes one of ExportedFunction of what can be called.
class FunctionMaker {
public:
    FunctionMaker(ExportWork& out, const Callable& callable, const ExportedModule& module)
        : m_out(out), m_callable(callable), m_module(module), m_expressions(m_function.body) {}

    std::optional<ExportedFunction> run(std::string name, std::size_t module) {
        m_function.name = std::move(name);
        m_function.script_name = m_callable.name;
        m_function.module = module;
        const ExportedCode& code = m_module.code.front();
        const ir::Function* host = ir::find_function(*code.emulated, m_callable.callee);
        HIDET_CHECK(host && host->params.size() >= m_callable.function->params.size(), m_callable.callee);
        graph::HostCode launches(
            *code.emulated, m_function.body, m_expressions,
            [&](artifact::PlanStep& step, const ir::LaunchStmt& launch) { describe(step, launch.kernel, code.cuda); },
            graph::HostCode::Scalars::All);
        if (!add_parameters(*host, launches) || !add_shapes())
            return std::nullopt;
        try {
            launches.run(host->body);
        } catch (const graph::NotLaunching& statement) {
            m_out.refuse(m_callable.name, "its host code does more than launching kernels", statement.origin.span);
            return std::nullopt;
        }
        judge_maps(*code.emulated);
        add_symbols();
        return std::move(m_function);
    }

private:
    bool refuse(const std::string& why) { return m_out.refuse(m_callable.name, why, m_callable.function->origin.span); }
    std::string free_name(std::string name) {
        for (char& c : name)
            if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
                c = '_';
        while (reserved_words().contains(name) || !m_names.insert(name).second)
            name += "_";
        return name;
    }
    bool add_parameters(const ir::Function& host, graph::HostCode& launches) {
        const auto accesses = accesses_of(m_callable);
        for (std::size_t i = 0; i < m_callable.function->params.size(); ++i) {
            const ir::Var& var = *m_callable.function->params[i];
            const std::optional<ir::DType> dtype = dtype_of(var);
            if (kind_of(var) == ParameterKind::Text)
                return refuse(cat("its parameter '", var.name, "' is a text"));
            if (!dtype && kind_of(var) == ParameterKind::Scalar)
                return refuse(cat("its parameter '", var.name, "' is no number and no memory"));
            ExportedParameter parameter{free_name(var.name), kind_of(var), dtype.value_or(ir::DType::U8), {}};
            parameter.is_read = !accesses || (*accesses)[i].read;
            parameter.is_written = !accesses || (*accesses)[i].written;
            artifact::PlanArgument argument{.value = static_cast<artifact::Row>(i)};
            if (parameter.kind == ParameterKind::Scalar) {
                const bool is_real = ir::is_float(*dtype);
                if (is_real && *dtype != ir::DType::F32 && *dtype != ir::DType::F64)
                    return refuse(cat("its parameter '", var.name, "' is a number of type ",
                                      ir::info(*dtype).short_name, ", which C has not"));
                argument.kind = artifact::ArgumentKind::Scalar;
                argument.expression = symbol("." + parameter.name, parameter.name, is_real);
                m_expressions.bind(var, argument.expression); // in shapes
            }
            launches.bind(*host.params[i], argument);
            m_function.parameters.push_back(std::move(parameter));
        }
        return true;
    }
    artifact::Row symbol(const std::string& key, const std::string& text, bool is_real) {
        const artifact::Row row = m_expressions.symbol(key);
        m_function.symbol_texts.resize(m_function.body.symbols.size());
        m_function.symbol_is_real.resize(m_function.body.symbols.size());
        m_function.symbol_texts[row] = text;
        m_function.symbol_is_real[row] = is_real;
        return m_expressions.expression_of({{artifact::ExprOp::Symbol, row}});
    }
    bool add_shapes() {
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i) {
            const ir::TensorType* tensor = ir::tensor_of(m_callable.function->params[i]->type);
            if (!tensor)
                continue;
            for (const ir::ExprRef& extent : tensor->shape) {
                const auto row = m_expressions.find(extent);
                if (!row)
                    return refuse(cat("the shape of its parameter '", m_function.parameters[i].name,
                                      "' is no expression of numbers"));
                m_function.parameters[i].shape.push_back(*row);
            }
        }
        return true;
    }
    // Memory that kernels reach by tensor maps alone: whoever makes a map knows nothing of its use.
    void judge_maps(const ir::Module& module) {
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i) {
            bool reads = false, writes = false, is_by_maps = false, is_by_address = false;
            for (const artifact::PlanStep& step : m_function.body.steps) {
                const ir::Function* kernel = ir::find_function(module, step.kernels.front());
                for (std::size_t a = 0; a < step.arguments.size(); ++a) {
                    const artifact::PlanArgument& argument = step.arguments[a];
                    if (argument.kind == artifact::ArgumentKind::Scalar || argument.value != i)
                        continue;
                    (argument.kind == artifact::ArgumentKind::TensorMap ? is_by_maps : is_by_address) = true;
                    MapUse use(*kernel->params[a]);
                    use.walk(kernel->body);
                    reads |= use.reads;
                    writes |= use.writes;
                }
            }
            if (!is_by_maps || is_by_address)
                continue;
            m_function.parameters[i].is_read = reads;
            m_function.parameters[i].is_written = writes;
        }
    }
    // Dimensions, once all are known; those of scalars have their names already.
    void add_symbols() {
        m_function.symbol_texts.resize(m_function.body.symbols.size());
        m_function.symbol_is_real.resize(m_function.body.symbols.size());
        for (artifact::Row row = 0; row < m_function.body.symbols.size(); ++row) {
            if (!m_function.symbol_texts[row].empty())
                continue;
            ExportedSymbol found{free_name(m_function.body.symbols[row].name), row};
            m_function.symbol_texts[row] = found.name;
            find_place(found);
            m_function.symbols.push_back(std::move(found));
        }
    }
    void find_place(ExportedSymbol& symbol) const {
        for (std::size_t i = 0; i < m_function.parameters.size(); ++i)
            for (std::size_t d = 0; d < m_function.parameters[i].shape.size(); ++d) {
                const auto& expression = m_function.body.expressions[m_function.parameters[i].shape[d]];
                if (symbol.is_in_a_shape || artifact::symbol_of(expression) != symbol.row)
                    continue;
                symbol.tensor = i;
                symbol.dimension = d;
                symbol.is_in_a_shape = true;
            }
    }
    void describe(artifact::PlanStep& step, const std::string& kernel, const artifact::Source& cuda) {
        const auto entry = std::ranges::find(cuda.entries, kernel, &artifact::EntryPoint::name);
        HIDET_CHECK(entry != cuda.entries.end(), kernel);
        const auto found = std::ranges::find(m_function.kernels, entry->symbol);
        step.function = static_cast<artifact::Row>(found - m_function.kernels.begin());
        step.kernels = {kernel};
        if (found == m_function.kernels.end())
            m_function.kernels.push_back(entry->symbol);
    }

    ExportWork& m_out;
    const Callable& m_callable;
    const ExportedModule& m_module;
    ExportedFunction m_function;
    graph::Expressions m_expressions;
    std::set<std::string> m_names;
};

// The functions of a module that stand for it: what launches, and other public ones; kernels alone where nothing launches
// them, or where one is asked for by name.
std::vector<Callable> wanted_of(const std::vector<Callable>& all, const std::string& name) {
    std::vector<Callable> wanted;
    const bool has_launch = std::ranges::any_of(all, &Callable::is_launch);
    for (const Callable& each : all) {
        const bool is_kernel = each.function->func_kind != ir::FuncKind::Public;
        if (name.empty() ? !is_kernel || each.is_launch || !has_launch
                         : each.name == name || (name == "launch" && each.is_launch))
            wanted.push_back(each);
    }
    return wanted;
}

// A kernel that nothing launches gets a module of its own, in which something does.
std::optional<std::size_t> module_row(ExportWork& out, ExportedProgram& program, const ExportedModule& module,
                                      const Callable& callable) {
    const auto known = std::ranges::find(program.modules, callable.module, &ExportedModule::script);
    if (known != program.modules.end())
        return static_cast<std::size_t>(known - program.modules.begin());
    ExportedModule own = module;
    if (callable.module != module.script) {
        own.script = callable.module;
        own.name += "_" + callable.name;
        own.code = exported_code(out, own.script, own.site);
        if (own.code.empty())
            return std::nullopt;
    }
    program.modules.push_back(std::move(own));
    return program.modules.size() - 1;
}

std::string name_of_function(const Callable& callable, const ExportedModule& module) {
    return callable.is_launch ? module.name : cat(module.name, "_", callable.name);
}

} // namespace

std::optional<ExportedProgram> exported_program(ExportWork& out) {
    ExportedProgram program;
    const std::vector<ExportedModule> modules = exported_modules(out);
    if (modules.empty())
        return std::nullopt;
    std::vector<std::string> names;
    for (const ExportedModule& module : modules) {
        const std::vector<Callable> all = callables_of(module.script, module.number, module.site);
        for (const Callable& each : all)
            names.push_back(each.name);
        for (const Callable& callable : wanted_of(all, out.request.function)) {
            if (callable.function->func_kind == ir::FuncKind::CpuKernel)
                continue;
            std::optional<std::size_t> row = module_row(out, program, module, callable);
            if (!row)
                return std::nullopt;
            std::optional<ExportedFunction> function =
                FunctionMaker(out, callable, program.modules[*row]).run(name_of_function(callable, module), *row);
            if (!function)
                return std::nullopt;
            program.functions.push_back(std::move(*function));
        }
    }
    if (!program.functions.empty())
        return program;
    Diagnostic unknown = Diagnostic::make(DiagId::NoSuchFunction, {}, out.request.path(), out.request.function)
                             .suggest({}, out.request.function, names);
    unknown.fixes.clear();
    report_wrong_usage(out.work, std::move(unknown));
    return std::nullopt;
}

std::optional<ExportedImage> image_of(ExportWork& out, const ExportedModule& module, const ExportedCode& code,
                                      bool with_ptx) {
    HIDET_CHECK(out.request.tools, "an export that needs a compiler, and no tools");
    ExportedImage image;
    image.target = code.target;
    for (const toolchain::Product product : {toolchain::Product::Cubin, toolchain::Product::Ptx}) {
        if (product == toolchain::Product::Ptx && !with_ptx)
            continue;
        out.work.enter(product == toolchain::Product::Ptx ? "compiling to PTX" : "compiling to machine code");
        toolchain::CompileRequest asked;
        asked.text = code.cuda.text;
        asked.product = product;
        asked.arch = artifact::architecture_name(code.target.arch);
        asked.options = gpu_options(out.request.contracts, *module.script);
        asked.cancelled = out.work.cancelled;
        Result<toolchain::CompileResult> made = compiled_by(out.work, *out.request.tools, asked);
        if (!made) {
            report_compile_error(out.work, out.work.sink, *module.script, code.cuda, made.error());
            return std::nullopt;
        }
        (product == toolchain::Product::Ptx ? image.ptx : image.cubin) = made.value().bytes;
        image.compiler = made.value().compiler;
    }
    return image;
}

bool add_images(ExportWork& out, ExportedProgram& program) {
    for (const ExportedModule& module : program.modules) {
        std::vector<ExportedImage>& images = program.images.emplace_back();
        for (const ExportedCode& code : module.code) {
            // What is compiled for features of one generation runs on no other as PTX either.
            const bool runs_later =
                artifact::architecture_name(code.target.arch).find_first_of("af") == std::string::npos;
            std::optional<ExportedImage> image =
                image_of(out, module, code, runs_later && &code == &module.code.back());
            if (!image)
                return false;
            images.push_back(std::move(*image));
        }
    }
    return true;
}

} // namespace hidet::session
