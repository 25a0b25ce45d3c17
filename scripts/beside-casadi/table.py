"""Prints the table of scripts/beside-casadi.sh, which calls this with a folder that holds
MODEL-default.so and MODEL-native.so of mbs, pinocchio.so, trace and time.

    table.py FOLDER MBS MODEL=DATA.json…
"""

import json
import subprocess
import sys
from pathlib import Path

import casadi

# How mbs and CasADi's C are compiled: for any processor of this kind, and for this one.
CFLAGS = {"default": ["-O3"], "native": ["-O3", "-march=native"]}
# Relative to the greatest entry of each result.
TOLERANCE = 1e-9
# Rotations of the robots carry dust that CasADi would multiply with; mbs snaps it, too.
DUST = 1e-10

# Variants with more than so many times the operations of the leanest are not compiled.
LEAN = 1.3

# Name in the table; of mbs, in its statistics and in its library; variants of Pinocchio and of CasADi.
FUNCTIONS = [
    ("M", "mass_matrix", "mbs_mass_matrix", ["M_body", "M_ground"], ["M_body", "M_ground"]),
    ("h", "forces", "mbs_bias", ["h"], ["h"]),
    (
        "FD", "accelerations", "mbs_forward_dynamics", ["FD_body", "FD_ground"],
        ["FD_factors_body", "FD_factors_ground", "FD_recursion_body", "FD_recursion_ground"],
    ),
]
WAYS = {
    "M_body": "body axes",
    "M_ground": "ground axes",
    "h": "body axes",
    "FD_factors_body": "M and h, body axes",
    "FD_factors_ground": "M and h, ground axes",
    "FD_recursion_body": "recursion, body axes",
    "FD_recursion_ground": "recursion, ground axes",
}
ARITHMETIC = {
    casadi.OP_ADD, casadi.OP_SUB, casadi.OP_MUL, casadi.OP_DIV, casadi.OP_SQ, casadi.OP_TWICE,
}
TRIGONOMETRIC = {casadi.OP_SIN, casadi.OP_COS}
# Signs are not counted for mbs either.
FREE = {casadi.OP_CONST, casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_NEG}
INPUTS = {"M": 1, "h": 2, "FD": 3}


def snapped(x: float) -> float:
    """`x`, or the number of -1, 0 and 1 that it misses by dust."""
    return next((whole for whole in (-1.0, 0.0, 1.0) if abs(x - whole) < DUST), x)


def flat(rows: list) -> list:
    return [x for row in rows for x in row]


def words(*numbers) -> str:
    return " ".join(repr(x) for x in numbers)


def model_text(tree: dict) -> str:
    """The tree as model.hpp reads it."""
    lines = [words(len(tree["bodies"])), words(*tree["gravity"])]
    for body in tree["bodies"]:
        axis = body["joint"]["axis"]
        if body["joint"]["type"] != "revolute" or sorted(axis) != [0.0, 0.0, 1.0]:
            sys.exit(f"{tree['name']}: only revolute joints about x, y and z are traced")
        rotation = [snapped(x) for x in flat(body["R"])]
        inertial = (body["mass"], *body["com"], *flat(body["I_com"]))
        lines.append(words(body["parent"], axis.index(1.0), *rotation, *body["p"], *inertial))
    return "\n".join(lines) + "\n"


def expected(function: str, state: dict) -> list:
    """What Pinocchio computed when the reference data were made."""
    if function != "M":
        return state[{"h": "h", "FD": "qdd"}[function]]
    lower = state["M_lower"]
    n = len(lower)
    return [lower[max(i, j)][min(i, j)] for i in range(n) for j in range(n)]


def case_text(function: str, tree: dict) -> str:
    """States and expected results as time.c reads them."""
    outputs = len(expected(function, tree["states"][0]))
    lines = [words(INPUTS[function], tree["nv"], outputs, len(tree["states"]))]
    for state in tree["states"]:
        lines.append(words(*state["q"], *state["v"], *state["tau"], *expected(function, state)))
    return "\n".join(lines) + "\n"


def counts(function: casadi.Function) -> tuple[int, int]:
    """Additions, multiplications and divisions; sines and cosines."""
    operations = [function.instruction_id(k) for k in range(function.n_instructions())]
    unknown = set(operations) - ARITHMETIC - TRIGONOMETRIC - FREE
    if unknown:
        sys.exit(f"{function.name()} has operations this script does not count: {unknown}")
    return sum(x in ARITHMETIC for x in operations), sum(x in TRIGONOMETRIC for x in operations)


