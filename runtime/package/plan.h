// SPDX-License-Identifier: Apache-2.0
// A compiled model as plain data: what is launched and called, in which order, on which memory. Nothing in it points
// anywhere; tables name each other's rows by number. Whoever runs it needs the images and weights that it names, and no
// compiler.
//
//  * A symbol is a dimension that is known when the model runs. Extents, sizes, offsets and grids are expressions over
//    them, in one table (expression.h).
//  * Values lie in the caller's memory (inputs), in weights, in the arena of their section, or in memory of their own.
//  * Steps are made in order. What a host operator makes may have extents that depend on data: it ends a section, and the
//    expressions are evaluated once more before the next one begins.
//  * Branches and loops make bodies: plans of their own in one table, with inputs and outputs, symbols and memory, and the
//    weights and functions of the whole plan. Each is the body of one step, and they are numbered as steps name them, the
//    plan's first: so they nest, and a body has a greater number than the one that it stands in.
//
// `fields()` of each struct gives the JSON and the binary form; check.h is what a reader may rely on. The kit says what
// texts and lists are: those of C++'s library where plans are made (compiler/artifact/launch_plan.h), and places in memory
// that somebody owns where they are run.
#pragma once

#include "runtime/package/expression.h"
#include "runtime/package/scalar.h"

namespace hidet::package {

// A hash in a plan is XXH3 of 128 bits, over the number of bytes (as eight) and the bytes, in hexadecimal digits. Who reads
// files compares; an empty one says nothing.
inline constexpr std::uint32_t launch_plan_version = 4;

using Row = std::uint32_t; // of a table of the plan
inline constexpr Row no_row = UINT32_MAX;
inline constexpr std::size_t most_map_rank = 5;
inline constexpr std::size_t most_rank = 64;
inline constexpr std::size_t most_nested = 64;                          // bodies, one within the other
inline constexpr std::int64_t most_trips = 250'000;                     // of a loop and of those inside of it, together
inline constexpr std::int64_t most_addressable = std::int64_t{1} << 46; // bytes, by a process, with room for a sum

template <class Kit>
using TextOf = typename Kit::Text;
template <class Kit, class T>
using ListOf = typename Kit::template List<T>;

// Where a value lives. Output: memory of its own, which the caller gets. Host: likewise, read or written by a host operator
// and given back after its last reader. Alias: the bytes of another value, which is none, under another shape.
// InPlace: those of an input, which the step that makes it writes to: the caller asked for that.
enum class Place : std::uint8_t { Input, Constant, Arena, Output, Host, Alias, InPlace };
constexpr bool lies_in_another(Place place) {
    return place == Place::Alias || place == Place::InPlace;
}
enum class ImageKind : std::uint8_t { Cubin, Ptx, CpuObject };
// Of tensor maps, by the driver's numbers.
enum class MapElement : std::uint8_t { U8, U16, U32, I32, U64, I64, F16, F32, F64, BF16, F32Ftz, TF32 };
constexpr std::int64_t bytes_of(MapElement element) {
    constexpr std::int64_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4};
    return bytes[static_cast<std::size_t>(element)];
}
enum class ArgumentKind : std::uint8_t { Address, Scalar, TensorMap };
enum class HostOperator : std::uint8_t {
#define HIDET_HOST_OPERATOR(name, text) name,
#include "runtime/package/host_operators.def"
#undef HIDET_HOST_OPERATOR
};
enum class AttributeKind : std::uint8_t { Bool, Int, Real, Text, DType, Ints, Reals, Texts, Shape, Weight };
// If: makes one of two bodies of what it reads after the condition. Loop: makes its body of the trip's number (i64[]), the
// condition (bool[]), the carried values and what else it reads; that makes the condition of the next trip, the carried values
// and parts of what the loop stacks.
enum class StepKind : std::uint8_t { Launch, Call, Host, Copy, Fill, Choose, If, Loop };

// The host looks at elements, or invents extents.
constexpr bool is_on_host(StepKind kind) {
    return kind == StepKind::Host || kind == StepKind::If || kind == StepKind::Loop;
}

template <class Kit>
struct PlanSymbol {
    TextOf<Kit> name;
    Row value = no_row; // whose dimension it is: an input, or a result of a host operator
    std::uint32_t dimension = 0;
    std::int64_t least = 0, most = INT64_MAX;
    static void fields(auto& s, auto&& f) {
        f("name", s.name), f("value", s.value), f("dimension", s.dimension), f("least", s.least), f("most", s.most);
    }
    friend bool operator==(const PlanSymbol&, const PlanSymbol&) = default;
};

