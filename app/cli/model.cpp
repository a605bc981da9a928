// SPDX-License-Identifier: Apache-2.0
// hidetc model: its actions stand in files of their own.
#include "app/cli/model_options.h"

namespace hidet::cli {

void add_model(Verb& program, Action& chosen) {
    Verb model = program.add_verb("model", "whole models: show, compile, run, bench");
    model.require_verb();
    add_model_show(model, chosen);
    add_model_changes(model, chosen);
    add_model_compare(model, chosen);
    add_model_kept(model, chosen);
    add_model_compile(model, chosen);
    add_model_emit(model, chosen);
    add_model_run(model, chosen);
    add_model_bench(model, chosen);
}

} // namespace hidet::cli
