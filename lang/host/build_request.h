// SPDX-License-Identifier: Apache-2.0
// The keywords of build(): what upstream's mean, as far as they mean something here.
#pragma once

#include "compiler/ir/module_options.h"
#include "lang/host/arguments.h"
#include "lang/host/evaluator.h"

namespace hidet::lang {

// By the places of `output_dir` and `target` among the arguments. "cuda --arch=sm_80" and "cpu --arch=x86-64-v3" say it
// for this module; what they leave open says hidet.option.
ir::ModuleOptions build_request(Evaluator& evaluator, const ir::Module& module, const Arguments& a,
                                std::size_t output_dir, std::size_t target);

} // namespace hidet::lang
