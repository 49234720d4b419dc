import gradio as gr
import torch
from diffusers import StableDiffusionXLPipeline

state = {"pipe": None}


def load(name, mode):
    pipe = StableDiffusionXLPipeline.from_pretrained(name, torch_dtype=torch.float16)
    if mode == "fast":
        pipe = pipe.to("cuda")
    else:
        pipe.enable_model_cpu_offload()
    state["pipe"] = pipe
    return f"{name}: {mode}"


def draw(prompt, steps):
    if state["pipe"] is None:
        raise gr.Error("load a model first")
    return state["pipe"](prompt, num_inference_steps=int(steps)).images[0]


with gr.Blocks() as ui:
    name, mode = gr.Textbox("stabilityai/stable-diffusion-xl-base-1.0"), gr.Radio(["fast", "small"], value="small")
    gr.Button("load").click(load, [name, mode], gr.Textbox())
    prompt, steps = gr.Textbox(), gr.Slider(1, 50, 30)
    gr.Button("draw").click(draw, [prompt, steps], gr.Image())
ui.launch()
