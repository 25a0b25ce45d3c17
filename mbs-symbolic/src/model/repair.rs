//! Mistakes in the shape of a file whose meaning is plain: reported, and corrected in the tree, so
//! that the rest of the file is judged as it was meant.

use super::language::{ASSEMBLY, Field, Kind, TOP};
use super::suggest::nearest;
use super::tree::{Key, Node, Value};
use crate::diag::{Diagnostics, Problem, Span};

/// Repairs the tree of `text`, a model or a file it includes.
pub(super) fn repair(root: &mut Node, text: &str, problems: &mut Diagnostics) {
    join_formulas(root, text, problems);
    rename_sections(root, TOP.fields, problems);
    indent_sections(root, problems);
    indent_entries(root, TOP.fields, problems);
    if let Some((_, assemblies)) = map_mut(root).iter_mut().find(|(key, _)| key.text == "assemblies") {
        for (_, assembly) in map_mut(assemblies) {
            indent_entries(assembly, ASSEMBLY.fields, problems);
        }
    }
}

fn map_mut(node: &mut Node) -> &mut [(Key, Node)] {
    match &mut node.value {
        Value::Map(entries) => entries,
        _ => &mut [],
    }
}

/// Joins formulas that YAML cut at a comma, such as `distance(a, b)` within { } without quotes.
fn join_formulas(root: &mut Node, text: &str, problems: &mut Diagnostics) {
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        match &mut node.value {
            Value::Map(entries) => {
                join(
                    entries,
                    text,
                    problems,
                    |(_, node)| node,
                    |(key, node)| (node.value == Value::Null).then_some(key.span),
                );
                pending.extend(entries.iter_mut().map(|(_, node)| node));
            }
            Value::Seq(items) => {
                join(
                    items,
                    text,
                    problems,
                    |node| node,
                    |node| matches!(node.value, Value::Plain(_)).then_some(node.span),
                );
                pending.extend(items);
            }
            Value::Null | Value::Plain(_) | Value::Text { .. } => {}
        }
    }
}

/// A formula is looked for in so many pieces.
const MAX_PIECES: usize = 64;

/// The same in one collection: `value` is where a formula may begin in an entry, `piece` the place of
/// an entry that may be the rest of one.
fn join<E>(
    entries: &mut Vec<E>,
    text: &str,
    problems: &mut Diagnostics,
    value: impl Fn(&mut E) -> &mut Node,
    piece: impl Fn(&E) -> Option<Span>,
) {
    let mut index = 0;
    // Entries that are pieces of the one before them.
    let mut pieces = vec![false; entries.len()];
    while index < entries.len() {
        let node = value(&mut entries[index]);
        let opened = if let Value::Plain(text) = &node.value { open_parentheses(text) } else { 0 };
        let first = node.span;
        index += 1;
        if opened <= 0 {
            continue;
        }
        let rest = entries[index..].iter().take(MAX_PIECES).map_while(&piece);
        let Some((count, span)) = closing(text, first, opened, rest) else { continue };
        let formula = text.get(span.start as usize..span.end as usize).unwrap_or("").trim_end();
        let span = span.part(0, formula.len());
        problems.error(span, Problem::CutByYaml {});
        *value(&mut entries[index - 1]) = Node { span, value: Value::Plain(formula.to_owned()) };
        pieces[index..index + count].fill(true);
        index += count;
    }
    let mut is_piece = pieces.into_iter();
    entries.retain(|_| !is_piece.next().unwrap_or(false));
}

/// How many of `pieces` close the parentheses that `first` leaves open, and the place of the whole.
fn closing(
    text: &str,
    first: Span,
    mut opened: isize,
    pieces: impl Iterator<Item = Span>,
) -> Option<(usize, Span)> {
    let mut whole = first;
    for (count, piece) in (1..).zip(pieces) {
        let between = text.get(whole.end as usize..piece.start as usize)?;
        if between.trim() != "," {
            return None;
        }
        opened += open_parentheses(text.get(piece.start as usize..piece.end as usize)?);
        whole = whole.to(piece);
        if opened <= 0 {
            return Some((count, whole));
        }
    }
    None
}

/// How many parentheses are opened and not closed.
fn open_parentheses(text: &str) -> isize {
    text.bytes().map(|byte| isize::from(byte == b'(') - isize::from(byte == b')')).sum()
}

