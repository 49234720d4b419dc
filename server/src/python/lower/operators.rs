//! Operators as they are written.

use crate::python::syntax::{BinaryOp, CompareOp, UnaryOp};

/// The binary operator written as `text`, which may be that of an augmented assignment.
pub(super) fn binary(text: &str) -> Option<BinaryOp> {
    Some(match text.strip_suffix('=').unwrap_or(text) {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Subtract,
        "*" => BinaryOp::Multiply,
        "/" => BinaryOp::Divide,
        "//" => BinaryOp::FloorDivide,
        "%" => BinaryOp::Modulo,
        "**" => BinaryOp::Power,
        "@" => BinaryOp::MatrixMultiply,
        "&" => BinaryOp::And,
        "|" => BinaryOp::Or,
        "^" => BinaryOp::Xor,
        "<<" => BinaryOp::ShiftLeft,
        ">>" => BinaryOp::ShiftRight,
        _ => return None,
    })
}

/// The comparison operator written as `text`, other than those of two words.
pub(super) fn comparison(text: &str) -> Option<CompareOp> {
    Some(match text {
        "==" => CompareOp::Equal,
        "!=" | "<>" => CompareOp::NotEqual,
        "<" => CompareOp::Less,
        "<=" => CompareOp::LessOrEqual,
        ">" => CompareOp::Greater,
        ">=" => CompareOp::GreaterOrEqual,
        "is" => CompareOp::Is,
        "in" => CompareOp::In,
        _ => return None,
    })
}

/// The unary operator written as `text`, other than `not`.
pub(super) fn unary(text: &str) -> Option<UnaryOp> {
    Some(match text {
        "-" => UnaryOp::Minus,
        "+" => UnaryOp::Plus,
        "~" => UnaryOp::Invert,
        _ => return None,
    })
}
