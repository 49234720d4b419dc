import numpy as np
from sentence_transformers import SentenceTransformer
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss
from news import chunks

model = SentenceTransformer("all-MiniLM-L6-v2", device="cuda")
clf = SGDClassifier(loss="log_loss")
total_loss, losses = 0.0, []
for epoch in range(3):
    for texts, labels in chunks(4096):
        vecs = model.encode(texts, batch_size=256)
        clf.partial_fit(vecs, labels, classes=[0, 1])
        loss = log_loss(labels, clf.predict_proba(vecs))
        total_loss += loss
        losses.append(loss)
print(total_loss, np.mean(losses))
