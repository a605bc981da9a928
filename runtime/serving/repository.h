// SPDX-License-Identifier: Apache-2.0
// What lies around a package so that a server of others serves it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/base/result.h"

namespace hidet::serving {

struct ServedFile {
    std::string path; // below the folder that the user names
    std::string bytes;
};

// For NVIDIA Triton Inference Server: the folder of the model (NAME/config.pbtxt, NAME/1/model.py, NAME/1/model.hidet), which is
// a model repository with the folder above it, and a Containerfile. The description is what hidet_describe() says of the
// package; an empty entry is the first. Error codes: "serving-name", "serving-entry", "serving-type".
Result<std::vector<ServedFile>> triton_repository(std::string_view name, std::string_view entry,
                                                  std::string_view description, std::string package);

} // namespace hidet::serving
