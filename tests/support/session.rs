//! A language client of our own: strict about what the server sends, and never waiting without a limit.

#![allow(clippy::indexing_slicing, reason = "what is not in a JSON value is null, and no panic")]
#![allow(clippy::needless_pass_by_value, reason = "parameters are written on the spot, with json!")]
#![allow(clippy::missing_panics_doc, reason = "a test that waits for what does not come is to panic")]

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Nothing that a test waits for may take longer.
const LIMIT: Duration = Duration::from_secs(30);

/// A running server and the client's end of the line.
///
/// A session has to be ended by [`Session::close`] or one of the `expect_exit` ways, so that every test
/// looks at the exit status and at the last bytes on standard output.
#[derive(Debug)]
pub struct Session {
    server: Child,
    input: Option<ChildStdin>,
    output: Receiver<Incoming>,
    /// Messages that came while something else was waited for.
    stash: VecDeque<Value>,
    next_id: i64,
    ended: bool,
}

#[derive(Debug)]
enum Incoming {
    Message(Value),
    /// Bytes that are no frame.
    Stray(String),
    End,
}

impl Session {
    /// Starts a server without a word.
    ///
    /// # Panics
    /// When the binary does not start.
    pub fn start(binary: &Path) -> Self {
        let mut command = Command::new(binary);
        command.arg("server").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        crate::machine::alone(&mut command);
        let mut server = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", binary.display()));
        let (sender, output) = mpsc::channel();
        let stdout = server.stdout.take();
        thread::spawn(move || stdout.map(|stdout| read_all(BufReader::new(stdout), &sender)));
        let input = server.stdin.take();
        Self { server, input, output, stash: VecDeque::new(), next_id: 0, ended: false }
    }

    /// Starts a server for a client with these capabilities.
    pub fn open(binary: &Path, capabilities: &Value) -> Self {
        Self::open_with(binary, json!({ "capabilities": capabilities }))
    }

    /// Starts a server with these parameters of `initialize`.
    pub fn open_with(binary: &Path, params: Value) -> Self {
        let mut session = Self::start(binary);
        session.request("initialize", params);
        session.notify("initialized", json!({}));
        session
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap_or_else(|| panic!("standard input is closed already"));
        // A server that has ended shows in what is waited for next.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    /// Sends one message.
    pub fn send(&mut self, message: &Value) {
        self.send_raw(&frame(message));
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its id at once.
    pub fn send_request(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if let (Some(message), false) = (message.as_object_mut(), params.is_null()) {
            message.insert("params".to_owned(), params);
        }
        self.send(&message);
        id
    }

    /// Waits for the answer to a request: the whole message.
    pub fn answer_to(&mut self, id: i64) -> Value {
        self.answer_to_any(id)
    }

    /// Waits for an answer whose request had an id of any kind.
    pub fn answer_to_any(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        let what = format!("the answer to request {id}");
        self.wait_for(&what, |message| message.get("method").is_none() && message["id"] == id)
    }

    /// Sends a request and waits for its result.
    ///
    /// # Panics
    /// When the answer is an error.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        let answer = self.answer_to(id);
        let result = answer.get("result").unwrap_or_else(|| panic!("{method} failed: {answer}"));
        result.clone()
    }

    /// Sends a request and waits for the code of its error.
    ///
    /// # Panics
    /// When the answer is not an error.
    pub fn error(&mut self, method: &str, params: Value) -> i64 {
        let id = self.send_request(method, params);
        let answer = self.answer_to(id);
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method} did not fail: {answer}"))
    }

    /// Waits for a notification or request of the server.
    pub fn called(&mut self, method: &str) -> Value {
        self.wait_for(method, |message| message["method"] == method)
    }

    /// Answers a request of the server.
    pub fn respond(&mut self, request: &Value, result: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    }

