//! Writing a file so that it is always whole: the old one or the new one.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Replaces a file's content. The new content is written beside the file and then takes its name, with
/// the permissions the file had. A link stays a link.
///
/// # Errors
/// The folder may not be written to, or the disk is full; the file is then as it was.
pub fn replace(path: &Path, content: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut beside =
        tempfile::Builder::new().prefix(".vramlens-").tempfile_in(path.parent().unwrap_or(Path::new(".")))?;
    beside.write_all(content.as_bytes())?;
    beside.as_file().set_permissions(permissions)?;
    beside.as_file().sync_all()?;
    beside.persist(&path)?;
    Ok(())
}
