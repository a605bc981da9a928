// SPDX-License-Identifier: Apache-2.0
// A package beside its model: the check of an export says what a package computes that its model does not.
#include "app/session/exporting/verify_export.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>

#include "app/session/exporting/c_text.h"
#include "app/session/tools/open_tools.h"
#include "runtime/toolchain/files.h"

using namespace hidet;
using namespace hidet::session;

namespace {

// ROWS are written, and what is written is SCALE times what it should be.
constexpr const char* planted = R"(import hidet
from hidet.graph.frontend.onnx import register_onnx_operator
from hidet.graph.ops.opaque import OpaqueOperator
from hidet.ir.primitives import sqrt
from hidet.lang import attrs, f32

class Rms(OpaqueOperator):
    def __init__(self, x):
        super().__init__(name='rms', inputs={'x': x})

    def symbolic_forward(self, x):
        return {'y': self.symbol([x.shape[0]], dtype=x.dtype, device=x.device)}

    def implement_cpu(self, inputs, outputs):
        rows, columns = inputs[0].shape
        with hidet.script_module() as script_module:
            @hidet.script
            def launch(x: f32[rows, columns], y: f32[rows]):
                attrs.func_kind = 'public'
                for i in range(ROWS):
                    total = f32(0.0)
                    for k in range(columns):
                        total += x[i, k] * x[i, k]
                    y[i] = sqrt(total / columns) * SCALE
        return script_module

@register_onnx_operator('RootMeanSquare', domain='samples')
def root_mean_square(inputs, attrs):
    return Rms(inputs[0]).outputs[0]
)";

// What is said of a package with these kernels, beside the model with those of the sample.
CheckStep checked(const std::string& rows, const std::string& scale) {
    const auto folder = toolchain::TemporaryFolder::make();
    const std::string script = folder.value()->path() + "/planted.py";
    std::ofstream(script) << replaced(replaced(planted, "ROWS", rows), "SCALE", scale);
    ExportRequest request;
    request.format = "package";
    request.tools = request.model.tools = open_tools({nullptr, false});
    request.model.path = HIDET_SOURCE_FOLDER "/tests/models/custom/custom.onnx";
    request.model.dims = {{"rows", 5}};
    request.model.with = {script};
    request.targets = {Target::Cpu};
    const ExportResult result = make_export(request);
    REQUIRE_MESSAGE(result.status == Status::Ok,
                    (result.diagnostics.empty() ? "" : result.diagnostics.front().message));
    request.model.with = {HIDET_SOURCE_FOLDER "/samples/models/custom_operator.py"};
    CheckRequest check{.exported = request, .result = result, .programs = ""};
    check.run_model = [&](ModelRunRequest run) {
        run.tools = request.tools;
        return run_model(run);
    };
    const std::vector<CheckStep> steps = check_export(check);
    const auto step =
        std::ranges::find_if(steps, [](const CheckStep& each) { return each.what.starts_with("On the CPU"); });
    REQUIRE(step != steps.end());
    return *step;
}

TEST_CASE("a package that computes what its model does passes, and the largest difference is told") {
    const CheckStep step = checked("rows", "1.0");
    CAPTURE(step.said);
    CHECK(step.state == CheckStep::State::Passed);
    CHECK(step.said.find("random inputs: the largest difference is ") != std::string::npos);
}

TEST_CASE("a package whose kernel writes less than it should fails, whatever was in its memory") {
    const CheckStep step = checked("rows - 1", "1.0");
    CAPTURE(step.said);
    CHECK(step.state == CheckStep::State::Failed);
    CHECK(step.said.starts_with("16 of 80 elements of 'y' are wrong, "));
    CHECK(step.said.find("(4, 0)") != std::string::npos);
}

TEST_CASE("a package whose kernel computes something else fails with its worst element") {
    const CheckStep step = checked("rows", "1.01");
    CAPTURE(step.said);
    CHECK(step.state == CheckStep::State::Failed);
    CHECK(step.said.find(" of 80 elements of 'y' are wrong, worst at (") != std::string::npos);
}

} // namespace
