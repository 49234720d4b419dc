//! The protocol edge, and nothing but the protocol.
//!
//! Six threads: one reads and applies changes ([`front`]), one writes ([`client`]), one analyses and one reads
//! what surrounds documents ([`worker`]), one watches the client's process ([`watch`]), and the main one waits for
//! the end.
//! Requests are answered by tasks, which only ever wait for the analysis.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod actions;
mod ask;
mod checking;
mod client;
mod configuration;
mod diagnostics;
mod difference;
mod document;
mod edits;
mod frames;
mod front;
mod handlers;
mod hints;
mod hover;
mod position;
mod profile;
mod reading;
mod server;
mod watch;
mod worker;

use std::io::{self, BufReader, Write};
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use tokio::runtime::{self, Runtime};
use tokio::task::JoinSet;
use tower::Service;
use tower_lsp::jsonrpc::{Id, Response};

use crate::lsp::client::Client;
use crate::lsp::frames::Message;
use crate::lsp::front::Front;
use crate::lsp::server::{Server, Workers};
use crate::lsp::worker::Worker;

/// How long the end may take: for answers on their way, and for a client that is slow to read them.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Answers are short tasks that wait for the analysis; two threads are plenty.
const TASK_THREADS: usize = 2;

/// Why the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The client shut the server down first.
    Orderly,
    /// The client left without a word.
    Abrupt,
    /// The client's process is gone.
    ClientGone,
}

/// Serves one client on standard input and output. Returns the exit status: success after an orderly
/// shutdown, failure otherwise.
pub fn serve() -> ExitCode {
    panic::set_hook(Box::new(report_panic));
    match start() {
        Ok(Ending::Orderly) => ExitCode::SUCCESS,
        Ok(Ending::Abrupt | Ending::ClientGone) => ExitCode::FAILURE,
        Err(error) => {
            log(&format!("cannot start: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn start() -> io::Result<Ending> {
    let runtime = runtime::Builder::new_multi_thread().worker_threads(TASK_THREADS).enable_time().build()?;
    let (ending, endings) = mpsc::channel();
    let (output, written) = start_writer(ending.clone())?;
    let client = Client::new(output.clone());
    let tasks = runtime.handle().clone();
    let workers = Workers { analysis: Worker::start("analysis")?, reading: Worker::start("reading")? };
    let server = Arc::new(Server::new(client, workers, tasks, ending.clone()));
    start_reader(server, ending)?;
    let reason = endings.recv().unwrap_or(Ending::Abrupt);
    finish(runtime, &output, &written);
    Ok(reason)
}

/// Lets the writer write what it has, within limits. An empty body is the sign to stop.
fn finish(runtime: Runtime, output: &Sender<String>, written: &Receiver<()>) {
    runtime.shutdown_background();
    // Both fail only when the writer is gone already.
    let _ = output.send(String::new());
    let _ = written.recv_timeout(LAST_WORDS);
}

/// The thread that writes. Its queue has no bound: whoever sends never waits.
fn start_writer(ending: Sender<Ending>) -> io::Result<(Sender<String>, Receiver<()>)> {
    let (output, bodies) = mpsc::channel::<String>();
    let (done, written) = mpsc::channel();
    let write = move || {
        let mut stdout = io::stdout();
        let mut bodies = bodies.iter().take_while(|body| !body.is_empty());
        if bodies.any(|body| frames::write(&mut stdout, &body).is_err()) {
            // Nobody reads any more. The receiver is gone only when the process is ending already.
            let _ = ending.send(Ending::Abrupt);
        }
        let _ = done.send(());
    };
    thread::Builder::new().name("writer".to_owned()).spawn(write)?;
    Ok((output, written))
}

/// The thread that reads, and applies what it reads before it reads on.
fn start_reader(server: Arc<Server>, ending: Sender<Ending>) -> io::Result<()> {
    let read = move || {
        let mut answers = JoinSet::new();
        let reason = read_all(&server, &mut answers);
        let finish = async { while answers.join_next().await.is_some() {} };
        // Answers that take too long are not owed to a client that has left.
        let _ = server.tasks.block_on(async { tokio::time::timeout(LAST_WORDS, finish).await });
        let _ = ending.send(reason);
    };
    thread::Builder::new().name("reader".to_owned()).spawn(read).map(drop)
}

/// Reads until `exit`, the end of the input, or an input that cannot be read.
fn read_all(server: &Arc<Server>, answers: &mut JoinSet<()>) -> Ending {
    let mut front = Front::new(Arc::clone(server));
    let mut input = BufReader::new(io::stdin());
    while let Ok(Some(message)) = frames::read(&mut input) {
        match message {
            Ok(Message::Request(request)) if request.method() == "exit" && request.id().is_none() => break,
            Ok(Message::Request(request)) => {
                let answer = front.call(request);
                let client = server.client.clone();
                let respond = async move {
                    let Ok(response) = answer.await;
                    if let Some(response) = response {
                        client.respond(&response);
                    }
                };
                answers.spawn_on(respond, &server.tasks);
                while answers.try_join_next().is_some() {}
            }
            Ok(Message::Response(response)) => server.client.answered(response),
            Err(error) => server.client.respond(&Response::from_error(Id::Null, error)),
        }
    }
    front.ending()
}

/// Writes a panic into the log. The usual hook would panic again on a closed pipe.
fn report_panic(info: &PanicHookInfo<'_>) {
    log(&format!("internal error: {info}"));
}

/// Writes a line into the log, which is standard error. There is nobody to tell when that fails.
fn log(line: &str) {
    let _ = writeln!(io::stderr(), "vramlens: {line}");
}
