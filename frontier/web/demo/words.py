"""The vocabulary of the demonstration web: five topics that share no technical word.

What a topic says is its own; how it says it is shared (``demo_prose``), so that pages
of different topics are as alike as pages of one language are.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """Word lists of one topic.

    ``things`` and ``people`` are plural nouns, ``tools`` singular ones with their
    article, ``acts`` gerunds, ``factors`` noun phrases, ``qualities`` adjectives,
    ``sayings`` whole sentences. ``keywords`` is how a person would ask for the topic.
    """

    name: str
    keywords: str
    hosts: tuple[str, str]
    things: tuple[str, ...]
    tools: tuple[str, ...]
    acts: tuple[str, ...]
    people: tuple[str, ...]
    factors: tuple[str, ...]
    qualities: tuple[str, ...]
    sayings: tuple[str, ...]


def _list(words: str) -> tuple[str, ...]:
    return tuple(words.split(", "))


ASTRONOMY = Topic(
    name="astronomy",
    keywords="astronomy telescopes planets stars galaxies",
    hosts=("observatory.example", "stargazers.example"),
    things=_list(
        "double stars, spiral galaxies, the moons of Jupiter, the rings of Saturn, planetary "
        "nebulae, meteor showers, globular clusters, variable stars, lunar craters, sunspots, "
        "comets, dwarf planets, supernova remnants, exoplanets"
    ),
    tools=_list(
        "a small refractor, a Dobsonian telescope, a star chart, an equatorial mount, a pair of "
        "binoculars, a solar filter, a narrowband camera, a planisphere, a red torch, a "
        "spectrograph"
    ),
    acts=_list(
        "observing planets, stacking exposures of galaxies, measuring the brightness of stars, "
        "drawing the Moon at the eyepiece, collimating a telescope, timing occultations, hunting "
        "for comets, mapping the Milky Way, photographing nebulae, following an eclipse"
    ),
    people=_list("amateur astronomers, comet hunters, planetary observers, night-sky guides"),
    factors=_list(
        "the seeing, light pollution, the phase of the Moon, the aperture of the telescope, the "
        "altitude above the horizon, dark adaptation"
    ),
    qualities=_list("faint, bright, distant, nebulous, luminous, celestial"),
    sayings=(
        "Starlight that reaches the telescope tonight left its galaxy long before we were born.",
        "A planet shines with borrowed light, a star with its own.",
        "The constellations are only a habit of looking; the stars in them are not neighbours.",
        "An hour of dark sky is worth more than another inch of aperture.",
    ),
)
GARDENING = Topic(
    name="gardening",
    keywords="gardening plants soil compost vegetables",
    hosts=("garden.example", "seedbed.example"),
    things=_list(
        "heritage tomatoes, climbing roses, raised beds, root vegetables, perennial borders, "
        "fruit bushes, lavender hedges, cold frames, dahlias, runner beans, wildflower meadows, "
        "strawberries, ornamental grasses, winter cabbages"
    ),
    tools=_list(
        "a garden fork, a watering can, a pair of secateurs, a compost heap, a seed tray, a "
        "wheelbarrow, a greenhouse, a bag of mulch, a dibber, a hoe"
    ),
    acts=_list(
        "pruning roses, turning compost, sowing under glass, thinning seedlings, mulching the "
        "borders, dividing perennials, grafting apple trees, saving seed, weeding the vegetable "
        "patch, digging in manure"
    ),
    people=_list("allotment holders, rose growers, head gardeners, seed savers"),
    factors=_list(
        "the last frost, the acidity of the soil, drainage, the aspect of the plot, slugs, the "
        "depth of the topsoil"
    ),
    qualities=_list("hardy, fertile, leafy, blooming, shady, evergreen"),
    sayings=(
        "Feed the soil and the soil will feed the plants.",
        "A weed is a plant that knows the garden better than the gardener does.",
        "Whoever sows too early sows twice.",
        "Roots grow while the garden seems to sleep.",
    ),
)
COOKING = Topic(
    name="cooking",
    keywords="cooking recipes kitchen baking sauces",
    hosts=("kitchen.example", "recipes.example"),
    things=_list(
        "sourdough loaves, clear broths, butter sauces, pickled onions, stuffed dumplings, slow "
        "stews, custard tarts, fresh noodles, roasted squash, lentil soups, omelettes, spice "
        "pastes, flatbreads, poached pears"
    ),
    tools=_list(
        "a cast-iron pan, a chef's knife, a rolling pin, a stock pot, a mortar and pestle, a "
        "kitchen scale, a whisk, a bread oven, a colander, a sugar thermometer"
    ),
    acts=_list(
        "kneading dough, reducing a sauce, browning butter, proving bread overnight, toasting "
        "spices, whipping egg whites, braising vegetables, tempering chocolate, seasoning a soup, "
        "folding pastry"
    ),
    people=_list("home cooks, pastry chefs, village bakers, restaurant cooks"),
    factors=_list(
        "the heat of the oven, the age of the flour, the amount of salt, the ripeness of the "
        "fruit, the fat in the cream, the order of the ingredients"
    ),
    qualities=_list("crisp, savoury, tender, caramelised, buttery, peppery"),
    sayings=(
        "Taste, salt, and taste again before the plate leaves the kitchen.",
        "A recipe is a letter from a cook who has already made the mistakes.",
        "Bread is flour, water and salt, and otherwise time.",
        "The sauce remembers everything that stuck to the pan.",
    ),
)
CYCLING = Topic(
    name="cycling",
    keywords="cycling bicycles touring gears mountain passes",
    hosts=("cycling.example", "velo.example"),
    things=_list(
        "touring bicycles, mountain passes, gravel tracks, hub gears, steel frames, cobbled "
        "climbs, long-distance rides, tandem bicycles, disc brakes, velodrome races, bicycle "
        "lamps, tubeless tyres, folding bicycles, time trials"
    ),
    tools=_list(
        "a torque wrench, a chain tool, a track pump, a truing stand, a pannier rack, a spare "
        "inner tube, a saddle bag, a spoke key, a dynamo lamp, a cadence sensor"
    ),
    acts=_list(
        "truing a wheel, climbing out of the saddle, riding in a paceline, replacing brake pads, "
        "packing panniers, indexing a derailleur, mending a puncture, descending in the rain, "
        "building wheels, fitting a saddle"
    ),
    people=_list("touring cyclists, frame builders, bicycle couriers, club riders"),
    factors=_list(
        "the tyre pressure, the gradient, the headwind, the gear ratio, the length of the stem, "
        "chain wear"
    ),
    qualities=_list("steep, lightweight, aerodynamic, smooth-rolling, geared, rattling"),
    sayings=(
        "It never gets easier on the climb, the rider only gets up it sooner.",
        "A quiet drivetrain is a happy bicycle.",
        "The pass is closed in winter and forgotten in summer.",
        "Carry the tool you needed last time, and the one before.",
    ),
)
CHESS = Topic(
    name="chess",
    keywords="chess openings endgames tactics grandmasters",
    hosts=("chess.example", "endgame.example"),
    things=_list(
        "rook endgames, passed pawns, opposite-coloured bishops, knight forks, gambits, isolated "
        "pawns, king hunts, queen sacrifices, mating nets, opening traps, pawn chains, open "
        "files, minority attacks, correspondence games"
    ),
    tools=_list(
        "a chess clock, a tournament board, a score sheet, an opening repertoire, an endgame "
        "tablebase, a book of combinations, a pocket set, a demonstration board, an analysis "
        "engine, a rating list"
    ),
    acts=_list(
        "calculating variations, castling early, solving mate problems, trading into an endgame, "
        "annotating games, playing blindfold, preparing an opening, defending a lost position, "
        "counting tempi, blockading a pawn"
    ),
    people=_list("grandmasters, club players, problem composers, tournament arbiters"),
    factors=_list(
        "the opposition, the bishop pair, time trouble, the centre, king safety, the pawn structure"
    ),
    qualities=_list("positional, tactical, cramped, zugzwang-prone, drawn, sharp"),
    sayings=(
        "The pawn you push today is the square you miss tomorrow.",
        "Whoever castles late is checkmated early.",
        "In the endgame the king is a piece like any other, only more so.",
        "A knight on the rim seldom sees the centre again.",
    ),
)
TOPICS = (ASTRONOMY, GARDENING, COOKING, CYCLING, CHESS)
