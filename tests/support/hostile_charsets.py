"""Pages in every charset, declared rightly, oddly, twice or not at all.

Each links to a path and a query that are not ASCII. A path is asked for in UTF-8, a query in the
page's charset (URL Standard), which is the one that Scrapy finds.
"""

from __future__ import annotations

from urllib.parse import quote

from tests.support.hostile_pages import Page

GERMAN = "größe"
RUSSIAN = "страница"
JAPANESE = "日本語のページ"
CHINESE = "中文网页"
TAIWANESE = "中文網頁"
KOREAN = "한국어"
GREEK = "σελίδα"
_PROSE = {
    GERMAN: "Die Größe der Bäume überrascht jeden, der früh über die Wälder läuft.",
    RUSSIAN: "Поисковая система идёт по ссылкам от одной страницы к другой и читает их.",
    JAPANESE: "これは日本語のページです。検索エンジンはリンクをたどって、次のページを読みます。",
    CHINESE: "这是一个中文网页。搜索引擎沿着链接从一个网页走到另一个网页,读取内容。",
    TAIWANESE: "這是一個中文網頁。搜尋引擎沿著連結從一個網頁走到另一個網頁,讀取內容。",
    KOREAN: "이것은 한국어 페이지입니다. 검색 엔진은 링크를 따라 다음 페이지로 갑니다.",
    GREEK: "Αυτή είναι μια ελληνική σελίδα. Η μηχανή αναζήτησης ακολουθεί συνδέσμους.",
}


def asked(word: str, query: str) -> str:
    """What is asked for: the path in UTF-8, the query in another charset."""
    return f"/{quote(word)}?q={quote(word, encoding=query)}"


def page(
    word: str,
    written: str,
    *,
    header: str | None = None,
    meta: str = "",
    head: str = "",
    query: str = "",
    before: bytes = b"",
    after: bytes = b"",
) -> Page:
    """A page in the codec `written`, with charsets in header and meta element."""
    declared = f'<meta charset="{meta}">' if meta else ""
    markup = (
        f"<html><head>{head}{declared}<title>{word}</title></head><body><p>{_PROSE[word]}</p>"
        f'<a href="/{word}?q={word}">{word}</a></body></html>'
    )
    kind = "text/html" if header is None else f"text/html; charset={header}"
    body = before + markup.encode(written) + after
    return Page(body, kind, found=(asked(word, query or written),))


_PRAGMA = '<meta http-equiv="Content-Type" content="text/html; charset={}">'
_LATE = "<!-- " + "x" * 3_000 + " -->"

