import numpy as np
import onnxruntime as ort
import torch
from torchvision import models
from leaves import numpy_batches

net = models.efficientnet_b0(weights="DEFAULT").eval()
example = torch.randn(1, 3, 224, 224)
torch.onnx.export(net, example, "b0.onnx", input_names=["x"], output_names=["y"])
session = ort.InferenceSession("b0.onnx", providers=["CUDAExecutionProvider"])
model = lambda x: session.run(["y"], {"x": x})[0]
preds = []
for x in numpy_batches(32):
    preds.append(model(x))
print(np.concatenate(preds).argmax(1)[:20])
