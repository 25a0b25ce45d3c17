#!/usr/bin/env bash
# Times C code of CasADi, Pinocchio and mbs beside each other, in turn in one process, and
# checks that all compute what tests/data/peers says. Prints a table of Markdown.
#
#   scripts/beside-casadi.sh                      the usual trees
#   scripts/beside-casadi.sh ur5 panda            some of them
#
# Needs gcc, g++, python3 and, the first time, PyPI: CasADi and the headers of Pinocchio are
# installed into target/beside-casadi. Functions are traced through Pinocchio's templates with
# CasADi's symbols and written as C after elimination of common subexpressions. Once mbs is built,
# this takes eight minutes of processor time the first time, five of them for Pinocchio's
# templates, and two and a half afterwards.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for tool in gcc g++ python3 cargo; do
    if ! command -v "$tool" > /dev/null; then
        echo "$tool is not installed: CasADi cannot be timed here without it." >&2
        echo "Install it (Debian: apt install gcc g++ python3 python3-venv), or time mbs alone: cargo bench -p mbs-benches" >&2
        exit 1
    fi
done

unset RUSTFLAGS
models=("$@")
[[ $# -gt 0 ]] || models=(ur5 panda chain7 chain12 chain30)
trees=()
for model in "${models[@]}"; do
    data=tests/data/peers/${model/#panda/panda7}.json
    trees+=("$model=$data")
    if [[ ! -e models/$model.yaml || ! -e $data ]]; then
        echo "$model is not a tree that both models/ and tests/data/peers hold." >&2
        exit 2
    fi
done
target=${CARGO_TARGET_DIR:-target}
work=$target/beside-casadi
sources=scripts/beside-casadi
mkdir -p "$work"

venv=$work/venv
if [[ ! -e $venv/complete ]]; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check casadi==3.8.2 libpinocchio==4.1.0
    touch "$venv/complete"
fi
packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')

# Compiles C++ against Pinocchio's headers, unless nothing changed: build SOURCE OUTPUT FLAGS…
build() {
    local source=$1 output=$2
    shift 2
    if [[ $output -nt $source && $output -nt $sources/model.hpp && $output -nt $venv/complete ]]; then return; fi
    # Both macros are those of Pinocchio's own build: its list of joints is longer than Boost expects.
    # Of templates gcc warns by the thousand lines, none of them about these sources.
    g++ -w -std=c++17 -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS \
        -isystem "$packages/cmeel.prefix/include" -isystem "$packages/casadi/include" \
        -isystem "$packages/casadi/include/eigen3" "$source" -o "$output" "$@"
}
build "$sources/trace.cpp" "$work/trace" -L"$packages/casadi" -lcasadi -Wl,-rpath,"$packages/casadi" &
tracer=$!
build "$sources/pinocchio.cpp" "$work/pinocchio.so" -O3 -march=native -DNDEBUG -shared -fPIC
wait $tracer
gcc -std=c11 -Wall -Wextra -O2 "$sources/time.c" -o "$work/time" -ldl -lm

cargo build --quiet --release --locked --package mbs-cli
host=$(rustc -vV | sed -n 's/^host: //p')
for model in "${models[@]}"; do
    export MBS_MODEL=models/$model.yaml
    cargo build --quiet --release --locked --package example-c-abi --lib
    cp "$target/release/libexample_c_abi.so" "$work/$model-default.so"
    # With a target the output has a folder of its own, and what is compiled for one does not displace the other.
    RUSTFLAGS=-Ctarget-cpu=native cargo build --quiet --release --locked --package example-c-abi --lib --target "$host"
    cp "$target/$host/release/libexample_c_abi.so" "$work/$model-native.so"
done

echo "gcc $(gcc -dumpfullversion), $("$venv/bin/pip" list --format=freeze | grep -E '^(casadi|libpinocchio)=' | paste -sd ' ')" >&2
"$venv/bin/python" "$sources/table.py" "$work" "$target/release/mbs" "${trees[@]}"
