// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/drawing_dot.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hidet::bench {

using namespace drawing;

namespace {

constexpr double kPerInch = 72;
constexpr int kSteps = 12; // of a curve

void add_curve(Line& line, Point a, Point b, Point c, Point d) {
    for (int i = 1; i <= kSteps; ++i) {
        const double t = static_cast<double>(i) / kSteps, s = 1 - t;
        const double wa = s * s * s, wb = 3 * s * s * t, wc = 3 * s * t * t, wd = t * t * t;
        line.push_back({wa * a.x + wb * b.x + wc * c.x + wd * d.x, wa * a.y + wb * b.y + wc * c.y + wd * d.y});
    }
}

std::vector<double> distinct(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    std::vector<double> result;
    for (double value : values)
        if (result.empty() || value - result.back() > 1)
            result.push_back(value);
    return result;
}

// Where the edge is at a level; at its ends beyond them.
double x_at(const Line& line, double level) {
    if (level <= line.front().y)
        return line.front().x;
    if (level >= line.back().y)
        return line.back().x;
    std::size_t low = 0, high = line.size() - 1;
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        (line[middle].y <= level ? low : high) = middle;
    }
    const Point &a = line[low], &b = line[high];
    return b.y - a.y < 1e-9 ? a.x : a.x + (b.x - a.x) * (level - a.y) / (b.y - a.y);
}

std::uint64_t inversions(std::vector<std::pair<long, long>>& pairs) {
    std::sort(pairs.begin(), pairs.end());
    std::vector<long> ends;
    for (const auto& [upper, lower] : pairs)
        ends.push_back(lower);
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    std::vector<std::uint64_t> sums(ends.size() + 1, 0);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < pairs.size();) {
        std::size_t last = i;
        const auto slot = [&](std::size_t k) {
            return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), pairs[k].second) -
                                            ends.begin()) +
                   1;
        };
        for (; last < pairs.size() && pairs[last].first == pairs[i].first; ++last) {
            std::uint64_t left = 0;
            for (std::size_t k = slot(last); k > 0; k &= k - 1)
                left += sums[k];
            count += i - left;
        }
        for (; i < last; ++i)
            for (std::size_t k = slot(i); k < sums.size(); k += k & (~k + 1))
                ++sums[k];
    }
    return count;
}

std::string dot_text(const FlatGraph& graph, const FlatOptions& options) {
    std::ostringstream out;
    out << "digraph {\n nodesep=" << options.node_gap / kPerInch << "; ranksep=" << options.layer_gap / kPerInch
        << ";\n node [shape=box, fixedsize=true, label=\"\"];\n edge [arrowhead=none];\n";
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        out << " n" << i << " [width=" << graph.nodes[i].size.width / kPerInch
            << ", height=" << graph.nodes[i].size.height / kPerInch << "];\n";
    for (const FlatEdge& edge : graph.edges)
        out << " n" << edge.from << " -> n" << edge.to << ";\n";
    out << "}\n";
    return out.str();
}

void parse_plain(std::istream& in, Drawing& drawing) {
    std::string text;
    double height = 0;
    std::vector<double> levels;
    while (std::getline(in, text) && text != "stop") {
        std::istringstream words(text);
        std::string kind, name, other;
        words >> kind;
        if (kind == "graph") {
            double scale = 0, width = 0;
            words >> scale >> width >> height;
        } else if (kind == "node") {
            double x = 0, y = 0;
            words >> name >> x >> y;
            levels.push_back((height - y) * kPerInch);
        } else if (kind == "edge") {
            std::size_t count = 0;
            words >> name >> other >> count;
            std::vector<Point> points(count);
            for (Point& point : points) {
                words >> point.x >> point.y;
                point = {point.x * kPerInch, (height - point.y) * kPerInch};
            }
            Line line(1, points.front());
            for (std::size_t i = 3; i < count; i += 3)
                add_curve(line, points[i - 3], points[i - 2], points[i - 1], points[i]);
            drawing.edges.push_back(std::move(line));
        }
    }
    drawing.levels = distinct(std::move(levels));
}

