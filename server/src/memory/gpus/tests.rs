//! Names as people write them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may fail")]

use std::collections::BTreeSet;

use super::rows::{CARDS, MACHINES, card_row, common_card, machine};
use super::{cards, choose, common};
use crate::memory::Bytes;
use crate::table::rows;

#[test]
fn every_row_loads() {
    for (table, columns) in [
        (include_str!("../tables/gpus.tsv"), 14),
        (include_str!("../tables/machines.tsv"), 6),
        (include_str!("../tables/common_cards.tsv"), 3),
        (include_str!("../tables/gpu_words.tsv"), 3),
    ] {
        let mut keys = BTreeSet::new();
        for row in rows(table) {
            assert_eq!(row.len(), columns, "columns of {row:?}");
            assert!(row.columns().all(|column| !column.is_empty()), "an empty column in {row:?}");
            let loads = match columns {
                14 => card_row(&row).is_some(),
                6 => machine(&row).is_some(),
                _ => row.get(0) != Some("GiB"),
            };
            assert!(loads, "unknown value in {row:?}");
            assert!(keys.insert((row.first(), row.get(1), row.get(4))), "a second row for {row:?}");
        }
        assert!(!keys.is_empty());
    }
    assert!(rows(include_str!("../tables/common_cards.tsv")).all(|row| common_card(&row).is_some()));
}

#[test]
fn every_card_and_machine_is_found_by_its_own_names() {
    for row in CARDS.iter() {
        for name in [row.smi_name, row.name].into_iter().chain(row.others.iter().copied()) {
            let choice = choose(name).expect(name);
            let sizes: Vec<_> =
                [&choice.card].into_iter().chain(&choice.others).map(|card| card.capacity).collect();
            let is_listed = row.smi_total.is_some();
            let is_there = sizes.contains(&row.cards(1).capacity);
            assert!(is_there || !is_listed, "{name} is {choice:?}");
        }
    }
    for row in MACHINES.iter() {
        for name in [row.name].into_iter().chain(row.others.iter().copied()) {
            assert_eq!(choose(name).expect(name).card, row.card.cards(row.count), "{name}");
        }
    }
}

#[test]
fn no_more_is_usable_than_there_is() {
    for listed in cards() {
        let (capacity, usable) = (listed.card.capacity, listed.card.usable);
        assert!(usable < capacity && usable.0 > capacity.0 / 100 * 84, "{listed:?}");
    }
}

