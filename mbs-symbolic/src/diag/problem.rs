//! Everything that can be wrong with a model, one entry each.
//!
//! An entry gives the code, the variant with its payload, the message, and the help:
//! what to change in the file, `None` where that would be guessing. Codes are stable;
//! users search for them. Families: Y reading YAML, X reading URDF, S schema, N names, F formulas,
//! U units, P physics, L limits, T topology, E equations, R runs. What a code means at length is in
//! `explanations.md`.

macro_rules! problems {
    ($($(#[$doc:meta])* $code:literal $name:ident { $($field:ident: $type:ty),* } $message:literal, $help:expr;)*) => {
        /// What is wrong with a model.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "fields are the words of the message")]
        pub enum Problem {
            $($(#[$doc])* $name { $($field: $type),* },)*
            /// Why a run was refused or stopped, in the words and with the code of the run time.
            Run { code: &'static str, message: String, help: Option<String> },
        }

        /// Code and message of every problem, the message with the names of its fields in
        /// braces.
        pub(super) const ALL: &[(&str, &str)] = &[$((concat!("MBS-", $code), $message)),*];

        #[expect(unused_variables, reason = "not every text uses every field")]
        impl Problem {
            /// The stable code, such as `MBS-N001`.
            pub fn code(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => concat!("MBS-", $code),)*
                    Self::Run { code, .. } => code,
                }
            }

            /// What to change in the file; `None` if that would be guessing.
            pub fn help(&self) -> Option<String> {
                match self {
                    $(Self::$name { $($field),* } => $help,)*
                    Self::Run { help, .. } => help.clone(),
                }
            }
        }

        #[expect(unused_variables, reason = "not every text uses every field")]
        impl std::fmt::Display for Problem {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$name { $($field),* } => write!(f, $message),)*
                    Self::Run { message, .. } => f.write_str(message),
                }
            }
        }
    };
}

