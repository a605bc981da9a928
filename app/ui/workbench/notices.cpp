// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/workbench/notices.h"

#include "app/ui/core/commands.h"

namespace hidet::ui {

void Notices::showError(const QString& sentence, const QList<Offer>& offers) {
    notify({offers.isEmpty() ? QString() : sentence, NoticeKind::Error, sentence, offers, {}});
}

void Notices::showOpenError(const FileError& error) {
    showError(error.message, {{tr("Open another"), [this] { m_commands.action(Command::FileOpen)->trigger(); }}});
}

} // namespace hidet::ui
