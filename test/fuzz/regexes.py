"""Random regular expressions in PostgreSQL's dialect, and texts that they may match.

Expressions are made by a grammar: literals, classes, bounds, lazy quantifiers,
anchors, word borders, groups, alternatives, lookaround, back-references,
embedded options; few of them are invalid.  Texts are made of the same few
characters, so that both outcomes are frequent.
"""

LITERALS = ['a', 'b', 'c', 'A', 'B', 'k', 's', 'i', 'I', '1', '2', ' ', '_', '-', 'é', 'É', 'ß', 'ẞ', 'İ', 'ı', 'ſ',
            'Σ', 'ς', 'σ', '\u212a', 'ж', 'Ж', '日', '本', '😀', '😁', '\u0301', '\u00a0', '\u2028', '\n', '\r', '\t',
            '\uffff', '\U0010ffff', '\x01', '\x7f', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\U00010000']
ASCII = ['a', 'b', 'c', 'a', 'b', 'A', '1', ' ', '\n', '_']
CLASSES = ['alpha', 'digit', 'alnum', 'upper', 'lower', 'punct', 'space', 'cntrl', 'graph', 'print', 'xdigit', 'blank',
           'word', 'ascii']
ESCAPES = [r'\d', r'\w', r'\s', r'\D', r'\W', r'\S', r'\t', r'\n', r'\x41', r'\u00e9', r'\U0001F600', r'\.', r'\\', r'\*',
           r'\e', r'\a', r'\001', r'\B', r'\cA']
ANCHORS = ['^', '$', r'\A', r'\Z', r'\m', r'\M', r'\y', r'\Y', '^', '$', '[[:<:]]', '[[:>:]]']
QUANTIFIERS = ['*', '+', '?', '{2}', '{0,1}', '{1,3}', '{2,}', '{0}', '{3}', '{0,0}', '{5,7}']
OPTIONS = ['(?i)', '(?n)', '(?x)', '(?q)', '(?s)', '(?w)', '(?p)', '(?e)', '(?b)', '(?in)', '(?xi)', '***=', '***:',
           '(?c)', '(?t)', '(?m)']
FLAGS = ['', 'i', 'n', 'x', 's', 'in', 'q', 'iq', 'p', 'w', 'b', 'e', 'c', 'ic', 'm', 't']


def character(rng):
    """A literal: mostly out of very few."""
    return rng.choice(ASCII) if rng.random() < 0.6 else rng.choice(LITERALS)


def text(rng):
    """A value to be matched."""
    kind = rng.random()
    if kind < 0.06:
        return ''
    pool = ASCII if kind < 0.4 else LITERALS if kind < 0.5 else ASCII + rng.sample(LITERALS, 4)
    made = ''.join(rng.choice(pool) for _ in range(rng.randint(1, 4 if kind > 0.8 else 12)))
    if rng.random() < 0.1:
        made += made
    return made


def like(rng):
    """A LIKE pattern of the same characters."""
    made = ''.join(rng.choice(['%', '%', '_', '\\\\', '\\%', '\\_']) if rng.random() < 0.35 else character(rng).replace('\\', '')
                   for _ in range(rng.randint(0, 7)))
    return '%' + made + '%' if rng.random() < 0.3 else made


def join(rng, tests):
    """These tests by AND, OR and NOT, as one."""
    made = tests[0]
    for test in tests[1:]:
        made = rng.choice(['{} OR {}', '{} OR {}', '{} AND {}', '{} AND {}', '({} OR {})', '({} AND {})', '{} AND NOT ({})']).format(made, test)
    return made


class Generator:
    """Makes one expression."""

    def __init__(self, rng):
        self.rng = rng
        self.groups = 0

    def chance(self, share):
        """True with this probability."""
        return self.rng.random() < share

    def expression(self):
        """The whole of it."""
        made = self.branches(self.rng.choice([1, 2, 2, 3]))
        if self.chance(0.15):
            made = self.rng.choice(OPTIONS) + made
        if self.chance(0.02):
            made = made[:-1]
        if self.chance(0.01):
            made += self.rng.choice(['(', '[', '{', '\\', '*'])
        return made

    def branches(self, depth):
        """Alternatives."""
        n = self.rng.choice([1, 1, 1, 2, 3])
        return '|'.join(self.branch(depth) for _ in range(n))

    def branch(self, depth):
        """What follows one another; now and then nothing."""
        if self.chance(0.03):
            return ''
        return ''.join(self.piece(depth) for _ in range(self.rng.choice([1, 1, 2, 2, 3, 4])))

    def piece(self, depth):
        """An atom with its quantifier, or a constraint."""
        kind = self.rng.random()
        if kind < 0.12:
            return self.rng.choice(ANCHORS)
        if kind < 0.15 and depth > 0:
            return f"({self.rng.choice(['?=', '?!', '?<=', '?<!'])}{self.branches(depth - 1)})"
        made = self.atom(depth)
        if self.chance(0.35):
            made += self.rng.choice(QUANTIFIERS)
            if self.chance(0.25):
                made += '?'
        return made

    def atom(self, depth):
        """Something that takes characters."""
        kind = self.rng.random()
        if kind < 0.18 and depth > 0:
            if self.chance(0.4):
                return f'(?:{self.branches(depth - 1)})'
            self.groups += 1
            return f'({self.branches(depth - 1)})'
        if kind < 0.21 and self.groups:
            return f'\\{self.rng.randint(1, self.groups)}'
        if kind < 0.33:
            return '.'
        if kind < 0.45:
            return self.bracket()
        if kind < 0.57:
            return self.rng.choice(ESCAPES)
        return character(self.rng)

    def bracket(self):
        """[...]"""
        parts = []
        for _ in range(self.rng.choice([1, 2, 3])):
            kind = self.rng.random()
            if kind < 0.3:
                low, high = sorted([character(self.rng), character(self.rng)])
                parts.append(f'{low}-{high}')
            elif kind < 0.5:
                parts.append(f'[:{self.rng.choice(CLASSES)}:]')
            elif kind < 0.6:
                parts.append(self.rng.choice([r'\d', r'\w', r'\s', '[.a.]', '[=a=]', '[=é=]', '[.hyphen.]']))
            else:
                parts.append(character(self.rng))
        return f"[{'^' if self.chance(0.3) else ''}{''.join(parts)}]"


def regex(rng):
    """A random regular expression."""
    return Generator(rng).expression()


def similar(rng):
    """A pattern of SIMILAR TO, which has the quantifiers, and % and _."""
    made = ''
    for _ in range(rng.randint(1, 5)):
        made += rng.choice(['%', '_', '(a|b)', '[ab]', '[^a]', '[[:alpha:]]', '\\%', '|']) if rng.random() < 0.4 else character(rng)
        if rng.random() < 0.2:
            made += rng.choice(['*', '+', '?', '{2}', '{1,2}'])
    return made