// Runs `dot -Tplain`; the seconds that it computed, or nothing when it was stopped.
std::optional<double> run_dot(const std::string& input, const std::string& output, int seconds) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{static_cast<rlim_t>(seconds), static_cast<rlim_t>(seconds)};
        setrlimit(RLIMIT_CPU, &limit);
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        dup2(nothing, 2);
        execlp("dot", "dot", "-Tplain", "-o", output.c_str(), input.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return {};
    const auto of = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return of(usage.ru_utime) + of(usage.ru_stime);
}

struct TemporaryFile {
    std::string path;
    explicit TemporaryFile(const char* ending) {
        const char* folder = std::getenv("TMPDIR");
        path = std::string(folder ? folder : "/tmp") + "/bench_drawing." + std::to_string(getpid()) + ending;
    }
    ~TemporaryFile() { std::remove(path.c_str()); }
};

// The graph once or several times in one file.
std::optional<double> run_dot_on(const std::string& text, int copies, int seconds, Drawing& drawing) {
    const TemporaryFile input(".gv"), output(".plain");
    std::ofstream file(input.path);
    for (int i = 0; i < copies; ++i)
        file << text;
    file.close();
    const std::optional<double> time = run_dot(input.path, output.path, seconds);
    if (time) {
        std::ifstream in(output.path);
        parse_plain(in, drawing);
    }
    return time;
}

} // namespace

Drawing drawing_of(const FlatGraph& graph, const FlatDrawing& layout) {
    Drawing drawing;
    std::vector<double> levels;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        levels.push_back(layout.nodes[i].y + graph.nodes[i].size.height / 2);
    drawing.levels = distinct(std::move(levels));
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const auto route = layout.route(i);
        if (route.empty())
            continue;
        Line line(1, route.front());
        for (std::size_t k = 1; k < route.size(); ++k) {
            const Point a = route[k - 1], b = route[k];
            const double middle = (a.y + b.y) / 2;
            if (a.x == b.x)
                line.push_back(b);
            else
                add_curve(line, a, {a.x, middle}, {b.x, middle}, b);
        }
        drawing.edges.push_back(std::move(line));
    }
    return drawing;
}

bool has_dot() {
    Drawing ignored;
    return run_dot_on("digraph { a -> b }", 1, 10, ignored).has_value();
}

Drawing drawn_by_dot(const FlatGraph& graph, const FlatOptions& options, int seconds) {
    Drawing drawing, ignored;
    const std::string text = dot_text(graph, options);
    const std::optional<double> time = run_dot_on(text, 1, seconds, drawing);
    drawing.is_stopped = !time;
    drawing.seconds = time.value_or(seconds);
    // Of a small graph most of the time is that of starting; many copies of it in one run say how long one takes.
    const int copies = 1 + static_cast<int>(1 / (drawing.seconds + 0.01));
    if (copies > 2)
        if (const std::optional<double> many = run_dot_on(text, copies, seconds, ignored))
            drawing.seconds = std::max(*many - *time, 0.0) / (copies - 1);
    return drawing;
}

std::uint64_t crossings(const Drawing& drawing) {
    const std::vector<double>& levels = drawing.levels;
    std::vector<std::vector<std::pair<long, long>>> gaps(levels.size());
    const auto level_of = [&](double y) {
        return static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), y) - levels.begin());
    };
    for (const Line& line : drawing.edges) {
        const std::size_t first = std::max<std::size_t>(level_of(line.front().y), 1) - 1;
        const std::size_t last = std::min(level_of(line.back().y), levels.size() - 1);
        for (std::size_t i = first; i < last; ++i)
            gaps[i].push_back({std::lround(x_at(line, levels[i]) * 100), std::lround(x_at(line, levels[i + 1]) * 100)});
    }
    std::uint64_t count = 0;
    for (auto& gap : gaps)
        count += inversions(gap);
    return count;
}

double total_length(const Drawing& drawing) {
    double sum = 0;
    for (const Line& line : drawing.edges)
        for (std::size_t i = 1; i < line.size(); ++i)
            sum += std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
    return sum;
}

} // namespace hidet::bench
