//! What stands in the attribute.

use mbs_build::FrameAxes;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Path, Token};

/// The arguments of the attribute.
pub(crate) struct Arguments {
    pub(crate) model: Source,
    /// `crate = "…"`.
    pub(crate) runtime: Option<Path>,
    /// `jacobian`.
    pub(crate) jacobian: bool,
    /// `frame_jacobians = "…"`.
    pub(crate) frame_jacobians: Vec<String>,
    /// `frame_axes = "…"`.
    pub(crate) frame_axes: FrameAxes,
    /// `keep_dust`.
    pub(crate) keep_dust: bool,
    /// `floating_base`.
    pub(crate) floating_base: bool,
    /// `lenient`.
    pub(crate) lenient: bool,
}

/// Where the model comes from.
pub(crate) enum Source {
    File(LitStr),
    Text(LitStr),
}

/// Arguments that are there or not, as `parse` takes them apart.
const FLAGS: [&str; 4] = ["jacobian", "keep_dust", "floating_base", "lenient"];

/// All of them and `crate`, for messages.
const ARGUMENTS: &str =
    "`jacobian`, `frame_jacobians`, `frame_axes`, `keep_dust`, `floating_base`, `lenient` or `crate`";

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut model = None;
        let mut runtime = None;
        let mut flags = FLAGS.map(|name| (name, false));
        let (mut frame_jacobians, mut frame_axes) = (Vec::new(), FrameAxes::default());
        while !input.is_empty() {
            let start = input.span();
            let source = if input.peek(LitStr) {
                Some(Source::File(input.parse()?))
            } else if input.peek(Token![crate]) {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>()?;
                runtime = Some(input.parse::<LitStr>()?.parse()?);
                None
            } else if input.peek(Ident) {
                let key: Ident = input.parse()?;
                if let Some((_, given)) = flags.iter_mut().find(|(name, _)| key == name) {
                    *given = true;
                    None
                } else if key == "frame_jacobians" {
                    input.parse::<Token![=]>()?;
                    let names = input.parse::<LitStr>()?.value();
                    frame_jacobians = names.split(',').map(|name| name.trim().to_owned()).collect();
                    None
                } else if key == "frame_axes" {
                    input.parse::<Token![=]>()?;
                    frame_axes = axes(&input.parse()?)?;
                    None
                } else if key == "yaml" {
                    input.parse::<Token![=]>()?;
                    Some(Source::Text(input.parse()?))
                } else {
                    let message = format!("unknown argument `{key}`: expected `yaml`, {ARGUMENTS}");
                    return Err(syn::Error::new(key.span(), message));
                }
            } else {
                return Err(input.error(format!("expected a file name, `yaml = \"…\"`, {ARGUMENTS}")));
            };
            if let Some(source) = source
                && model.replace(source).is_some()
            {
                return Err(syn::Error::new(start, "one model only"));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let message = "expected the model: a file name or `yaml = \"…\"`";
        let model = model.ok_or_else(|| syn::Error::new(input.span(), message))?;
        let [jacobian, keep_dust, floating_base, lenient] = flags.map(|(_, given)| given);
        Ok(Self { model, runtime, jacobian, frame_jacobians, frame_axes, keep_dust, floating_base, lenient })
    }
}

fn axes(name: &LitStr) -> syn::Result<FrameAxes> {
    match name.value().as_str() {
        "ground" => Ok(FrameAxes::Ground),
        "frame" => Ok(FrameAxes::Frame),
        _ => Err(syn::Error::new(name.span(), "expected `\"ground\"` or `\"frame\"`")),
    }
}
