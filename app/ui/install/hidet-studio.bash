# SPDX-License-Identifier: GPL-3.0-only
# Completion of hidet-studio in bash.
_hidet_studio() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  case $before in
    --target) mapfile -t COMPREPLY < <(compgen -W "auto cuda cpu emulate" -- "$word") ;;
    --theme) mapfile -t COMPREPLY < <(compgen -W "light dark high_contrast safe_light safe_dark" -- "$word") ;;
    --scale) mapfile -t COMPREPLY < <(compgen -W "1 2" -- "$word") ;;
    --screenshot) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *)
      if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "--line --column --session --new-window --safe-mode --target --do --screenshot --state
          --theme --scale --version --help" -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(py|ir|hidet-workspace)' -- "$word"; compgen -d -- "$word")
      fi
      ;;
  esac
}
complete -F _hidet_studio hidet-studio
