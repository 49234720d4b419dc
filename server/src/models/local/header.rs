//! The header of a safetensors file: eight bytes with its length, then JSON with the type, the shape and the place of
//! every tensor. The tensors themselves are not read.

use std::fmt;
use std::io::{BufReader, Read};
use std::path::Path;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::memory::weights::Dtype;
use crate::models::local::{self, ReadError};
use crate::texts::text;

/// The longest header: the limit of the safetensors library itself.
const MAX_HEADER_BYTES: u64 = 100_000_000;

/// The most tensors in a file.
const MAX_TENSORS: usize = 1_000_000;

/// What a file that was fetched without Git LFS starts with.
const POINTER: &[u8] = b"version ";

/// One tensor, as the header describes it.
#[derive(Debug)]
pub struct Tensor<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type, as it is written.
    pub dtype: &'a str,
    /// Its shape.
    pub shape: &'a [u64],
    /// The bytes that it takes in the file.
    pub bytes: u64,
}

impl Tensor<'_> {
    /// The number of its elements.
    pub fn elements(&self) -> u64 {
        self.shape.iter().fold(1, |product: u64, size| product.saturating_mul(*size))
    }
}

/// Reads the header of a file and shows every tensor in it.
///
/// # Errors
/// The file is not there, is cut short, or is no safetensors file.
pub fn read(path: &Path, show: &mut dyn FnMut(Tensor<'_>)) -> Result<(), ReadError> {
    let mut file = local::open(path)?;
    let size = file.metadata().map_err(|error| ReadError::io(path, &error))?.len();
    let name = path.display().to_string();
    let broken =
        |why: String| ReadError::Broken(text("local-not-safetensors", &[("file", &name), ("why", &why)]));
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(|_| broken(text("local-header-short", &[])))?;
    if length == POINTER {
        return Err(ReadError::Broken(text("local-pointer", &[("file", &name)])));
    }
    let length = u64::from_le_bytes(length);
    let data =
        size.saturating_sub(8).checked_sub(length).ok_or_else(|| broken(text("local-header-short", &[])))?;
    if length > MAX_HEADER_BYTES {
        return Err(broken(text("local-header-long", &[])));
    }
    let header = BufReader::new(file.take(length));
    let mut deserializer = serde_json::Deserializer::from_reader(header);
    let mut tensors = Tensors { show, data, claimed: 0 };
    let read = deserializer.deserialize_map(&mut tensors).and_then(|()| deserializer.end());
    read.map_err(|error| broken(error.to_string()))
}

/// One entry of the header.
#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

impl Entry {
    /// Whether so many bytes are what its shape takes in its type, where the type is one that is known.
    fn takes(&self, bytes: u64) -> bool {
        let elements = self.shape.iter().try_fold(1, |product: u64, size| product.checked_mul(*size));
        let expected = elements.map(|elements| Dtype::parse(&self.dtype).map(|dtype| dtype.of(elements)));
        expected.is_some_and(|expected| expected.is_none_or(|expected| expected.0 == bytes))
    }
}

/// Takes the entries one by one, so that a long header is never held as a whole.
struct Tensors<'a> {
    show: &'a mut dyn FnMut(Tensor<'_>),
    /// The bytes of the file that hold tensors.
    data: u64,
    /// What the tensors so far claim of them.
    claimed: u64,
}

impl<'de> Visitor<'de> for &mut Tensors<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a header of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut count = 0;
        while let Some(name) = entries.next_key::<String>()? {
            if name == "__metadata__" {
                entries.next_value::<IgnoredAny>()?;
                continue;
            }
            let entry = entries.next_value::<Entry>()?;
            count += 1;
            self.check(&name, &entry, count).map_err(serde::de::Error::custom)?;
            let (start, end) = entry.data_offsets;
            let tensor = Tensor { name: &name, dtype: &entry.dtype, shape: &entry.shape, bytes: end - start };
            (self.show)(tensor);
        }
        Ok(())
    }
}

impl Tensors<'_> {
    /// Whether an entry can be true of this file. All tensors together cannot take more than there is.
    fn check(&mut self, name: &str, entry: &Entry, count: usize) -> Result<(), String> {
        let (start, end) = entry.data_offsets;
        let shown: String = name.chars().take(80).collect();
        let bytes = end.checked_sub(start).filter(|bytes| count <= MAX_TENSORS && entry.takes(*bytes));
        let Some(bytes) = bytes else { return Err(text("local-tensor-nonsense", &[("tensor", &shown)])) };
        self.claimed = self.claimed.saturating_add(bytes);
        if end > self.data || self.claimed > self.data {
            return Err(text("local-tensor-cut", &[("tensor", &shown)]));
        }
        Ok(())
    }
}
