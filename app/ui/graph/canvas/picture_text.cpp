// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/graph/canvas/picture_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "app/ui/core/words.h"

namespace hidet::ui {

namespace {

// Of attributes that are in each operator of a kind, and mostly say the same.
bool isUsual(std::string_view name, std::string_view value) {
    constexpr std::array<std::string_view, 10> nothing = {"",   "0",      "1",      "false",        "none",
                                                          "[]", "[0, 0]", "[1, 1]", "[0, 0, 0, 0]", "1.0"};
    if (name == "axis" || name == "axes" || name == "dim" || name == "dims" || name == "perm")
        return value.empty();
    return std::find(nothing.begin(), nothing.end(), value) != nothing.end();
}

bool isTelling(std::string_view name) {
    constexpr std::array<std::string_view, 15> parts = {"stride", "pad",  "dilation", "group", "kernel",
                                                        "axis",   "axes", "perm",     "dim",   "transpose",
                                                        "alpha",  "mode", "starts",   "ends",  "keep"};
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

QString lastPart(const std::string& name) {
    std::size_t end = name.size();
    while (end > 0 && (name[end - 1] == '.' || name[end - 1] == '/'))
        --end;
    const std::size_t at = name.find_last_of("./", end == 0 ? 0 : end - 1);
    const std::size_t begin = at == std::string::npos ? 0 : at + 1;
    return QString::fromStdString(name.substr(begin, end - begin));
}

// By an exporter, for what had no name: "onnx::Conv_497", "1234", "Slice_output_0".
bool isMade(const QString& name) {
    return name.contains("::") || name.contains("_output_") ||
           std::all_of(name.begin(), name.end(), [](QChar letter) { return letter.isDigit() || letter == u'%'; });
}

} // namespace

QString shapeOf(const session::GraphValue& value) {
    const QString shape = QString::fromStdString(value.shape);
    return value.dtype.empty() || value.dtype == "float32" ? shape : QString::fromStdString(value.dtype) + u' ' + shape;
}

QString attributesOf(const session::GraphNode& node) {
    QStringList out;
    for (const auto& [name, value] : node.attributes) {
        if (out.size() == 2)
            break;
        if (isTelling(name) && !isUsual(name, value) && value.size() <= 24)
            out << QString::fromStdString(name + " " + value).replace(u'_', u' ');
    }
    return out.join(QStringLiteral(", "));
}

QString chipOf(const session::GraphValue& constant) {
    if (!constant.contents.empty())
        return QString::fromStdString(constant.contents);
    const QString name = lastPart(constant.name), shape = QString::fromStdString(constant.shape);
    return name.isEmpty() || name.size() > 16 || isMade(name) ? shape : name + u' ' + shape;
}

QString titleOf(const session::GraphBoxGroup& group) {
    const QString name = QString::fromStdString(group.name);
    return group.count > 1 ? QStringLiteral("%1  \u00D7%2").arg(name).arg(group.count) : name;
}

QString titleOf(const session::GraphKernel& kernel) {
    const QString name = QString::fromStdString(kernel.names.front());
    return kernel.names.size() == 1 ? name : QStringLiteral("%1 +%2").arg(name).arg(kernel.names.size() - 1);
}

QString sizeOf(const session::GraphBoxGroup& group) {
    return group.boxes == 1 ? tr("1 operator") : tr("%1 operators").arg(group.boxes);
}

} // namespace hidet::ui
