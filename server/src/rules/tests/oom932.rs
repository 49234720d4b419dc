use super::check;

#[test]
fn silent_about_one_device_and_about_evaluation() {
    check(
        "
import torch

def fit(model, loader, criterion):
    model = torch.nn.DataParallel(model, device_ids=[0])
    for x, y in loader:
        criterion(model(x.cuda()), y.cuda()).backward()
",
    );
    check(
        "
import torch

model = torch.nn.DataParallel(load_it()).cuda()
with torch.no_grad():
    print(model(x.cuda()).argmax(1))
",
    );
}