    /// Opens a Python document as version 1.
    pub fn open_document(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Changes a document.
    pub fn change(&mut self, uri: &str, version: i32, changes: &[Value]) {
        let document = json!({ "uri": uri, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }

    /// Waits for the pushed diagnostics of one version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Value {
        let what = format!("diagnostics of {uri} version {version}");
        let message = self.wait_for(&what, |message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        message["params"]["diagnostics"].clone()
    }

    /// Waits until a document's pushed diagnostics are none.
    pub fn wait_for_clean(&mut self, uri: &str) {
        self.wait_for("empty diagnostics", |message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["diagnostics"] == json!([])
        });
    }

    /// Asks for the actions on a range of lines, from and to their first character.
    pub fn actions(&mut self, uri: &str, lines: (u32, u32), context: &Value) -> Value {
        let params = json!({
            "textDocument": { "uri": uri },
            "range": { "start": { "line": lines.0, "character": 0 }, "end": { "line": lines.1, "character": 0 } },
            "context": context,
        });
        self.request("textDocument/codeAction", params)
    }

    /// All messages with this method that have come and were not waited for. Sends a request first,
    /// about a document if one is open, and waits for its answer: whatever the server had to say
    /// before has then been said.
    pub fn unclaimed(&mut self, method: &str, uri: &str) -> Vec<Value> {
        self.actions(uri, (0, 0), &json!({ "diagnostics": [] }));
        let (found, rest) = self.stash.drain(..).partition(|message| message["method"] == method);
        self.stash = rest;
        found.into()
    }

    /// Ends the session as a good client does, and expects the server to end well.
    pub fn close(mut self) {
        let id = self.send_request("shutdown", Value::Null);
        let answer = self.answer_to(id);
        assert_eq!(answer.get("result"), Some(&Value::Null), "{answer}");
        self.send(&json!({ "jsonrpc": "2.0", "method": "exit" }));
        self.expect_exit(0);
    }

    /// Closes the server's standard input.
    pub fn end_input(&mut self) {
        self.input = None;
    }

    /// Waits until the process has ended, and expects this status and nothing but frames up to the end.
    ///
    /// # Panics
    /// When it ends otherwise.
    pub fn expect_exit(mut self, code: i32) {
        let status = exit_status(&mut self.server);
        assert_eq!(status.code(), Some(code), "the exit status is {status}");
        self.ended = true;
        loop {
            match self.next("the end of the output") {
                Incoming::End => break,
                Incoming::Message(_) => {}
                Incoming::Stray(bytes) => panic!("no frame on standard output: {bytes:?}"),
            }
        }
    }

    fn wait_for(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(message) = self.stash.iter().position(&wanted).and_then(|at| self.stash.remove(at)) {
            return message;
        }
        loop {
            match self.next(what) {
                Incoming::Message(message) if wanted(&message) => return message,
                Incoming::Message(message) => self.stash.push_back(message),
                Incoming::Stray(bytes) => panic!("no frame on standard output: {bytes:?}"),
                Incoming::End => panic!("the output ended before {what}"),
            }
        }
    }

    fn next(&mut self, what: &str) -> Incoming {
        let incoming = self.output.recv_timeout(LIMIT);
        incoming.unwrap_or_else(|_| panic!("{what} did not come; stashed: {:#?}", self.stash))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        let _ = self.server.kill();
        let _ = self.server.wait();
        assert!(self.ended || thread::panicking(), "the test did not look at how the server ends");
    }
}

/// Waits until a process has ended.
///
/// # Panics
/// When it goes on.
pub fn exit_status(process: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        match process.try_wait() {
            Ok(Some(status)) => return status,
            Ok(None) if start.elapsed() < LIMIT => thread::yield_now(),
            other => panic!("the process goes on: {other:?}"),
        }
    }
}

/// A message as it goes over the wire.
pub fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn read_all(mut stdout: impl BufRead, sender: &Sender<Incoming>) {
    loop {
        let incoming = read(&mut stdout).unwrap_or(Incoming::End);
        let last = !matches!(incoming, Incoming::Message(_));
        // Fails only when the test is over.
        if sender.send(incoming).is_err() || last {
            return;
        }
    }
}

/// Reads a frame in the one form that every client understands.
fn read(stdout: &mut impl BufRead) -> io::Result<Incoming> {
    let mut line = String::new();
    if stdout.read_line(&mut line)? == 0 {
        return Ok(Incoming::End);
    }
    let length =
        line.strip_prefix("Content-Length: ").and_then(|rest| rest.strip_suffix("\r\n")?.parse().ok());
    let Some(length) = length else { return Ok(Incoming::Stray(line)) };
    let mut blank = String::new();
    stdout.read_line(&mut blank)?;
    let mut body = Vec::new();
    stdout.take(length).read_to_end(&mut body)?;
    let message = serde_json::from_slice::<Value>(&body).ok().filter(|_| blank == "\r\n");
    let message = message.filter(|message| message["jsonrpc"] == "2.0");
    Ok(message
        .map_or_else(|| Incoming::Stray(String::from_utf8_lossy(&body).into_owned()), Incoming::Message))
}
