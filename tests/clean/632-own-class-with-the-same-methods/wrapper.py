import torch


class Gate:
    """Queues requests and forwards them to whoever is free."""

    def __init__(self, address):
        self.address, self.where, self.spill = address, "nowhere", False

    def to(self, place):
        self.where = place
        return self

    def enable_model_cpu_offload(self):
        self.spill = True

    def enable_sequential_cpu_offload(self):
        self.spill = True


gate = Gate("tcp://10.0.0.7:9000").to("cuda")
gate.enable_model_cpu_offload()
gate.enable_sequential_cpu_offload()
print(gate.where, gate.spill, torch.__version__)
