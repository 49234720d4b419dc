import cv2
import numpy as np
import torch
from torchvision.models import resnet50

net = resnet50(weights="DEFAULT").cuda().eval()
store = {}
net.layer4.register_forward_hook(lambda m, i, o: store.update(a=o))
net.layer4.register_full_backward_hook(lambda m, gi, go: store.update(g=go[0]))


def heat(img, cls=None):
    logits = net(img.unsqueeze(0).cuda())
    cls = int(logits.argmax()) if cls is None else cls
    net.zero_grad()
    logits[0, cls].backward()
    w = store["g"].mean((2, 3), keepdim=True)
    cam = (w * store["a"]).sum(1).relu()[0]
    return (cam / cam.max()).detach().cpu().numpy(), cls


def folder(images):
    maps = []
    for path, img in images:
        cam, cls = heat(img)
        maps.append((path, cls, cv2.resize(cam, (224, 224))))
    return maps
