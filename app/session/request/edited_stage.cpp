// SPDX-License-Identifier: Apache-2.0
#include "app/session/request/edited_stage.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "lang/base/ranges.h"
#include "lang/base/text.h"
#include "runtime/toolchain/ptx_text.h"

namespace hidet::session {

namespace {

constexpr std::string_view marks[] = {"// ", "# "}; // of what is compiled, and of IR
constexpr std::string_view after = "IR after ", number = " (pass ";
// All rows that a saved stage has; a comment of the user's below them is part of the text.
constexpr std::string_view rows[] = {"made by", holds_row,  source_row, "calls",       rounding_row,
                                     edits_row, script_row, module_row, generated_row, temporaries_row};

// Takes the first line where it is a row of the comment: "// holds: PTX for sm_80".
bool take_row(std::string_view& text, std::string_view& what, std::string_view& value) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t colon = line.find(": ");
    const auto* mark = std::ranges::find_if(marks, [&](std::string_view each) { return line.starts_with(each); });
    if (mark == std::end(marks) || colon == std::string_view::npos)
        return false;
    what = line.substr(mark->size(), colon - mark->size());
    if (std::ranges::find(rows, what) == std::end(rows))
        return false;
    value = trimmed(line.substr(colon + 2));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return true;
}

std::optional<Form> form_in(std::string_view holds) {
    for (const Form form : {Form::Ir, Form::Cuda, Form::Ptx})
        if (holds.substr(0, holds.find(' ')) == info(form).label)
            return form;
    return std::nullopt;
}

std::string_view behind_empty_lines(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of("\r\n"), text.size()));
}

// "CUDA for sm_90a, by NVRTC 13.0"
std::string arch_in(std::string_view holds) {
    constexpr std::string_view word = " for ";
    const std::size_t at = holds.find(word);
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = holds.substr(at + word.size());
    return std::string(rest.substr(0, rest.find(',')));
}

// "IR after simplify (pass 12)"
void read_pass(std::string_view holds, EditedStage& out) {
    const std::size_t at = holds.rfind(number);
    if (!holds.starts_with(after) || at == std::string_view::npos || at < after.size())
        return;
    out.pass = holds.substr(after.size(), at - after.size());
    const std::string_view digits = holds.substr(at + number.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), out.passes);
}

// The words before the parentheses of functions that begin so.
std::vector<std::string> kernels_in_cuda(std::string_view text) {
    constexpr std::string_view begin = "__global__";
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::vector<std::string> names;
    for (std::size_t at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at + 1)) {
        for (std::size_t open = text.find('(', at); open != std::string_view::npos; open = text.find('(', open + 1)) {
            std::size_t first = open;
            while (first > at && is_word(text[first - 1]))
                --first;
            const std::string_view name = text.substr(first, open - first);
            if (name.empty() || name.starts_with("__")) // "__launch_bounds__(256)"
                continue;
            names.emplace_back(name);
            break;
        }
    }
    return names;
}

std::vector<std::string> kernels_in(std::string_view text, Form form) {
    if (form == Form::Ir)
        return {};
    if (form == Form::Cuda)
        return kernels_in_cuda(text);
    return transformed(toolchain::entries_of_ptx(text), &toolchain::PtxEntry::name);
}

} // namespace

std::string ir_after(const std::string& pass, int passes) {
    return passes == 0 ? "IR of the script" : cat(after, pass, number, passes, ")");
}

EditedStage edited_stage(std::string_view text, std::optional<Form> form) {
    EditedStage out;
    std::string file;
    text = behind_empty_lines(text);
    for (std::string_view what, value; take_row(text, what, value);)
        if (what == holds_row)
            out.form = form_in(value), out.arch = arch_in(value), read_pass(value, out);
        else if (what == rounding_row)
            out.contracts = false;
        else if (what == source_row)
            file = value.substr(0, value.find(", text "));
        else if (what == script_row)
            out.script = value;
        else if (what == module_row)
            std::from_chars(value.data(), value.data() + value.size(), out.module);
        else if (what == generated_row)
            out.generated = value;
        else if (what == edits_row)
            for (const std::string& kernel : split(value, ','))
                out.kernels.emplace_back(trimmed(kernel));
    if (out.script.empty())
        out.script = std::move(file);
    if (form = out.form ? out.form : form; form && out.kernels.empty())
        out.kernels = kernels_in(text, *form);
    return out;
}

std::string_view without_head(std::string_view text) {
    text = behind_empty_lines(text);
    for (std::string_view what, value; take_row(text, what, value);)
        ;
    return text;
}

} // namespace hidet::session
