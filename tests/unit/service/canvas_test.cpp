// SPDX-License-Identifier: Apache-2.0
// Changes of the mapping canvas: what is edited, read and evaluated again is the mapping that the change means. Lanes have
// what the emulator says that they have.
#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <string>

#include "lang/base/text.h"
#include "lang/service/canvas/canvas.h"
#include "runtime/vm/async/swizzle.h"
#include "tests/unit/service/analysed.h"

using namespace hidet;
using namespace hidet::lang::service;

namespace {

DocumentRef document_of(std::string text) {
    ReadRequest request;
    request.text = std::move(text);
    request.name = "x.py";
    return test::analysed(std::move(request));
}

// ---- mappings, as plain as can be -----------------------------------------------------------------------------------

struct Factor {
    bool is_spatial = true;
    std::vector<std::int64_t> shape;
    std::int64_t count() const {
        std::int64_t out = 1;
        for (std::int64_t extent : shape)
            out *= extent;
        return out;
    }
    std::int64_t workers() const { return is_spatial ? count() : 1; }
    std::int64_t tasks() const { return is_spatial ? 1 : count(); }
    std::vector<std::int64_t> place(std::int64_t n) const {
        std::vector<std::int64_t> out(shape.size());
        for (std::size_t d = shape.size(); d-- > 0; n /= shape[d])
            out[d] = n % shape[d];
        return out;
    }
};
using Mapping = std::vector<Factor>;

std::vector<std::int64_t> elements_of(const Mapping& mapping) {
    std::int64_t workers = 1, tasks = 1;
    std::vector<std::int64_t> extents(mapping[0].shape.size(), 1);
    for (const Factor& factor : mapping) {
        workers *= factor.workers();
        tasks *= factor.tasks();
        for (std::size_t d = 0; d < extents.size(); ++d)
            extents[d] *= factor.shape[d];
    }
    std::vector<std::int64_t> out;
    for (std::int64_t w = 0; w < workers; ++w)
        for (std::int64_t t = 0; t < tasks; ++t) {
            std::vector<std::int64_t> scale(extents.size(), 1), at(extents.size(), 0);
            std::int64_t worker = w, task = t;
            for (std::size_t f = mapping.size(); f-- > 0;) { // the innermost has the smallest steps
                const Factor& factor = mapping[f];
                const std::vector<std::int64_t> place =
                    factor.place(factor.is_spatial ? worker % factor.workers() : task % factor.tasks());
                worker /= factor.workers();
                task /= factor.tasks();
                for (std::size_t d = 0; d < at.size(); ++d) {
                    at[d] += place[d] * scale[d];
                    scale[d] *= factor.shape[d];
                }
            }
            std::int64_t element = 0;
            for (std::size_t d = 0; d < at.size(); ++d)
                element = element * extents[d] + at[d];
            out.push_back(element);
        }
    return out;
}

// ---- random ones as text --------------------------------------------------------------------------------------------

class Source {
public:
    explicit Source(std::uint32_t seed) : m_random(seed) {}
    int below(int n) { return static_cast<int>(m_random() % static_cast<std::uint32_t>(n)); }

    Mapping mapping() {
        Mapping out(static_cast<std::size_t>(1 + below(4)));
        const int rank = 1 + below(3);
        for (Factor& factor : out) {
            factor.is_spatial = below(2) == 0;
            for (int d = 0; d < rank; ++d)
                factor.shape.push_back(1 + below(3));
        }
        return out;
    }

