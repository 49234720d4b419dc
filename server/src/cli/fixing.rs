//! Fixing many files of which some import others.
//!
//! A fix may be right only as long as another file stays as it is: a function that comes to return a number needs no
//! `.item()` where it is called. So a file is fixed after those that it imports, as they will be; the disk is written
//! when all is known, and no analysis sees a file half way.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::cli::examine::{Examined, FixMode, Run};

/// Longer chains of files that import each other, all of them with fixes, are left for another run.
const MAX_ROUNDS: usize = 16;

/// Looks again at the files that import one which is going to change. `again` examines the files at some places;
/// afterwards the fixes of all files go together.
pub fn settle(examined: &mut [Examined], run: &Run<'_>, again: impl Fn(&[usize]) -> Vec<Examined>) {
    let mut texts: HashMap<PathBuf, String> = HashMap::new();
    let mut settled: HashSet<usize> = HashSet::new();
    for _ in 0..MAX_ROUNDS {
        let name =
            |file: &Examined| file.rewrite.as_ref().map(|rewrite| run.reader.units().name(&rewrite.path));
        let changing: HashMap<usize, String> =
            (0..).zip(examined.iter()).filter_map(|(at, file)| Some((at, name(file)?))).collect();
        let open: Vec<(usize, &String)> =
            changing.iter().map(|(at, name)| (*at, name)).filter(|(at, _)| !settled.contains(at)).collect();
        let imports_one_of = |at: usize, others: &[(usize, &String)]| {
            let imported = examined.get(at).map_or(&[][..], |file| &file.imported);
            others.iter().any(|(other, name)| *other != at && imported.contains(name))
        };
        let mut ready: Vec<(usize, &String)> =
            open.iter().copied().filter(|(at, _)| !imports_one_of(*at, &open)).collect();
        if ready.is_empty() {
            // Files that import each other: one has to be the first.
            ready.extend(open.iter().min().copied());
        }
        let waiting: Vec<usize> = (0..examined.len())
            .filter(|at| {
                ready.iter().all(|(one, _)| one != at) && !settled.contains(at) && imports_one_of(*at, &ready)
            })
            .collect();
        settled.extend(ready.iter().map(|(at, _)| *at));
        if waiting.is_empty() && open.len() == ready.len() {
            return;
        }
        let fixed = ready.iter().filter_map(|(at, _)| examined.get(*at)?.rewrite.clone());
        texts.extend(fixed.map(|rewrite| (rewrite.path, rewrite.text)));
        run.reader.units().set_open(texts.clone().into_iter());
        for (at, file) in waiting.iter().zip(again(&waiting)) {
            if let Some(place) = examined.get_mut(*at) {
                *place = file;
            }
        }
    }
}

/// Writes the files that have fixes.
pub fn write(examined: &mut [Examined], mode: FixMode) {
    if mode == FixMode::Write {
        examined.iter_mut().for_each(Examined::write);
    }
}
