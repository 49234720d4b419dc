//! Writing to the terminal: colours only where they are wanted, and quiet when nobody reads.

use std::io::Write;

use annotate_snippets::{Group, Level, Renderer};

/// Prints to standard output. A reader that has gone away, such as `head`, is no error.
pub fn print(text: &str) {
    // A stream that is closed or full cannot be told so itself.
    let _ = anstream::stdout().lock().write_all(text.as_bytes());
}

/// Prints to standard error.
pub fn print_error(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Tells on standard error why something could not be done.
pub fn error(message: &str) {
    let title = Level::ERROR.primary_title(message);
    print_error(&format!("{}\n", Renderer::styled().render(&[Group::with_title(title)])));
}

/// Tells on standard error of something that may not be what the person wanted.
pub fn warning(message: &str) {
    let title = Level::WARNING.primary_title(message);
    print_error(&format!("{}\n", Renderer::styled().render(&[Group::with_title(title)])));
}
