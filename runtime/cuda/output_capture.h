// SPDX-License-Identifier: Apache-2.0
// The driver writes what kernels print to the standard output of the process, whenever it likes. While this lives, that
// goes into memory instead.
#pragma once

#include <string>

namespace hidet::cuda {

class OutputCapture {
public:
    OutputCapture(); // where there is no memory file, nothing is captured
    ~OutputCapture();
    OutputCapture(const OutputCapture&) = delete;
    OutputCapture& operator=(const OutputCapture&) = delete;
    std::string finish(); // puts standard output back

private:
    int m_file = -1;
    int m_saved = -1;
};

} // namespace hidet::cuda
