# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""What the links of a page say: records in, columns out, in one pass."""

from libc.stdint cimport int32_t, uint8_t


def columns(
    list links not None,
    uint8_t nameless,
    int32_t[::1] targets,
    double[::1] predicted,
    uint8_t[::1] flags,
    uint8_t[:, ::1] matches,
):
    """Write what k links say to arrays of length k; their texts are returned.

    The anchors are "" for a link with one of the flags `nameless`. Returns anchors, contexts, and
    whether any link was weighed; the matches of one that was not are 0. Raises OverflowError for a
    number that its array does not hold, and whatever a link says that has none of these fields.
    """
    cdef Py_ssize_t k, n = len(links)
    cdef bint weighed = False
    cdef list anchors = [""] * n, contexts = [""] * n
    cdef object link, said
    if not n == targets.shape[0] == predicted.shape[0] == flags.shape[0]:
        raise ValueError(f"expected arrays for {n} links")
    cdef Py_ssize_t i, many = matches.shape[1]
    if matches.shape[0] != n:
        raise ValueError(f"expected matches for {n} links")
    for k in range(n):
        link = links[k]
        targets[k], predicted[k], flags[k] = link.url_id, link.predicted, link.flags
        contexts[k] = link.context
        if not flags[k] & nameless:
            anchors[k] = link.anchor or ""
        said = link.matches
        if said is None:
            matches[k, :] = 0
        else:
            weighed = True
            if len(said) != many:
                raise ValueError(f"expected {many} matches of a link, got {len(said)}")
            for i in range(many):
                matches[k, i] = said[i]
    return anchors, contexts, weighed


def number(list records not None, int32_t n):
    """Give records without an id, whose `url_id` is below 0, the next ones from n on.

    Equal fingerprints get one id, and the first of them is new. Returns the new records in the
    order of their ids.
    """
    cdef dict fresh = {}
    cdef list news = []
    cdef object one, found, fingerprint
    cdef bint is_new
    for one in records:
        found = one.url_id
        is_new = False
        if <int32_t>found < 0:
            fingerprint = one.fingerprint
            found = fresh.get(fingerprint)
            if found is None:
                is_new = True
                found = fresh[fingerprint] = n + len(news)
                news.append(one)
            one.url_id = found
        one.is_new = is_new
    return news
