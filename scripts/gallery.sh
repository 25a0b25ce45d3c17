#!/usr/bin/env bash
# Draws the pictures of docs/gallery.md and of the README anew.
#
#   scripts/gallery.sh
#
# The same models give the same bytes, so only what changed shows up as a difference.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo build --quiet --release --locked --package mbs-cli
mbs=${CARGO_TARGET_DIR:-target}/release/mbs
mkdir -p docs/gallery
for model in models/*.yaml; do
    name=$(basename "$model" .yaml)
    # Some are more telling a while after the start.
    case $name in
        andrews) t=0.012 ;;
        bricard) t=1.2 ;;
        five_link | five_link_bushings) t=0.15 ;;
        planar_vehicle | truck) t=0.5 ;;
        *) t=0 ;;
    esac
    "$mbs" picture "$model" --t "$t" --size 560x350 --out "docs/gallery/$name.png"
done
"$mbs" picture models/five_link.yaml --t 0.15 --size 1000x560 --out docs/five_link.png
