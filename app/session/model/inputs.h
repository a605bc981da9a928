// SPDX-License-Identifier: Apache-2.0
// What a model is run on: files, recorded data sets, or random numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/session/model/stages.h"

namespace hidet::session {

// In the order of the plan's inputs. Nothing: the work says why.
std::optional<Tensors> model_inputs(Work& work, const ModelRunRequest& request, const artifact::LaunchPlan& plan);

// Of the inputs that are files, as far as they can be read; empty without any. The request has to live as long.
graph::ShapeOf shapes_of_files(const ModelRunRequest& request);

// Whether there is a value for the input of a name: a file, or a tensor of the data set that calls itself so. Empty without
// any. The request has to live as long.
std::function<bool(const std::string&)> inputs_given(const ModelRunRequest& request);

// output_0.pb, ... of the data set, as many as there are; empty without one. Nothing: the work says why.
std::optional<Tensors> recorded_outputs(Work& work, const ModelRunRequest& request, const artifact::LaunchPlan& plan);

} // namespace hidet::session
