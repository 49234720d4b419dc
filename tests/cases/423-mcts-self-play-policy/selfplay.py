import math
import random
import torch
from hexgame import Board, PolicyValueNet


class Node:
    __slots__ = ("prior", "n", "w", "kids")

    def __init__(self, prior):
        self.prior, self.n, self.w, self.kids = prior, 0, 0.0, {}

    def pick(self):
        return max(self.kids.items(), key=lambda kv: kv[1].w / (kv[1].n + 1) + 1.4 * float(kv[1].prior) * math.sqrt(self.n) / (1 + kv[1].n))


class Player:
    def __init__(self, net, device):
        self.net, self.device = net.to(device).eval(), device

    def evaluate(self, board):
        planes = torch.from_numpy(board.planes()).unsqueeze(0).to(self.device)
        logits, value = self.net(planes)
        return logits.softmax(-1)[0], value[0, 0]

    def play(self, sims=400):
        board, record = Board(11), []
        while not board.over():
            pi, value = self.evaluate(board)
            moves = board.legal()
            record.append((board.planes(), pi, value))
            board.push(random.choices(moves, [float(pi[m]) for m in moves])[0])
        return record, board.winner()


if __name__ == "__main__":
    player = Player(PolicyValueNet(11), "cuda")
    games = []
    for g in range(1000):
        games.append(player.play())
    torch.save(games, "games.pt")
