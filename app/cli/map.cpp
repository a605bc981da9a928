// SPDX-License-Identifier: Apache-2.0
// The mapping canvas on the command line: which worker has which element, and where elements lie.
#include <charconv>

#include "app/cli/output.h"
#include "app/cli/preview.h"
#include "app/cli/text/document.h"
#include "app/cli/verbs.h"
#include "app/session/preview/canvas.h"
#include "app/session/view/canvas_text.h"

namespace hidet::cli {

using namespace session;

namespace {

struct MapOptions {
    SourceOptions source;
    CanvasRequest request;
    std::string at;
    std::string slice;
    std::string svg;
    CanvasShows shows = CanvasShows::Cells;
};

// "24" or "24:13"
bool read_place(const std::string& text, CanvasRequest& out) {
    const char* end = text.data() + text.size();
    auto read = std::from_chars(text.data(), end, out.line);
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == ':')
        read = std::from_chars(read.ptr + 1, end, out.column);
    return read.ec == std::errc() && read.ptr == end && out.line > 0 && out.column > 0;
}

int refuse(const std::string& sentence) {
    print_note("error: " + sentence);
    return exit_usage;
}

std::string factors_text(const CanvasResult& result) {
    std::string out;
    for (const CanvasFactorView& factor : result.factors) {
        std::string numbers;
        for (const CanvasNumberView& number : factor.numbers) {
            const std::string value = std::to_string(number.value);
            numbers += cat(numbers.empty() ? "" : ", ", number.name.empty() ? "" : number.name + "=", number.text,
                           number.text == value ? "" : " = " + value);
        }
        out += cat("  ", factor.name, factor.name.find('(') == std::string::npos ? "(" + numbers + ")" : "", "\n");
    }
    return out;
}

int show(const MapOptions& options, const CanvasResult& result) {
    if (result.pictures.empty())
        return refuse(cat("nothing at ", options.source.file, ":", options.at, " has a task mapping or a layout"));
    std::string out = cat(result.place.file, ":", result.place.line, ":", result.place.column, ": ", result.text, "\n");
    if (result.factors.size() > 1)
        out += factors_text(result);
    for (const CanvasPicture& picture : result.pictures) {
        TensorSlice slice = usual_slice(picture.shape);
        if (!options.slice.empty() && picture.refusal.empty())
            if (const std::string wrong = read_slice(options.slice, picture.shape, slice); !wrong.empty())
                return refuse(wrong);
        out += "\n" + canvas_text(picture, slice, options.shows);
    }
    print_text(out);
    return exit_fine;
}

// A slice that does not fit is left to who shows the text.
std::vector<Scene> pictures_of(const MapOptions& options, const CanvasResult& result) {
    std::vector<Scene> out;
    for (const CanvasPicture& picture : result.pictures) {
        TensorSlice slice = usual_slice(picture.shape);
        if (picture.refusal.empty() &&
            (options.slice.empty() || read_slice(options.slice, picture.shape, slice).empty()))
            out.push_back(picture_of(picture, slice, result.text));
    }
    return out;
}

int map(const MapOptions& options, const Cancelled& cancelled) {
    CanvasRequest request = options.request;
    if (!read_place(options.at, request))
        return refuse(cat("'", options.at, "' is no place: LINE or LINE:COLUMN"));
    if (const int exit = open_preview(options.source, cancelled, request.preview))
        return exit;
    if (request.preview.source.is_ir)
        return refuse("a script has mappings to be shown; this is IR");
    const CanvasResult result = canvas(request);
    if (!write_pictures(options.svg, pictures_of(options, result)))
        return exit_environment;
    if (options.source.json) {
        print_text(json_of(result, ""));
        return exit_code(result.status);
    }
    print_diagnostics(result.diagnostics);
    if (result.pictures.empty() && result.status != Status::Ok)
        return exit_code(result.status);
    return show(options, result);
}

} // namespace

void add_map(Verb& program, Action& chosen) {
    Verb verb = program.add_verb("map", "draw a task mapping, a layout or what lanes hold of a matrix instruction");
    MapOptions& options = options_for(verb, chosen, map);
    add_source(verb, options.source);
    verb.text("--at", options.at, "LINE:COLUMN", "where it stands; without a column the first one of the line")
        .required();
    verb.texts("--studio", options.request.preview.calls, "CALL", "also preview this call, as in 'matmul(1024, 1024)'");
    verb.choice(
        "--show", {"cells", "workers", "banks"},
        [&options](std::size_t which) { options.shows = static_cast<CanvasShows>(which); }, "WHAT",
        "which worker has each element, the elements of each worker, or banks of shared memory: cells, workers or "
        "banks");
    add_svg(verb, options.svg);
    verb.text("--slice", options.slice, "SLICE", "of more than two dimensions: '0,*,*' shows the last two");
}

} // namespace hidet::cli
