from transformers import AutoModelForCausalLM, BitsAndBytesConfig

CONFIGS = {"8bit": BitsAndBytesConfig(load_in_8bit=True), "none": None}
model = AutoModelForCausalLM.from_pretrained(
    "mistralai/Mistral-7B-Instruct-v0.3", quantization_config=CONFIGS["8bit"], device_map="cuda"
)
