// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/program/start.h"

#include <cstdio>

#include <QFile>
#include <QTimer>

#include "app/session/request/workspace_name.h"
#include "app/ui/workbench/live_model.h"
#include "app/ui/workbench/model_files.h"

namespace hidet::ui {

static void readStandardInput(Studio& studio) {
    QFile input;
    if (!input.open(stdin, QIODevice::ReadOnly))
        return studio.notices.showError(QObject::tr("Standard input cannot be read"));
    QByteArray text = input.readAll();
    text.replace("\r\n", "\n");
    studio.tabs.create(QString::fromUtf8(text).toUtf8());
}

void openFiles(Studio& studio, const QList<FileArgument>& files) {
    for (const FileArgument& file : files) {
        if (file.path == "-") {
            readStandardInput(studio);
            continue;
        }
        if (isModelFile(file.path) || session::is_workspace_file(file.path.toStdString())) {
            studio.tabs.openFile(file.path);
            continue;
        }
        FileError error;
        Document* document = studio.tabs.open(file.path, error);
        if (!document) {
            studio.notices.showOpenError(error);
            continue;
        }
        if (file.line == 0)
            continue;
        session::Place place;
        place.file = document->name().toStdString();
        place.line = file.line;
        place.column = std::max(1, file.column);
        studio.requests.show(place);
    }
}

static bool doCommand(MainWindow& window, const QString& command) {
    if (command.startsWith("type ")) {
        ScriptEditor* editor = window.editors().current();
        const QByteArray text = command.mid(5).replace("\\n", "\n").toUtf8();
        if (editor)
            editor->SendScintilla(QsciScintilla::SCI_ADDTEXT, static_cast<unsigned long>(text.size()),
                                  text.constData());
        return editor;
    }
    QAction* action = window.studio().commands.find(command);
    if (!action || !action->isEnabled())
        return false;
    action->trigger();
    return true;
}

void doCommands(MainWindow& window, const QStringList& commands) {
    if (commands.isEmpty())
        return;
    const LivePipeline* live = window.studio().scripts.live();
    const LiveModel* model = window.studio().tabs.model();
    const bool isBusy = (live && !live->isSettled()) || !window.studio().scripts.turns().isIdle() ||
                        (model && model->graphs().isBusy());
    if (commands.first() == "wait" && isBusy)
        return QTimer::singleShot(10, &window, [&window, commands] { doCommands(window, commands); });
    if (commands.first() != "wait" && !doCommand(window, commands.first()))
        window.studio().notices.showError(QObject::tr("'%1' cannot be done").arg(commands.first()));
    QTimer::singleShot(0, &window, [&window, rest = commands.mid(1)] { doCommands(window, rest); });
}

} // namespace hidet::ui
