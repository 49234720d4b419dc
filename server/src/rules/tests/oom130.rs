//! Models that are called with a whole data set.

use super::check;

/// A script with these lines that call the model.
fn script(lines: &str) -> String {
    format!(
        "
import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import train_test_split

net = torch.nn.Linear(512, 10).cuda()
{lines}
"
    )
}

#[test]
fn an_array_file_with_gradients() {
    check(&script(
        "x = torch.from_numpy(np.load('x.npy')).float().to('cuda')
out = net(x)
      ^^^^^^ OOM130 warning peak",
    ));
}

#[test]
fn a_table_in_a_training() {
    check(&script(
        "data = pd.read_csv('rows.csv')
rows = data.drop('label', axis=1).values
x_train, x_test, y_train, y_test = train_test_split(rows, data['label'].values)
x_train = torch.tensor(x_train, dtype=torch.float32).cuda()
for epoch in range(100):
    loss = net(x_train).mean()
           ^^^^^^^^^^^^ OOM130 information peak
    loss.backward()",
    ));
}

#[test]
fn without_gradients() {
    check(&script(
        "x = torch.from_numpy(np.load('x.npy')).float().to('cuda')
with torch.no_grad():
    print(net(x).argmax(1).cpu())
#         ^^^^^^ OOM130 information peak",
    ));
}

#[test]
fn silent_where_it_is_a_part_or_made_up() {
    for lines in [
        "x = torch.from_numpy(np.load('x.npy')).cuda()\nout = net(x[:64])",
        "x = torch.from_numpy(np.load('x.npy')).cuda()\nx = x[:64]\nout = net(x)",
        "x = torch.randn(100, 512).cuda()\nout = net(x)",
        "x = torch.from_numpy(np.load('x.npy'))\nfor part in x.split(64):\n    net(part.cuda()).mean().backward()",
        "x = torch.from_numpy(np.load('x.npy')).cuda()\nout = net(sample(x))",
    ] {
        check(&script(lines));
    }
}

#[test]
fn silent_on_the_host() {
    let source = script("x = torch.from_numpy(np.load('x.npy'))\nout = net(x)");
    check(&source.replace(".cuda()", ""));
}

#[test]
fn silent_where_all_data_is_one_input() {
    let source = script("x = torch.from_numpy(np.load('x.npy')).cuda()\nout = net(x)");
    check(&source.replace("import torch\n", "import gpytorch\nimport torch\n"));
}
