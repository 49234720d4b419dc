import asyncio
import time
from collections import Counter
import torch
from fastapi import FastAPI
from toxicity import load_model, encode

app = FastAPI()
net = load_model("tox.pt").eval().to("cuda")
queue: asyncio.Queue = asyncio.Queue()
stats = Counter()


def score(texts):
    with torch.no_grad():
        return net(encode(texts).to("cuda")).sigmoid().squeeze(1).tolist()


async def worker():
    loop = asyncio.get_running_loop()
    while True:
        jobs = [await queue.get()]
        while not queue.empty() and len(jobs) < 64:
            jobs.append(queue.get_nowait())
        t0 = time.perf_counter()
        values = await loop.run_in_executor(None, score, [t for t, _ in jobs])
        stats["seconds"] += time.perf_counter() - t0
        stats["texts"] += len(jobs)
        for (_, fut), v in zip(jobs, values):
            fut.set_result(v)


@app.on_event("startup")
async def start():
    asyncio.create_task(worker())


@app.post("/score")
async def handle(body: dict):
    fut = asyncio.get_running_loop().create_future()
    await queue.put((body["text"], fut))
    return {"toxicity": await fut}
