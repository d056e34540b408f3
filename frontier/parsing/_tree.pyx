# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""The loops of reading a page: a walk over its tree in document order, and collapsing white space.

Most nodes only matter as the end of a word, and a Python object for each would be too slow. So the
text is gathered here, in C, and the walk stops only at elements that hold more. Nodes are only read,
by lxml's C-API for other extensions (https://lxml.de/capi.html), whose headers are part of lxml; at
import, the size of lxml's objects and its functions are compared with them.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset, strchr, strcmp, strlen
from lxml.includes.etreepublic cimport _Element, import_lxml__etree
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE, XML_COMMENT_NODE, XML_ELEMENT_NODE, XML_ENTITY_REF_NODE, XML_PI_NODE,
    XML_TEXT_NODE, xmlAttr, xmlChar, xmlNode,
)

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    bint Py_UNICODE_ISSPACE(Py_UCS4 one) noexcept
    int PyUnicode_KIND(object text) noexcept
    const void *PyUnicode_DATA(object text) noexcept
    object PyUnicode_FromKindAndData(int kind, const void *data, Py_ssize_t size)
    const char *PyUnicode_AsUTF8(object text) except NULL

cdef uint32_t BASIS = 2166136261, PRIME = 16777619  # FNV-1a of Fowler, Noll and Vo

import_lxml__etree()

cdef enum:
    INLINE  # kinds of elements: no effect
    DATE  # stop for the caller
    BREAK  # begins and ends a block
    LINES  # each line is a block
    HIDDEN  # ends a word, its content is not visible
    STOP  # ends a word, stop for the caller
    CLOSED  # the same, also at its end
    HEADING  # a block, stop for the caller

cdef enum:
    INTO  # the next step of the walk: into the node, to its end, behind it
    END
    BEHIND

cdef enum:
    DEEPEST = 64  # elements whose names make the zone of a link; pages have a dozen
    CLASSES = 3  # of these, those whose class makes the place of a block

cdef enum:
    KNOWN = 256  # names of elements in memory; a page has a few dozen


cdef struct Name:
    const char *name
    const char *space
    int kind


cdef bint is_text(const xmlNode *node) noexcept nogil:
    return node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE


cdef bint is_step(const xmlNode *node) noexcept nogil:
    """Whether lxml has an object for such a node."""
    return node.type in (XML_ELEMENT_NODE, XML_COMMENT_NODE, XML_PI_NODE, XML_ENTITY_REF_NODE)


cdef object decoded(const xmlChar *text):
    return "" if text is NULL else PyUnicode_DecodeUTF8(<const char *>text, strlen(<const char *>text), NULL)


cdef object tag(const xmlNode *node):
    """The tag of an element, as lxml writes it."""
    name = decoded(node.name)
    space = NULL if node.ns is NULL else node.ns.href
    return name if space is NULL else f"{{{decoded(space)}}}{name}"


cdef object texts(const xmlNode *node):
    """The text of a node and of the text nodes that follow it."""
    cdef list found = []
    while node is not NULL and is_text(node):
        found.append(decoded(node.content))
        node = node.next
    return "".join(found)


cdef uint32_t hashed(uint32_t found, const char *name, bint in_class) noexcept nogil:
    """A hash continued by a name; of a class by its first name without digits."""
    while name[0] != 0 and not (in_class and name[0] <= 32):
        if not (in_class and c"0" <= name[0] <= c"9"):
            found = (found ^ <unsigned char>name[0]) * PRIME
        name += 1
    return (found ^ c"/") * PRIME


cdef uint32_t hashed_class(uint32_t found, const xmlNode *node) noexcept nogil:
    cdef const xmlAttr *one = node.properties
    while one is not NULL and strcmp(<const char *>one.name, b"class") != 0:
        one = one.next
    if one is NULL or one.children is NULL or one.children.content is NULL:
        return found
    return hashed(found, <const char *>one.children.content, 1)


cdef bint within_page(const xmlNode *node) noexcept nogil:
    """Whether the link of a node leads to another part of the page."""
    cdef const xmlAttr *one = node.properties
    while one is not NULL and (one.ns is not NULL or strcmp(<const char *>one.name, b"href") != 0):
        one = one.next
    if one is NULL or one.children is NULL or not is_text(one.children):
        return False
    return one.children.content is not NULL and one.children.content[0] == c"#"


BLOCK_END = "\x1e"
"""White space to `collapse`, as any other."""


