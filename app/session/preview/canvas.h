// SPDX-License-Identifier: Apache-2.0
// The mapping canvas of a place of a script, for who has no live session: the script is evaluated without data.
#pragma once

#include "app/session/preview/preview.h"
#include "lang/service/canvas/canvas.h"

namespace hidet::session {

struct CanvasRequest {
    PreviewRequest preview;
    int line = 1;   // 1-based
    int column = 1; // bytes, 1-based
};

struct CanvasNumberView {
    std::string name, text;
    std::int64_t value = 0;
    Place literal; // where it is changed; unknown: it cannot be
    std::string refusal;
};
struct CanvasFactorView {
    std::string name;
    Place place;
    std::vector<CanvasNumberView> numbers;
};
struct CanvasPictureView { // the members of a CanvasPicture, for documents
    std::string kind;      // "mapping", "layout"
    std::string title;
    std::string refusal;
    std::vector<std::int64_t> shape;
    std::int64_t workers = 0, tasks_per_worker = 0;
    std::vector<std::int64_t> elements;
    std::int64_t size = 0;
    int element_bits = 0;
    std::vector<std::int64_t> slots;
};
struct CanvasResult : Outcome {
    Place place; // unknown: nothing there has a picture
    std::string text;
    std::vector<CanvasFactorView> factors;
    std::vector<CanvasPictureView> views;
    std::vector<lang::service::CanvasPicture> pictures;
};
CanvasResult canvas(const CanvasRequest& request);

} // namespace hidet::session
