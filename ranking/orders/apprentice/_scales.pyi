from ranking.arrays import FloatArray, LongArray, SingleArray

class Scales:
    def __init__(
        self, starts: LongArray, steps: SingleArray, at: FloatArray, between: FloatArray
    ) -> None: ...
    def look_up(self, values: FloatArray, out: FloatArray) -> None: ...
