// SPDX-License-Identifier: Apache-2.0
// What an editor waits for: from a keystroke to IR after every pass, to CUDA C++, to accesses and cost, to PTX, to SASS that
// explains itself; and what a diff of all passes costs. Every keystroke makes another kernel, so nothing comes from a memory or
// a cache. `bench_live FOLDER PART_OF_A_TITLE` measures some.
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "app/session/live/live_session.h"
#include "app/session/view/blame.h"
#include "app/session/worker/worker_rehearser.h"
#include "tests/bench/bench.h"

using namespace hidet;
using namespace hidet::bench;
using namespace hidet::session;

namespace {

class Editor {
public:
    // Digits are typed behind the first `before`.
    Editor(const std::string& path, const std::string& before)
        : m_path(path), m_text(read_text(path)), m_caret(m_text.find(before) + before.size()),
          m_session(
              {open_tools(), [this](std::shared_ptr<const LiveSnapshot> snapshot) { hear(std::move(snapshot)); }}) {}

    std::shared_ptr<const LiveSnapshot> type(std::vector<Form> forms) {
        LiveRequest request;
        request.revision = ++m_revision;
        request.source.name = m_path;
        request.source.folder = std::filesystem::path(m_path).parent_path();
        request.source.text = m_text;
        request.source.text.insert(m_caret, std::to_string(m_revision));
        request.explains_machine = std::ranges::find(forms, Form::Sass) != forms.end();
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

    std::string m_path, m_text;
    std::size_t m_caret = 0;
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

struct Goals {
    double ir = 0, cuda = 0, ptx = 0;
};

std::string only; // a part of the titles that are measured

bool is_left_out(const std::string& title) {
    return title.find(only) == std::string::npos;
}

void keystrokes(const std::string& title, const std::string& path, const std::string& before, const Goals& goals) {
    if (is_left_out(title))
        return;
    Editor editor(path, before);
    std::vector<double> ir, cuda, ptx, lines, explained;
    editor.type({Form::Cuda, Form::Ptx}); // loads NVRTC
    for (int i = 0; i < 9; ++i) {
        auto snapshot = editor.type({Form::Cuda, Form::Ptx});
        ir.push_back(snapshot->latency.ir.value_or(0));
        explained.push_back(snapshot->latency.explained.value_or(0) - snapshot->latency.ir.value_or(0));
        cuda.push_back(snapshot->latency.of(Form::Cuda).value_or(0));
        ptx.push_back(snapshot->latency.of(Form::Ptx).value_or(0));
        auto start = Clock::now();
        for (const LiveModule& module : snapshot->modules)
            (void)pass_changes(*module.snapshot);
        lines.push_back(milliseconds_since(start));
    }
    figure(title + ": to IR after every pass", median(ir), "ms", goals.ir);
    figure(title + ": from there to accesses and cost", median(explained), "ms", 30);
    figure(title + ": to CUDA C++", median(cuda), "ms", goals.cuda);
    figure(title + ": to PTX", median(ptx), "ms", goals.ptx);
    figure(title + ": lines that each pass changed", median(lines), "ms");
}

struct Latencies {
    std::vector<double> ir, cuda;
};

double at_share(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// What it takes that each text is evaluated in a worker first: keystrokes with and without it in turn, as two editors type them.
void rehearsals(const std::string& title, const std::string& path, const std::string& before) {
    if (is_left_out(title))
        return;
    WorkerRehearser rehearser;
    Editor editor(path, before);
    Latencies with, without;
    for (int i = -10; i < 200; ++i) {
        set_rehearser(i % 2 == 0 ? &rehearser : nullptr);
        const auto snapshot = editor.type({Form::Cuda});
        if (i < 0)
            continue;
        Latencies& out = i % 2 == 0 ? with : without;
        out.ir.push_back(snapshot->latency.ir.value_or(0));
        out.cuda.push_back(snapshot->latency.of(Form::Cuda).value_or(0));
    }
    set_rehearser(nullptr);
    for (const auto& [form, values, others] :
         {std::tuple{"IR", &with.ir, &without.ir}, std::tuple{"CUDA C++", &with.cuda, &without.cuda}}) {
        figure(title + ": later to " + form + " for the rehearsal, median", median(*values) - median(*others), "ms", 3);
        figure(title + ": later to " + form + " for the rehearsal, 95 of 100",
               at_share(*values, 0.95) - at_share(*others, 0.95), "ms", 8);
        figure(title + ": to " + form + " with a rehearsal, the largest of 100", at_share(*values, 1), "ms");
        figure(title + ": to " + form + " without, the largest of 100", at_share(*others, 1), "ms");
    }
}

void machine_code(const std::string& title, const std::string& path, const std::string& before) {
    if (is_left_out(title))
        return;
    Editor editor(path, before);
    std::vector<double> sass;
    editor.type({Form::Sass});
    for (int i = 0; i < 5; ++i)
        sass.push_back(editor.type({Form::Ptx, Form::Sass})->latency.of(Form::Sass).value_or(0));
    figure(title + ": to SASS that explains itself", median(sass), "ms", 350);
}

} // namespace

int main(int argc, char** argv) {
    setenv("HIDET_CACHE_LIMIT", "0", 1);
    std::string root = argc > 1 ? argv[1] : ".";
    only = argc > 2 ? argv[2] : "";
    const std::string samples = root + "/samples/kernels/";
    keystrokes("300 lines", root + "/tests/bench/kernels/script_300.py", "total = f32(0.", {15, 25, 150});
    rehearsals("300 lines rehearsed", root + "/tests/bench/kernels/script_300.py", "total = f32(0.");
    keystrokes("naive_matmul", samples + "naive_matmul.py", "total = f32(0.", {15, 25, 60});
    keystrokes("tensor_core_matmul", samples + "tensor_core_matmul.py", "y * 8 + j] = 0.", {50, 60, 150});
    keystrokes("double_buffered_matmul", samples + "double_buffered_matmul.py", "] = 0.", {50, 60, 150});
    keystrokes("tensor_core_attention", samples + "tensor_core_attention.py", "sums[x, y, i] = 0.", {50, 60});
    keystrokes("hopper_attention", samples + "hopper_attention.py", "totals[i] = 0.", {50, 60});
    machine_code("naive_matmul", samples + "naive_matmul.py", "total = f32(0.");
    machine_code("tensor_core_matmul", samples + "tensor_core_matmul.py", "y * 8 + j] = 0.");
    return 0;
}
