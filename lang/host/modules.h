// SPDX-License-Identifier: Apache-2.0
// The modules that a script can import. One row of modules.def each; a module is made when it is first used, once per
// evaluator, so nothing mutable is shared between threads and unused modules cost nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/host/name_table.h"

namespace hidet::lang {

struct HostModule : Object {
    static constexpr ValueKind kind = ValueKind::Module;
    explicit HostModule(std::string name) : name(std::move(name)) {}
    void add(std::string_view attribute, Value value) { table.set(attribute, std::move(value)); }
    void function(std::string_view attribute, NativeFunction body) {
        add(attribute, Value::native(std::string(attribute), std::move(body)));
    }
    void function(std::string_view attribute, const Parameters& parameters, BoundFunction body) {
        add(attribute, Value::native(std::string(attribute), parameters, std::move(body)));
    }
    void clear() override {
        table.clear();
        resolve = nullptr;
        resolve_all = nullptr;
    }

    std::string name; // "hidet.lang.cuda"
    NameTable table;
    // Makes names on first use, for modules with many; resolve_all is for who asks for all: `import *`, a name that is close.
    std::function<std::unique_ptr<Value>(Evaluator&, std::string_view)> resolve;
    std::function<void(Evaluator&)> resolve_all;
    // Names that exist but have nothing behind them here, and why: `from os import system` is refused with it.
    std::function<std::string(std::string_view)> refusal;
    HeapLink link;
};
using HostModuleRef = Ref<HostModule>;

// Fills a new module, which has the name of the row, so that one function can serve several rows. The evaluator adds
// `__name__` and submodules.
using ModuleMaker = void (*)(Evaluator& evaluator, HostModule& module);

struct ModuleRow {
    const char* name;
    ModuleMaker make;
};
const std::vector<ModuleRow>& module_rows();

#define HIDET_HOST_MODULE(name, maker) void maker(Evaluator& evaluator, HostModule& module);
#include "lang/host/modules.def"
#undef HIDET_HOST_MODULE

} // namespace hidet::lang
