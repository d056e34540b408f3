from pathlib import Path

import joblib
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

wanted, unwanted = (Path(f"{name}.txt").read_text().splitlines() for name in ("wanted", "unwanted"))
model = make_pipeline(TfidfVectorizer(), LogisticRegression(C=10, class_weight="balanced"))
model.fit(wanted + unwanted, [True] * len(wanted) + [False] * len(unwanted))
joblib.dump(model, "mine.joblib")
