from transformers import pipeline

summarize = pipeline("summarization", model="facebook/bart-large-cnn", device="cuda")
print(summarize("A long text.")[0]["summary_text"])