cdef class Text:
    """A text that grows at its end; `length` in characters. BLOCK_END stands between its `blocks`.

    `places`, if requested, has a number of 32 bits for the elements around each ended block.
    """

    cdef char *data
    cdef size_t used, room
    cdef readonly Py_ssize_t length, blocks
    cdef readonly list places

    def __init__(self, bint places=False):
        self.places = [] if places else None

    def __dealloc__(self):
        PyMem_Free(self.data)

    def __str__(self):
        return PyUnicode_DecodeUTF8(self.data, self.used, NULL) if self.used else ""

    cdef int add(self, const char *text, size_t size) except -1:
        cdef size_t at
        cdef Py_ssize_t length = 0
        cdef char *grown
        if self.used + size > self.room:
            grown = <char *>PyMem_Realloc(self.data, 2 * (self.used + size) + 4096)
            if grown is NULL:
                raise MemoryError
            self.data, self.room = grown, 2 * (self.used + size) + 4096
        memcpy(self.data + self.used, text, size)
        self.used += size
        for at in range(size):
            length += (<unsigned char>text[at] & 0xC0) != 0x80
        self.length += length
        return 0

    cdef int end_block(self, uint32_t place) except -1:
        self.blocks += 1
        if self.places is not None:
            self.places.append(place)
        return self.add("\x1e", 1)

    cdef int add_lines(self, const char *text, uint32_t place) except -1:
        """Add a text whose lines are blocks."""
        cdef const char *end = strchr(text, c"\n")
        while end is not NULL:
            self.add(text, end - text)
            self.end_block(place)
            text = end + 1
            end = strchr(text, c"\n")
        return self.add(text, strlen(text))