PAGES = {
    # said rightly
    "utf8": page(GERMAN, "utf-8", header="utf-8"),
    "utf8_meta": page(RUSSIAN, "utf-8", meta="utf-8"),
    "latin1": page(GERMAN, "cp1252", header="iso-8859-1"),
    "latin1_meta": page(GERMAN, "cp1252", meta="latin1"),
    "ascii_is_1252": page(GERMAN, "cp1252", header="us-ascii"),
    "latin9": page(GERMAN, "iso8859-15", header="iso-8859-15"),
    "latin2": page(GERMAN, "iso8859-2", header="iso-8859-2"),
    "latin5_is_1254": page(GERMAN, "cp1254", header="iso-8859-9"),
    "macintosh": page(GERMAN, "mac_roman", header="macintosh"),
    "windows_1251": page(RUSSIAN, "cp1251", header="windows-1251"),
    "koi8_r": page(RUSSIAN, "koi8-r", header="koi8-r"),
    "koi8_u": page(RUSSIAN, "koi8-u", meta="koi8-u"),
    "ibm866": page(RUSSIAN, "cp866", header="ibm866"),
    "iso_8859_5": page(RUSSIAN, "iso8859-5", header="iso-8859-5"),
    "shift_jis": page(JAPANESE, "cp932", header="Shift_JIS"),
    "x_sjis": page(JAPANESE, "cp932", meta="x-sjis"),
    "windows_31j": page(JAPANESE, "cp932", meta="Windows-31J"),
    "euc_jp": page(JAPANESE, "euc_jp", header="EUC-JP"),
    "iso_2022_jp": page(JAPANESE, "iso2022_jp", header="ISO-2022-JP"),
    "gb2312": page(CHINESE, "gb18030", header="gb2312"),
    "gbk": page(CHINESE, "gb18030", meta="GBK"),
    "gb18030": page(CHINESE, "gb18030", header="gb18030"),
    "big5": page(TAIWANESE, "big5", header="Big5"),
    "big5_hkscs": page(TAIWANESE, "big5hkscs", meta="big5-hkscs"),
    "euc_kr": page(KOREAN, "cp949", header="euc-kr"),
    "ks_c_5601": page(KOREAN, "cp949", meta="ks_c_5601-1987"),
    "greek": page(GREEK, "cp1253", header="windows-1253"),
    "iso_8859_7": page(GREEK, "iso8859-7", meta="iso-8859-7"),
    "pragma": page(RUSSIAN, "cp1251", head=_PRAGMA.format("windows-1251")),
    "pragma_shouting": page(RUSSIAN, "cp1251", head=_PRAGMA.format("WINDOWS-1251").upper()),
    "xml_declaration": page(
        RUSSIAN, "cp1251", before=b'<?xml version="1.0" encoding="windows-1251"?>'
    ),
    "single_quotes": page(RUSSIAN, "cp1251", head="<meta charset='windows-1251'>"),
    "no_quotes": page(RUSSIAN, "cp1251", head="<meta charset=windows-1251>"),
    "meta_late": page(RUSSIAN, "cp1251", head=_LATE, meta="windows-1251"),
    # said oddly
    "odd_case": page(GERMAN, "utf-8", header="uTf-8"),
    "utf8_without_dash": page(GERMAN, "utf-8", header="utf8"),
    "quoted": page(RUSSIAN, "cp1251", header='"windows-1251"'),
    "quoted_singly": page(RUSSIAN, "cp1251", header="'windows-1251'"),
    "spaces": page(RUSSIAN, "cp1251", header=" windows-1251 ; x=y"),
    "cp1251": page(RUSSIAN, "cp1251", header="cp1251"),
    "underscores": page(RUSSIAN, "koi8-r", header="koi8_r"),
    # byte order marks
    "bom": page(GERMAN, "utf-8", before=b"\xef\xbb\xbf"),
    "bom_and_header": page(GERMAN, "utf-8", header="iso-8859-1", before=b"\xef\xbb\xbf"),
    "bom_and_meta": page(GERMAN, "utf-8", meta="koi8-r", before=b"\xef\xbb\xbf"),
    "utf16_le_bom": page(GERMAN, "utf-16-le", query="utf-8", before=b"\xff\xfe"),
    "utf16_be_bom": page(GERMAN, "utf-16-be", query="utf-8", before=b"\xfe\xff"),
    "utf16_bom_and_header": page(
        GERMAN, "utf-16-le", query="utf-8", header="utf-8", before=b"\xff\xfe"
    ),
    "utf32_le_bom": page(GERMAN, "utf-32-le", query="utf-8", before=b"\xff\xfe\0\0"),
    "utf32_be_bom": page(GERMAN, "utf-32-be", query="utf-8", before=b"\0\0\xfe\xff"),
    "utf16_le": page(GERMAN, "utf-16-le", query="utf-8", header="utf-16le"),
    "utf16_be": page(GERMAN, "utf-16-be", query="utf-8", header="utf-16be"),
    "utf16_unsaid": page(GERMAN, "utf-16-le", query="utf-8"),
    "utf16_be_as_utf16": page(GERMAN, "utf-16-be", query="utf-8", header="utf-16"),
    "utf16_russian": page(RUSSIAN, "utf-16-le", query="utf-8", before=b"\xff\xfe"),
    "utf32_unsaid": page(GERMAN, "utf-32-le", query="utf-8"),
    # said by nobody
    "nothing_utf8": page(GERMAN, "utf-8"),
    "nothing_russian": page(RUSSIAN, "utf-8"),
    "nothing_latin1": page(GERMAN, "cp1252"),
    "nothing_1251": page(RUSSIAN, "cp1251"),
    "nothing_koi8": page(RUSSIAN, "koi8-r"),
    "nothing_shift_jis": page(JAPANESE, "cp932"),
    "nothing_euc_jp": page(JAPANESE, "euc_jp"),
    "nothing_gbk": page(CHINESE, "gb18030"),
    "nothing_big5": page(TAIWANESE, "big5"),
    "nothing_euc_kr": page(KOREAN, "cp949"),
    "nothing_greek": page(GREEK, "cp1253"),
    # unknown
    "unknown": page(GERMAN, "utf-8", header="nosuch"),
    "unknown_and_meta": page(RUSSIAN, "cp1251", header="nosuch", meta="windows-1251"),
    "unknown_meta": page(RUSSIAN, "cp1251", meta="nosuch"),
    "binary": page(GERMAN, "utf-8", header="binary"),
    "none": page(GERMAN, "cp1252", header="none"),
    "empty": page(GERMAN, "utf-8", header=""),
    "utf7": page(GERMAN, "utf-8", header="utf-7"),
    "utf7_meta": page(GERMAN, "utf-8", meta="utf-7"),
    "endless_name": page(GERMAN, "utf-8", header="x" * 5_000),
    "null": page(GERMAN, "utf-8", header="\x01"),
    "user_defined": page(GERMAN, "utf-8", meta="x-user-defined"),
    "python_only": page(GERMAN, "utf-8", header="rot13"),
    "python_bytes": page(GERMAN, "utf-8", header="base64"),
    "idna": page(GERMAN, "utf-8", header="idna"),
    "undefined": page(GERMAN, "utf-8", header="undefined"),
    # said twice
    "header_before_meta": page(RUSSIAN, "koi8-r", header="koi8-r", meta="windows-1251"),
    "twice": page(RUSSIAN, "cp1251", header="windows-1251; charset=utf-8"),
    "twice_unknown_first": page(RUSSIAN, "cp1251", header="nosuch; charset=windows-1251"),
    "two_metas": page(RUSSIAN, "cp1251", meta="windows-1251", head="<meta charset=nosuch>"),
    "meta_in_comment": page(GERMAN, "utf-8", head="<!-- <meta charset=koi8-r> -->", meta="utf-8"),
    # broken
    "cut": page(GERMAN, "utf-8", header="utf-8", after="ü".encode()[:1]),
    "cut_shift_jis": page(JAPANESE, "cp932", header="shift_jis", after=b"\x93"),
    "few_bad_bytes": page(RUSSIAN, "utf-8", header="utf-8", after=b"\xff\xfe\x80"),
    "surrogates": page(RUSSIAN, "utf-8", header="utf-8", after=b"\xed\xa0\x80\xed\xb0\x80"),
    "overlong": page(RUSSIAN, "utf-8", header="utf-8", after=b"\xc0\xaf\xf8\x88\x80\x80\x80"),
    "nuls": page(RUSSIAN, "utf-8", header="utf-8", after=b"\0" * 50),
    "controls": page(RUSSIAN, "utf-8", header="utf-8", after=bytes(range(1, 32))),
    "private_use": page(RUSSIAN, "utf-8", header="utf-8", after="\ue000\uffff\U0010ffff".encode()),
    "rubbish_behind": page(GERMAN, "utf-8", header="utf-8", before=b"", after=b"\xff" * 9),
    "odd_utf16": page(GERMAN, "utf-16-le", query="utf-8", before=b"\xff\xfe", after=b"\0"),
}
