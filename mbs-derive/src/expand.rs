//! From the attribute to tokens.

use crate::arguments::{Arguments, Source};
use mbs_build::{CompiledFile, Failure, Options, compile_file, compile_text};
use mbs_symbolic::Rejected;
use mbs_symbolic::diag::{Diagnostics, FileId, render};
use mbs_symbolic::emit::rust::{RustOptions, emit};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::path::{Path, PathBuf};
use syn::{Fields, Ident, ItemStruct, LitStr};

/// The item with its module, or with everything that is wrong.
pub(crate) fn multibody(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match expand(arguments, &item) {
        Ok(tokens) => tokens,
        // The item itself stays, so that its users do not complain as well.
        Err(errors) => quote! { #item #errors },
    }
}

fn expand(arguments: TokenStream, item: &TokenStream) -> Result<TokenStream, TokenStream> {
    let arguments: Arguments = syn::parse2(arguments).map_err(|error| error.to_compile_error())?;
    let item: ItemStruct = syn::parse2(item.clone()).map_err(|error| {
        syn::Error::new(error.span(), "`#[multibody]` is for a unit struct, such as `pub struct FourBar;`")
            .to_compile_error()
    })?;
    if !matches!(item.fields, Fields::Unit) || !item.generics.params.is_empty() {
        let message = "`#[multibody]` is for a struct without fields and parameters";
        return Err(syn::Error::new_spanned(&item.ident, message).to_compile_error());
    }

    let (CompiledFile { result, files }, span) = compile(&arguments)?;
    let tracked = track(&files);
    let compiled = result.map_err(|failure| {
        let errors = explain(&failure, span);
        quote! { #tracked #errors }
    })?;
    let runtime = match &arguments.runtime {
        Some(path) => path.to_token_stream(),
        None => quote! { ::mbs_runtime },
    };
    let module = Ident::new(&snake_case(&item.ident.to_string()), item.ident.span());
    let options = RustOptions {
        runtime_path: runtime.to_string().replace(' ', ""),
        module: Some(module.to_string()),
        ..RustOptions::default()
    };
    let text = emit(&compiled.program, &options);
    let code: TokenStream = text.parse().map_err(|_| error(span, "the generated code is no Rust code"))?;
    let name = &item.ident;
    Ok(quote! {
        #item
        #code
        impl #runtime::wrapper::Wraps for #name {
            type Inner = #module::Model;
            fn inner(&self) -> &Self::Inner {
                &#module::Model
            }
        }
        #tracked
    })
}

/// Compiles the model; the span is where it is named.
fn compile(arguments: &Arguments) -> Result<(CompiledFile, Span), TokenStream> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let options = Options {
        jacobian: arguments.jacobian,
        frame_jacobians: arguments.frame_jacobians.clone(),
        frame_axes: arguments.frame_axes,
        keep_dust: arguments.keep_dust,
        floating_base: arguments.floating_base,
        lenient: arguments.lenient,
        ..Options::default()
    };
    match &arguments.model {
        Source::Text(text) => {
            Ok((compile_text(&text.value(), "inline model", &manifest, options), text.span()))
        }
        Source::File(literal) => {
            let path = locate(literal, &manifest)?;
            Ok((compile_file(&path, &literal.value(), options), literal.span()))
        }
    }
}

/// The model's file: beside the source file if it says so, else below the manifest.
fn locate(literal: &LitStr, manifest: &Path) -> Result<PathBuf, TokenStream> {
    let name = literal.value();
    let Some(beside) = name.strip_prefix("./") else { return Ok(manifest.join(name)) };
    let source = literal.span().unwrap().local_file();
    let source = source.ok_or_else(|| {
        error(literal.span(), "the source file is not known here: give a path from the manifest")
    })?;
    let path = source.parent().unwrap_or(Path::new("")).join(beside);
    std::path::absolute(&path).map_err(|problem| error(literal.span(), &problem.to_string()))
}

/// Makes the compiler watch the files.
fn track(files: &[PathBuf]) -> TokenStream {
    let files = files.iter().filter(|file| file.exists()).filter_map(|file| std::path::absolute(file).ok());
    let files = files.map(|file| file.display().to_string());
    quote! { #(const _: &[u8] = ::core::include_bytes!(#files);)* }
}

/// Where the attribute looks for a model.
const PATHS: &str = "help: a path is taken from the folder of Cargo.toml, and from that of this source file if it begins with `./`";

/// More mistakes than this of one model are not listed.
const MAX_ERRORS: usize = 50;

/// One compile error per diagnostic.
fn explain(failure: &Failure, span: Span) -> TokenStream {
    match failure {
        unreadable @ Failure::Unreadable { .. } => error(span, &format!("{unreadable}\n{PATHS}")),
        Failure::Rejected(rejected) => {
            let Rejected { diagnostics, sources } = &**rejected;
            let single = diagnostics.iter().take(MAX_ERRORS).map(|diagnostic| {
                let mut alone = Diagnostics::new();
                alone.push(diagnostic.clone());
                error(span, &render(&alone, sources))
            });
            let more = diagnostics.len().saturating_sub(MAX_ERRORS);
            let rest = (more > 0)
                .then(|| error(span, &format!("and {more} more mistakes in `{}`", sources.name(FileId(0)))));
            single.chain(rest).collect()
        }
    }
}

fn error(span: Span, message: &str) -> TokenStream {
    quote_spanned! { span => ::core::compile_error!(#message); }
}

/// `FourBar` becomes `four_bar`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut after_lower = false;
    for character in name.chars() {
        if character.is_uppercase() && after_lower {
            snake.push('_');
        }
        after_lower = !character.is_uppercase() && character != '_';
        snake.extend(character.to_lowercase());
    }
    mbs_symbolic::model::rust_name(&snake)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_after_structs() {
        assert_eq!(["FourBar", "UR5", "Loop", "A"].map(snake_case), ["four_bar", "ur5", "loop_", "a"]);
    }

    #[test]
    fn a_model_that_is_not_there_is_named_by_its_path() {
        let folder = Path::new("folder").join("of").join("the").join("crate");
        let found = compile_file(&folder.join("models/none.yaml"), "models/none.yaml", Options::default());
        let failure = found.result.expect_err("there is no such file");
        let text = explain(&failure, Span::call_site()).to_string();
        let path = folder.join("models/none.yaml").display().to_string().escape_default().to_string();
        assert!(text.contains(&format!("cannot read `{path}`")), "{text}");
        assert!(text.contains("from the folder of Cargo.toml"), "{text}");
    }
}
