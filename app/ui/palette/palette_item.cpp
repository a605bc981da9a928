// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/palette/palette_item.h"

#include <algorithm>

#include <QDir>
#include <QFileInfo>

#include "app/ui/core/paths.h"
#include "app/ui/core/recent_files.h"
#include "app/ui/core/words.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/studio.h"

namespace hidet::ui {

namespace {

QString shortFolder(const QString& path) {
    const QString folder = QFileInfo(path).absolutePath();
    const QString home = QDir::homePath();
    return folder == home || folder.startsWith(home + '/') ? "~" + folder.mid(home.size()) : folder;
}

PaletteItem fileItem(Studio& studio, const QString& path, const QString& detail, const QString& iconName) {
    return {.id = "file:" + path,
            .text = QFileInfo(path).fileName(),
            .detail = detail,
            .help = path,
            .icon = iconName,
            .act = [&studio, path] {
                studio.tabs.openFile(path);
                emit studio.requests.editorRequested();
            }};
}

void addOutline(Studio& studio, const std::vector<session::assist::OutlineNode>& nodes, const std::string& text,
                const QString& above, PaletteItems& out) {
    using session::assist::OutlineKind;
    for (const auto& node : nodes) {
        const QString name = QString::fromStdString(node.name);
        if (node.kind != OutlineKind::Imports) {
            PaletteItem item;
            item.text = name;
            item.detail = QString::fromStdString(node.detail);
            item.help = above.isEmpty() ? QString(session::assist::outline_kind_name(node.kind))
                                        : tr("%1 in %2").arg(session::assist::outline_kind_name(node.kind), above);
            item.icon = node.kind == OutlineKind::Kernel     ? "kernel"
                        : node.kind == OutlineKind::Loop     ? "loop"
                        : node.kind == OutlineKind::Tensor   ? "tensor"
                        : node.kind == OutlineKind::Function ? "function"
                                                             : "right";
            const auto before = text.substr(0, node.name_range.begin);
            session::Place place;
            place.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
            place.column = static_cast<int>(before.size() - (before.rfind('\n') + 1)) + 1;
            item.act = [&studio, place]() mutable {
                if (!studio.tabs.current())
                    return;
                place.file = studio.tabs.current()->name().toStdString();
                studio.requests.show(place);
            };
            out.push_back(std::move(item));
        }
        addOutline(studio, node.children, text, name, out);
    }
}

} // namespace

PaletteItems commandItems(Studio& studio) {
    PaletteItems out;
    for (QAction* action : studio.commands.all()) {
        if (action->text().isEmpty() || Commands::idOf(action) == "view.palette")
            continue;
        PaletteItem item;
        item.id = Commands::idOf(action);
        item.text = action->text();
        if (item.text.endsWith("..."))
            item.text.chop(3);
        item.detail = Commands::menuOf(action).replace('/', ", ");
        item.keys = action->shortcut().toString(QKeySequence::NativeText);
        item.possible = action->isEnabled();
        item.help = item.possible ? Commands::helpOf(action)
                                  : tr("%1 - %2").arg(Commands::helpOf(action), studio.commands.whyNot(action));
        item.act = [action] { action->trigger(); };
        out.push_back(std::move(item));
    }
    return out;
}

PaletteItems scriptItems(Studio& studio) {
    PaletteItems out;
    QStringList seen;
    for (Document* document : studio.tabs.documents()) {
        out.push_back({.id = "file:" + document->name(),
                       .text = document->title(),
                       .detail = document->isModified() ? tr("open, not saved") : tr("open"),
                       .help = document->name(),
                       .icon = "file",
                       .act = [&studio, document = QPointer<Document>(document)] {
                           if (document)
                               studio.tabs.setCurrent(document);
                           emit studio.requests.editorRequested();
                       }});
        seen << document->path();
    }
    for (LiveModel* model : studio.tabs.models()) {
        out.push_back({.id = "file:" + model->path(),
                       .text = model->title(),
                       .detail = tr("open"),
                       .help = model->path(),
                       .icon = "graph",
                       .act = [&studio, model = QPointer<LiveModel>(model)] {
                           if (model)
                               studio.tabs.setCurrent(*model);
                       }});
        seen << model->path();
    }
    for (const QString& path : recentFiles(studio.settings))
        if (!seen.contains(path)) {
            out.push_back(fileItem(studio, path, shortFolder(path), "history"));
            seen << path;
        }
    const QDir samples(samplesFolder() + "/kernels");
    if (!samplesFolder().isEmpty())
        for (const QString& name : samples.entryList({"*.py"}, QDir::Files, QDir::Name))
            if (!seen.contains(samples.filePath(name)))
                out.push_back(fileItem(studio, samples.filePath(name), tr("sample"), "kernel"));
    return out;
}

PaletteItems symbolItems(Studio& studio, const session::assist::Document& document) {
    PaletteItems out;
    addOutline(studio, session::assist::outline(document), session::assist::text_of(document), {}, out);
    return out;
}

PaletteItems lineItems(Studio& studio, const QString& number) {
    Document* document = studio.tabs.current();
    if (!document)
        return {};
    const auto lines = static_cast<int>(document->text().count('\n')) + 1;
    const int line = std::clamp(number.section(':', 0, 0).toInt(), 0, lines);
    const int column = std::max(1, number.section(':', 1, 1).toInt());
    PaletteItem item;
    item.text = line > 0 ? tr("Go to line %1").arg(line) : tr("Type a line from 1 to %1").arg(lines);
    item.icon = "right";
    item.possible = line > 0;
    item.act = [&studio, line, column] {
        if (!studio.tabs.current())
            return;
        session::Place place;
        place.file = studio.tabs.current()->name().toStdString();
        place.line = line;
        place.column = column;
        studio.requests.show(place);
    };
    return {item};
}

PaletteItems passItems(Studio& studio) {
    PaletteItems out;
    const LivePipeline* live = studio.scripts.live();
    if (!live)
        return out;
    QStringList seen;
    for (const session::PassSnapshot& pass : live->board().passes(live->module())) {
        const QString name = QString::fromStdString(pass.name);
        if (seen.contains(name))
            continue;
        seen << name;
        const StageName stage = pass.number == 0 ? StageName::ofScript() : StageName::afterPass(name);
        out.push_back({.text = pass.number == 0 ? tr("As the script made it") : name,
                       .detail = pass.changed || pass.number == 0 ? QString() : tr("changed nothing"),
                       .help = text(pass.summary),
                       .icon = "lower",
                       .act = [&studio, stage] { studio.requests.showStage(stage); }});
    }
    return out;
}

PaletteItems ranked(PaletteItems items, const QString& pattern) {
    PaletteItems out;
    const QByteArray wanted = pattern.toUtf8();
    for (PaletteItem& item : items) {
        const QByteArray name = item.text.toUtf8();
        auto match = session::assist::fuzzy_score(wanted.toStdString(), name.toStdString());
        // "file save" finds what the menu is called by as well.
        if (!match) {
            const QByteArray whole = (item.detail + ' ' + item.text).toUtf8();
            match = session::assist::fuzzy_score(wanted.toStdString(), whole.toStdString());
            if (!match)
                continue;
            match->score /= 2;
            match->matches.clear();
        }
        item.score = match->score;
        for (const auto& range : match->matches) {
            const auto begin = QString::fromUtf8(name.left(range.begin)).size();
            const auto count = QString::fromUtf8(name.mid(range.begin, range.end - range.begin)).size();
            item.matches.emplace_back(int(begin), int(count));
        }
        out.push_back(std::move(item));
    }
    const bool plain = pattern.trimmed().isEmpty();
    std::stable_sort(out.begin(), out.end(), [&](const PaletteItem& a, const PaletteItem& b) {
        if (a.possible != b.possible)
            return a.possible;
        if (!plain && a.score != b.score)
            return a.score > b.score;
        if ((a.recent >= 0) != (b.recent >= 0))
            return a.recent >= 0;
        return a.recent < b.recent;
    });
    return out;
}

} // namespace hidet::ui
