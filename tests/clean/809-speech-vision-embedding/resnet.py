from torchvision.models import ResNet50_Weights, resnet50

net = resnet50(weights=ResNet50_Weights.IMAGENET1K_V2).to("cuda")
