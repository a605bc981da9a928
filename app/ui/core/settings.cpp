// SPDX-License-Identifier: GPL-3.0-only
#include "app/ui/core/settings.h"

#include "app/session/snapshot/targets.h"
#include "app/session/worker/remote_workers.h"
#include "app/ui/core/held_setting.h"
#include "app/ui/core/theme.h"
#include "app/ui/core/words.h"

namespace hidet::ui {

const std::vector<SettingInfo>& allSettings() {
    static const std::vector<SettingInfo> settings = {
#define HIDET_SETTING(name, key, kind, standard, page, title, help)                                                    \
    {Setting::name, key, SettingKind::kind, standard, page, title, help},
#include "app/ui/core/settings.def"
    };
    return settings;
}

const SettingInfo& infoOf(Setting setting) {
    return allSettings()[static_cast<std::size_t>(setting)];
}

QStringList choicesOf(Setting setting) {
    switch (setting) {
    case Setting::Theme: {
        QStringList out{"system"};
        for (const Theme& theme : allThemes())
            out << theme.id;
        return out;
    }
    case Setting::Arch: return {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a"};
    case Setting::Target: return listOf(session::all_placements(), [](const auto& each) { return QString(each.name); });
    default: return {};
    }
}

Settings::Settings(QObject* parent)
    : QObject(parent), m_store(QSettings::IniFormat, QSettings::UserScope, "hidet", "studio") {}

Settings::Settings(const QString& file, QObject* parent) : QObject(parent), m_store(file, QSettings::IniFormat) {}

static bool fits(const SettingInfo& info, const QVariant& value) {
    switch (info.kind) {
    case SettingKind::Bool: return value.canConvert<bool>();
    case SettingKind::Int: {
        bool ok = false;
        return value.toInt(&ok) >= 0 && ok;
    }
    case SettingKind::Text: {
        const std::string text = value.toString().toStdString();
        const bool isName = info.setting != Setting::RemoteWorker || text.empty() || session::is_worker_name(text);
        return value.canConvert<QString>() && isName;
    }
    case SettingKind::Choice: return choicesOf(info.setting).contains(value.toString());
    }
    return false;
}

static QByteArray heldName(const SettingInfo& info) {
    return "held:" + info.key.toUtf8();
}

void hold(Settings& settings, Setting setting, const QVariant& value) {
    if (!fits(infoOf(setting), value))
        return;
    settings.setProperty(heldName(infoOf(setting)), value);
    emit settings.changed(setting);
}

QVariant Settings::value(Setting setting) const {
    const SettingInfo& info = infoOf(setting);
    if (const QVariant held = property(heldName(info)); held.isValid())
        return held;
    const QVariant kept = m_store.value(info.key, info.standard);
    return fits(info, kept) ? kept : info.standard;
}

void Settings::set(Setting setting, const QVariant& value) {
    const SettingInfo& info = infoOf(setting);
    if (!fits(info, value) || this->value(setting) == value)
        return;
    setProperty(heldName(info), QVariant());
    m_store.setValue(info.key, value);
    emit changed(setting);
}

void Settings::reset(Setting setting) {
    setProperty(heldName(infoOf(setting)), QVariant());
    m_store.remove(infoOf(setting).key);
    emit changed(setting);
}

QStringList Settings::extraKeys(const QString& group) const {
    QStringList out;
    for (const QString& key : m_store.allKeys())
        if (key.startsWith(group + '/'))
            out << key;
    return out;
}

void Settings::setExtra(const QString& key, const QVariant& value) {
    if (value.isValid())
        m_store.setValue(key, value);
    else
        m_store.remove(key);
}

} // namespace hidet::ui
