import time


class Callback:
    def on_fit_start(self, state): ...
    def on_batch_end(self, state): ...
    def on_epoch_end(self, state): ...


class Recorder(Callback):
    def on_fit_start(self, state):
        self.losses, self.lrs = [], []

    def on_batch_end(self, state):
        self.losses.append(state.loss)
        self.lrs.append(state.opt.param_groups[0]["lr"])


class Clock(Callback):
    def on_fit_start(self, state):
        self.t0 = time.time()

    def on_epoch_end(self, state):
        print(f"epoch {state.epoch}: {time.time() - self.t0:.0f} s")
