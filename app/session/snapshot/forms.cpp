// SPDX-License-Identifier: Apache-2.0
#include "app/session/snapshot/forms.h"

namespace hidet::session {

const std::vector<FormInfo>& all_forms() {
    static const std::vector<FormInfo> forms = {
#define HIDET_FORM(name, key, label, language, comment, ending, needs, content, of, maker, summary)                    \
    {Form::name, key, label, comment, ending, Needs::needs, Content::content, Shown::of, summary},
#include "app/session/snapshot/forms.def"
    };
    return forms;
}

const FormInfo& info(Form form) {
    return all_forms()[static_cast<std::size_t>(form)];
}

std::optional<Form> find_form(std::string_view name) {
    for (const FormInfo& form : all_forms())
        if (form.name == name)
            return form.form;
    return std::nullopt;
}

static bool ends_as(std::string_view path, Form form) {
    const std::size_t dot = path.rfind('.');
    return dot != std::string_view::npos && path.substr(dot + 1) == info(form).ending;
}

bool is_ir_file(std::string_view path) {
    return ends_as(path, Form::Ir);
}

std::optional<Form> compiled_form(std::string_view path) {
    for (const Form form : {Form::Cuda, Form::Ptx})
        if (ends_as(path, form))
            return form;
    return std::nullopt;
}

} // namespace hidet::session
