use super::check;

/// A script for several processes with these lines behind the start of the group.
fn script(start: &str, lines: &str) -> String {
    format!(
        "
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

{start}
{lines}
"
    )
}

const DDP: &str = "model = DistributedDataParallel(torch.nn.Linear(2, 2).cuda())";

#[test]
fn processes_that_nothing_tells_apart() {
    let source = script("dist.init_process_group('nccl')", DDP);
    let codes: Vec<&str> = super::findings(&source).iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["OOM931"]);
}

#[test]
fn processes_that_know_their_gpu() {
    for line in [
        "torch.cuda.set_device(int(os.environ['LOCAL_RANK']))",
        "torch.cuda.set_device(which())",
        "local_rank = dist.get_rank()",
    ] {
        check(&script("dist.init_process_group('nccl')", &format!("{line}\n{DDP}")));
    }
    check(&script("dist.init_process_group('gloo')", DDP));
    check(&script("dist.init_process_group('nccl', device_id=device)", DDP));
    check(&script("dist.init_process_group('nccl')", "dist.barrier()"));
}
