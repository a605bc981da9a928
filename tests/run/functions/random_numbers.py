# SPDX-License-Identifier: Apache-2.0
"""The module random draws what Python 3 draws after the same seed."""
import random
from random import Random

random.seed(7)
assert random.random() == 0.32383276483316237
assert random.randint(1, 100) == 20
assert random.choice('abcdef') == 'd'
assert random.sample(range(100), 5) == [83, 6, 9, 68, 12]
assert random.sample(range(1000), 6) == [374, 596, 59, 931, 519, 219]
assert random.uniform(2, 5) == 2.1124869753259548
assert abs(random.gauss(0, 1) - -0.3479674699979267) < 1e-14
assert abs(random.gauss(1, 2) - 1.3082150717530228) < 1e-14
assert random.getrandbits(40) == 605979998169
assert random.choices([1, 2, 3], weights=[1, 2, 3], k=5) == [2, 3, 1, 2, 3]
numbers = list(range(10))
random.shuffle(numbers)
assert numbers == [5, 2, 3, 8, 4, 7, 1, 9, 6, 0]

other = Random(123456789012)
assert [other.randrange(0, 50, 7) for _ in range(6)] == [42, 0, 28, 14, 42, 21]
assert other.random() == 0.14706130941962592
random.seed(0)
assert random.random() == 0.8444218515250481

for call in [lambda: random.choice([]), lambda: random.randint(3, 2), lambda: random.sample([1], 2)]:
    try:
        call()
        raise AssertionError('it must fail')
    except ValueError:
        pass
