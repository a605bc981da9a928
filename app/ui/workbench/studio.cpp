// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/studio.h"

#include <utility>

#include "app/ui/core/command_keys.h"
#include "app/ui/workbench/profiles.h"

namespace hidet::ui {

Studio::Studio(StudioServices services, QObject* parent)
    : QObject(parent), settings(services.settings), themes(services.themes), tools(std::move(services.tools)),
      dialogs(std::move(services.dialogs)), commands(settings), notices(commands), scripts(*this), tabs(*this),
      requests(*this), jobs(new JobRunner(*this, std::move(services.workers))) {
    profiles = new Profiles(*this);
    commands.setReason([this] {
        if (tabs.current())
            return QString();
        return tabs.model() ? tr("a model is in front") : tr("no script is open");
    });
    new CommandKeys(
        commands, [this](const QString& why) { notices.showStatus(why); }, this);
}

} // namespace hidet::ui
