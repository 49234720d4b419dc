//! Files of settings that scripts name: how DeepSpeed or FSDP is to share a model.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::workspace::bounded;

/// Longer names are none.
const MAX_NAME: usize = 1024;

/// What a file says that a script names, relative to the script's folder or to `root`; `None` when there is none that can
/// be read.
pub fn read(name: &str, folder: &Path, root: &Path) -> Option<Arc<Value>> {
    if name.len() > MAX_NAME || name.contains("://") || name.contains(char::is_control) {
        return None;
    }
    let text = [folder, root].into_iter().find_map(|from| bounded::text(&from.join(name)))?;
    serde_json::from_str(&text).ok().map(Arc::new)
}
