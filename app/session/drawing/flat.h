// SPDX-License-Identifier: Apache-2.0
// A drawing of one directed graph in layers: nodes are boxes, edges go down from ports at lower sides to ports at upper
// sides. Knows neither models nor groups (hierarchy.h) nor screens; lengths are in whatever unit the caller uses.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hidet::drawing {

struct Point {
    double x = 0;
    double y = 0;
    bool operator==(const Point&) const = default;
};

struct Size {
    double width = 0;
    double height = 0;
    bool operator==(const Size&) const = default;
};

// Boundary ports of a group stand in its first or last layer.
enum class Pin : std::uint8_t { None, Top, Bottom };

// Where a node was in the layout that this one follows.
struct Previous {
    double x = 0; // of its middle
    std::uint32_t layer = 0;
    bool operator==(const Previous&) const = default;
};

struct FlatNode {
    Size size;
    std::uint32_t inputs = 1;     // ports at the upper side, evenly spaced in the order of operands
    std::uint32_t outputs = 1;    // at the lower side; the edges of an only one leave side by side
    std::vector<double> input_at; // or at these distances from the left
    std::vector<double> output_at;
    bool has_free_ports = false; // as with Ports::Nearest, for this node
    Pin pin = Pin::None;
    bool is_stub = false; // what it is joined to stands straight below its other neighbour, if there is one
    std::optional<Previous> previous = {};
};

struct FlatEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t output = 0; // port of `from`
    std::uint32_t input = 0;  // port of `to`
};

struct FlatGraph {
    std::vector<FlatNode> nodes;
    std::vector<FlatEdge> edges;
};

// Which port an edge takes: that of its operand, or whichever is nearest (the picture says nothing about operands then).
enum class Ports : std::uint8_t { Operands, Nearest };

struct FlatOptions {
    double layer_gap = 32; // between layers
    double pin_gap = 16;   // between a layer and one with nothing but boundary ports
    double node_gap = 16;  // between boxes of a layer
    double edge_gap = 8;   // between an edge and its neighbour in a layer
    Ports ports = Ports::Operands;
    bool has_trunks = true;          // the edges of one value share their way as long as they can
    bool keeps_layers = false;       // nodes with a previous position stay in its layer if that costs little
    std::uint32_t effort = 100;      // of the search for few crossings, in percent
    std::uint64_t work = 60'000'000; // bounds the time of the exact parts; the same graph always gets the same drawing
    const std::atomic<bool>* cancelled = nullptr;
};

// The way of an edge from port to port, each point below or level with the one before. Between two layers it goes from side
// to side (drawn as a curve that is vertical at both ends), beside the boxes of a layer it is vertical.
struct FlatDrawing {
    Size size;
    std::vector<Point> nodes;          // upper left corners
    std::vector<std::uint32_t> layers; // of nodes
    std::vector<Point> points;
    std::vector<std::uint32_t>
        routes; // edge e: points[routes[e]] up to points[routes[e + 1]]; none: the edge is `broken`
    std::vector<std::uint32_t> broken; // edges that close a cycle; they are not drawn
    std::uint64_t crossings = 0;
    bool is_cancelled = false; // the rest is empty

    std::span<const Point> route(std::size_t edge) const {
        return std::span(points).subspan(routes[edge], routes[edge + 1] - routes[edge]);
    }
};

FlatDrawing lay_out(const FlatGraph& graph, const FlatOptions& options = {});

// How far the port is from the left side of the node.
double input_offset(const FlatNode& node, std::uint32_t port);
double output_offset(const FlatNode& node, std::uint32_t port);
// Of `count` ports the main one is in the middle, the others keep their order beside it.
double offset_around(double width, std::size_t main, std::size_t port, std::size_t count);

} // namespace hidet::drawing
