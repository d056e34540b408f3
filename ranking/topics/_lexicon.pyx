# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""A memory of words: text -> its terms, and what these come to, at some 30 ns a word.

What a word and a term is, Python says, once for each that is met. Here a text is only cut where a
word ends in any case: tokens, of one word mostly, of several or none where other characters than
letters and digits of ASCII stand in between. A token's terms follow from its characters alone:
normalisation and case folding reach across none of the characters that divide. A sign that may
belong to a word (c++, .net, covid-19) stays in its token; whether it does, Python says.

A hash table with linear probing leads from a token to its terms; equal ones are compared character
by character. Tokens of ASCII alone are kept in lower case, others as they are written.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ, PyUnicode_Substring
from libc.math cimport log, pow, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

import os
from urllib.parse import unquote

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define linkrank_prefetch(address) __builtin_prefetch(address)
    #else
    #define linkrank_prefetch(address) ((void)(address))
    #endif
    """
    void prefetch "linkrank_prefetch"(const void *address) noexcept nogil

cdef enum:
    LONGEST = 64  # characters of a token that is remembered
    LONG = 32  # numbers of the arena for each token that may be remembered; a word takes a dozen
    FIRST_SLOTS = 1024  # a power of 2

cdef enum:
    SIGN = 1
    UNASKED = 2
    AHEAD = 6  # rows of the table that are on their way from memory
    LINE = 64  # bytes of the cache

cdef uint32_t[128] LOWER  # of letters and digits of ASCII; of what divides 0, of signs SIGN
for _code in range(128):
    LOWER[_code] = ord(chr(_code).lower()) if chr(_code).isalnum() else SIGN * (chr(_code) in "+#&.-")

# A token lies in the arena as HEAD numbers, its terms, its characters: one or two lines of the cache.
cdef enum:
    HASH  # 32 bits
    LENGTH
    WORDS
    TERMS
    HEAD

cdef struct Term:
    double level
    double weight
    double rarity
    double learned
    double salience
    double near  # of a few words, 0 without a vector; UNASKED until somebody asks
    int64_t row  # of the table, -1 without one
    int64_t text  # the last that has it, ...
    int64_t run  # ... and its last run
    int32_t times  # in that text
    int32_t kind


cdef class Reading:
    """What a text says. Sums are over its distinct terms, in the order of first mention."""

    cdef readonly int words
    cdef readonly int terms
    cdef readonly int repeated  # terms that are keywords
    cdef readonly dict keywords  # these -> how often each
    cdef readonly int listed  # terms in lists of them
    cdef readonly double squares
    cdef readonly double product
    cdef readonly double rare_squares
    cdef readonly double rare_product
    cdef double own_near  # of the sum of the vectors of keywords, by the topic's ...
    cdef double own_squares  # ... and its squared length
    cdef double other_near  # the same of other terms
    cdef double other_squares
    cdef double crossed  # the product of the two sums

    def nearness(self, double own, double short):
        """Cosine of the sum of all vectors with the topic's, those of keywords by `own`.

        `short` is added to the squared length.
        """
        cdef double length = self.length(own, short)
        return (self.other_near + own * self.own_near) / length if length > 0.0 else 0.0

    cpdef double length(self, double own, double short):
        """The length of this sum."""
        cdef double squares = short + self.other_squares
        return sqrt(squares + own * (2.0 * self.crossed + own * self.own_squares))


cdef void add(float *sums, const int8_t *row, int64_t d, float factor) noexcept nogil:
    cdef int64_t k
    for k in range(d):
        sums[k] += factor * row[k]


cdef double cosine(const int8_t *row, const float *topic, int64_t d) noexcept nogil:
    cdef int64_t k
    cdef double product = 0.0, squares = 0.0
    for k in range(d):
        product += row[k] * <double>topic[k]
        squares += row[k] * row[k]
    return product / sqrt(squares) if squares > 0.0 else 0.0


cdef inline uint32_t lowered(uint32_t char) noexcept nogil:
    """A character of a token, in lower case if it is one of ASCII; 0 for one that divides, SIGN for
    one that may.

    Of those beyond ASCII some marks of Western and Chinese text divide, so that words beside them
    are known again.
    """
    if char < 128:
        return LOWER[char]
    if char == 0x2010 or char == 0x2011:
        return SIGN
    if 0x2010 <= char <= 0x2027 or char == 0x3001 or char == 0x3002 or char == 0xFF0C:
        return 0
    return char


cdef inline bint is_digit(uint32_t char) noexcept nogil:
    return 48 <= char <= 57


cdef bint belongs(int kind, void *data, Py_ssize_t start, Py_ssize_t i, Py_ssize_t end) noexcept:
    """Whether the sign at i may be part of the token that begins at `start`, perhaps with it.

    What is beyond ASCII may turn out to be any letter or digit, or to be left out.
    """
    cdef uint32_t sign = PyUnicode_READ(kind, data, i)
    cdef uint32_t last = PyUnicode_READ(kind, data, i - 1) if i > 0 else 0
    cdef uint32_t following = PyUnicode_READ(kind, data, i + 1) if i + 1 < end else 0
    cdef bint wide = lowered(following) >= 128
    cdef Py_ssize_t letters = 0  # of ASCII before it
    while letters < 3 and letters < i and 1 < lowered(PyUnicode_READ(kind, data, i - 1 - letters)) < 128:
        letters += 1
    if sign == c".":
        return letters == 0 and (following | 32 == c"n" or wide)
    if i == start:
        return False
    if sign == c"+":
        return last == c"+" or last >= 128 or following == c"+" or wide
    if sign == c"#":
        return letters <= 1
    if sign == c"&":
        return letters <= 2 and lowered(following) > SIGN
    return lowered(following) > SIGN and (
        is_digit(last) or last >= 128 or is_digit(following) or wide
    )


cpdef str address_of(str url):
    """What stands behind the host of a URL, unescaped."""
    cdef str path = url.partition("://")[2].partition("/")[2]
    return unquote(path) if "%" in path else path


cdef void *enlarged(void *old, int64_t *room, int64_t needed, size_t size) except NULL:
    """An array of at least `needed` elements; the old one is gone, unless it raises."""
    cdef void *new = old
    cdef int64_t more = room[0]
    if needed > more or old == NULL:
        more = max(2 * more, needed, 64)
        new = PyMem_RawRealloc(old, more * size)
        if new == NULL:
            raise MemoryError
        room[0] = more
    return new


cdef class Lexicon:
    """Tokens met so far, at most `memory`, and their terms.

    Invariant: slot = place in the arena + 1, or 0 if free; at most half of the slots are taken.
    """

    cdef object spell  # token -> how many words it is, and their terms
    cdef object weigh  # term -> level, weight, rarity, learned weight, salience, row, kind
    cdef const int8_t[:, ::1] rows  # vectors of terms, of length `unit`; 0 of them without a table
    cdef const float[::1] topic  # of length 1
    cdef double unit
    cdef double apart  # cosine with the topic from which on a term is near to it at all
    cdef double typical  # of what is above, to the power of 1.5: a nearness of 1
    cdef float *sums  # of the vectors of a text: of keywords, then of other terms
    cdef int32_t memory
    cdef int32_t least_run
    cdef uint64_t[LONGEST + 1] factors  # of each place of a token, and what is added
    cdef uint32_t *slots
    cdef int64_t n_slots
    cdef int64_t n_tokens
    cdef uint32_t *arena
    cdef int64_t filled
    cdef int64_t room
    cdef dict numbers  # term -> its number
    cdef list names
    cdef Term *term
    cdef int64_t term_room
    cdef uint32_t *read_terms  # terms of the text that is read
    cdef int64_t n_read
    cdef int64_t read_room
    cdef uint32_t *distinct
    cdef int64_t distinct_room
    cdef int64_t sums_room
    cdef int64_t text
    cdef int64_t run

    def __init__(self, spell, weigh, int memory, int least_run, rows=None, topic=None, double unit=1.0,
                 double apart=0.0, double typical=1.0):
        self.spell, self.weigh = spell, weigh
        self.memory, self.least_run = memory, least_run
        self.apart, self.typical = apart, typical
        if rows is not None:
            self.rows, self.topic, self.unit = rows, topic, unit
            if self.rows.shape[1] != self.topic.shape[0]:
                raise ValueError("rows and topic of different widths")
            self.sums = <float *>enlarged(
                self.sums, &self.sums_room, 2 * self.topic.shape[0], sizeof(float)
            )
        # Multilinear hashing (Lemire and Kaser 2014). By chance, so that no text can be made whose
        # words all collide.
        for place in range(LONGEST + 1):
            self.factors[place] = int.from_bytes(os.urandom(8), "little")
        self.forget()

    def __dealloc__(self):
        PyMem_RawFree(self.slots)
        PyMem_RawFree(self.arena)
        PyMem_RawFree(self.term)
        PyMem_RawFree(self.read_terms)
        PyMem_RawFree(self.distinct)
        PyMem_RawFree(self.sums)

    def __len__(self):
        return self.n_tokens

    def read(self, str text, double short=0.0):
        """Read a text. `short` is added to the sum of squares."""
        cdef Reading reading = Reading.__new__(Reading)
        cdef int64_t k, n = 0
        cdef uint32_t number
        cdef int32_t run = 0, different = 0
        cdef double part, tf
        cdef Term *term
        reading.keywords = {}
        reading.words = self.collect(text)
        reading.terms = self.n_read
        self.distinct = <uint32_t *>enlarged(
            self.distinct, &self.distinct_room, self.n_read, sizeof(uint32_t)
        )
        for k in range(self.n_read):
            number = self.read_terms[k]
            term = &self.term[number]
            if term.text != self.text:
                term.text, term.times = self.text, 0
                self.distinct[n] = number
                n += 1
            term.times += 1
            reading.repeated += term.kind > 0
            if term.kind == 2:
                if run == 0:
                    self.run += 1
                    different = 0
                run += 1
                if term.run != self.run:
                    term.run = self.run
                    different += 1
            if run and (term.kind != 2 or k == self.n_read - 1):
                if run >= self.least_run and different >= self.least_run - 1:
                    reading.listed += run
                run = 0
        reading.squares = short
        for k in range(n):
            term = &self.term[self.distinct[k]]
            if term.kind > 0:
                reading.keywords[self.names[self.distinct[k]]] = term.times
            tf = 1.0 + log(<double>term.times)
            part = tf * term.level
            reading.squares += part * part
            reading.product += part * term.weight
            part = tf * term.rarity
            reading.rare_squares += part * part
            reading.rare_product += part * term.learned
        if self.topic is not None:
            self.sum_up(reading, n)
        return reading

    cdef void sum_up(self, Reading reading, int64_t n) noexcept:
        """The sums of the vectors of the first n distinct terms, each by salience and times."""
        cdef int64_t k, at, d = self.topic.shape[0]
        cdef Term *term
        cdef float *own = self.sums
        cdef float *other = self.sums + d
        cdef double a, b, near = 0.0, squares = 0.0
        memset(self.sums, 0, 2 * d * sizeof(float))
        for k in range(n):
            if k + AHEAD < n:
                term = &self.term[self.distinct[k + AHEAD]]
                if term.row >= 0:
                    for at in range(0, d, LINE):
                        prefetch(&self.rows[term.row, at])
            term = &self.term[self.distinct[k]]
            if term.row >= 0:
                add(
                    own if term.kind > 0 else other, &self.rows[term.row, 0], d,
                    <float>(term.times * term.salience / self.unit),
                )
        for k in range(d):
            a, b = own[k], other[k]
            reading.own_near += a * self.topic[k]
            reading.other_near += b * self.topic[k]
            reading.own_squares += a * a
            reading.other_squares += b * b
            reading.crossed += a * b

    def nearness(self, str term):
        """Salience of a term, its cosine with the topic, and how near that is, in [0, 1]."""
        cdef Term *known = &self.term[self.number(term)]
        return known.salience, self.cosine(known), self.near(known)

    cdef double cosine(self, Term *term) noexcept:
        if term.row < 0:
            return 0.0
        return cosine(&self.rows[term.row, 0], &self.topic[0], self.topic.shape[0])

    cdef double near(self, Term *term) noexcept:
        if term.near == UNASKED:
            term.near = min(pow(max(self.cosine(term) - self.apart, 0.0), 1.5) / self.typical, 1.0)
        return term.near

    def terms_of(self, str text):
        """The terms of a text in order, repetitions included."""
        cdef int64_t k
        self.collect(text)
        return [self.names[self.read_terms[k]] for k in range(self.n_read)]

    def topical(self, list links not None, Py_ssize_t most):
        """What the words of each (anchor, context, URL) are to the topic; None where nothing.

        The terms of anchor, URL and context of a weight above 0, each once, as keys of three dicts;
        then the nearness of the three: the sum of salience by nearness of their terms, by the
        length that the sum of their vectors has if they are at right angles, to whose square 1 is
        added. Of a text `most` characters are read, of a URL those behind its host, unescaped.
        """
        cdef str anchor, context, url
        cdef dict here, there, around
        cdef double near_here, near_there, near_around
        cdef list matches = []
        for anchor, context, url in links:
            here = self.weighed(anchor, most, &near_here)
            there = self.weighed(address_of(url), most, &near_there)
            around = self.weighed(context, most, &near_around)
            if here is None and there is None and around is None and (
                near_here + near_there + near_around == 0.0
            ):
                matches.append(None)
            else:
                matches.append((
                    here or {}, there or {}, around or {}, near_here, near_there, near_around
                ))
        return matches

    cdef dict weighed(self, str text, Py_ssize_t end, double *near):
        cdef int64_t k
        cdef dict weighty = None
        cdef Term *term
        cdef double squares = 1.0
        near[0] = 0.0
        self.collect(text, end)
        for k in range(self.n_read):
            term = &self.term[self.read_terms[k]]
            squares += term.salience * term.salience
            near[0] += term.salience * self.near(term)
            if term.weight > 0.0:
                if weighty is None:
                    weighty = {}
                weighty[self.names[self.read_terms[k]]] = None
        near[0] /= sqrt(squares)
        return weighty

    cdef bint is_full(self) noexcept:
        return self.n_tokens >= self.memory or self.filled >= LONG * <int64_t>self.memory

    cdef int forget(self) except -1:
        PyMem_RawFree(self.slots)
        self.n_slots = 0
        self.slots = <uint32_t *>PyMem_RawCalloc(FIRST_SLOTS, sizeof(uint32_t))
        if self.slots == NULL:
            raise MemoryError
        self.n_slots = FIRST_SLOTS
        self.n_tokens = self.filled = 0
        self.numbers, self.names = {}, []
        return 0

    cdef int32_t collect(self, str text, Py_ssize_t end=PY_SSIZE_T_MAX) except -1:
        """Fill `read_terms` with the terms of text[:end]; the number of words."""
        cdef int kind = PyUnicode_KIND(text)
        cdef void *data = PyUnicode_DATA(text)
        cdef Py_ssize_t k, start, i = 0
        cdef uint32_t[LONGEST] token
        cdef uint32_t char, wide
        cdef uint64_t hashed
        cdef int32_t words = 0
        cdef int64_t known
        cdef str written
        end = min(end, len(text))
        if self.is_full() or len(self.names) >= self.memory:
            self.forget()
        self.text += 1
        self.n_read = 0
        while i < end:
            char = lowered(PyUnicode_READ(kind, data, i))
            if char == 0 or char == SIGN and not belongs(kind, data, i, i, end):
                i += 1
                continue
            start, wide, hashed = i, 0, self.factors[LONGEST]
            while char != 0 and (char != SIGN or belongs(kind, data, start, i, end)):
                if char == SIGN:
                    char = PyUnicode_READ(kind, data, i)
                if i - start < LONGEST:
                    token[i - start] = char
                    hashed += self.factors[i - start] * char
                wide |= char
                i += 1
                char = lowered(PyUnicode_READ(kind, data, i)) if i < end else 0
            if i - start > LONGEST:
                words += self.spell_out(PyUnicode_Substring(text, start, i))
                continue
            if wide >= 128:
                hashed = self.factors[LONGEST]
                for k in range(i - start):
                    token[k] = PyUnicode_READ(kind, data, start + k)
                    hashed += self.factors[k] * token[k]
            known = self.find(token, <uint32_t>(i - start), <uint32_t>(hashed >> 32))
            if known >= 0:
                words += self.arena[known + WORDS]
                self.take(self.arena + known + HEAD, self.arena[known + TERMS])
            else:
                written = PyUnicode_Substring(text, start, i)
                words += self.learn(token, <uint32_t>(i - start), <uint32_t>(hashed >> 32), written)
        return words

    cdef int64_t find(self, const uint32_t *token, uint32_t length, uint32_t hashed) noexcept:
        """The place of a token, -1 of one that is not known."""
        cdef uint32_t mask = <uint32_t>self.n_slots - 1, slot = hashed & mask
        cdef const uint32_t *known
        while self.slots[slot]:
            known = self.arena + self.slots[slot] - 1
            if known[HASH] == hashed and known[LENGTH] == length and memcmp(
                known + HEAD + known[TERMS], token, length * sizeof(uint32_t)
            ) == 0:
                return self.slots[slot] - 1
            slot = (slot + 1) & mask
        return -1

    cdef int take(self, const uint32_t *terms, uint32_t n) except -1:
        """Add terms to those of the text."""
        self.read_terms = <uint32_t *>enlarged(
            self.read_terms, &self.read_room, self.n_read + n, sizeof(uint32_t)
        )
        if n == 1:
            self.read_terms[self.n_read] = terms[0]
        else:
            memcpy(self.read_terms + self.n_read, terms, n * sizeof(uint32_t))
        self.n_read += n
        return 0

    cdef uint32_t spell_out(self, str written) except? 0:
        """Add the terms of a token to those of the text; the number of its words."""
        cdef uint32_t words, number
        cdef list terms
        words, terms = self.spell(written)
        for name in terms:
            number = self.number(name)
            self.take(&number, 1)
        return words

    cdef uint32_t learn(
        self, const uint32_t *token, uint32_t length, uint32_t hashed, str written
    ) except? 0:
        """The same, and remember them if there is room."""
        cdef int64_t before = self.n_read, terms
        cdef uint32_t words = self.spell_out(written)
        cdef uint32_t *new
        if self.is_full():
            return words
        terms = self.n_read - before
        self.arena = <uint32_t *>enlarged(
            self.arena, &self.room, self.filled + HEAD + terms + length, sizeof(uint32_t)
        )
        if 2 * (self.n_tokens + 1) > self.n_slots:
            self.widen()
        new = self.arena + self.filled
        new[HASH], new[LENGTH], new[WORDS], new[TERMS] = hashed, length, words, <uint32_t>terms
        if terms:
            memcpy(new + HEAD, self.read_terms + before, terms * sizeof(uint32_t))
        memcpy(new + HEAD + terms, token, length * sizeof(uint32_t))
        self.enter(self.filled)
        self.filled += HEAD + terms + length
        self.n_tokens += 1
        return words

    cdef void enter(self, int64_t place) noexcept:
        cdef uint32_t mask = <uint32_t>self.n_slots - 1, slot = self.arena[place + HASH] & mask
        while self.slots[slot]:
            slot = (slot + 1) & mask
        self.slots[slot] = <uint32_t>(place + 1)

    cdef int widen(self) except -1:
        cdef int64_t place = 0
        cdef uint32_t *slots = <uint32_t *>PyMem_RawCalloc(2 * self.n_slots, sizeof(uint32_t))
        if slots == NULL:
            raise MemoryError
        PyMem_RawFree(self.slots)
        self.slots = slots
        self.n_slots *= 2
        while place < self.filled:
            self.enter(place)
            place += HEAD + self.arena[place + TERMS] + self.arena[place + LENGTH]
        return 0

    cdef uint32_t number(self, str name) except? 0:
        """The number of a term; one that is new is weighed."""
        cdef Term *new
        cdef int64_t n = len(self.names)
        place = self.numbers.get(name)
        if place is not None:
            return place
        level, weight, rarity, learned, salience, row, kind = self.weigh(name)
        self.term = <Term *>enlarged(self.term, &self.term_room, n + 1, sizeof(Term))
        new = &self.term[n]
        new.level, new.weight, new.rarity, new.learned = level, weight, rarity, learned
        new.salience, new.row, new.near = salience, row, 0.0
        if self.topic is not None and 0 <= new.row < self.rows.shape[0]:
            new.near = UNASKED
        else:
            new.row = -1
        new.kind, new.text, new.run, new.times = kind, 0, 0, 0
        self.numbers[name] = n
        self.names.append(name)
        return <uint32_t>n
