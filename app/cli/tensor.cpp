// SPDX-License-Identifier: Apache-2.0
// hidetc tensor: what a .npy file or a constant of a model holds, and how far that is from another one.
#include "app/cli/document.h"
#include "app/cli/numbers.h"
#include "app/cli/output.h"
#include "app/cli/tile_choice.h"
#include "app/cli/verbs.h"
#include "app/session/model/constant_tensor.h"
#include "app/session/tensor/tensor_text.h"

namespace hidet::cli {

using namespace session;

namespace {

struct TensorOptions {
    std::string file, dtype, against, slice, tolerance, written;
    bool json = false;
    SharedTensorRequest shared;
    std::string block = "0";
    std::uint64_t at = 0;
};

int show_view(const Result<TensorView>& view, bool json) {
    if (!view) {
        print_note("error: " + view.error().message);
        return exit_usage;
    }
    if (json) {
        Document document;
        print_text(document.add_members(view.value()).text());
    } else {
        print_text(tensor_text(view.value()));
    }
    return view.value().difference && view.value().difference->bad > 0 ? exit_user : exit_fine;
}

int show_shared(const TensorOptions& options, TensorRequest request, const Cancelled& cancelled) {
    SharedTensorRequest asked = options.shared;
    asked.source.file = options.file;
    std::optional<TileChoice> tile;
    if (!read_tile_choice(options.block, options.at, tile))
        return exit_usage;
    asked.tile = *tile;
    const SharedTensorFile shared = shared_tensor_of(asked, cancelled);
    if (shared.exit != exit_fine)
        return shared.exit;
    request.file = shared.saved.file;
    request.dtype = shared.saved.dtype;
    request.written = shared.saved.written_file;
    Result<TensorView> view = view_tensor(request);
    if (!view)
        return show_view(view, options.json);
    TensorView shown = std::move(view).value();
    shown.file = options.file;
    shown.where = shared.saved.name;
    return show_view(shown, options.json);
}

int show_tensor(const TensorOptions& options, const Cancelled& cancelled) {
    TensorRequest request;
    request.file = options.file;
    request.dtype = options.dtype;
    request.against = options.against;
    request.slice = options.slice;
    request.cancelled = &cancelled;
    double absolute = 0, relative = 0;
    if (!options.tolerance.empty() && !read_bounds(options.tolerance, absolute, relative)) {
        print_note(
            cat("error: '", options.tolerance, "' is not a tolerance (absolute, relative), such as '1e-5,1e-3'"));
        return exit_usage;
    }
    request.tolerance = {absolute, relative};
    request.written = options.written;
    if (!options.shared.tensor.empty())
        return show_shared(options, std::move(request), cancelled);
    StoredTensorPtr constant;
    if (const std::optional<ConstantName> name = constant_named_by(options.file)) {
        if (!options.dtype.empty()) {
            wrong_usage(DiagId::BadValue, cat("'--dtype' is for an array, and '", options.file,
                                              "' is a constant, whose type the model says"));
            return exit_usage;
        }
        ModelRequest model;
        model.path = name->model;
        model.tools = open_tools();
        model.cancelled = &cancelled;
        const ConstantResult read = read_constant(model, name->constant);
        print_diagnostics(read.diagnostics);
        if (!read.refusal.empty())
            print_note("error: " + read.refusal);
        if (!read.tensor)
            return read.refusal.empty() ? end_of(read) : exit_usage;
        constant = read.tensor;
    }
    return show_view(constant ? view_tensor(request, constant) : view_tensor(request), options.json);
}

} // namespace

void add_tensor(Verb& program, Action& chosen) {
    Verb verb =
        program.add_verb("tensor", "what a .npy file or a weight holds: statistics, a slice as a grid, differences");
    TensorOptions& options = options_for(verb, chosen, show_tensor);
    verb.file(
        "FILE", options.file,
        "a .npy file, as 'try --save' and 'model run --output' write it, or a constant of a model: MODEL.onnx:NAME; "
        "with --shared a script");
    verb.flag("--json", options.json, "one JSON document on standard output");
    verb.text("--against", options.against, "FILE", "what it should be; ends with 1 where an element is wrong");
    verb.text("--tolerance", options.tolerance, "ABS,REL", "of each element, absolute and relative: 1e-5,1e-3");
    verb.text("--slice", options.slice, "SLICE", "of more than two dimensions: '0,*,*' shows the last two");
    verb.text("--written", options.written, "FILE", "what 'try --save' wrote of the elements that were never written");
    verb.text("--shared", options.shared.tensor, "NAME",
              "of a script: emulates its kernels, and shows this shared tensor as a block leaves it");
    verb.text("--block", options.block, "N|X,Y,Z", "with --shared: which block, by its number or its index (0)");
    verb.number("--at", options.at, "LINE", "with --shared: as the last thread of the block leaves this line");
    verb.text("--function", options.shared.function, "F",
              "with --shared: call this one (the first that the script calls)");
    verb.text("--dtype", options.dtype, "TYPE", "of items that NumPy has no type for: bf16, f8e4m3, f8e5m2");
}

} // namespace hidet::cli
