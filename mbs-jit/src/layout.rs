//! Names and dimensions of a program, owned.

use mbs_runtime::{Kinks, Layout, ModeKind, ModeUse, Names, Quaternion, RowKind};
use mbs_symbolic::ids::Id;
use mbs_symbolic::program::{self, Program, Quantity};

/// The layout of a model that is built at run time.
pub(crate) fn layout(program: &Program) -> Layout {
    let from = &program.layout;
    let names = |names: &[String]| Names::from(names.to_vec());
    let inputs: Vec<String> = from.inputs.iter().map(|slot| slot.name.clone()).collect();
    let rows: Vec<String> = from.rows.iter().map(|row| row.name.clone()).collect();
    let modes: Vec<String> = from.modes.iter().map(|mode| mode.name.clone()).collect();
    let units = from.output_units.iter().map(|unit| unit.clone().unwrap_or_default());
    let (mut mode_uses, mut mode_conditions) = (Vec::new(), Vec::new());
    for (mode, alternative) in program.mode_uses() {
        let (first, count) = (mode_conditions.len() as u32, alternative.len() as u32);
        mode_uses.push(ModeUse { mode: mode as u32, first, count });
        mode_conditions.extend(alternative.iter().map(|needs| (needs.mode.index() as u32, needs.holds)));
    }
    let (mut kinks, mut kink_points) = (Vec::new(), Vec::new());
    for table in &from.kinks {
        let (first_mode, n_modes) = (table.first_mode.index() as u32, table.n_modes as u32);
        let (first, count) = (kink_points.len() as u32, table.at.len() as u32);
        kinks.push(Kinks { first_mode, n_modes, first, count });
        kink_points.extend_from_slice(&table.at);
    }
    let kink_names: Vec<String> = from.kinks.iter().map(|table| table.name.clone()).collect();
    Layout {
        model: vec![from.model.clone()].into(),
        positions: names(&from.positions),
        position_units: names(&from.position_units),
        velocities: names(&from.velocities),
        velocity_units: names(&from.velocity_units),
        states: names(&from.states),
        inputs: inputs.into(),
        input_derivatives: from.inputs.iter().map(|slot| slot.derivative).collect::<Vec<_>>().into(),
        parameters: names(&from.parameters),
        parameter_defaults: from.parameter_defaults.clone().into(),
        derived: names(&from.derived),
        n_prepared: program.n_prepared(),
        rows: rows.into(),
        row_kinds: from.rows.iter().map(|row| row_kind(row.kind)).collect::<Vec<_>>().into(),
        n_g: from.n_g,
        quaternions: from
            .quaternions
            .iter()
            .map(|block| Quaternion { p: block.p, v: block.v })
            .collect::<Vec<_>>()
            .into(),
        modes: modes.into(),
        time_modes: from.modes.iter().map(|mode| mode.is_time_event).collect::<Vec<_>>().into(),
        mode_kinds: from.modes.iter().map(|mode| mode_kind(mode.kind)).collect::<Vec<_>>().into(),
        mode_uses: mode_uses.into(),
        mode_conditions: mode_conditions.into(),
        kinks: kinks.into(),
        kink_names: kink_names.into(),
        kink_points: kink_points.into(),
        outputs: names(&from.outputs),
        output_units: units.collect::<Vec<_>>().into(),
        bodies: names(&from.bodies),
        mass_pattern: program.pattern(Quantity::MassMatrix).into(),
        jacobian_pattern: program.pattern(Quantity::ConstraintJacobian).into(),
        closures: names(&from.closures),
        held_positions: from.held_positions.clone().into(),
        held_velocities: from.held_velocities.clone().into(),
    }
}

fn row_kind(kind: program::RowKind) -> RowKind {
    match kind {
        program::RowKind::Position => RowKind::Position,
        program::RowKind::Orientation => RowKind::Orientation,
        program::RowKind::Distance => RowKind::Distance,
        program::RowKind::Coordinate => RowKind::Coordinate,
        program::RowKind::Equation => RowKind::Equation,
        program::RowKind::Nonholonomic => RowKind::Nonholonomic,
    }
}

fn mode_kind(kind: program::ModeKind) -> ModeKind {
    match kind {
        program::ModeKind::Negative => ModeKind::Negative,
        program::ModeKind::NotPositive => ModeKind::NotPositive,
    }
}
