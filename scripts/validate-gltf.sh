#!/usr/bin/env bash
# Exports models as glTF and lets the Khronos validator judge them.
#
#   scripts/validate-gltf.sh [MODEL.yaml …]     all of models/ unless given
#
# Needs node and npm; the validator is installed into a temporary folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
models=("$@")
[[ $# -gt 0 ]] || models=(models/*.yaml)

cargo build --quiet --locked --package mbs-cli
mbs=${CARGO_TARGET_DIR:-target}/debug/mbs
for model in "${models[@]}"; do
    "$mbs" simulate "$model" --t-end 0.02 --gltf "$work/$(basename "$model" .yaml).glb" > /dev/null
done

cat > "$work/validate.js" <<'JS'
const { readFileSync } = require("fs");
const { validateBytes } = require("gltf-validator");
(async () => {
  let failed = 0;
  for (const file of process.argv.slice(2)) {
    const { issues } = await validateBytes(new Uint8Array(readFileSync(file)));
    const bad = issues.numErrors + issues.numWarnings;
    if (bad > 0) console.error(file, JSON.stringify(issues.messages.slice(0, 5), null, 1));
    failed += bad > 0 ? 1 : 0;
  }
  console.log(`glTF: ${process.argv.length - 2 - failed} valid, ${failed} not`);
  process.exit(failed > 0 ? 1 : 0);
})();
JS
npm install --silent --no-audit --no-fund --prefix "$work" gltf-validator > /dev/null
(cd "$work" && node validate.js ./*.glb)