problems! {
    // Reading YAML.
    "Y001" Yaml { message: String, help: Option<&'static str> } "the file is not valid YAML: {message}", help.map(str::to_owned);
    "Y002" DuplicateKey { key: String } "`{key}` is given twice",
        say("remove one of the two, or rename it");
    "Y003" NotAMap { } "a model is a map of sections, this file is not",
        say("start with `model: my_model` and a `bodies:` section");
    "Y004" NoPartOfModel { path: String } "`{path}` is no part of a model",
        say("an included file has sections of a model at its left margin, such as `bodies:`");
    "Y005" TabInIndentation { } "this line is indented with a tab",
        say("indent with spaces; YAML knows no other indentation");
    "Y006" NoSpaceAfterColon { key: String, value: String }
        "a space is missing after the colon of `{key}`", Some(format!("write `{key}: {value}`"));
    "Y007" Indentation { key: String, found: usize, expected: usize, above: Option<String> }
        "the indentation of `{key}` is {found}, which fits none of the lines above", Some(match above {
            Some(above) => format!("indent it by {expected} as `{above}`, which has its value already"),
            None => format!("indent it by {expected} as the entries it belongs to"),
        });
    "Y008" NotIndented { key: String, owner: String }
        "`{key}` stands beside `{owner}`, which is empty, instead of in it",
        Some(format!("indent it deeper than `{owner}`"));

    // Reading URDF.
    "X001" Xml { message: String } "the file is not valid XML: {message}", None;
    "X002" NotARobot { found: String }
        "a URDF file describes a `<robot>`, this one a `<{found}>`", None;
    "X003" UrdfMissing { what: String, place: String } "{place} needs {what}", None;
    "X004" UrdfValue { name: &'static str, expected: &'static str, found: String }
        "`{name}` should be {expected}, but this is `{found}`", None;
    "X005" UrdfTwice { what: String } "{what} is given twice", say("remove one of the two, or rename it");
    "X006" UrdfParents { link: String }
        "link `{link}` is the child of two joints",
        say("URDF describes trees; to close a loop, import the robot and add a joint or constraint to the model");
    "X007" UrdfRoots { first: String, second: String }
        "one link carries all others, but neither `{first}` nor `{second}` is the child of a joint",
        say("connect them, with a `fixed` joint if they do not move against each other");
    "X008" UrdfNoRoot { } "every link is the child of a joint, so none is fixed to the ground", None;
    "X009" NotImported { what: String, why: String } "{what} is not imported", Some(why.clone());
    "X010" UrdfUnknown { what: String, place: String, nearest: Option<String> }
        "{what} means nothing in {place}", did_you_mean(nearest);
    "X011" Renamed { from: String, to: String } "`{from}` is called `{to}` in the model", None;
    "X012" BaseDoesNotMove { link: String }
        "the inertia of the root link `{link}` has no effect: it is fixed to the ground",
        say("`--floating-base` lets it move");
    "X013" UrdfMacro { times: String } "this is a macro of xacro, not URDF{times}",
        say("expand the file first: `xacro robot.xacro > robot.urdf`; `--lenient` passes over what is left of xacro");
    "X014" UrdfExpression { found: String } "`{found}` is an expression of xacro, not a number",
        say("expand the file first: `xacro robot.xacro > robot.urdf`");
    "X015" UrdfElementTwice { element: &'static str } "`<{element}>` is given twice",
        say("remove one of the two; `--lenient` takes the first");
    "X016" UrdfPrefix { prefix: String } "the prefix `{prefix}` is not declared",
        Some(format!("declare it in `<robot>` with `xmlns:{prefix}=\"…\"`, or remove it; `--lenient` passes over what has it"));
    "X017" UrdfMimic { joint: String, nearest: Option<String> } "there is no joint `{joint}` that could be mimicked",
        Some(did_you_mean(nearest).map_or_else(String::new, |near| near + "; ") + "`--lenient` lets this joint move on its own");
    "X018" UrdfIgnored { what: String, why: String } "{what} is passed over", Some(why.clone());
    "X019" OneFreeBody { link: String } "`{link}` moves freely: the robot has no joints", None;
    "X020" FloatingBaseOfModel { } "`--floating-base` changes nothing: this is a model, not a robot in URDF",
        say("the base of a model moves by a joint: `base: {type: free, from: ground, to: BODY}`");

    // Schema.
    "S001" UnknownKey { key: String, place: String, nearest: Option<String>, known: String }
        "{place} has no key `{key}`", did_you_mean(nearest).or_else(|| list("its keys are", known));
    "S002" MissingKey { key: &'static str, place: String, doc: &'static str }
        "{place} needs `{key}`", Some(format!("`{key}`: {doc}"));
    "S003" WrongShape { key: String, expected: String, found: String }
        "`{key}` should be {expected}, but this is {found}", None;
    "S004" UnknownType { kind: &'static str, name: String, nearest: Option<String>, known: String }
        "there is no {kind} type `{name}`", did_you_mean(nearest).or_else(|| list("types are", known));
    "S005" WrongCount { what: String, expected: String, found: usize }
        "{what} needs {expected}, not {found}", None;
    "S006" UnknownChoice { key: String, value: String, nearest: Option<String>, known: String }
        "`{key}` cannot be `{value}`", did_you_mean(nearest).or_else(|| list("it is one of", known));
    "S007" NotAnAxis { found: String }
        "`{found}` is not an axis", say("an axis is x, y, z, -x, -y, -z or a vector such as [1, 0, 1]");
    "S008" NotASequence { found: String }
        "`{found}` is not a sequence of rotation axes",
        say("write three of the letters x, y, z without equal neighbours, such as `zyx`");
    "S009" KeysExclude { first: &'static str, second: &'static str, place: String }
        "{place} takes `{first}` or `{second}`, not both", Some(format!("remove `{first}` or `{second}`"));
    "S010" NeedsOneOf { keys: &'static str, place: String } "{place} needs {keys}", None;
    "S011" NeedsSequence { key: &'static str }
        "`{key}` has a meaning only for angles", say("add `sequence: xyz`, or another order of axes");
    "S012" EmptySection { section: &'static str } "`{section}` lists no body that can move", say("a model needs at least one body besides ground");
    "S013" GroundHasNoMass { key: String }
        "ground does not move and takes no `{key}`", say("ground may have `frames` and `shape` only");
    "S014" NotAnInteger { key: String, allowed: &'static str } "`{key}` should be {allowed}", None;

    "S015" NotInInclude { key: String } "`{key}` belongs in the model file, not in a file it includes",
        say("move it to the model file; an included file holds parameters, bodies, joints, assemblies and the like");
    "S021" UnknownCheck { code: String, nearest: Option<String> }
        "there is no check `{code}` that could be switched off",
        did_you_mean(nearest).or_else(|| say("`allow` lists codes of warnings, such as MBS-P016"));

    // Names.
    "N001" UnknownName { kind: &'static str, name: String, nearest: Option<String> }
        "there is no {kind} `{name}`", did_you_mean(nearest).or_else(|| (*kind == "name").then(||
            "a name in a formula is a parameter, input, coordinate, state or variable of the model; declare it, or correct its spelling".to_owned()));
    "N002" DuplicateName { name: String, kind: &'static str, earlier: &'static str }
        "{kind} `{name}` has the same name as {earlier}", say("give one of them another name");
    "N003" NotAName { name: String }
        "`{name}` is not a name",
        say("a name begins with a letter and goes on with letters, digits and underscores");
    "N004" ReservedName { name: String } "`{name}` is reserved", Some(format!("use another name, such as `{name}_1`"));
    "N005" NotSnakeCase { name: String, suggestion: String }
        "the model's name `{name}` is not snake_case", Some(format!("it names the generated module; write `{suggestion}`"));
    "N006" NamesCollide { first: String, second: String, rust: String }
        "`{first}` and `{second}` both become `{rust}` in generated code", say("rename one of them");
    "N007" FunctionNameTaken { name: String }
        "`{name}` is a built-in function", say("give your function another name");
    "N008" UnknownFrame { body: String, frame: String, nearest: Option<String> }
        "body `{body}` has no frame `{frame}`", did_you_mean(nearest);
    "N009" WrongKindOfName { name: String, expected: &'static str, found: &'static str }
        "{expected} is needed here, but `{name}` is {found}",
        expected.contains("frame").then(|| "a frame is written `body.frame`, or `body` for its reference frame".to_owned());
    "N010" Cycle { what: &'static str, chain: String }
        "{what} depend on each other in a circle: {chain}", say("break the circle: one of them must not use the next");
    "N011" Hidden { name: String, by: &'static str }
        "inside this law `{name}` means {by}, not what you declared under that name",
        say("rename your own to use it here");
    "N012" JointCoordinates { joint: String, names: String }
        "joint `{joint}` does not have exactly one coordinate", list("name one of its coordinates:", names);
    "N016" OnlyFrames { body: String, key: String }
        "`{body}` is outside this assembly, which cannot give it `{key}`", say("an assembly may add `frames` to what it is connected to, and nothing else");
    "N013" NotConnected { assembly: String, name: String }
        "this use of assembly `{assembly}` does not say what its connection `{name}` is",
        Some(format!("add `connect: {{{name}: …}}` with a body or frame"));
    "N014" UnknownConnection { assembly: String, name: String, nearest: Option<String>, known: String }
        "assembly `{assembly}` has no connection `{name}`", did_you_mean(nearest).or_else(|| list("its connections are", known));
    "N015" NoNeighbour { end: &'static str, neighbour: &'static str }
        "the {end} of a repetition has no `{neighbour}`",
        Some(format!("give it a connection of its own: `repeat: {{count: …, {end}: {{…: …}}}}`"));
    "N017" NotABody { name: String }
        "an assembly adds frames to `{name}`, which is a frame and not a body", say("connect the assembly to the body itself");

    "N018" NotAJoint { name: String, found: &'static str, joints: Vec<String> }
        "a joint is needed here, but `{name}` is {found}", Some(match joints.as_slice() {
            [] if *found == "a constraint" => "name one of the `joints`; the force of a constraint is its multiplier, which `mbs simulate --columns lambda` tabulates".to_owned(),
            [] => "name one of the `joints`".to_owned(),
            [joint] => format!("did you mean its joint `{joint}`?"),
            several => format!("its joints are {}", several.join(", ")),
        });
    "N019" IncludesItself { path: String } "`{path}` includes itself", say("remove this line");
    "N020" FollowsAnother { name: String, master: String }
        "`{name}` has no value of its own to begin with: it follows `{master}`",
        Some(format!("give `{master}` a value instead; `mimic` says what `{name}` is then"));

    // Formulas.
    "F001" Syntax { expected: String, found: String } "expected {expected}, found {found}", None;
    "F002" UnknownSign { text: String, hint: Option<&'static str> }
        "`{text}` means nothing in a formula", hint.map(str::to_owned);
    "F003" UnknownFunction { name: String, nearest: Option<String> }
        "there is no function `{name}`", did_you_mean(nearest);
    "F004" WrongArity { name: String, expected: String, found: usize }
        "`{name}` takes {expected}, not {found}",
        (name == "atan2").then(|| "`atan2(y, x)` is the angle of the point (x, y); of one number take `atan`".to_owned());
    "F005" NotFinite { text: String } "`{text}` is not a finite number", say("write a number such as 0.5 or 1e-3; the largest is about 1.8e308");
    "F006" NotAllowedHere { what: String, place: &'static str, allowed: &'static str }
        "{what} cannot be used in {place}", Some(format!("allowed here: {allowed}"));
    "F007" NotSmooth { what: String, place: &'static str }
        "{what} has jumps or kinks, but {place} must be twice differentiable",
        say("use smooth functions, or a `spline` table; of parameters alone any function may be taken");
    "F008" InputNeedsDerivatives { input: String }
        "input `{input}` is used where its derivatives are needed",
        Some(format!("declare it as `{input}: {{value: …, derivatives: 2}}` and supply u, u' and u''"));
    "F009" NeedsComponent { query: String, components: &'static str }
        "`{query}` is a vector or matrix; one component is needed", list("add", components);
    "F010" UnknownComponent { query: String, component: String, components: &'static str }
        "`{query}` has no component `{component}`", list("its components are", components);
    "F011" UnknownOption { query: String, option: String, options: &'static str }
        "`{query}` has no option `{option}`", list("its options are", options);
    "F012" ConditionExpected { found: String }
        "{found} is a number, but a condition is needed here", say("compare it with something: `x > 0`");
    "F013" NumberExpected { found: String }
        "{found} is a condition, but a number is needed here", say("turn it into a number with `if(condition, 1, 0)`");
    "F014" RateTooHigh { what: String } "`der` of {what} cannot be formed", None;
    "F015" ForeignCoordinate { coordinate: String, joint: String }
        "`{coordinate}` is not a coordinate of joint `{joint}`",
        say("a joint's own arguments use its own coordinates; tie joints together with `mimic`, or with a `coupling` or `equation` constraint");
    "F016" CutByYaml { } "YAML cuts this formula at its comma",
        say("put the whole formula in quotes: inside {…} and […] a comma begins the next entry");
    "F017" DerOfLocal { name: String } "`der` of `{name}` is not available here",
        (name == "length").then(|| "its rate is called `rate`".to_owned());

    // Units.
    "U001" NotAUnit { name: String, nearest: Option<String>, product: Option<String> } "`{name}` is not a unit",
        with_product(nearest, product).or_else(|| say("behind a number stands its unit, without spaces in it, such as `75 N/mm` or `5 kg*m^2`; a product is written `2*x`, and after a unit with spaces: `75 N/mm * x`"));
    "U002" CannotCombine { left: String, left_unit: String, right: String, right_unit: String, verb: &'static str, sure: bool }
        "`{left}` is {left_unit} and `{right}` is {right_unit}: they cannot be {verb}", unsure(*sure);
    "U003" WrongDimension { what: String, expected: String, text: String, found: String, sure: bool }
        "{what} is {expected}, but `{text}` is {found}", unsure(*sure);
    "U004" NotAPureNumber { what: String, text: String, found: String, sure: bool }
        "{what} must be a pure number, but `{text}` is {found}", unsure(*sure);
    "U005" UnitNotSi { unit: String, si: String, what: &'static str }
        "{what} is in SI units, so its unit cannot be `{unit}`",
        Some(format!("write `unit: {si}`; numbers in the expression may have units of their own, such as `5 {unit}`"));
    "U006" SpacesInUnit { name: String, joined: String }
        "there is no name `{name}`, and a unit has no spaces in it", Some(format!("write `{joined}`"));

    // Physics.
    "P001" MassNotPositive { body: String, mass_kg: f64 } "the mass of `{body}` is {mass_kg} kg", say("a mass is zero or positive");
    "P002" InertiaNotPositive { body: String, value: f64 }
        "no real body has the inertia of `{body}`: a moment of inertia comes out as {value} kg·m²",
        say("entries are those of the matrix about the centre of mass: Ixy = −∫xy dm; it may not have a negative eigenvalue; \
             `allow: [MBS-P002]` makes this a warning, of a robot in URDF `--lenient` does");
    "P003" ZeroAxis { } "this axis has zero length", say("an axis needs a direction, such as z or [0, 0, 1]");
    "P004" AxesNotPerpendicular { cosine: f64 }
        "the two axes of a universal joint must be perpendicular; the cosine of their angle is {cosine:.3}",
        say("turn the second axis so that it stands across the first, or spell the joint out as `compound`");
    "P006" MinAboveMax { min: f64, max: f64 } "min {min} is above max {max}", say("exchange the two, or correct one of them");
    "P007" OutsideRange { name: String, value: f64, bound: &'static str, limit: f64 }
        "the value {value} of `{name}` is outside its range: {bound} is {limit}",
        Some(format!("give `{name}` another value, or change its `{bound}`"));
    "P008" NotPositive { what: String, value: f64 } "{what} is {value}, but must be positive", None;
    "P009" NotANumber { what: String, value: f64 }
        "{what} comes out as {value} with the default parameters",
        say("look for a division by zero, or a root or logarithm of a negative number");
    "P010" SameBody { element: String, body: String }
        "both ends of `{element}` are on body `{body}`", say("they must be frames of two different bodies");
    "P011" NotAGroundFrame { frame: String }
        "`relative_to: {frame}` is not a frame of ground", say("orientation can be measured from `from` or from a frame of ground");
    "P012" NormalNotPrincipal { }
        "the normal of a planar joint must be x, y, z, -x, -y or -z",
        say("turn the `from` frame with a `rotation` instead");
    "P041" ZeroQuaternion { joint: String }
        "the quaternion of joint `{joint}` is zero, which is no orientation",
        say("its four components are of length one: [1, 0, 0, 0] is no turn; leave it out to start unturned");
    "P042" SpringWithoutLength { spring: String }
        "the spring `{spring}` has a stiffness but no `length`, so nothing says where it is free of force",
        say("give its free length: `length: 0.3 m`; for a spring that pulls its ends together `length: 0`");
    "P013" RangeOnDerived { name: String }
        "`{name}` is derived from other parameters and takes no `min` or `max`", say("limit the parameters it is derived from");

    // Physics that is possible but rarely meant; see `checks`.
    "P014" InertiaTriangle { body: String, largest: f64, others: f64 }
        "no real body has the inertia of `{body}`: its largest principal moment is {largest} kg·m², the other two together only {others} kg·m²",
        say("entries are about the centre of mass; if only the turns about one axis matter, give that entry alone");
    "P015" LooksLikeDegrees { what: String, value: f64 }
        "{what} is {value} rad, more than a full turn", Some(format!("angles are in radians; if these are degrees, write `{value} deg`"));
    "P016" ForceJumps { law: String, at: String, before: f64, after: f64, unit: &'static str }
        "the force of `{law}` jumps from {before} to {after} {unit} at {at}",
        say("make both pieces equal where they meet; for a jump that is meant, use `sign`, or `allow: [MBS-P016]`");
    "P017" AnglesNearSingular { joint: String, sequence: String, coordinate: String, angle: f64, away: &'static str }
        "joint `{joint}` starts at a singularity of its angles: of the sequence {sequence}, `{coordinate}` = {angle} rad must stay away from {away}",
        say("leave `sequence` out: the joint then has a quaternion, which has no singularity; or choose another sequence");
    "P018" PreloadWithoutGravity { element: String }
        "`{element}` is under preload, but there is no gravity for it to carry",
        say("a vehicle or machine at rest needs `gravity: [0, 0, -9.81]`, which is the default");
    "P040" OutsideLimits { coordinate: String, value: f64, bound: &'static str, limit: f64 }
        "the initial value {value} of `{coordinate}` is outside the limits of its joint: {bound} is {limit}", None;

    // Tables.
    "P020" TableTooShort { table: String, points: usize }
        "table `{table}` needs at least two points, not {points}", say("add points; for a value that never changes use a parameter");
    "P021" TableNotIncreasing { table: String, before: f64, after: f64 }
        "the x values of table `{table}` must increase, but {after} follows {before}",
        say("sort the points by x; for a step put two points close to each other");
    "P022" TableLengths { table: String, x: usize, y: usize }
        "table `{table}` has {x} x values and {y} y values", say("give one y value for each x value");
    "P023" FileNotRead { path: String, why: String } "cannot read `{path}`: {why}", say("the path is taken from the folder of the model file");
    "P024" NoSuchColumn { column: String, path: String, nearest: Option<String>, known: String }
        "`{path}` has no column `{column}`", did_you_mean(nearest).or_else(|| list("its columns are", known));
    "P025" BadCell { text: String, column: String } "`{text}` in column `{column}` is not a number", say("cells hold plain numbers with a decimal point, without units");
    "P026" TableSource { table: String }
        "table `{table}` needs `points`, or `x` and `y`, or `file` with the names of two columns", None;

    // Runs.
    "P030" NotSettable { name: String }
        "`{name}` cannot be set in a scenario: it is derived from other parameters", say("set the parameters it is derived from");
    "P031" UnknownSetting { name: String, nearest: Option<String> }
        "a scenario cannot set `{name}`", did_you_mean(nearest)
            .or_else(|| say("it sets given parameters, inputs, `positions.NAME` and `velocities.NAME`"));

    // Limits.
    "L001" FileTooLarge { bytes: usize, limit: usize } "the file has {bytes} bytes; at most {limit} are read", None;
    "L002" TooDeep { limit: usize } "the file is nested deeper than {limit} levels", say("a model needs about six; a bracket may not be closed");
    "L003" TooLarge { what: String, limit: usize } "{what}: at most {limit} are possible", None;
    "L004" FormulaTooLong { bytes: usize, limit: usize } "the formula has {bytes} bytes; at most {limit} are read",
        say("split it with `variables`, or use a table");
    "L005" FormulaTooDeep { limit: usize } "the formula is nested deeper than {limit} levels", say("split it with `variables`");
    "L006" TooManyAliases { } "the YAML aliases of this file expand to too much", say("write repeated parts as parameters or functions instead of aliases of aliases");

    // Topology.
    "T001" Disconnected { body: String } "body `{body}` is not connected to ground",
        say("add a joint; a body that moves freely has `type: free` from ground");
    "T008" EveryJointCut { bodies: String, joints: String, one: bool }
        "nothing carries {bodies}: every joint there is cut", Some(if *one {
            format!("remove `cut: true` of {joints}: a joint is cut only to close a loop of others")
        } else {
            format!("remove `cut: true` of one of {joints}: a loop is cut at one joint, the others carry its bodies")
        });
    "T002" LoopCannotClose { joint: String, row: String, value: f64 }
        "the loop of joint `{joint}` cannot close: {row} is off by {value}",
        say("check the joint's frames and axes: this direction does not depend on any coordinate");
    "T004" CutImpossible { joint: String, why: String } "joint `{joint}` cannot be cut: {why}", None;
    "T005" NoJointToCut { joint: String }
        "every joint of the loop through `{joint}` must keep its coordinates, so none can be cut",
        say("remove `cut: false` or the name of a coordinate that is not needed, or add `cut: true` to one of the joints");
    "T007" CoordinateOfCutJoint { coordinate: String, joint: String }
        "`{coordinate}` does not exist: its joint `{joint}` is cut to close a loop", say("cut another joint of the loop");

    // Equations.
    "E001" NotAffineInVelocities { constraint: String }
        "the velocity equation `{constraint}` is not linear in the velocities",
        say("velocities may be multiplied with positions and time, not with each other");
    "E002" ConstraintWithoutMotion { constraint: String }
        "constraint `{constraint}` does not depend on any coordinate",
        say("use a coordinate or a query of something that moves; to prescribe a coordinate write `type: motion`");
    "E003" MasslessMotion { joint: String, coordinate: String, bodies: String, needs: &'static str }
        "nothing resists a motion along `{coordinate}` of joint `{joint}`: there is no mass or inertia along it in {bodies}, so that accelerations cannot be computed",
        Some(format!("give what it moves {needs}"));
    "E006" Unsupported { what: String } "{what} is not supported", None;
    "E007" AlwaysZeroDistance { element: String }
        "the two points of `{element}` always coincide, so their line has no direction",
        say("attach it to points that move apart; about or along a joint's axis use a `joint_spring`");

    // Runs that meet values which are not numbers.
    "R001" UndefinedInRun { message: String, cause: String, help: Option<String> }
        "{message}: {cause}", help.clone();
}

fn say(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// What may be meant by a unit that is none: another unit, or a product.
fn with_product(nearest: &Option<String>, product: &Option<String>) -> Option<String> {
    let product = product.as_ref().map(|product| {
        format!(
            "what follows a number without a space is its unit; for a product with a name write `{product}`"
        )
    });
    match (did_you_mean(nearest), product) {
        (Some(unit), Some(product)) => Some(format!("{unit} {product}")),
        (unit, product) => unit.or(product),
    }
}

fn did_you_mean(nearest: &Option<String>) -> Option<String> {
    nearest.as_ref().map(|name| format!("did you mean `{name}`?"))
}

fn unsure(sure: bool) -> Option<String> {
    (!sure).then(|| {
        "plain numbers are taken as pure numbers here; if one has a unit, write it behind the number"
            .to_owned()
    })
}

fn list(words: &str, names: &str) -> Option<String> {
    (!names.is_empty()).then(|| format!("{words} {names}"))
}

#[cfg(test)]
mod tests {
    use super::{ALL, Problem};

    #[test]
    fn codes_are_given_once() {
        let mut codes: Vec<&str> = ALL.iter().map(|(code, _)| *code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ALL.len());
    }

    #[test]
    fn a_problem_has_a_code_a_message_and_help() {
        let problem =
            Problem::UnknownName { kind: "body", name: "crnk".into(), nearest: Some("crank".into()) };
        assert_eq!(problem.code(), "MBS-N001");
        assert_eq!(problem.to_string(), "there is no body `crnk`");
        assert_eq!(problem.help().as_deref(), Some("did you mean `crank`?"));
    }
}
