// SPDX-License-Identifier: Apache-2.0
// What fusing an operator would cost: how large its definition is as text of a kernel, and how often it reads its inputs.
#pragma once

#include <vector>

#include "compiler/graph/core/task.h"

namespace hidet::graph {

struct TaskMeasure {
    double size = 0;  // nodes of the expressions, all stages inlined
    double depth = 0; // of them
    int cost = 0;     // to evaluate an element (schedule/cost.h)
    struct Reads {
        double in_text = 0; // places that read the input
        double done = 0;    // loads for the whole result
    };
    std::vector<Reads> inputs;
};

TaskMeasure measure(const Task& task);

} // namespace hidet::graph