template <class Kit>
struct PlanWeight {
    TextOf<Kit> member;       // file beside the plan; empty: the weight is held by the process
    std::uint64_t offset = 0; // bytes
    std::uint64_t bytes = 0;
    TextOf<Kit> dtype; // "float32"
    ListOf<Kit, std::int64_t> shape;
    ListOf<Kit, std::int64_t> strides; // elements
    TextOf<Kit> hash;                  // of its bytes
    static void fields(auto& s, auto&& f) {
        f("member", s.member), f("offset", s.offset), f("bytes", s.bytes), f("dtype", s.dtype), f("shape", s.shape),
            f("strides", s.strides), f("hash", s.hash);
    }
    friend bool operator==(const PlanWeight&, const PlanWeight&) = default;
};

template <class Kit>
struct PlanValue {
    TextOf<Kit> name;
    TextOf<Kit> dtype;
    ListOf<Kit, Row> shape; // expressions
    Place place = Place::Input;
    Row bytes = no_row;  // expression
    Row offset = no_row; // expression; Arena: bytes from the start of its section's arena
    Row weight = no_row; // Constant
    Row of = no_row;     // Alias, InPlace
    std::int32_t first_step = -1, last_step = -1;
    static void fields(auto& s, auto&& f) {
        f("name", s.name), f("dtype", s.dtype), f("shape", s.shape), f("place", s.place), f("bytes", s.bytes),
            f("offset", s.offset), f("weight", s.weight), f("of", s.of), f("first_step", s.first_step),
            f("last_step", s.last_step);
    }
    friend bool operator==(const PlanValue&, const PlanValue&) = default;
};

struct PlanSection {
    std::uint32_t first_step = 0, end_step = 0;
    Row arena_bytes = no_row;    // expression
    Row liveness_bound = no_row; // expression: the most bytes alive at once; no row: it depends on symbols
    static void fields(auto& s, auto&& f) {
        f("first_step", s.first_step), f("end_step", s.end_step), f("arena_bytes", s.arena_bytes),
            f("liveness_bound", s.liveness_bound);
    }
    friend bool operator==(const PlanSection&, const PlanSection&) = default;
};

// What the compiler says of a kernel in an image.
struct PlanKernel {
    Row function = no_row;
    std::uint32_t registers = 0;     // a thread
    std::uint32_t local_bytes = 0;   // a thread
    std::uint32_t static_shared = 0; // bytes, a block
    static void fields(auto& s, auto&& f) {
        f("function", s.function), f("registers", s.registers), f("local_bytes", s.local_bytes),
            f("static_shared", s.static_shared);
    }
    friend bool operator==(const PlanKernel&, const PlanKernel&) = default;
};

// The functions of a module, compiled for one architecture.
template <class Kit>
struct PlanImage {
    Row module = 0;
    ImageKind kind = ImageKind::CpuObject;
    TextOf<Kit> architecture; // "sm_90a", "x86-64-v3"
    TextOf<Kit> member;       // file beside the plan
    ListOf<Kit, PlanKernel> kernels;
    TextOf<Kit> hash; // of the file's bytes
    static void fields(auto& s, auto&& f) {
        f("module", s.module), f("kind", s.kind), f("architecture", s.architecture), f("member", s.member),
            f("kernels", s.kernels), f("hash", s.hash);
    }
    friend bool operator==(const PlanImage&, const PlanImage&) = default;
};

template <class Kit>
struct PlanParameter {
    TextOf<Kit> name;
    Scalar type{};
    bool is_pointer = false;
    bool is_tensor_map = false; // by value
    static void fields(auto& s, auto&& f) {
        f("name", s.name), f("type", s.type), f("is_pointer", s.is_pointer), f("is_tensor_map", s.is_tensor_map);
    }
    friend bool operator==(const PlanParameter&, const PlanParameter&) = default;
};

template <class Kit>
struct PlanFunction {
    Row module = 0;
    TextOf<Kit> name;
    TextOf<Kit> symbol;                         // in the images
    ListOf<Kit, PlanParameter<Kit>> parameters; // empty until the images are made
    static void fields(auto& s, auto&& f) {
        f("module", s.module), f("name", s.name), f("symbol", s.symbol), f("parameters", s.parameters);
    }
    friend bool operator==(const PlanFunction&, const PlanFunction&) = default;
};

