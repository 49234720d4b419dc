def validate(net, loader, metric):
    good = 0
    for x, y in loader:
        out = net(x.cuda())
        good += metric(out, y.cuda())
    return good / len(loader.dataset)
