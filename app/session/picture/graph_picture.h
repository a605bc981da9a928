// SPDX-License-Identifier: Apache-2.0
// The picture of a model's graph: nested groups as its names, its repeats and the kernels that operators share give them,
// each kernel in a colour of its own. Groups are opened from the outside in while there is room, so that a model of any
// size is a picture that can be read.
#pragma once

#include <cstddef>

#include "app/session/figure/scene.h"
#include "app/session/model/view/model_view.h"

namespace hidet::session {

struct GraphPictureOptions {
    std::size_t most_boxes = 90; // a group that would show more of them stays closed
};

struct GraphPicture {
    Scene scene;
    std::size_t operators = 0;
    std::size_t folded = 0; // of them, in groups that are closed
};

GraphPicture picture_of(const ModelGraph& graph, const std::string& title, const GraphPictureOptions& options = {});

} // namespace hidet::session
