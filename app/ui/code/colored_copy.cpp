// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/code/colored_copy.h"

namespace hidet::ui {

namespace {

QString span(const Theme& theme, SyntaxColor color, const QByteArray& text) {
    const QString shown = QString::fromUtf8(text).toHtmlEscaped();
    if (color == SyntaxColor::Text || text.trimmed().isEmpty())
        return shown;
    return QString("<span style=\"color:%1\">%2</span>").arg(theme.color(color).name(), shown);
}

} // namespace

QString coloredHtml(const CodeView& view, ByteRange range) {
    const Theme& theme = view.themes().theme();
    QString out = QString("<pre style=\"font-family:'%1',monospace;color:%2;background:%3\">")
                      .arg(view.themes().codeFont().family(), theme.text.name(), theme.panel.name());
    // From the first line of the text: a comment or a string may have begun anywhere.
    const QByteArray text = view.bytes({0, range.end});
    LineState state = 0;
    for (int begin = 0; begin < text.size();) {
        const auto end = text.indexOf('\n', begin);
        const int size = static_cast<int>(end < 0 ? text.size() : end + 1) - begin;
        int at = begin;
        for (const ColoredRun& run :
             colorLine(view.codeLanguage(), {text.constData() + begin, static_cast<std::size_t>(size)}, state)) {
            const int from = std::max(at, range.begin);
            at += run.length;
            if (from < at)
                out += span(theme, run.color, text.mid(from, at - from));
        }
        begin += size;
    }
    return out + "</pre>";
}

std::unique_ptr<QMimeData> coloredCopy(const CodeView& view, ByteRange range) {
    auto data = std::make_unique<QMimeData>();
    data->setText(QString::fromUtf8(view.bytes(range)));
    data->setHtml(coloredHtml(view, range));
    return data;
}

} // namespace hidet::ui
