//! Comments that silence findings.

use crate::support::{Folder, TRAINING};

fn status(code: &str) -> i32 {
    Folder::new().file("train.py", code).run(&["check"]).status
}

fn behind(comment: &str) -> String {
    TRAINING.replace("total_loss += loss", &format!("total_loss += loss  {comment}"))
}

#[test]
fn comments_silence_the_codes_they_name() {
    for comment in ["# vramlens: ignore", "# vramlens: ignore[OOM101]", "# noqa", "# noqa: OOM101"] {
        assert_eq!(status(&behind(comment)), 0, "{comment}");
    }
    for comment in ["# vramlens: ignore[OOM102]", "# noqa: E501", "# fine"] {
        assert_eq!(status(&behind(comment)), 1, "{comment}");
    }
}

#[test]
fn a_comment_of_its_own_silences_the_next_line_or_the_file() {
    let line = "    total_loss += loss";
    let above = format!("    # vramlens: ignore[OOM101]\n{line}");
    assert_eq!(status(&TRAINING.replace(line, &above)), 0);
    assert_eq!(status(&format!("# vramlens: ignore-file[OOM101]\n{TRAINING}")), 0);
    assert_eq!(status(&format!("# vramlens: ignore-file[OOM102]\n{TRAINING}")), 1);
    assert_eq!(status(&format!("text = '# vramlens: ignore-file'\n{TRAINING}")), 1);
}
