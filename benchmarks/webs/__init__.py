"""Webs to compare focused crawlers on, built of what anyone can have: `python -m benchmarks webs`.

python -m benchmarks webs digitalgov    five sister sites, from clones of their repositories
python -m benchmarks webs shop          a catalogue, from an index of Debian's packages
python -m benchmarks webs handbook      a book in many languages, from a package of Debian
python -m benchmarks webs variants      any recorded web, made harder in one of three ways

Nothing is downloaded, and the same input gives the same bytes. A web is NAME.warc.gz, with its
labels in NAME.topics.tsv, seeds in NAME.seeds.txt, for some NAME.keywords.tsv, and NAME.json, which
says what it was made of. Hosts end in `.example`: nobody's real server is ever asked.
"""