/// Gives sections whose name is misspelt the name that was meant.
fn rename_sections(root: &mut Node, fields: &'static [Field], problems: &mut Diagnostics) {
    let entries = map_mut(root);
    let is_given = |field: &&Field| entries.iter().any(|(key, _)| key.text == field.key);
    let mut free: Vec<&Field> = fields.iter().filter(|field| !is_given(field)).collect();
    for (key, node) in entries {
        let is_known = fields.iter().any(|field| field.key == key.text);
        if is_known || !matches!(node.value, Value::Map(_)) {
            continue;
        }
        let names = || free.iter().filter(|field| is_map(field.kind)).map(|field| field.key);
        let Some(meant) = plural(&key.text, names()).or_else(|| nearest(&key.text, names())) else {
            continue;
        };
        let problem = Problem::UnknownKey {
            key: key.text.clone(),
            place: TOP.name.to_owned(),
            nearest: Some(meant.clone()),
            known: String::new(),
        };
        problems.error(key.span, problem);
        free.retain(|field| field.key != meant);
        key.text = meant;
    }
}

/// The section that lists several of `name`: `bodies` for `body`.
fn plural(name: &str, mut sections: impl Iterator<Item = &'static str>) -> Option<String> {
    let forms =
        [format!("{name}s"), name.strip_suffix('y').map(|stem| format!("{stem}ies")).unwrap_or_default()];
    sections.find(|section| forms.iter().any(|form| form == section)).map(str::to_owned)
}

fn is_map(kind: Kind) -> bool {
    is_list_of_names(kind) || matches!(kind, Kind::Map(_))
}

/// Whether the keys of a section are names of the user's.
fn is_list_of_names(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Entries(_) | Kind::ShortEntries(_) | Kind::Elements(_) | Kind::Formulas(_) | Kind::Frames
    )
}

/// Moves entries that stand at the left margin, below a section that is empty, into it.
fn indent_sections(root: &mut Node, problems: &mut Diagnostics) {
    let Value::Map(entries) = &mut root.value else { return };
    let field = |key: &Key| TOP.fields.iter().find(|field| field.key == key.text);
    move_into_empty(entries, problems, |owner, key, node| {
        let takes = field(owner).is_some_and(|field| is_list_of_names(field.kind));
        takes && field(key).is_none() && node.value != Value::Null
    });
}

/// Moves keys of an element that stand beside its name, which has no value, into it.
fn indent_entries(root: &mut Node, fields: &[Field], problems: &mut Diagnostics) {
    for (key, node) in map_mut(root) {
        let Some(field) = fields.iter().find(|field| field.key == key.text) else { continue };
        let Value::Map(entries) = &mut node.value else { continue };
        let known = |key: &str| match field.kind {
            Kind::Entries(section) => section.fields.iter().any(|field| field.key == key),
            Kind::Elements(elements) => {
                let of_types = elements.variants.iter().flat_map(|variant| variant.fields);
                elements.common.iter().chain(of_types).any(|field| field.key == key)
            }
            _ => false,
        };
        move_into_empty(entries, problems, |_, key, node| known(&key.text) && node.value != Value::Null);
    }
}

/// Moves entries that `belongs` says so of into the entry before them, if that has no value.
fn move_into_empty(
    entries: &mut Vec<(Key, Node)>,
    problems: &mut Diagnostics,
    belongs: impl Fn(&Key, &Key, &Node) -> bool,
) {
    if entries.iter().all(|(_, node)| node.value != Value::Null) {
        return;
    }
    let mut kept: Vec<(Key, Node)> = Vec::with_capacity(entries.len());
    // Whether the last of those that are kept was empty.
    let mut takes = false;
    for (key, node) in entries.drain(..) {
        if takes
            && let Some((owner, into)) = kept.last_mut()
            && belongs(owner, &key, &node)
        {
            // One report tells of all that follow.
            match &mut into.value {
                Value::Map(inner) => inner.push((key, node)),
                empty => {
                    let problem = Problem::NotIndented { key: key.text.clone(), owner: owner.text.clone() };
                    problems.error(key.span, problem);
                    *empty = Value::Map(vec![(key, node)]);
                }
            }
            continue;
        }
        takes = node.value == Value::Null;
        kept.push((key, node));
    }
    *entries = kept;
}
