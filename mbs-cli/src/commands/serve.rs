//! `mbs serve`: a page with sliders on this machine.

use crate::arguments::ServeOptions;
use crate::report::{self, Failure};
use crate::serve::{self, Live};

pub(crate) fn run(options: &ServeOptions) -> Result<(), Failure> {
    let listener = serve::listen(options.port)?;
    let address =
        listener.local_addr().map_err(|error| Failure::new("MBS-C063", format!("cannot listen: {error}")))?;
    let live = Live::new(options.variant.clone(), options.run.clone());
    if let Some(text) = live.problem() {
        report::print_warning(&format!("the model does not run yet; mend and save it\n{text}"));
    }
    report::print(&format!("http://{address}/\n"))?;
    serve::serve(&listener, live);
    Ok(())
}
