// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/window/workspace_keeper.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>

#include "app/session/request/workspace_name.h"
#include "app/session/snapshot/targets.h"
#include "app/ui/core/held_setting.h"
#include "app/ui/core/recent_files.h"
#include "app/ui/run/run_controller.h"
#include "app/ui/window/dock_layout.h"
#include "app/ui/window/main_window.h"
#include "app/ui/window/window_state.h"
#include "app/ui/workbench/live_model.h"

namespace hidet::ui {

namespace {

constexpr int look_ms = 300; // after a change, until it is compared with the file
constexpr int most_named = 6;

QString workspaceEnding() {
    return '.' + QString::fromUtf8(session::workspace_suffix.data(), qsizetype(session::workspace_suffix.size()));
}

QString listed(const QStringList& names) {
    if (names.size() <= most_named)
        return names.join(", ");
    return WorkspaceKeeper::tr("%1 and %2 more")
        .arg(names.mid(0, most_named).join(", "))
        .arg(names.size() - most_named);
}

QStringList unknownPanes(const QJsonObject& stages, const MainWindow& window) {
    QStringList out;
    for (const QJsonValue& child : stages["children"].toArray())
        out << unknownPanes(child.toObject(), window);
    for (const QJsonValue& each : stages["panes"].toArray()) {
        const QString pane = each.toString();
        if (pane.startsWith("figure:")) {
            if (!window.hasFigure(pane.section(':', 1)))
                out << WorkspaceKeeper::tr("there is no tab '%1'").arg(pane.section(':', 1));
        } else if (!pane.startsWith("diff:") &&
                   StageName::ofKey(pane.startsWith("pin:") ? pane.section(':', 2) : pane).isEmpty())
            out << WorkspaceKeeper::tr("there is no stage '%1'").arg(pane);
    }
    return out;
}

QStringList unknownParts(const QJsonObject& layout, const MainWindow& window) {
    QStringList out;
    for (auto it = layout.begin(); it != layout.end(); ++it) {
        const QJsonObject state = it->toObject();
        out << unknownPanes(state["stages"].toObject(), window) << unknownPanes(state["tabs"].toObject(), window);
        for (const QString& dock : dockNames(state["shown"].toObject()))
            if (!window.dock(dock) && !window.hasFigure(dock))
                out << WorkspaceKeeper::tr("there is no dock '%1'").arg(dock);
    }
    out.removeDuplicates();
    return out;
}

QString nameOf(const KeptDocument& kept) {
    return kept.path.isEmpty() ? WorkspaceKeeper::tr("Untitled %1").arg(kept.number) : kept.path;
}

} // namespace

WorkspaceKeeper::WorkspaceKeeper(MainWindow& window)
    : QObject(&window), m_window(window), m_studio(window.studio()), m_pause(look_ms, [this] { look(); }) {
    bindCommands();
    listen();
}

void WorkspaceKeeper::bindCommands() {
    Commands& commands = m_studio.commands;
    commands.bind(Command::FileOpenWorkspace, this, [this] {
        const QStringList paths =
            m_studio.dialogs.open(&m_window, tr("Open workspace"), m_path.isEmpty() ? QString() : folder(),
                                  tr("Workspaces (*%1)").arg(workspaceEnding()));
        if (!paths.isEmpty())
            open(paths.first());
    });
    commands.bind(Command::FileSaveWorkspace, this, [this] { save(); });
    commands.bind(Command::FileSaveWorkspaceAs, this, [this] { saveAs(); });
    commands.bind(
        Command::FileCloseWorkspace, this, [this] { leave(); },
        [this, action = commands.action(Command::FileCloseWorkspace)] {
            Commands::explain(action, m_path.isEmpty() ? tr("no workspace is open") : QString());
            return !m_path.isEmpty();
        });
}

// Whatever may be in the file.
void WorkspaceKeeper::listen() {
    connect(&m_studio.tabs, &OpenTabs::workspaceRequested, this, &WorkspaceKeeper::open);
    for (auto signal : {&OpenTabs::tabsChanged, &OpenTabs::currentChanged, &OpenTabs::besideChanged})
        connect(&m_studio.tabs, signal, this, &WorkspaceKeeper::lookSoon);
    connect(&m_studio.tabs, &OpenTabs::documentAdded, this, [this](Document* document) {
        connect(m_studio.scripts.liveOf(*document), &LivePipeline::callsChanged, this, &WorkspaceKeeper::lookSoon);
        connect(document, &Document::textChanged, this, [this, document] {
            if (document->path().isEmpty()) // the texts of others are in files of their own
                lookSoon();
        });
    });
    connect(&m_studio.tabs, &OpenTabs::modelAdded, this, [this](LiveModel* model) {
        connect(&model->setup(), &ModelSetup::choicesChanged, this, &WorkspaceKeeper::lookSoon);
        connect(model, &LiveModel::stateChanged, this, &WorkspaceKeeper::lookSoon);
    });
    connect(&m_studio.runs->plans(), &PlanStore::changed, this, &WorkspaceKeeper::lookSoon);
    connect(&m_window.stages(), &StageArea::panesChanged, this, &WorkspaceKeeper::lookSoon);
    connect(&m_studio.settings, &Settings::changed, this, [this](Setting setting) {
        m_refused.remove(infoOf(setting).key);
        lookSoon();
    });
    connect(&m_studio.runs->history(), &HistoryStore::changed, this, [this] {
        if (!m_studio.runs->history().isCurrent())
            return;
        if (const QString path = std::exchange(m_savingTo, {}); !path.isEmpty() && !saveTo(path))
            m_openingNext.clear();
        if (const QString path = std::exchange(m_openingNext, {}); !path.isEmpty())
            return open(path);
        lookSoon();
    });
}

QString WorkspaceKeeper::title() const {
    if (m_path.isEmpty())
        return {};
    QString name = QFileInfo(m_path).fileName();
    name.chop(name.endsWith(workspaceEnding()) ? workspaceEnding().size() : 0);
    return m_isModified ? name + '*' : name;
}

QString WorkspaceKeeper::folder() const {
    return QFileInfo(m_path).absolutePath();
}

Workspace WorkspaceKeeper::now() {
    Workspace out;
    out.session = keptOf(m_window, Texts::Unnamed);
    QSet<QString> paths;
    for (const KeptDocument& kept : std::as_const(out.session.documents))
        paths << kept.path;
    for (const KeptDocument& missing : std::as_const(m_missing))
        if (!paths.contains(missing.path)) {
            paths << missing.path;
            out.session.documents << missing;
        }
    out.settings = m_refused;
    for (Setting setting : workspace_settings)
        if (!m_refused.contains(infoOf(setting).key))
            out.settings[infoOf(setting).key] = jsonOf(m_studio.settings, setting);
    for (const session::RunRecord& run : m_studio.runs->history().runs())
        if ((run.is_baseline || !run.name.empty()) && paths.contains(QString::fromStdString(run.script)))
            out.runs.push_back(run);
    out.others = m_others;
    out.othersOf = m_othersOf;
    return out;
}

void WorkspaceKeeper::lookSoon() {
    if (!m_path.isEmpty())
        m_pause.start();
}

void WorkspaceKeeper::look() {
    if (m_path.isEmpty() || !m_studio.runs->history().isCurrent())
        return;
    const bool isModified = !isSame(essenceOf(now()), m_saved);
    if (isModified == std::exchange(m_isModified, isModified))
        return;
    emit changed();
}

bool WorkspaceKeeper::save() {
    return m_path.isEmpty() ? saveAs() : saveTo(m_path);
}

bool WorkspaceKeeper::saveAs() {
    QString usual = m_path;
    if (usual.isEmpty() && m_studio.tabs.current() && !m_studio.tabs.current()->path().isEmpty()) {
        const QString folder = m_studio.tabs.current()->folder();
        usual = QDir(folder).filePath(QDir(folder).dirName() + workspaceEnding());
    }
    if (usual.isEmpty())
        usual = "kernels" + workspaceEnding();
    QString path =
        m_studio.dialogs.save(&m_window, tr("Save workspace"), usual, tr("Workspaces (*%1)").arg(workspaceEnding()));
    if (path.isEmpty())
        return false;
    if (!path.endsWith(workspaceEnding()))
        path += workspaceEnding();
    return saveTo(QFileInfo(path).absoluteFilePath());
}

bool WorkspaceKeeper::saveTo(const QString& path) {
    if (!m_studio.runs->history().isCurrent()) { // its baselines belong into the file
        m_savingTo = path;
        return true;
    }
    const Workspace workspace = now();
    FileError error;
    if (!writeTextFile(path, {printed(workspace, QFileInfo(path).absolutePath()), {}}, error)) {
        m_studio.notices.showError(error.message, {{tr("Save elsewhere"), [this] { saveAs(); }}});
        return false;
    }
    m_path = path;
    m_saved = essenceOf(workspace);
    m_isModified = false;
    addRecentFile(m_studio.settings, path);
    QStringList unsaved;
    for (const Document* document : m_studio.tabs.documents())
        if (document->isModified() && !document->path().isEmpty())
            unsaved << document->title();
    m_studio.notices.showStatus(unsaved.isEmpty() ? tr("Saved %1").arg(QFileInfo(path).fileName())
                                                  : tr("Saved %1; not in it is what was changed and not saved in %2")
                                                        .arg(QFileInfo(path).fileName(), listed(unsaved)));
    m_studio.commands.refresh();
    emit changed();
    return true;
}

void WorkspaceKeeper::leave() {
    m_path.clear();
    m_savingTo.clear();
    m_openingNext.clear();
    m_saved = {};
    m_isModified = false;
    m_missing.clear();
    m_others = m_refused = {};
    m_othersOf.clear();
    m_studio.commands.refresh();
    emit changed();
}

std::optional<ReadWorkspace> WorkspaceKeeper::read(const QString& path) {
    FileError error;
    const auto text = readTextFile(path, error);
    std::optional<ReadWorkspace> out;
    if (text)
        out = readWorkspace(text->text, QFileInfo(path).absolutePath(), error.message);
    if (out)
        return out;
    const QString why =
        text ? tr("%1 cannot be opened: %2").arg(QFileInfo(path).fileName(), error.message) : error.message;
    m_studio.notices.showError(
        why, {{tr("Open another"), [this] { m_studio.commands.action(Command::FileOpenWorkspace)->trigger(); }}});
    return {};
}

// What is open is closed for the workspace; what was typed and not saved comes before that.
bool WorkspaceKeeper::asks(const QString& path) {
    QStringList unsaved;
    for (const Document* document : m_studio.tabs.documents())
        if (document->isModified())
            unsaved << document->title();
    if (m_isModified)
        unsaved << QFileInfo(m_path).fileName();
    if (unsaved.isEmpty())
        return false;
    Notice notice;
    notice.id = "workspace";
    notice.kind = NoticeKind::Warning;
    notice.sentence = tr("%1 takes the place of what is open, of which this is not saved: %2")
                          .arg(QFileInfo(path).fileName(), listed(unsaved));
    notice.offers = {{tr("Save all and open"),
                      [this, path] {
                          m_studio.commands.action(Command::FileSaveAll)->trigger();
                          if (!m_isModified || saveTo(m_path))
                              open(path);
                      }},
                     {tr("Open without saving"), [this, path] {
                          if (auto workspace = read(path))
                              replaceBy(path, std::move(*workspace));
                      }}};
    m_studio.notices.notify(notice);
    return true;
}

void WorkspaceKeeper::open(const QString& path) {
    // Whether what is open is all in its file is known with the runs, which a save waits for as well.
    if ((!m_path.isEmpty() || !m_savingTo.isEmpty()) && !m_studio.runs->history().isCurrent()) {
        m_openingNext = path;
        return;
    }
    m_pause.stop();
    look();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (auto workspace = read(absolute); workspace && !asks(absolute))
        replaceBy(absolute, std::move(*workspace));
}

void WorkspaceKeeper::replaceBy(const QString& path, ReadWorkspace read) {
    leave();
    m_studio.notices.withdraw("workspace");
    while (!m_studio.tabs.documents().isEmpty())
        m_studio.tabs.close(*m_studio.tabs.documents().last());
    while (!m_studio.tabs.models().isEmpty())
        m_studio.tabs.close(*m_studio.tabs.models().last());
    Workspace& workspace = read.workspace;
    QStringList remarks = read.remarks;
    remarks << putBack(workspace.settings) << unknownParts(workspace.session.layout, m_window);
    m_studio.runs->history().adopt(workspace.runs);
    restoreLayout(m_window, workspace.session);
    const Restored restored = restore(m_window, workspace.session, Which::All);
    QStringList missing;
    for (const KeptDocument& kept : restored.missing)
        missing << nameOf(kept);
    if (!missing.isEmpty())
        remarks.prepend(tr("%1 cannot be opened").arg(listed(missing)));
    m_path = path;
    m_missing = restored.missing;
    m_others = workspace.others;
    m_othersOf = workspace.othersOf;
    // What was put back is the workspace, whatever differs in how it is told; runs arrive later.
    Workspace opened = now();
    opened.runs = workspace.runs;
    m_saved = essenceOf(opened);
    addRecentFile(m_studio.settings, path);
    m_studio.commands.refresh();
    emit changed();
    tell(remarks);
    emit m_studio.requests.editorRequested();
}

// It stands for a command of the user's, which a file of somebody else's does not choose.
static bool isRemote(const QString& target) {
    return session::info(session::placement_named(target.toStdString())).worker == session::WorkerPlace::Remote;
}

// Values hold for this window; the user's own settings stay as they are.
QStringList WorkspaceKeeper::putBack(const QJsonObject& settings) {
    QStringList out;
    QJsonObject rest = settings;
    for (Setting setting : workspace_settings) {
        const SettingInfo& info = infoOf(setting);
        const QJsonValue value = rest.take(info.key);
        if (value.isUndefined())
            continue;
        const bool isCommand = setting == Setting::Target && isRemote(value.toString());
        if (!isCommand)
            hold(m_studio.settings, setting, value.toVariant());
        if (!isCommand && jsonOf(m_studio.settings, setting) == value)
            continue;
        m_refused[info.key] = value;
        out << (isCommand ? tr("a workspace does not start the remote worker: choose the target yourself")
                          : tr("'%1' is no value of %2").arg(value.toVariant().toString(), info.title));
    }
    for (auto it = rest.begin(); it != rest.end(); ++it) {
        m_refused[it.key()] = it.value();
        out << tr("there is no setting '%1'").arg(it.key());
    }
    return out;
}

void WorkspaceKeeper::tell(const QStringList& remarks) {
    if (remarks.isEmpty())
        return m_studio.notices.showStatus(tr("Opened %1").arg(QFileInfo(m_path).fileName()));
    Notice notice;
    notice.id = "workspace";
    notice.kind = NoticeKind::Warning;
    notice.sentence =
        tr("%1 is open, but: %2. It stays in the file.").arg(QFileInfo(m_path).fileName(), listed(remarks));
    notice.offers = {{tr("Take it out"), [this] {
                          m_missing.clear();
                          m_others = m_refused = {};
                          m_othersOf.clear();
                          lookSoon();
                      }}};
    m_studio.notices.notify(notice);
}

void WorkspaceKeeper::resume(const QString& path) {
    FileError error;
    const auto text = readTextFile(path, error);
    auto workspace = text ? readWorkspace(text->text, QFileInfo(path).absolutePath(), error.message) : std::nullopt;
    if (!workspace)
        return m_studio.notices.showError(tr("The workspace %1 is not open any more: %2").arg(path, error.message));
    m_path = path;
    m_others = workspace->workspace.others;
    m_othersOf = workspace->workspace.othersOf;
    for (const KeptDocument& kept : std::as_const(workspace->workspace.session.documents))
        if (!kept.path.isEmpty() && !QFileInfo::exists(kept.path))
            m_missing << kept;
    putBack(workspace->workspace.settings);
    m_saved = essenceOf(workspace->workspace);
    m_studio.commands.refresh();
    emit changed();
    lookSoon();
}

} // namespace hidet::ui
