// SPDX-License-Identifier: Apache-2.0
// What a constant holds, in few characters.
#pragma once

#include <map>
#include <string>

#include "lang/tensor/tensor.h"

namespace hidet::graph {

// 32 hexadecimal digits, equal for equal dtypes, shapes and bytes; of large tensors remembered, because graphs are printed
// after every pass.
class ContentHashes {
public:
    const std::string& of(const lang::TensorRef& tensor);

private:
    std::map<const lang::Tensor*, std::pair<lang::TensorRef, std::string>> m_known; // looked up only, never walked
    std::string m_latest;
};

std::string content_hash(const lang::Tensor& tensor);
// "[1.0, 2.5]": all elements in row-major order; empty when there are more than `at_most`, or no data.
std::string short_contents(const lang::Tensor& tensor, std::int64_t at_most);

} // namespace hidet::graph
