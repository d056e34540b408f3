from ranking.arrays import FloatArray, IntArray, LongArray

def split_lines(
    text: bytearray,
    separator: int,
    first: int,
    second: int,
    value: int,
    limit: int,
    commented: bool,
    starts: LongArray,
    lengths: IntArray,
    values: FloatArray,
) -> tuple[int, int, bool, int, int, int]: ...
