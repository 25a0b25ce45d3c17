#!/usr/bin/env bash
# Instructions per call under callgrind: unlike times they do not depend on the load of the
# machine. Prints one line per model and function.
#
#   scripts/callgrind.sh                          the usual models and functions
#   scripts/callgrind.sh ur5 mass_matrix          one of them
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v valgrind > /dev/null; then
    echo "valgrind is not installed: there is nothing to count instructions with." >&2
    echo "Install it (Debian: apt install valgrind), or measure times: cargo bench -p mbs-benches" >&2
    exit 1
fi

cargo build --quiet --release --locked --package mbs-benches --bin instructions
program=${CARGO_TARGET_DIR:-target}/release/instructions

# Instructions of a whole run.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" 2>&1 |
        sed -n 's/^==[0-9]*== Collected : \([0-9]*\).*/\1/p'
}

# The difference of two runs leaves set-up out, which varies a little: native code is made on threads.
per_call() {
    local few many
    few=$(instructions "$1" "$2" "$3" 100)
    many=$(instructions "$1" "$2" "$3" 20100)
    echo $(((many - few) / 20000))
}

if [[ $# -ge 2 ]]; then cases=("$1 $2"); else
    cases=("ur5 mass_matrix" "ur5 forces" "ur5 fused" "panda fused" "chain7 fused" "chain30 fused"
           "four_bar fused" "andrews fused" "five_link fused")
fi
echo "| model | function | generated Rust | native code |"
echo "|---|---|---|---|"
for case in "${cases[@]}"; do
    read -r model function <<< "$case"
    echo "| $model | $function | $(per_call "$model" "$function" generated) | $(per_call "$model" "$function" native) |"
done
