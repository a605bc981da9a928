// SPDX-License-Identifier: Apache-2.0
// import: rows of modules.def, and files beside the script where its folder is known.
#include <algorithm>

#include "lang/base/transformed.h"
#include "lang/host/graph_language.h"
#include "lang/host/interpreter.h"
#include "lang/host/script_file.h"
#include "lang/host/script_text.h"
#include "lang/parse/parser.h"

namespace hidet::lang {

namespace {

struct Refused {
    const char* name;
    const char* why;
};
// Modules that a script could expect, and why it cannot have them.
constexpr Refused refused[] = {
    {"os", "scripts have no access to the system"},
    {"pathlib", "scripts have no access to files"},
    {"subprocess", "scripts start no processes"},
    {"socket", "scripts have no network"},
    {"requests", "scripts have no network"},
    {"urllib", "scripts have no network"},
    {"http", "scripts have no network"},
    {"threading", "scripts run on one thread"},
    {"multiprocessing", "scripts start no processes"},
    {"concurrent", "scripts run on one thread"},
    {"asyncio", "scripts run on one thread"},
    {"ctypes", "scripts call no native code"},
    {"pickle", "scripts read no data of this kind"},
    {"shutil", "scripts have no access to files"},
    {"tempfile", "scripts have no access to files"},
    {"glob", "scripts have no access to files"},
    {"io", "scripts have no access to files"},
    {"importlib", "use a plain import"},
    {"inspect", "scripts cannot look at their own source"},
    {"scipy", "use hidet or torch tensors"},
    {"pandas", "use hidet or torch tensors"},
    {"matplotlib", "scripts draw nothing"},
    {"torchvision", "models come as ONNX files"},
    {"transformers", "models come as ONNX files"},
    {"triton", "kernels are written in hidet.script"},
    {"cupy", "use hidet or torch tensors"},
    {"re", "regular expressions are not built in"},
    {"json", "scripts read no data of this kind"},
    {"logging", "use print()"},
    {"argparse", "scripts take no arguments"},
    {"unittest", "use assert"},
    {"hidet.backend", "modules are built by hidet.drivers.build_ir_module()"},
    {"hidet.cuda.cublas", "products are computed by kernels of this compiler: hidet.ops.matmul()"},
    {"hidet.cuda.cudnn", "convolutions are computed by kernels of this compiler: hidet.ops.conv2d()"},
    {"hidet.graph.frontend.torch", "torch.compile() goes by core ATen, of which every operator runs"},
    {"hidet.graph.impl", "a graph shows itself: print(graph)"},
    {"hidet.ir.dialects", "patterns of graphs are in hidet.graph.transforms"},
    {"hidet.testing.models", "models come from torchvision and transformers"},
    {"hidet.ffi", "what a script builds is called as a function of its module"},
    {"hidet.ir.cute", "tiles are described by layouts and task mappings"},
    {"hidet.ir.primitives.cpu.avx_helper", "write its sums with the functions of hidet.ir.primitives.cpu.avx"},
};

std::vector<std::string> module_names() {
    return transformed<std::string>(module_rows(), &ModuleRow::name);
}

} // namespace

HostModuleRef Evaluator::Impl::find_module(std::string_view dotted) {
    if (auto found = modules.find(dotted); found != modules.end())
        return found->second;
    for (const ModuleRow& row : module_rows()) {
        if (dotted != row.name)
            continue;
        HostModuleRef module(new HostModule(row.name));
        row.make(self, *module);
        track(*module);
        module->add("__name__", Value::str(std::string(dotted)));
        modules.emplace(dotted, module);
        return module;
    }
    return nullptr;
}

HostModuleRef Evaluator::Impl::import_module(std::string_view dotted, Span span) {
    std::size_t dot = 0;
    HostModuleRef module;
    charge_steps(cost::import, span);
    while (dot != std::string_view::npos) { // a, then a.b, then a.b.c
        dot = dotted.find('.', dot + 1);
        std::string_view prefix = dotted.substr(0, dot);
        module = find_module(prefix);
        for (const Refused& row : refused)
            if (!module && prefix == row.name)
                fail(DiagId::RefusedModule, span, prefix, row.why);
        if (!module)
            module = import_library(std::string(prefix), span);
        if (!module)
            module = import_file(std::string(prefix), span);
        if (!module)
            module = import_folder(std::string(prefix));
        if (!module)
            throw suggesting(Diagnostic::make(DiagId::UnknownModule, span, prefix), span, dotted, module_names());
    }
    return module;
}

// Beside the script. Names hold no separators, so nothing above its folder can be reached.
static std::string path_of_module(const std::string& script_folder, std::string dotted) {
    std::replace(dotted.begin(), dotted.end(), '.', '/');
    return (script_folder == "." ? "" : script_folder + "/") + dotted;
}

std::string path_of_import(const std::string& script_folder, std::string dotted) {
    return path_of_module(script_folder, std::move(dotted)) + ".py";
}

std::string path_of_library(const std::string& dotted) {
    return path_of_import(".", dotted);
}

std::string with_studio_calls(std::string text, const std::vector<std::string>& calls) {
    for (const std::string& call : calls)
        text += (text.empty() || text.back() == '\n' ? "# studio: " : "\n# studio: ") + call + "\n";
    return text;
}

// A folder is a module without names of its own.
HostModuleRef Evaluator::Impl::import_folder(const std::string& dotted) {
    if (options.script_folder.empty() || !options.imports->is_folder(path_of_module(options.script_folder, dotted)))
        return nullptr;
    HostModuleRef module(new HostModule(dotted));
    track(*module);
    module->add("__name__", Value::str(dotted));
    modules.emplace(dotted, module);
    return module;
}

// What somebody put among the sources is not read again. 0: it is not there.
static FileId known_file(const SourceMap& sources, const std::string& path) {
    for (int id = 1; id <= sources.size(); ++id)
        if (sources.file(static_cast<FileId>(id)).name() == path)
            return static_cast<FileId>(id);
    return 0;
}

// 0: there is no such file.
FileId Evaluator::Impl::read_import(const std::string& dotted, const std::string& path, Span span) {
    ScriptFile file = options.imports->read(options.script_folder, path);
    check_steps(span); // reading may have waited for what stops this
    switch (file.state) {
    case ScriptFile::State::Missing: return 0;
    case ScriptFile::State::Outside:
        fail(DiagId::RefusedModule, span, dotted, cat("'", path, "' leads out of the script's folder"));
    case ScriptFile::State::NoEnd:
        fail(DiagId::RefusedModule, span, dotted, cat("'", path, "' is a link that leads to no file"));
    case ScriptFile::State::NoFile:
        fail(DiagId::RefusedModule, span, dotted, cat("'", path, "' is not a regular file that can be read"));
    case ScriptFile::State::Read: break;
    }
    return sources.add(path, std::move(file.text));
}

HostModuleRef Evaluator::Impl::import_file(const std::string& dotted, Span span) {
    if (options.script_folder.empty())
        return nullptr;
    charge_steps(cost::file, span);
    const std::string path = path_of_import(options.script_folder, dotted);
    FileId id = known_file(sources, path);
    if (id == 0)
        id = read_import(dotted, path, span);
    return id == 0 ? nullptr : run_module(dotted, id, span);
}

// What is written in the language itself.
HostModuleRef Evaluator::Impl::import_library(const std::string& dotted, Span span) {
    const std::string_view text = options.graphs ? options.graphs->module_text(dotted) : std::string_view();
    if (text.empty())
        return nullptr;
    const std::string path = path_of_library(dotted);
    const FileId id = known_file(sources, path);
    return run_module(dotted, id == 0 ? sources.add(path, std::string(text)) : id, span);
}

HostModuleRef Evaluator::Impl::run_module(const std::string& dotted, FileId id, Span span) {
    if (std::ranges::find(importing, dotted) != importing.end())
        fail(DiagId::ImportCycle, span, dotted);
    DiagnosticSink syntax;
    ast::Module tree = parse(sources, id, syntax);
    bool broken = syntax.has_errors();
    for (Diagnostic& diagnostic : syntax.take())
        sink.report(std::move(diagnostic));
    if (broken)
        fail(DiagId::ImportFailed, span, dotted);
    arenas.push_back(tree.arena);
    HostModuleRef module(new HostModule(dotted));
    track(*module);
    module->add("__name__", Value::str(dotted));
    Ref<Scope> scope(new Scope(Scope::What::Module, builtin_scope, module, module->table));
    track(*scope);
    importing.push_back(dotted);
    struct Done {
        std::vector<std::string>& importing;
        ~Done() { importing.pop_back(); }
    } done{importing};
    Frame frame;
    exec_block(tree.body, *scope, frame);
    modules.emplace(dotted, module);
    return module;
}

std::optional<Value> Evaluator::Impl::module_attribute(HostModule& module, std::string_view name, Span span) {
    if (const Value* value = module.table.find(name))
        return *value;
    if (module.resolve)
        if (auto value = module.resolve(self, name)) {
            module.add(name, *value);
            return *value;
        }
    if (HostModuleRef child = find_module(module.name + "." + std::string(name)))
        return Value::object(ValueKind::Module, child);
    if (module.refusal)
        if (std::string why = module.refusal(name); !why.empty())
            fail(DiagId::RefusedFunction, span, module.name + "." + std::string(name), why);
    return std::nullopt;
}

void Evaluator::Impl::exec_import(const ast::Import& statement, Scope& scope) {
    for (const ast::ImportName& name : statement.names) {
        HostModuleRef module = import_module(name.name.text, name.name.span);
        if (!name.as.text.empty()) {
            scope.bind(name.as, Value::object(ValueKind::Module, module));
            continue;
        }
        std::string_view first = name.name.text.substr(0, name.name.text.find('.'));
        scope.bind({first, name.name.span}, Value::object(ValueKind::Module, import_module(first, name.name.span)));
    }
}

void Evaluator::Impl::exec_import_from(const ast::ImportFrom& statement, Scope& scope) {
    if (statement.module.text == "__future__" && statement.level == 0)
        return;
    if (statement.level > 0 && statement.module.text.empty()) { // from . import helper
        for (const ast::ImportName& name : statement.names)
            scope.bind(name.as.text.empty() ? name.name : name.as,
                       Value::object(ValueKind::Module, import_module(name.name.text, name.name.span)));
        return;
    }
    HostModuleRef module = import_module(statement.module.text, statement.module.span);
    for (const ast::ImportName& name : statement.names) {
        if (name.name.text == "*") {
            if (module->resolve_all)
                module->resolve_all(self);
            module->table.for_each([&](const std::string& key, const Value& value) {
                charge_steps(cost::name, name.name.span);
                if (!key.starts_with("_"))
                    scope.bind({key, name.name.span}, value);
            });
            continue;
        }
        std::optional<Value> value = module_attribute(*module, name.name.text, name.name.span);
        if (!value)
            if (HostModuleRef child = import_file(module->name + "." + std::string(name.name.text), name.name.span))
                value = Value::object(ValueKind::Module, child);
        if (!value)
            throw suggesting(Diagnostic::make(DiagId::UnknownImport, name.name.span, name.name.text, module->name),
                             name.name.span, name.name.text, attribute_names(Value::object(ValueKind::Module, module)));
        scope.bind(name.as.text.empty() ? name.name : name.as, *value);
    }
}

} // namespace hidet::lang
