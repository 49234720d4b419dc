//! Messages on the wire: a header with the length, an empty line, the body.
//!
//! The framework's own reader stops for good at the first frame it cannot read. This one skips to the
//! next header, so that a stray line or a wrong length costs one message and not the session.

use std::io::{self, BufRead, Read, Write};

use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Id, Request, Response};

/// A longer body is no message of an editor; its header is skipped.
const MAX_BODY: u64 = 256 * 1024 * 1024;
/// A longer line is no header.
const MAX_LINE: u64 = 4096;

/// What a client sent.
#[derive(Debug)]
pub enum Message {
    /// A request, or a notification when it has no id.
    Request(Request),
    /// The answer to a request of ours.
    Response(Response),
}

/// Reads the next message. `Ok(None)` is the end of the input, also in the middle of a frame.
/// `Ok(Some(Err(_)))` is a frame that is no message: the answer it deserves.
///
/// # Errors
/// When the input cannot be read.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Result<Message, Error>>> {
    let Some(length) = read_header(input)? else { return Ok(None) };
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(parse(&body)))
}

/// Writes one message.
///
/// # Errors
/// When the output cannot be written.
pub fn write(output: &mut impl Write, body: &str) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

/// Reads up to the empty line after a length, skipping whatever is no header.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        match (text.trim_end(), length) {
            ("", Some(length)) => return Ok(Some(length)),
            (header, _) => length = content_length(header).or(length),
        }
    }
}

/// The length a header line states. The rest of a body whose length was too short may stand before it.
fn content_length(line: &str) -> Option<u64> {
    let name = "content-length:";
    let start = line.to_ascii_lowercase().rfind(name)?;
    let length = line.get(start + name.len()..)?.trim().parse().ok()?;
    (length <= MAX_BODY).then_some(length)
}

/// A message without the parts that nobody reads.
#[derive(Deserialize)]
struct Envelope {
    id: Option<Id>,
    method: Option<String>,
    params: Option<Value>,
    #[serde(default)]
    result: Value,
    error: Option<Error>,
}

fn parse(body: &[u8]) -> Result<Message, Error> {
    let envelope: Envelope = serde_json::from_slice(body)
        .map_err(|error| if error.is_data() { Error::invalid_request() } else { Error::parse_error() })?;
    match (envelope.method, envelope.id) {
        (Some(method), id) => Ok(Message::Request(request(method, envelope.params, id))),
        (None, Some(id)) => {
            let body = envelope.error.map_or(Ok(envelope.result), Err);
            Ok(Message::Response(Response::from_parts(id, body)))
        }
        (None, None) => Err(Error::invalid_request()),
    }
}

/// A request from its parts; the framework has no such constructor.
pub fn request(method: String, params: Option<Value>, id: Option<Id>) -> Request {
    let mut builder = Request::build(method);
    if let Some(params) = params {
        builder = builder.params(params);
    }
    if let Some(id) = id {
        builder = builder.id(id);
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn methods(mut input: &[u8]) -> Vec<Result<String, i64>> {
        let mut found = Vec::new();
        while let Ok(Some(message)) = read(&mut input) {
            found.push(match message {
                Ok(Message::Request(request)) => Ok(request.method().to_owned()),
                Ok(Message::Response(response)) => Ok(format!("response {}", response.id())),
                Err(error) => Err(error.code.code()),
            });
        }
        found
    }

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    const HELLO: &str = r#"{"jsonrpc":"2.0","method":"hello"}"#;

    #[test]
    fn headers_may_be_of_any_kind_and_case() {
        let body = format!(
            "content-length: {}\r\nContent-Type: application/vscode-jsonrpc\r\nX-Other: 1\r\n\r\n{HELLO}",
            HELLO.len()
        );
        assert_eq!(methods(body.as_bytes()), [Ok("hello".to_owned())]);
    }

    #[test]
    fn a_wrong_length_costs_one_message() {
        for length in [3, HELLO.len() - 1, HELLO.len() + 5] {
            let bad = format!("Content-Length: {length}\r\n\r\n{HELLO}");
            let input = format!("{bad}{}{}", frame(HELLO), frame(HELLO));
            let found = methods(input.as_bytes());
            assert_eq!(found.first(), Some(&Err(-32700)), "length {length}");
            assert_eq!(found.last(), Some(&Ok("hello".to_owned())), "length {length}");
        }
    }

    #[test]
    fn stray_lines_are_skipped() {
        let input = format!("warning: something\n\nContent-Length: many\r\n\r\n{}", frame(HELLO));
        assert_eq!(methods(input.as_bytes()), [Ok("hello".to_owned())]);
    }

    #[test]
    fn half_a_frame_is_the_end() {
        assert!(methods(frame(HELLO).get(..30).unwrap_or("").as_bytes()).is_empty());
        assert!(methods(b"Content-Le").is_empty());
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        assert_eq!(methods(frame("{").as_bytes()), [Err(-32700)]);
        assert_eq!(methods(frame("[]").as_bytes()), [Err(-32600)]);
        assert_eq!(methods(frame("{}").as_bytes()), [Err(-32600)]);
        assert_eq!(methods(frame("").as_bytes()), [Err(-32700)]);
        let answer = r#"{"jsonrpc":"2.0","id":3,"result":null}"#;
        assert_eq!(methods(frame(answer).as_bytes()), [Ok("response 3".to_owned())]);
    }

    proptest! {
        #[test]
        fn no_bytes_bring_the_reader_down(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            methods(&bytes);
            let mut input = frame(HELLO).into_bytes();
            input.extend(bytes);
            let found = methods(&input);
            prop_assert_eq!(found.first(), Some(&Ok("hello".to_owned())));
        }
    }
}
