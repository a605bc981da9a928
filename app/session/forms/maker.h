// SPDX-License-Identifier: Apache-2.0
// What the makers of forms work with: one module, and the forms that others are made from, each made once.
#pragma once

#include <memory>
#include <optional>

#include "app/session/tools/tools.h"
#include "app/session/work/work.h"
#include "compiler/artifact/source.h"
#include "compiler/artifact/target_spec.h"
#include "compiler/ir/func.h"
#include "compiler/ir/text/print.h"

namespace hidet::session {

// The GPU that a request names, by its own name or by its architecture; else the one that the module's script names.
artifact::TargetSpec target_of(const PreviewRequest& request, const ir::Module& script);

class FormContext {
public:
    FormContext(Work& work, const PreviewRequest& request, ir::ModuleRef script, ir::ModuleRef lowered,
                ir::ModuleRef emulated = nullptr)
        : work(work), request(request), target(target_of(request, *script)), script(std::move(script)),
          lowered(std::move(lowered)), emulated(std::move(emulated)) {}

    Work& work;
    const PreviewRequest& request;
    const artifact::TargetSpec target; // that PTX and machine code are made for
    ir::ModuleRef script;              // as the script made it
    ir::ModuleRef lowered;             // at level Kernel; the module after one pass when the request asks for just that
    ir::ModuleRef emulated;            // lowered for the emulator; null: nobody has done so

    // Null: the reason is in the work's sink.
    const artifact::Source* cuda() { return shared_cuda().get(); }
    const std::shared_ptr<const artifact::Source>& shared_cuda();
    const toolchain::CompileResult* compile(toolchain::Product product);
    void use_cuda(std::shared_ptr<const artifact::Source> cuda) { m_cuda = std::move(cuda); } // made elsewhere

private:
    Result<toolchain::CompileResult> ask(const artifact::Source& source, toolchain::Product product);

    std::optional<std::shared_ptr<const artifact::Source>> m_cuda;
    std::optional<std::optional<toolchain::CompileResult>> m_ptx;
    std::optional<std::optional<toolchain::CompileResult>> m_cubin;
};

// Each fills the snapshot; false: the reason is in the work's sink.
#define HIDET_FORM(name, key, label, language, comment, ending, needs, content, of, maker, summary)                    \
    bool maker(FormContext& context, FormSnapshot& out);
#include "app/session/snapshot/forms.def"

TextSnapshot snapshot_of(const Work& work, std::string text, const std::vector<Origin>& lines);
TextSnapshot snapshot_of(const Work& work, ir::PrintedText printed);
TextSnapshot snapshot_of(const Work& work, const artifact::Source& source);
OriginView view_of(const Origin& origin, const Work& work);

// Null: the reason is in the work's sink.
std::shared_ptr<const FormSnapshot> make_form(FormContext& context, Form form);

// All that the request asks for. What one form cannot be made from is reported; the others are made all the same.
void make_forms(FormContext& context, ModuleSnapshot& snapshot);

} // namespace hidet::session
