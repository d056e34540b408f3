"""A scikit-learn pipeline says which pages are relevant; links are weighed by the topic's words."""

import joblib

from ranking.topics import TfidfTopic
from ranking.topics.judging import Judgement


class Classified(TfidfTopic):
    def __init__(self):
        super().__init__()
        self._pipeline = joblib.load("mine.joblib")  # runs what is in it: load your own only

    def judge(self, page):
        wanted = float(self._pipeline.predict_proba([f"{page.title}\n{page.text}"])[0][1])
        return Judgement(relevance=wanted, similarity=wanted)
