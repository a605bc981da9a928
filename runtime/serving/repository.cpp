// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/repository.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lang/base/text.h"

namespace hidet::serving {

extern const std::string_view serving_Containerfile, serving_config_pbtxt,
    serving_model_py; // the files beside this one

namespace {

using nlohmann::json;

constexpr int most_requests = 32; // that one run computes; model.py says the same

struct TypeRow {
    const char *name, *triton;
};
constexpr TypeRow type_rows[] = {
    {"bool", "TYPE_BOOL"},     {"int8", "TYPE_INT8"},    {"int16", "TYPE_INT16"},   {"int32", "TYPE_INT32"},
    {"int64", "TYPE_INT64"},   {"uint8", "TYPE_UINT8"},  {"uint16", "TYPE_UINT16"}, {"uint32", "TYPE_UINT32"},
    {"uint64", "TYPE_UINT64"}, {"float16", "TYPE_FP16"}, {"bfloat16", "TYPE_BF16"}, {"float32", "TYPE_FP32"},
    {"float64", "TYPE_FP64"},
};

std::string replace_all(std::string text, std::string_view mark, std::string_view by) {
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + by.size()))
        text.replace(at, mark.size(), by);
    return text;
}

// Of a text in protobuf's text format: no mark of the template is left in it.
std::string escaped(std::string_view text) {
    static constexpr char digits[] = "01234567";
    std::string out;
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || c == '"' || c == '\\' || c == '@')
            out += {'\\', digits[byte >> 6], digits[byte >> 3 & 7], digits[byte & 7]};
        else
            out += c;
    }
    return out;
}

// The first dimension of a value with several, if it is open: two that are spelt alike are alike.
std::string open_first_dimension(const json& value) {
    const json& shape = value["shape"];
    return shape.size() > 1 && shape[0] == -1 ? value["dimensions"][0].get<std::string>() : "";
}

// The server adds up the requests of many where the first dimension of everything is a batch.
bool is_batched(const json& entry) {
    std::vector<std::string> firsts;
    for (const char* role : {"inputs", "outputs"})
        for (const json& value : entry[role])
            firsts.push_back(open_first_dimension(value));
    return !firsts.empty() && !firsts[0].empty() &&
           std::ranges::all_of(firsts, [&](const std::string& first) { return first == firsts[0]; });
}

// The server has no arrays without dimensions: they have one element.
std::string dims_of(const json& value, bool batched) {
    std::string dims;
    const json& shape = value["shape"];
    for (std::size_t d = batched ? 1 : 0; d < shape.size(); ++d)
        dims += (dims.empty() ? "" : ", ") + shape[d].dump();
    return dims.empty() ? "1" : dims;
}

Result<std::string> rows_of(const json& values, bool batched) {
    std::string rows;
    for (const json& value : values) {
        const std::string name = value["name"], dtype = value["dtype"];
        const TypeRow* row =
            std::ranges::find(type_rows, dtype, [](const TypeRow& each) { return std::string(each.name); });
        if (row == std::end(type_rows))
            return Error{"serving-type",
                         cat("'", name, "' is ", dtype, ", which Triton Inference Server does not know")};
        rows += cat(rows.empty() ? "" : ",\n", "  { name: \"", escaped(name), "\" data_type: ", row->triton,
                    " dims: [ ", dims_of(value, batched), " ] }");
    }
    return rows + (rows.empty() ? "" : "\n");
}

bool runs_on(const json& entry, const char* target) {
    return std::ranges::any_of(entry["targets"], [&](const json& each) { return each["target"] == target; });
}

bool is_folder_name(std::string_view name) {
    const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
    return !name.empty() && name[0] != '.' && name[0] != '-' && std::ranges::all_of(name, fits);
}

Result<std::string> make_config(std::string_view name, const json& entry) {
    const bool batched = is_batched(entry);
    HIDET_TRY(std::string inputs, rows_of(entry["inputs"], batched));
    HIDET_TRY(std::string outputs, rows_of(entry["outputs"], batched));
    std::string text = replace_all(std::string(serving_config_pbtxt), "@NAME@", name);
    text = replace_all(text, "@BATCH@", std::to_string(batched ? most_requests : 0));
    text = replace_all(text, "@BATCHING@", batched ? "dynamic_batching { }\n" : "");
    text = replace_all(text, "@KIND@", runs_on(entry, "cuda") ? "KIND_GPU" : "KIND_CPU");
    text = replace_all(text, "@ENTRY@", escaped(entry["name"].get<std::string>()));
    text = replace_all(text, "@INPUTS@", inputs);
    return replace_all(text, "@OUTPUTS@", outputs);
}

Result<json> entry_of(std::string_view name, std::string_view description) {
    const json document = json::parse(description, nullptr, false);
    if (document.is_object() && document.contains("entries"))
        for (const json& entry : document["entries"])
            if (name.empty() || entry["name"] == name)
                return entry;
    return Error{"serving-entry", cat("the package has no entry '", name, "'")};
}

} // namespace

Result<std::vector<ServedFile>> triton_repository(std::string_view name, std::string_view entry,
                                                  std::string_view description, std::string package) {
    if (!is_folder_name(name))
        return Error{
            "serving-name",
            cat("'", name, "' cannot be the name of a served model: it has letters, digits, '_', '-' and '.'")};
    HIDET_TRY(json found, entry_of(entry, description));
    HIDET_TRY(std::string config, make_config(name, found));
    const std::string folder(name);
    return std::vector<ServedFile>{
        {"Containerfile", replace_all(std::string(serving_Containerfile), "@NAME@", name)},
        {folder + "/1/model.hidet", std::move(package)},
        {folder + "/1/model.py", std::string(serving_model_py)},
        {folder + "/config.pbtxt", std::move(config)},
    };
}

} // namespace hidet::serving
