// SPDX-License-Identifier: Apache-2.0
// hidetc tensor: what a .npy file or a constant of a model holds, and how far that is from another one.
#include "app/cli/document.h"
#include "app/cli/numbers.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "app/session/model/constant_tensor.h"
#include "app/session/tensor/tensor_text.h"

namespace hidet::cli {

using namespace session;

namespace {

struct TensorOptions {
    std::string file, dtype, against, slice, tolerance;
    bool json = false;
};

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
    StoredTensorPtr constant;
    if (const std::optional<ConstantName> name = constant_named_by(options.file)) {
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
    const Result<TensorView> view = constant ? view_tensor(request, constant) : view_tensor(request);
    if (!view) {
        print_note("error: " + view.error().message);
        return exit_usage;
    }
    if (options.json) {
        Document document;
        print_text(document.add_members(view.value()).text());
    } else {
        print_text(tensor_text(view.value()));
    }
    return view.value().difference && view.value().difference->bad > 0 ? exit_user : exit_fine;
}

} // namespace

void add_tensor(Verb& program, Action& chosen) {
    Verb verb =
        program.add_verb("tensor", "what a .npy file or a weight holds: statistics, a slice as a grid, differences");
    TensorOptions& options = options_for(verb, chosen, show_tensor);
    verb.file(
        "FILE", options.file,
        "a .npy file, as 'try --save' and 'model run --output' write it, or a constant of a model: MODEL.onnx:NAME");
    verb.flag("--json", options.json, "one JSON document on standard output");
    verb.text("--against", options.against, "FILE", "what it should be; ends with 1 where an element is wrong");
    verb.text("--tolerance", options.tolerance, "ABS,REL", "of each element, absolute and relative: 1e-5,1e-3");
    verb.text("--slice", options.slice, "SLICE", "of more than two dimensions: '0,*,*' shows the last two");
    verb.text("--dtype", options.dtype, "TYPE", "of items that NumPy has no type for: bf16, f8e4m3, f8e5m2");
}

} // namespace hidet::cli