    // Behind dots, as a product or as a chain(); some numbers are variables.
    std::string script(const Mapping& mapping) {
        std::string variables, text;
        const int form = below(3);
        for (std::size_t f = 0; f < mapping.size(); ++f) {
            std::string call = mapping[f].is_spatial ? "spatial(" : "repeat(";
            for (std::size_t d = 0; d < mapping[f].shape.size(); ++d) {
                std::string number = std::to_string(mapping[f].shape[d]);
                if (below(4) == 0) {
                    const std::string name = cat("n", f, d);
                    variables += cat(name, " = ", number, "\n");
                    number = name;
                }
                call += cat(d ? ", " : "", number);
            }
            text += cat(f == 0 ? "" : form == 0 ? "." : form == 1 ? " * " : ", ", call, ")");
        }
        return cat("from hidet.lang import ", below(2) ? "spatial, repeat" : "repeat, spatial",
                   "\nfrom hidet.lang.mapping import chain\n", variables,
                   "mapping = ", form == 2 ? "chain(" + text + ")" : text, "\n");
    }

private:
    std::mt19937 m_random;
};

Canvas shown(const Document& document) {
    return canvas(document, static_cast<std::uint32_t>(text_of(document).find("mapping = ")) + 12);
}

std::string applied(std::string text, const CanvasChange& change) {
    for (std::size_t i = change.edits.size(); i-- > 0;)
        text.replace(change.edits[i].range.begin, change.edits[i].range.end - change.edits[i].range.begin,
                     change.edits[i].text);
    return text;
}

// A change of the text, and the same of the mapping.
CanvasChange changed(Source& random, const Document& document, const Canvas& from, Mapping& mapping) {
    const auto factor = static_cast<std::size_t>(random.below(static_cast<int>(mapping.size())));
    const auto at = [&](std::size_t i) { return mapping.begin() + static_cast<std::ptrdiff_t>(i); };
    switch (random.below(4)) {
    case 0: {
        const auto number = static_cast<std::size_t>(random.below(static_cast<int>(mapping[0].shape.size())));
        mapping[factor].shape[number] = 1 + random.below(4);
        return set_number(document, from, factor, number, mapping[factor].shape[number]);
    }
    case 1: {
        const bool is_spatial = random.below(2) == 0;
        mapping.insert(at(factor + 1), Factor{is_spatial, std::vector<std::int64_t>(mapping[0].shape.size(), 1)});
        return add_factor(document, from, factor, is_spatial ? "spatial" : "repeat");
    }
    case 2:
        if (mapping.size() == 1)
            return {};
        mapping.erase(at(factor));
        return remove_factor(document, from, factor);
    default:
        if (factor + 1 == mapping.size())
            return {};
        std::swap(mapping[factor], mapping[factor + 1]);
        return swap_factors(document, from, factor);
    }
}

void check_lanes(const std::string& config, const char* title, int per, int operand) {
    const DocumentRef document =
        document_of("from hidet.lang.cuda import MmaConfig\nconfig = MmaConfig." + config + "()\n");
    const Canvas found = canvas(*document, static_cast<std::uint32_t>(text_of(*document).find("Mma", 40)));
    const auto picture = std::ranges::find(found.pictures, title, &CanvasPicture::title);
    REQUIRE(picture != found.pictures.end());
    REQUIRE(picture->workers == 32);
    for (std::int64_t lane = 0; lane < 32; ++lane)
        for (std::int64_t i = 0; i < picture->per_worker; ++i) {
            // As runtime/vm/matrix/mma.h has it: `per` neighbours of k in a register.
            const std::int64_t r = i / per, k = (operand == 0 ? r / 2 * 4 : r * 4) * per + lane % 4 * per + i % per;
            const std::int64_t row = operand == 0 ? r % 2 * 8 + lane / 4 : operand == 1 ? k : i / 2 * 8 + lane / 4;
            const std::int64_t column = operand == 0 ? k : operand == 1 ? lane / 4 : lane % 4 * 2 + i % 2;
            CHECK(picture->elements[static_cast<std::size_t>(lane * picture->per_worker + i)] ==
                  row * picture->shape[1] + column);
        }
}

} // namespace

TEST_CASE("service/canvas") {
    SUBCASE("a change of the text is that change of the mapping") {
        for (std::uint32_t seed = 0; seed < 150; ++seed) {
            Source random(seed);
            Mapping mapping = random.mapping();
            std::string text = random.script(mapping);
            for (int step = 0; step < 4; ++step) {
                const DocumentRef document = document_of(text);
                const Canvas from = shown(*document);
                CAPTURE(text);
                REQUIRE(from.known());
                REQUIRE(from.factors.size() == mapping.size());
                REQUIRE(from.pictures[0].elements == elements_of(mapping));
                const CanvasChange change = changed(random, *document, from, mapping);
                REQUIRE(change.refusal == "");
                text = applied(std::move(text), change);
            }
        }
    }
    SUBCASE("lanes hold what the emulator says") {
        check_lanes("m16n8k16_f16_f32", "a", 2, 0);
        check_lanes("m16n8k16_f16_f32", "b", 2, 1);
        check_lanes("m16n8k16_f16_f32", "c", 2, 2);
        check_lanes("m16n8k8_tf32_f32", "a", 1, 0);
        check_lanes("m16n8k32_i8_i32", "b", 4, 1);
    }
    SUBCASE("boxes are swizzled as the emulator does it") {
        for (int bytes : {32, 64, 128}) {
            const DocumentRef document =
                document_of(cat("from hidet.lang import f16\ndef create_tensor_map(*all):\n    return 0\n"
                                "box = create_tensor_map(0, f16, 2, 0, 0, 0, 0, 0, 'NONE', '",
                                bytes, "B')\n"));
            const Canvas found = canvas(*document, static_cast<std::uint32_t>(text_of(*document).find("box") + 10));
            REQUIRE(found.known());
            const CanvasPicture& picture = found.pictures[0];
            for (std::size_t i = 0; i < picture.places.size(); ++i)
                CHECK(2 * picture.places[i] == vm::swizzled(static_cast<std::int64_t>(2 * i), bytes));
        }
    }
}