template <class Kit>
struct PlanModule {
    TextOf<Kit> key; // of its text: what caches and people call it
    static void fields(auto& s, auto&& f) { f("key", s.key); }
    friend bool operator==(const PlanModule&, const PlanModule&) = default;
};

// How a kernel on a GPU reads and writes boxes of a tensor, or the pixels of images that a filter sees; made when addresses
// are known. What lies outside of the tensor is read as zeros.
template <class Kit>
struct PlanTensorMap {
    MapElement element{};
    std::uint32_t interleave = 0;           // bytes: 0, 16, 32
    std::uint32_t swizzle = 0;              // bytes: 0, 32, 64, 128
    std::uint32_t l2_promotion = 0;         // bytes: 0, 64, 128, 256
    ListOf<Kit, Row> extents;               // expressions, innermost first
    ListOf<Kit, Row> strides;               // expressions: bytes, all but the innermost
    ListOf<Kit, std::uint32_t> box;         // elements that a copy spans; of images: the channels of a pixel alone
    ListOf<Kit, std::int64_t> lower, upper; // of images: where a filter begins, and ends before the end
    std::uint32_t pixels = 0;               // of a copy; 0: the map is of boxes
    ListOf<Kit, std::uint32_t> element_strides;
    bool is_of_images() const { return pixels > 0; }
    static void fields(auto& s, auto&& f) {
        f("element", s.element), f("interleave", s.interleave), f("swizzle", s.swizzle),
            f("l2_promotion", s.l2_promotion), f("extents", s.extents), f("strides", s.strides), f("box", s.box),
            f("lower", s.lower), f("upper", s.upper), f("pixels", s.pixels), f("element_strides", s.element_strides);
    }
    friend bool operator==(const PlanTensorMap&, const PlanTensorMap&) = default;
};

struct PlanArgument {
    ArgumentKind kind = ArgumentKind::Address;
    Row value = no_row;      // Address, TensorMap
    Row expression = no_row; // Address, TensorMap: bytes past the value's first, no row: 0; Scalar
    Scalar type{};           // Scalar
    Row map = no_row;        // TensorMap: row of the maps
    static void fields(auto& s, auto&& f) {
        f("kind", s.kind), f("value", s.value), f("expression", s.expression), f("type", s.type), f("map", s.map);
    }
    friend bool operator==(const PlanArgument&, const PlanArgument&) = default;
};

template <class Kit>
struct PlanAttribute {
    TextOf<Kit> name;
    AttributeKind kind = AttributeKind::Int;
    ListOf<Kit, std::int64_t> ints; // Bool, Int: one
    ListOf<Kit, double> reals;      // Real: one
    ListOf<Kit, TextOf<Kit>> texts; // Text, DType: one
    ListOf<Kit, Row> rows;          // Shape: expressions; Weight: one
    static void fields(auto& s, auto&& f) {
        f("name", s.name), f("kind", s.kind), f("ints", s.ints), f("reals", s.reals), f("texts", s.texts),
            f("rows", s.rows);
    }
    friend bool operator==(const PlanAttribute&, const PlanAttribute&) = default;
};

struct PlanRange { // of steps
    std::uint32_t first = 0, end = 0;
    static void fields(auto& s, auto&& f) { f("first", s.first), f("end", s.end); }
    friend bool operator==(const PlanRange&, const PlanRange&) = default;
};

