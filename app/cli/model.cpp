// SPDX-License-Identifier: Apache-2.0
// hidetc model: its actions stand in files of their own.
#include "app/cli/model_options.h"

namespace hidet::cli {

void add_model(Verb& program, Action& chosen) {
    Verb model = program.add_verb("model", "whole models: show, compile, run, bench");
    model.require_verb();
#define HIDET_VERB(name)
#define HIDET_MODEL_VERB(name) add_model_##name(model, chosen);
#include "app/cli/verbs.def"
}

} // namespace hidet::cli
