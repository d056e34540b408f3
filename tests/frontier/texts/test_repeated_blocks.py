"""What repeats across a host or a template is no main text."""

from __future__ import annotations

from frontier.texts import StoredText
from frontier.texts.page_text import number_of
from frontier.texts.repeats import HostRepeats, KnownPage, template_of

NOTICE = "> Sign up to our newsletter, it is free!"
CODE = "```\nimport lamps\n```"


def page(number: int, *more: str) -> StoredText:
    own = f"{chr(97 + number)}{number} has words of its own: {'abcdefghijklmnop'[number:]}"
    markdown = "\n\n".join([f"# Story {chr(97 + number)}", own, *more])
    return StoredText("title", markdown.replace("# ", "").replace("> ", ""), markdown)


def known(pages: list[StoredText], url: str) -> list[KnownPage]:
    return [KnownPage(url.format(n), one.packed().blocks) for n, one in enumerate(pages)]


def test_a_line_has_its_number_whatever_its_markup_case_and_figures() -> None:
    assert number_of("- **Read** 12 comments") == number_of("read 3 COMMENTS")
    assert number_of("| --- | 12 |") == 0
    assert number_of("one") != number_of("two")


def test_a_block_of_one_in_five_pages_of_a_host_goes_from_text_and_markdown() -> None:
    pages = [page(n, *([NOTICE] if n % 5 < 2 else [])) for n in range(10)]
    repeats = HostRepeats(known(pages, "http://a.example/{}/x"))
    clean = repeats.without("http://a.example/0/x", pages[0])
    assert clean == page(0)
    assert repeats.without("http://a.example/2/x", pages[2]) == pages[2]


def test_a_block_of_half_the_pages_of_a_template_goes_there_alone() -> None:
    shop = [page(n, *([NOTICE] if n < 4 else [])) for n in range(6)]
    rest = [page(n % 16) for n in range(60)]
    urls = known(shop, "http://a.example/shop/2026-11/{}.html") + known(rest, "http://a.example/{}")
    repeats = HostRepeats(urls)
    assert NOTICE not in repeats.without("http://a.example/shop/2025-01/x", shop[0]).markdown
    assert NOTICE in repeats.without("http://a.example/about/x", shop[0]).markdown


def test_the_first_pages_of_a_host_keep_what_they_say() -> None:
    pages = [page(n, NOTICE) for n in range(3)]
    repeats = HostRepeats(known(pages, "http://a.example/{}"))
    assert repeats.without("http://a.example/0", pages[0]) == pages[0]


def test_code_stays_and_so_does_a_page_that_others_repeat_as_a_whole() -> None:
    pages = [page(n, CODE) for n in range(8)]
    repeats = HostRepeats(known(pages, "http://a.example/{}"))
    assert repeats.without("http://a.example/0", pages[0]) == pages[0]
    same = [page(1)] * 8
    repeats = HostRepeats(known(same, "http://a.example/{}"))
    assert repeats.without("http://a.example/0", same[0]) == same[0]


def test_what_repeats_in_the_visible_text_of_other_pages_goes_as_well() -> None:
    """Of most pages the extractor takes the menu, of one it does not."""
    menu = ["Home", "Shop of lamps"]
    packed = [page(n).packed(["Story", *menu]).blocks for n in range(9)]
    repeats = HostRepeats([KnownPage("http://a.example/x", one) for one in packed])
    assert repeats.without("http://a.example/x", page(9, *menu)) == page(9)


def test_a_fence_ends_with_as_many_ticks_and_what_is_between_is_code() -> None:
    pages = [page(n, "````\n```\nHome\n```\n````", "Home") for n in range(8)]
    repeats = HostRepeats(known(pages, "http://a.example/{}"))
    assert repeats.without("http://a.example/0", pages[0]).markdown.count("Home") == 1


def test_a_template_is_the_folder_of_a_page_without_its_figures() -> None:
    assert template_of("http://a.example/2026/11/story.html") == "/0/0"
    assert template_of("http://a.example/") == ""