def read(traced: Path) -> casadi.Function:
    """A traced function without common subexpressions."""
    raw = casadi.Function.load(str(traced))
    symbols = raw.sx_in()
    return casadi.Function(raw.name(), symbols, casadi.cse(raw.call(symbols)))


def compiled(function: casadi.Function, folder: Path, flags: str) -> str:
    """The shared library of a function, and the function's name as time.c reads it."""
    generator = casadi.CodeGenerator(f"{function.name()}.c")
    generator.add(function)
    source = generator.generate(f"{folder}/")
    library = folder / f"{function.name()}-{flags}.so"
    subprocess.run(["gcc", *CFLAGS[flags], "-shared", "-fPIC", source, "-o", library, "-lm"], check=True)
    return f"{library}:{function.name()}"


def times(folder: Path, model: Path, case: Path, contenders: list[str]) -> list[float]:
    """ns per call of each; ends the program if one of them computes something else."""
    run = subprocess.run([folder / "time", model, case, *contenders], check=True, stdout=subprocess.PIPE, text=True)
    lines = [[float(x) for x in line.split()] for line in run.stdout.splitlines()]
    for contender, (ns, deviation) in zip(contenders, lines, strict=True):
        told = f"{ns:.1f} ns, deviation {deviation:.0e}"
        print(f"{model.parent.name} {case.stem}, {Path(contender).name}: {told}", file=sys.stderr)
        if not deviation <= TOLERANCE:
            sys.exit(f"{contender} deviates from the reference by {deviation:.1e}, relative")
    return [ns for ns, _ in lines]


def row(folder: Path, name: str, tree: dict, stats: dict, function: tuple) -> str:
    short, own, symbol, pinocchio, traced = function
    here = folder / name
    case = here / f"{short}.txt"
    case.write_text(case_text(short, tree))
    variants = [read(here / f"{variant}.casadi") for variant in traced]
    fewest = min(counts(variant)[0] for variant in variants)
    variants = [variant for variant in variants if counts(variant)[0] <= LEAN * fewest]
    own_ones = [f"{here}-{flags}.so:{symbol}" for flags in CFLAGS]
    pinocchios = [f"{folder / 'pinocchio.so'}:pinocchio_{variant}" for variant in pinocchio]
    others = [compiled(variant, here, flags) for flags in CFLAGS for variant in variants]
    told = iter(times(folder, here / "model.txt", case, own_ones + pinocchios + others))
    default, native = next(told), next(told)
    pinocchio_ns = min(next(told) for _ in pinocchios)
    casadi_default = min(next(told) for _ in variants)
    casadi_native, fastest = min(((next(told), variant) for variant in variants), key=lambda pair: pair[0])
    mbs = stats["functions"][own]
    flops, trig = counts(fastest)
    return (
        f"| {name} | {short} | {default:.0f} | {casadi_default:.0f} | {casadi_default / default:.1f}"
        f" | {native:.0f} | {casadi_native:.0f} | {casadi_native / native:.1f} | {pinocchio_ns:.0f}"
        f" | {mbs['flops']} + {mbs['trig']} | {flops} + {trig} | {WAYS[fastest.name()]} |"
    )


def main() -> None:
    folder, mbs = Path(sys.argv[1]).resolve(), sys.argv[2]
    print(
        "| model | function | mbs, ns | CasADi, ns | ratio | mbs native, ns | CasADi native, ns | ratio"
        " | Pinocchio native, ns | mbs, flops | CasADi, flops | CasADi's way |"
    )
    print("|---" * 12 + "|")
    for argument in sys.argv[3:]:
        name, data = argument.split("=")
        tree = json.loads(Path(data).read_text())
        here = folder / name
        here.mkdir(exist_ok=True)
        (here / "model.txt").write_text(model_text(tree))
        subprocess.run([folder / "trace", here / "model.txt", here], check=True)
        told = subprocess.run([mbs, "stats", f"models/{name}.yaml", "--json"], check=True, stdout=subprocess.PIPE)
        stats = json.loads(told.stdout)
        for function in FUNCTIONS:
            print(row(folder, name, tree, stats, function), flush=True)


main()
