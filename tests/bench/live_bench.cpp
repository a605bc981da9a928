// SPDX-License-Identifier: Apache-2.0
// What an editor waits for: from a keystroke to IR after every pass, to CUDA C++, to PTX; and what a diff of all passes
// costs. Every keystroke makes another kernel, so nothing comes from a memory or a cache.
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "app/session/live/live_session.h"
#include "app/session/view/blame.h"
#include "tests/bench/bench.h"

using namespace hidet;
using namespace hidet::bench;
using namespace hidet::session;

namespace {

class Editor {
public:
    explicit Editor(const std::string& path)
        : m_path(path), m_text(read_text(path)),
          m_session(
              {open_tools(), [this](std::shared_ptr<const LiveSnapshot> snapshot) { hear(std::move(snapshot)); }}) {}

    // A comment that grows by a letter moves all that is behind it.
    std::shared_ptr<const LiveSnapshot> type(std::vector<Form> forms) {
        LiveRequest request;
        request.revision = ++m_revision;
        request.source.name = m_path;
        request.source.folder = std::filesystem::path(m_path).parent_path();
        m_comment += 'x';
        request.source.text = m_comment + "\n" + m_text;
        request.forms = std::move(forms);
        request.explains = true;
        m_session.submit(std::move(request));
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return m_last && m_last->complete && m_last->revision == m_revision; });
        return m_last;
    }

private:
    void hear(std::shared_ptr<const LiveSnapshot> snapshot) {
        std::lock_guard lock(m_mutex);
        m_last = std::move(snapshot);
        m_changed.notify_all();
    }

    std::string m_path, m_text, m_comment = "# ";
    std::uint64_t m_revision = 0;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::shared_ptr<const LiveSnapshot> m_last;
    LiveSession m_session; // last: it calls hear()
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

void keystrokes(const std::string& title, const std::string& path, double ir_goal, double cuda_goal, double ptx_goal) {
    Editor editor(path);
    std::vector<double> ir, cuda, check, ptx, lines, explained;
    editor.type({Form::Cuda, Form::Ptx}); // loads NVRTC
    for (int i = 0; i < 9; ++i) {
        auto snapshot = editor.type({Form::Cuda, Form::Ptx});
        ir.push_back(snapshot->latency.ir.value_or(0));
        explained.push_back(snapshot->latency.explained.value_or(0) - snapshot->latency.ir.value_or(0));
        cuda.push_back(snapshot->latency.of(Form::Cuda).value_or(0));
        check.push_back(snapshot->latency.check.value_or(0));
        ptx.push_back(snapshot->latency.of(Form::Ptx).value_or(0));
        auto start = Clock::now();
        for (const LiveModule& module : snapshot->modules)
            (void)pass_changes(*module.snapshot);
        lines.push_back(milliseconds_since(start));
    }
    figure(title + ": to IR after every pass", median(ir), "ms", ir_goal);
    figure(title + ": from there to accesses and cost", median(explained), "ms", 30);
    figure(title + ": to CUDA C++", median(cuda), "ms", cuda_goal);
    figure(title + ": to its syntax check", median(check), "ms");
    figure(title + ": to PTX", median(ptx), "ms", ptx_goal);
    figure(title + ": lines that each pass changed", median(lines), "ms");
}

} // namespace

int main(int argc, char** argv) {
    setenv("HIDET_CACHE_LIMIT", "0", 1);
    std::string root = argc > 1 ? argv[1] : ".";
    keystrokes("300 lines", root + "/tests/bench/kernels/script_300.py", 15, 25, 150);
    keystrokes("tensor_core_matmul", root + "/samples/kernels/tensor_core_matmul.py", 50, 60, 150);
    keystrokes("double_buffered_matmul", root + "/samples/kernels/double_buffered_matmul.py", 50, 60, 150);
    return 0;
}
