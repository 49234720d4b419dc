from transformers import AutoModelForCausalLM, AutoTokenizer

repo = "RWKV/rwkv-4-430m-pile"
tok = AutoTokenizer.from_pretrained(repo)
rnn = AutoModelForCausalLM.from_pretrained(repo, device_map="cuda")
carry = None
while True:
    piece = tok(input(), return_tensors="pt").to("cuda")
    ans = rnn(piece["input_ids"], state=carry)
    carry = ans.state
    print(tok.decode(ans.logits[0, -1].argmax()))
