// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/tool/dtypes.h"
#include "runtime/tool/format.h"
#include "runtime/tool/model.h"
#include "runtime/tool/profile.h"
#include "runtime/tool/verbs.h"

namespace hidet::tool {

using nlohmann::json;

static constexpr std::size_t shown_elements = 8;

// The first ones; "..." where there are more.
static std::string elements_text(const Array& array) {
    const std::size_t size = array.dtype.bits / 8;
    const std::size_t count = array.bytes.size() / size;
    std::string text;
    for (std::size_t i = 0; i < std::min(count, shown_elements); ++i)
        text += (i ? " " : "") + element_text(array.dtype, array.bytes.data() + i * size);
    return count > shown_elements ? text + " ..." : text;
}

static void print_output(const std::string& name, const Array& array) {
    print(pad(name, 16) + "  " + type_text(array.dtype, array.shape) + "  " + elements_text(array));
}

static json output_json(const std::string& name, const Array& array, const std::string& file) {
    const DType* dtype = find_dtype(array.dtype);
    json output = {{"name", name},
                   {"dtype", dtype ? dtype->name : "unknown"},
                   {"shape", array.shape},
                   {"first", elements_text(array)}};
    if (!file.empty())
        output["file"] = file;
    return output;
}

static std::string store(const Arguments& arguments, std::size_t output, const Array& array) {
    if (arguments.output.empty())
        return "";
    std::error_code failed;
    std::filesystem::create_directories(arguments.output, failed);
    if (failed)
        throw Stop{exit_environment, "cannot make the folder '" + arguments.output + "': " + failed.message()};
    std::string path = arguments.output + "/output_" + std::to_string(output) + ".npy";
    write_npy(path, array);
    return path;
}

void run(const Arguments& asked) {
    Arguments arguments = asked;
    const runtime::Package package = open_package(arguments);
    Processes processes(json::parse(package.describe()), arguments);
    Profile profile;
    runtime::Model model =
        create_model(package, arguments, processes, arguments.profile ? profile.callback() : nullptr);
    const std::vector<Array> inputs = make_inputs(package, model, arguments);
    take(model.run(tensors_of(inputs)));
    take(model.wait());
    processes.check();
    if (!processes.is_first())
        return;
    processes.wait();
    const std::vector<runtime::ValueInfo> infos = model.outputs();
    json outputs = json::array();
    for (std::size_t i = 0; i < infos.size(); ++i) {
        const Array array = read_output(model, i);
        const std::string file = store(arguments, i, array);
        outputs.push_back(output_json(infos[i].name, array, file));
        if (!arguments.json)
            print_output(infos[i].name, array);
    }
    if (arguments.json) {
        json document = {{"runsOn", model.runs_on()}, {"outputs", outputs}};
        if (arguments.profile)
            document["steps"] = profile.json();
        return print(document);
    }
    print("ran on " + model.runs_on());
    if (arguments.profile)
        profile.print();
}

} // namespace hidet::tool