#[test]
fn settings_are_understood() {
    for (written, shown, gib) in [
        ("rtx4090", "RTX 4090", "23.99 GiB"),
        ("RTX 4090", "RTX 4090", "23.99 GiB"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090", "23.99 GiB"),
        ("4090", "RTX 4090", "23.99 GiB"),
        ("RTX 4090 24GB", "RTX 4090", "23.99 GiB"),
        ("rtx 4090 laptop", "RTX 4090 Laptop", "15.99 GiB"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "RTX 4090 Laptop", "15.99 GiB"),
        ("4060ti 16gb", "RTX 4060 Ti 16GB", "16.00 GiB"),
        ("A100 80GB", "A100 80GB", "80.00 GiB"),
        ("a100-80g", "A100 80GB", "80.00 GiB"),
        ("NVIDIA A100-SXM4-80GB", "A100 80GB", "80.00 GiB"),
        ("NVIDIA A100 80GB PCIe", "A100 80GB", "80.00 GiB"),
        ("A100 80 GiB", "A100 80GB", "80.00 GiB"),
        ("H100", "H100 80GB", "79.65 GiB"),
        ("NVIDIA H100 80GB HBM3", "H100 80GB", "79.65 GiB"),
        ("H200 141GB", "H200 141GB", "140.40 GiB"),
        ("T4", "T4", "15.00 GiB"),
        ("t4 16gb", "T4", "15.00 GiB"),
        ("L40s", "L40S", "44.99 GiB"),
        ("A10G", "A10G", "22.49 GiB"),
        ("rtx a6000", "RTX A6000", "47.99 GiB"),
        ("RTX 6000 Ada", "RTX 6000 Ada", "47.99 GiB"),
        ("RTX PRO 6000", "RTX PRO 6000 Blackwell", "95.59 GiB"),
        ("MI300X", "MI300X", "192.00 GiB"),
        ("rx 7900 xtx", "Radeon RX 7900 XTX", "24.00 GiB"),
        ("DGX Spark", "DGX Spark", "128.00 GiB"),
        ("24GiB", "24 GiB", "24.00 GiB"),
        ("24 GB", "24 GiB", "24.00 GiB"),
        ("24g", "24 GiB", "24.00 GiB"),
        ("7.5 GiB", "7.50 GiB", "7.50 GiB"),
        ("24564 MiB", "23.99 GiB", "23.99 GiB"),
        ("2x A100 80GB", "2x A100 80GB", "80.00 GiB"),
        ("2 x 24GiB", "2x 24 GiB", "24.00 GiB"),
        ("2x24g", "2x 24 GiB", "24.00 GiB"),
        ("4 × L4", "4x L4", "22.49 GiB"),
        ("8 T4", "8x T4", "15.00 GiB"),
        ("L4:2", "2x L4", "22.49 GiB"),
        ("L4 x 2", "2x L4", "22.49 GiB"),
        ("g5.xlarge", "A10G", "22.49 GiB"),
        ("ml.g5.12xlarge", "4x A10G", "22.49 GiB"),
        ("a2-highgpu-1g", "A100 40GB", "40.00 GiB"),
        ("Standard_NC96ads_A100_v4", "4x A100 80GB", "80.00 GiB"),
        ("Colab T4", "T4", "15.00 GiB"),
        ("Kaggle T4 x2", "2x T4", "15.00 GiB"),
    ] {
        let choice = choose(written).expect(written);
        let card = &choice.card;
        assert_eq!(
            (card.to_string().as_str(), card.capacity.to_string().as_str()),
            (shown, gib),
            "{written}"
        );
        assert_eq!(choice.others, [], "{written}");
    }
}

#[test]
fn a_name_of_several_sizes_takes_the_smallest_and_says_so() {
    let sizes = |written: &str| {
        let choice = choose(written).expect(written);
        let cards = [&choice.card].into_iter().chain(&choice.others);
        cards.map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(sizes("A100"), "A100 40GB, A100 80GB");
    assert_eq!(sizes("A100 SXM"), "A100 40GB, A100 80GB");
    assert_eq!(sizes("2xA100"), "2x A100 40GB, 2x A100 80GB");
    assert_eq!(sizes("V100"), "V100 16GB, V100 32GB");
    assert_eq!(sizes("RTX 3080"), "RTX 3080, RTX 3080 12GB");
    assert_eq!(
        choose("A100").unwrap().notice().as_deref(),
        Some(
            "There are several cards of that name, and the smallest is taken: A100 40GB. Write \"A100 80GB\" if that is yours."
        ),
    );
    assert_eq!(choose("T4").unwrap().notice(), None);
}

#[test]
fn an_unknown_name_is_an_error_that_names_the_nearest() {
    let error = |written: &str| choose(written).expect_err(written);
    assert!(error("RTX 4091").contains("`RTX 4090`"), "{}", error("RTX 4091"));
    for written in [
        "",
        "24",
        "x",
        "2x",
        "gpu",
        "cuda:0",
        "-3 GB",
        "0x T4",
        "9999999999x T4",
        "∞ GiB",
        "nan g",
        "RTX 4090 48GB",
    ] {
        assert!(!error(written).is_empty(), "{written}");
    }
}

#[test]
fn what_is_usable_is_what_pytorch_says() {
    let usable = |written: &str| choose(written).expect(written).card.usable;
    assert_eq!(usable("H100"), Bytes::mib(80_998));
    assert_eq!(usable("RTX 4090"), Bytes::mib(24_064));
    let nominal = usable("24GiB").as_gib();
    assert!((23.6..23.7).contains(&nominal), "{nominal}");
}

#[test]
fn common_cards_grow() {
    let sizes: Vec<u64> = common().iter().map(|card| card.usable.0).collect();
    assert!(sizes.len() >= 12 && sizes.is_sorted(), "{sizes:?}");
}
