// SPDX-License-Identifier: Apache-2.0
// A program that looks like ptxas from outside: what it writes is what the fake driver reads. Lines of PTX with the word "bogus" are
// errors; FAKE_PTXAS may be "crash".
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

namespace {

bool behaves(const char* how) {
    const char* value = std::getenv("FAKE_PTXAS");
    return value && std::strcmp(value, how) == 0;
}

// ".param .u64 x", ".param .align 8 .b8 x[16]"
int bytes_of(const std::string& parameter) {
    const std::size_t open = parameter.find('[');
    if (open != std::string::npos)
        return std::atoi(parameter.c_str() + open + 1);
    return parameter.find("64") == std::string::npos ? 4 : 8;
}

std::string module_of(const std::string& ptx) {
    std::string module = "fake-module sm_90\n";
    const std::string mark = ".entry ";
    for (std::size_t at = ptx.find(mark); at != std::string::npos; at = ptx.find(mark, at + 1)) {
        const std::size_t name = at + mark.size(), open = ptx.find('(', name), close = ptx.find(')', open);
        std::istringstream parameters(ptx.substr(open + 1, close - open - 1));
        std::string sizes;
        for (std::string each; std::getline(parameters, each, ',');)
            sizes += (sizes.empty() ? "" : ",") + std::to_string(bytes_of(each));
        const std::string kernel = ptx.substr(name, open - name);
        module += "kernel " + kernel + " params=" + sizes + "\n";
        std::fprintf(stderr,
                     "ptxas info    : Compiling entry function '%s' for 'sm_90a'\n"
                     "ptxas info    : Function properties for %s\n"
                     "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                     "ptxas info    : Used 12 registers, used 0 barriers\n",
                     kernel.c_str(), kernel.c_str());
    }
    return module;
}

int refuse(const std::string& ptx) {
    std::istringstream lines(ptx);
    int number = 0, errors = 0;
    for (std::string line; std::getline(lines, line);)
        if (++number; line.find("bogus") != std::string::npos) {
            std::fprintf(stderr, "ptxas /dev/stdin, line %d; error   : Not a name of any known instruction: 'bogus'\n",
                         number);
            ++errors;
        }
    if (errors > 0)
        std::fputs("ptxas fatal   : Ptx assembly aborted due to errors\n", stderr);
    return errors;
}

} // namespace

int main(int count, char** words) {
    std::string out;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(words[i], "--version") == 0) {
            std::puts("ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 13.0, V13.0.88");
            return 0;
        }
        if (std::strcmp(words[i], "-o") == 0 && i + 1 < count)
            out = words[++i];
    }
    if (behaves("crash")) {
        std::signal(SIGSEGV, SIG_DFL); // a sanitizer would make an exit of it
        std::raise(SIGSEGV);
    }
    const std::string ptx{std::istreambuf_iterator<char>(std::cin), {}};
    if (refuse(ptx) > 0)
        return 255;
    return std::ofstream(out) << module_of(ptx) ? 0 : 1;
}
