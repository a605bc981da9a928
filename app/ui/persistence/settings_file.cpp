// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/persistence/settings_file.h"

#include "lang/base/files.h"

namespace hidet::ui {

bool exportSettings(const Settings& settings, const QString& path, FileError& error) {
    QSettings file(path, QSettings::IniFormat);
    file.clear();
    for (const SettingInfo& info : allSettings())
        file.setValue(info.key, settings.value(info.setting));
    for (const QString& key : settings.extraKeys("keys"))
        file.setValue(key, settings.extra(key));
    file.sync();
    if (file.status() == QSettings::NoError)
        return true;
    error.message = QObject::tr("%1 cannot be written").arg(path);
    return false;
}

bool importSettings(Settings& settings, const QString& path, FileError& error) {
    if (!InputFile::open(path.toStdString())) { // QSettings would wait for a FIFO
        error.message = QObject::tr("%1 cannot be opened").arg(path);
        return false;
    }
    QSettings file(path, QSettings::IniFormat);
    bool known = false;
    for (const SettingInfo& info : allSettings())
        known = known || file.contains(info.key);
    if (file.status() != QSettings::NoError || !known) {
        error.message = QObject::tr("%1 holds no settings of this program").arg(path);
        return false;
    }
    for (const SettingInfo& info : allSettings())
        settings.set(info.setting, file.value(info.key, info.standard));
    for (const QString& key : settings.extraKeys("keys"))
        settings.setExtra(key, {});
    for (const QString& key : file.allKeys())
        if (key.startsWith("keys/"))
            settings.setExtra(key, file.value(key));
    emit settings.keysImported();
    return true;
}

} // namespace hidet::ui
