//! `.item()` where a number will do, `.detach()` elsewhere.

use crate::rules::tests::fixing::check_fix;

/// A training loop around the statement that keeps the graph.
fn training(start: &str, statement: &str, end: &str) -> String {
    format!(
        "
import torch

def fit(model, loader, criterion, optimizer):
    {start}
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        {statement}
    {end}
"
    )
}

#[track_caller]
fn check_statement(start: &str, end: &str, before: &str, after: &str) {
    check_fix(&training(start, before, end), &training(start, after, end));
}

#[test]
fn a_total_that_starts_as_a_number() {
    check_statement("total = 0.0", "print(total)", "total += loss", "total += loss.item()");
    check_statement("total = 0.0", "print(total)", "total = total + loss", "total = total + loss.item()");
    check_statement("total = 0.0", "print(total)", "total = loss + total", "total = loss.item() + total");
}

#[test]
fn a_total_that_is_or_may_be_used_as_a_tensor() {
    check_statement("total = 0.0", "return total.item()", "total += loss", "total += loss.detach()");
    check_statement("total = 0.0", "return total / len(loader)", "total += loss", "total += loss.detach()");
    check_statement("total = 0.0", "return total.cpu().numpy()", "total += loss", "total += loss.detach()");
}

#[test]
fn a_total_that_starts_as_a_tensor() {
    let zeros = "total = torch.zeros(1, device='cuda')";
    check_statement(zeros, "print(total)", "total += loss", "total += loss.detach()");
    check_statement(zeros, "print(total)", "total.add_(loss)", "total.add_(loss.detach())");
    check_statement(zeros, "print(total)", "total[0] += loss", "total[0] += loss.detach()");
}

#[test]
fn parentheses_where_the_call_would_bind_tighter() {
    check_statement("total = 0.0", "print(total)", "total += loss * 2", "total += (loss * 2).item()");
    check_statement(
        "total = 0.0",
        "print(total)",
        "total += loss / x.size(0)",
        "total += (loss / x.size(0)).item()",
    );
    check_statement("total = 0.0", "print(total)", "total += -loss", "total += (-loss).item()");
    check_statement("total = 0.0", "print(total)", "total += (loss)", "total += (loss.item())");
    check_statement("total = 0.0", "print(total)", "total += (loss * 2)", "total += ((loss * 2).item())");
    check_statement(
        "total = 0.0",
        "print(total)",
        "total += loss if loss > 0 else loss",
        "total += (loss if loss > 0 else loss).item()",
    );
}

#[test]
fn calls_and_attributes_take_the_call_as_they_are() {
    check_statement("total = 0.0", "print(total)", "total += loss.sum()", "total += loss.sum().item()");
    check_statement("total = 0.0", "print(total)", "total += abs(loss)", "total += abs(loss).item()");
}

#[test]
fn an_item_of_a_dict() {
    check_statement(
        "totals = {'loss': 0.0}",
        "print(totals)",
        "totals['loss'] += loss",
        "totals['loss'] += loss.item()",
    );
}

#[test]
fn a_comment_stays_where_it_is() {
    check_statement(
        "total = 0.0",
        "print(total)",
        "total += loss  # the loss of one batch",
        "total += loss.item()  # the loss of one batch",
    );
}

#[test]
fn several_statements_on_a_line() {
    check_statement(
        "total = 0.0; steps = 0",
        "print(total)",
        "total += loss; steps += 1",
        "total += loss.item(); steps += 1",
    );
}

#[test]
fn a_value_over_several_lines() {
    check_statement(
        "total = 0.0",
        "print(total)",
        "total += (\n            loss\n            * 2  # twice\n        )",
        "total += (\n            (loss\n            * 2).item()  # twice\n        )",
    );
}

#[test]
fn lines_that_end_with_a_carriage_return() {
    let before = training("total = 0.0", "total += loss", "print(total)").replace('\n', "\r\n");
    let after = training("total = 0.0", "total += loss.item()", "print(total)").replace('\n', "\r\n");
    check_fix(&before, &after);
}

#[test]
fn text_that_is_not_ascii() {
    check_statement(
        "été = 0.0  # 合計 🙂",
        "print(été)",
        "été += loss  # 損失",
        "été += loss.item()  # 損失",
    );
}

#[test]
fn a_meter_is_handed_a_detached_loss() {
    let script = |value: &str| {
        format!(
            "
import torch

class Meter:
    def __init__(self):
        self.sum = 0

    def update(self, value, n=1):
        self.sum += value * n

def fit(model, loader, criterion, optimizer):
    losses = Meter()
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        losses.update({value})
    print(losses.sum)
"
        )
    };
    check_fix(&script("loss, x.size(0)"), &script("loss.detach(), x.size(0)"));
    check_fix(&script("n=x.size(0), value=loss"), &script("n=x.size(0), value=loss.detach()"));
    check_fix(&script("loss * 2"), &script("(loss * 2).detach()"));
}

#[test]
fn a_loop_on_one_line() {
    check_fix(
        "
import torch

def evaluate(criterion, weights, optimizer):
    weights = torch.nn.Parameter(weights.cuda())
    total = 0.0
    for y in range(1000): loss = criterion(weights, y); loss.backward(); total += loss
    print(total)
",
        "
import torch

def evaluate(criterion, weights, optimizer):
    weights = torch.nn.Parameter(weights.cuda())
    total = 0.0
    for y in range(1000): loss = criterion(weights, y); loss.backward(); total += loss.item()
    print(total)
",
    );
}

#[test]
fn a_moving_average() {
    check_statement(
        "average = 0.0",
        "print(average)",
        "average = 0.9 * average + 0.1 * loss",
        "average = 0.9 * average + (0.1 * loss).item()",
    );
}
