//! `mbs serve`: a page with sliders on this machine.

use crate::arguments::ServeOptions;
use crate::report::{self, Failure};
use crate::serve::{self, Live};

pub(crate) fn run(options: &ServeOptions) -> Result<(), Failure> {
    let live = Live::new(options)?;
    let listener = serve::listen(options.port)?;
    let address =
        listener.local_addr().map_err(|error| Failure::new("MBS-C063", format!("cannot listen: {error}")))?;
    if let Some(text) = live.problem() {
        report::print_warning(&format!("the model does not run yet; fix the model and save\n{text}"));
    }
    if options.port != 0 && options.port != address.port() {
        report::print_warning(&format!("port {} is busy; this is {}", options.port, address.port()));
    }
    report::print(&format!("http://{address}/\n"))?;
    serve::serve(&listener, live, options.time_limit);
    Ok(())
}