template <class Kit>
struct PlanStep {
    StepKind kind = StepKind::Call;
    std::uint32_t section = 0; // whose arena takes what it makes
    ListOf<Kit, Row> reads;    // values
    ListOf<Kit, Row> writes;   // values; Launch, Call: nothing is done when all of them are empty
    // Launch, Call
    Row function = no_row;
    ListOf<Kit, PlanArgument> arguments;
    // Launch: expressions, three each
    ListOf<Kit, Row> grid, block, cluster;
    Row dynamic_shared = no_row; // expression: bytes; no row: none
    bool overlaps = false;       // may begin before the step before it has ended (programmatic launch)
    // Host
    HostOperator op{};
    ListOf<Kit, PlanAttribute<Kit>> attributes;
    // Copy (from reads[0]), Fill: expression, bytes of writes[0]; Fill: the byte
    Row bytes = no_row;
    std::uint32_t fill = 0;
    // Choose: the expression is the number of the range of steps that is made. The ranges follow the step, and each other.
    Row choice = no_row;
    ListOf<Kit, PlanRange> ranges;
    // If: what is made where the condition, the first that it reads, holds, and where it does not. Loop: one.
    ListOf<Kit, Row> bodies;
    // Loop: the first that it reads are how many trips there are at most (i64), and whether there is a first one (bool).
    bool has_trips = false;
    bool has_condition = false;
    std::uint32_t carried = 0; // those that come next; written first
    // For people: the kernels that it launches, and the operators that they compute.
    ListOf<Kit, TextOf<Kit>> kernels;
    ListOf<Kit, TextOf<Kit>> operators;
    static void fields(auto& s, auto&& f) {
        f("kind", s.kind), f("section", s.section), f("reads", s.reads), f("writes", s.writes),
            f("function", s.function), f("arguments", s.arguments), f("grid", s.grid), f("block", s.block),
            f("cluster", s.cluster), f("dynamic_shared", s.dynamic_shared), f("overlaps", s.overlaps),
            f("operator", s.op), f("attributes", s.attributes), f("bytes", s.bytes), f("fill", s.fill),
            f("choice", s.choice), f("ranges", s.ranges), f("bodies", s.bodies), f("has_trips", s.has_trips),
            f("has_condition", s.has_condition), f("carried", s.carried), f("kernels", s.kernels),
            f("operators", s.operators);
    }
    friend bool operator==(const PlanStep&, const PlanStep&) = default;
};

template <class Kit>
struct PlanRequirement {
    Row condition = no_row;  // expression: holds unless it is 0; what is not known yet is not checked yet
    TextOf<Kit> message;     // each {} stands for one of the values
    ListOf<Kit, Row> values; // expressions
    static void fields(auto& s, auto&& f) {
        f("condition", s.condition), f("message", s.message), f("values", s.values);
    }
    friend bool operator==(const PlanRequirement&, const PlanRequirement&) = default;
};

// What is made of inputs.
template <class Kit>
struct PlanBody {
    ListOf<Kit, PlanSymbol<Kit>> symbols;
    ListOf<Kit, ListOf<Kit, ExprWord>> expressions;
    ListOf<Kit, PlanValue<Kit>> values;
    ListOf<Kit, Row> inputs, outputs;
    ListOf<Kit, PlanTensorMap<Kit>> maps;
    ListOf<Kit, PlanSection> sections;
    ListOf<Kit, PlanStep<Kit>> steps;
    ListOf<Kit, PlanRequirement<Kit>> requirements; // checked before each section
    static void fields(auto& s, auto&& f) {
        f("symbols", s.symbols), f("expressions", s.expressions), f("values", s.values), f("inputs", s.inputs),
            f("outputs", s.outputs), f("maps", s.maps), f("sections", s.sections), f("steps", s.steps),
            f("requirements", s.requirements);
    }
    friend bool operator==(const PlanBody&, const PlanBody&) = default;
};

template <class Kit>
struct LaunchPlan : PlanBody<Kit> {
    std::uint32_t version = launch_plan_version;
    TextOf<Kit> name;   // of the model
    TextOf<Kit> target; // "cpu", "cuda"
    ListOf<Kit, PlanWeight<Kit>> weights;
    ListOf<Kit, PlanModule<Kit>> modules;
    ListOf<Kit, PlanFunction<Kit>> functions;
    ListOf<Kit, PlanImage<Kit>> images;
    ListOf<Kit, PlanBody<Kit>> bodies; // of steps
    TextOf<Kit> hash;                  // of the plan as bytes, without this one
    static void fields(auto& s, auto&& f) {
        f("version", s.version), f("name", s.name), f("target", s.target), f("weights", s.weights),
            f("modules", s.modules), f("functions", s.functions), f("images", s.images);
        PlanBody<Kit>::fields(s, f);
        f("bodies", s.bodies), f("hash", s.hash);
    }
    // The plan itself where there is no row.
    const PlanBody<Kit>& body(Row row) const {
        if (row == no_row)
            return *this;
        return bodies[row];
    }
    friend bool operator==(const LaunchPlan&, const LaunchPlan&) = default;
};

struct Flat {
    using Text = package::Text;
    template <class T>
    using List = package::List<T>;
};
using Plan = LaunchPlan<Flat>;
using Body = PlanBody<Flat>;
using Step = PlanStep<Flat>;
using Value = PlanValue<Flat>;

// A value's bytes are another one's, or its own.
template <class Kit>
Row root_of(const PlanBody<Kit>& body, Row value) {
    return lies_in_another(body.values[value].place) ? body.values[value].of : value;
}

} // namespace hidet::package
