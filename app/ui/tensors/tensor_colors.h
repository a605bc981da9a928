// SPDX-License-Identifier: GPL-3.0-only
// Colours of elements: by size on both sides of zero, by how far they are off, and of what is no number.
#pragma once

#include "app/ui/core/theme.h"

namespace hidet::ui {

class TensorColors {
public:
    explicit TensorColors(const Theme& theme) : m_theme(&theme) {}
    QColor ofValue(double value, double greatest) const; // the greatest magnitude has the full colour
    QColor ofError(double error) const;                  // over what is tolerated
    QColor ofOwner(int number, double error) const;      // right elements are fainter
    QColor textOn(const QColor& ground) const { return m_theme->readable(m_theme->text, ground); }

private:
    const Theme* m_theme;
};

} // namespace hidet::ui
