// SPDX-License-Identifier: Apache-2.0
#include "app/session/snapshot/forms.h"

namespace hidet::session {

const std::vector<FormInfo>& all_forms() {
    static const std::vector<FormInfo> forms = {
#define HIDET_FORM(name, text, maker, summary) {Form::name, text, summary},
#include "app/session/snapshot/forms.def"
    };
    return forms;
}

const char* form_name(Form form) {
    return all_forms()[static_cast<std::size_t>(form)].name;
}

std::optional<Form> find_form(std::string_view name) {
    for (const FormInfo& form : all_forms())
        if (form.name == name)
            return form.form;
    return std::nullopt;
}

} // namespace hidet::session
