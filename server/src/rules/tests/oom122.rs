//! Data sets that are put on the GPU as a whole.

use crate::rules::tests::check;

#[test]
fn all_batches_in_a_list() {
    check(
        "
import torch
from torch.utils.data import DataLoader

loader = DataLoader(data, batch_size=64)
kept = []
for x, y in loader:
    kept.append((x.cuda(), y.cuda()))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM122 warning static
",
    );
}

#[test]
fn all_batches_that_a_framework_moves() {
    check(
        "
from accelerate import Accelerator

accelerator = Accelerator()
loader = accelerator.prepare(loader)
batches = list(loader)
#         ^^^^^^^^^^^^ OOM122 warning static
",
    );
}

#[test]
fn a_data_set_that_moves_itself() {
    check(
        "
import numpy as np
import torch
from torch.utils.data import Dataset

class Table(Dataset):
    def __init__(self, path, device='cuda'):
        self.x = torch.from_numpy(np.load(path)).to(device)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM122 warning static
        self.name = path

    def __getitem__(self, index):
        return self.x[index].cpu()
",
    );
}

#[test]
fn what_a_data_set_yields() {
    let script = |workers: &str, severity: &str| {
        format!(
            "
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Pictures(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __getitem__(self, index):
#       ^^^^^^^^^^^ OOM122 {severity} none
        return torch.from_numpy(np.load(self.paths[index])).cuda()

loader = DataLoader(Pictures(paths), batch_size=8{workers})
"
        )
        .replace(" none\n", " static\n")
    };
    check(&script(", num_workers=4", "warning"));
    check(&script("", "information"));
}

#[test]
fn tensors_of_a_small_table() {
    check(
        "
import torch
from torch.utils.data import TensorDataset

def table(x, y):
    return TensorDataset(x.cuda(), y.cuda())
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ OOM122 information static
",
    );
}

#[test]
fn batches_on_the_host_and_parts_of_one_batch() {
    check(
        "
import torch
from torch.utils.data import DataLoader, Dataset

class Table(Dataset):
    def __init__(self, path):
        self.x = torch.load(path)

    def __getitem__(self, index):
        return self.x[index]

loader = DataLoader(Table('x.pt'), batch_size=64, num_workers=4)
batches = list(loader)
pairs = [(x, y) for x, y in loader]
for batch in loader:
    batch = [part.cuda() for part in batch]
    print(batch[0].sum().item())
",
    );
}

#[test]
fn numbers_that_are_written_out() {
    check(
        "
import torch
from torch.utils.data import Dataset

class Streets(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.class_weights = torch.FloatTensor([0.8373, 0.918, 0.866, 1.0345]).cuda()
",
    );
}
