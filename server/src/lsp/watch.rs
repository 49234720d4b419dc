//! The client's process: when it is gone, nobody needs us.

use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use crate::lsp::Ending;

/// How often to look. An orphan may live this long.
const PERIOD: Duration = Duration::from_secs(1);

/// Watches a process from a thread of its own, and says so when it has ended.
pub fn start(process: u32, ending: Sender<Ending>) {
    let watch = move || {
        while is_alive(process) {
            thread::sleep(PERIOD);
        }
        // Fails only when the process is ending already.
        let _ = ending.send(Ending::ClientGone);
    };
    // Without a thread there is still the end of the input to go by.
    let _ = thread::Builder::new().name("client watch".to_owned()).spawn(watch);
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    pid.is_none_or(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// Where there is no cheap way to ask, the end of the input has to do.
#[cfg(not(unix))]
fn is_alive(_process: u32) -> bool {
    true
}
