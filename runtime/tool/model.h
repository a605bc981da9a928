// SPDX-License-Identifier: Apache-2.0
// The package and the model that the command line names, and arrays for its inputs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "runtime/tool/arguments.h"
#include "runtime/tool/npy.h"
#include "runtime/tool/processes.h"
#include "runtime/tool/stop.h"

namespace hidet::tool {

runtime::Package open_package(const Arguments& arguments);

// On the device that is asked for. `auto` is the first GPU, and the CPU where the package has no code for GPUs or there is none.
runtime::Model create_model(const runtime::Package& package, const Arguments& arguments, Processes& processes,
                            std::function<void(const std::string&, double)> profile = {});

// In the order of the model: from files, or random numbers.
std::vector<Array> make_inputs(const runtime::Package& package, const runtime::Model& model,
                               const Arguments& arguments);
std::vector<runtime::Tensor> tensors_of(const std::vector<Array>& arrays);

// An output on the CPU, once the run has ended.
Array read_output(const runtime::Model& model, std::size_t output);

// What describe() says of the entry that is asked for, or of the first.
nlohmann::json entry_of(const nlohmann::json& description, const std::string& name);
// The shape of one of its values, with words where extents depend on the inputs.
nlohmann::json shape_of(const nlohmann::json& value);

} // namespace hidet::tool