cdef class Walk:
    """Walks over an element and its content, and yields at the start of each special element.

    It yields the kind that `kinds` has for the tag of the element; "inline", "hidden" and "lines"
    are handled here and not yielded, and "time" is inline as well. For the kind `closed` it yields
    the end, too, as None, and "" instead of the kind if the `href` leads to another part of the
    page. Until the next step, the methods are about the yielded element. Text is added to `text`,
    with a space at the end of a word, or the end of a block. After `most` starts and ends of
    elements, comments and instructions the walk ends, with `stopped` set.
    """

    cdef _Element root  # keeps the tree alive
    cdef xmlNode *node
    cdef xmlNode *told
    cdef int place
    cdef bint owes
    cdef Py_ssize_t left
    cdef int in_lines
    cdef dict kinds
    cdef str closed
    cdef Text text
    cdef Name known[KNOWN]
    cdef readonly bint stopped

    def __init__(self, _Element root not None, Text text not None, dict kinds not None,
                 str closed, Py_ssize_t most):
        if root._c_node is NULL or root._c_node.type != XML_ELEMENT_NODE:
            raise ValueError("expected an element of a tree")
        self.root, self.text, self.kinds, self.closed = root, text, kinds, closed
        self.left = most
        self.node = self.told = NULL
        memset(self.known, 0, sizeof(self.known))

    def __iter__(self):
        return self

    def __next__(self):
        cdef int kind
        if self.owes:
            self.owes = False
            self.text.add(" ", 1)
        while self.step():
            if self.place == END:  # of an element that was gone into
                self.place = BEHIND
                kind = self.kind(self.node)
                if kind == BREAK or kind == LINES or kind == HEADING:
                    self.text.end_block(self.block_place(self.node))
                    self.in_lines -= kind == LINES
                elif kind == CLOSED:
                    self.owes = True
                    return None
                continue
            if self.node.type != XML_ELEMENT_NODE:
                self.place = BEHIND
                continue
            kind = self.kind(self.node)
            self.place = END if kind == HIDDEN else INTO
            if kind == BREAK or kind == LINES or kind == HEADING:
                self.text.end_block(self.block_place(self.node.parent))
                self.in_lines += kind == LINES
            elif kind >= HIDDEN:
                self.text.add(" ", 1)
            if kind >= STOP or kind == DATE:
                self.told = self.node
                return "" if kind == CLOSED and within_page(self.node) else self.kinds[tag(self.node)]
        raise StopIteration

    cdef bint step(self) except -1:
        """Go to the next start or end; False if there is none, or the limit is reached."""
        cdef xmlNode *found
        if self.node is NULL:
            found = self.root._c_node
        elif self.place == END:
            found = NULL
        elif self.place == INTO:
            found = self.node.children
        elif self.node == self.root._c_node:
            return False
        else:
            found = self.node.next
        while found is not NULL and not is_step(found):
            if is_text(found) and found.content is not NULL:
                if self.in_lines:
                    self.text.add_lines(<const char *>found.content, self.block_place(found.parent))
                else:
                    self.text.add(<const char *>found.content, strlen(<const char *>found.content))
            found = found.next
        if self.left <= 0:
            self.stopped = True
            return False
        self.left -= 1
        if found is not NULL:
            self.node, self.place = found, INTO
            return True
        if self.place == BEHIND:
            self.node = self.node.parent
        self.place = END
        return True

    cdef int kind(self, const xmlNode *node) except -1:
        # A document keeps each name once: where it lies tells which it is.
        cdef const char *name = <const char *>node.name
        cdef const char *space = <const char *>(NULL if node.ns is NULL else node.ns.href)
        cdef Name *one = &self.known[((<size_t>name) // 4 ^ (<size_t>space) // 16) % KNOWN]
        if one.name != name or one.space != space or name is NULL:
            found = self.kinds.get(tag(node))
            one.name, one.space = name, space
            one.kind = (
                BREAK if found is None
                else INLINE if found == "inline"
                else DATE if found == "time"
                else LINES if found == "lines"
                else HIDDEN if found == "hidden"
                else HEADING if found == "heading"
                else CLOSED if found == self.closed
                else STOP
            )
        return one.kind

    cdef uint32_t block_place(self, const xmlNode *one) except? 0:
        """The `zone` from an element on, with the first class of the CLASSES innermost elements.

        Digits of a class are left out, and so are classes of the body, which differ between pages.
        """
        cdef uint32_t found = BASIS
        cdef int left = DEEPEST
        if self.text.places is None:
            return 0
        while one is not NULL and one.type == XML_ELEMENT_NODE and left > 0:
            if self.kind(one) > DATE:
                found = hashed(found, <const char *>one.name, 0)
                if left > DEEPEST - CLASSES and strcmp(<const char *>one.name, b"body") != 0:
                    found = hashed_class(found, one)
                left -= 1
            one = one.parent
        return found or 1

    def skip(self):
        """Skip the content of the element."""
        self.place = END

    def get(self, str name not None):
        """The value of an attribute; None without it."""
        cdef const char *wanted = PyUnicode_AsUTF8(name)
        cdef const xmlAttr *one = self.told.properties
        while one is not NULL:
            if one.ns is NULL and strcmp(<const char *>one.name, wanted) == 0:
                return texts(one.children)
            one = one.next
        return None

    @property
    def leading(self):
        """The text before the first child element."""
        return texts(self.told.children)

    @property
    def parent(self):
        """The name of the parent element, without its namespace; "" for a root."""
        cdef xmlNode *parent = self.told.parent
        return decoded(parent.name) if parent is not NULL and parent.type == XML_ELEMENT_NODE else ""

    @property
    def zone(self):
        """32 bits, never 0, for the names of the elements around it, without inline ones."""
        cdef const xmlNode *one = self.told.parent
        cdef uint32_t found = BASIS
        cdef int left = DEEPEST
        while one is not NULL and one.type == XML_ELEMENT_NODE and left > 0:
            if self.kind(one) > DATE:
                found = hashed(found, <const char *>one.name, 0)
            one = one.parent
            left -= 1
        return found or 1

    @property
    def is_leaf(self):
        """Whether it has only text."""
        cdef xmlNode *one = self.told.children
        while one is not NULL and not is_step(one):
            one = one.next
        return one is NULL

    def all_text(self):
        """All text in it."""
        cdef xmlNode *top = self.told
        cdef xmlNode *one = top
        cdef list found = []
        while (one := following(one, top)) is not NULL:
            if is_text(one):
                found.append(decoded(one.content))
        return "".join(found)

    def within(self, *names):
        """Iterate over the elements in it with these names, in any namespace."""
        cdef xmlNode *top = self.told
        cdef xmlNode *one = top
        while (one := following(one, top)) is not NULL:
            if one.type == XML_ELEMENT_NODE and decoded(one.name) in names:
                self.told = one
                yield


cdef xmlNode *following(xmlNode *node, const xmlNode *top) noexcept nogil:
    """The next node below `top` in document order, NULL behind the last."""
    if node.children is not NULL and node.type == XML_ELEMENT_NODE:
        return node.children
    while node != top:
        if node.next is not NULL:
            return node.next
        node = node.parent
    return NULL


ctypedef fused Char:
    uint8_t
    uint16_t
    uint32_t

cdef uint8_t[256] SPACE
for _code in range(256):
    SPACE[_code] = chr(_code).isspace()


cdef Py_ssize_t squeeze(const Char *text, Py_ssize_t size, Char *out) noexcept:
    """Write a text without superfluous white space, without branches; returns its length."""
    cdef Py_ssize_t at, n = 0
    cdef bint was = True, now
    for at in range(size):
        now = SPACE[text[at]] if text[at] < 256 else Py_UNICODE_ISSPACE(text[at])
        out[n] = 32 if now else text[at]
        n += not (now & was)
        was = now
    return n - (n > 0 and was)


def collapse(str text not None, Py_ssize_t start=0, Py_ssize_t end=PY_SSIZE_T_MAX):
    """Collapse white space of any kind to single spaces, without any at the ends.

    For a start and an end that do not count from the end it is `" ".join(text[start:end].split())`.
    """
    cdef int kind = PyUnicode_KIND(text)
    cdef const void *data = PyUnicode_DATA(text)
    cdef void *out
    cdef Py_ssize_t n
    start, end = max(start, 0), min(end, len(text))
    if start >= end:
        return ""
    out = PyMem_Malloc((end - start) * kind)
    if out is NULL:
        raise MemoryError
    try:
        if kind == 1:
            n = squeeze(<const uint8_t *>data + start, end - start, <uint8_t *>out)
        elif kind == 2:
            n = squeeze(<const uint16_t *>data + start, end - start, <uint16_t *>out)
        else:
            n = squeeze(<const uint32_t *>data + start, end - start, <uint32_t *>out)
        return PyUnicode_FromKindAndData(kind, out, n)
    finally:
        PyMem_Free(out)
