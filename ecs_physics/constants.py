"""Numbers the whole framework agrees on, each with its unit and what breaks when it changes."""

from typing import Final

LINEAR_SLOP: Final = 0.005
"""m. Overlap that a resting contact may keep. Smaller: piles jitter as contacts come and go.
Larger: bodies visibly sink into each other."""

WELD_DISTANCE: Final = LINEAR_SLOP
"""m. Static polygons nearer than this are one solid: no seam between them is felt. Smaller: tiles
laid not quite true have edges. Larger: real steps below it are none."""

SPECULATIVE_DISTANCE: Final = 4.0 * LINEAR_SLOP
"""m. Gap below which two shapes already have a contact. Smaller: stacks lose their contacts
between steps. Larger: bodies that pass each other closely are felt (the margin grows by the
closing speed anyway)."""

FAT_MARGIN: Final = 0.05
"""m. How far a bounding box is fattened, so that a body may move without a new search for
pairs. Smaller: more searches. Larger: more pairs that do not touch."""

FAT_SHARE: Final = 0.125
"""Ratio to a body's extent. Small bodies are fattened by this much of it and no more. Smaller: more
searches. Larger: limbs and gravel have many neighbours that they do not touch."""

FAT_STEPS_AHEAD: Final = 3.0
"""Steps' motion by which a fat box reaches ahead of a moving body. Smaller: what is fast is
searched for anew in every step. Larger: more pairs that do not touch."""

CONTACT_CYCLES_PER_SUBSTEP: Final = 0.15
"""Ratio. Frequency of a contact's spring by the substep rate: 36 Hz at 4 substeps of 1/60 s.
Lower: heavy bodies sink into light ones, tall stacks buckle. Above 0.2: big piles never rest."""

STATIC_CONTACT_FACTOR: Final = 2.0
"""Ratio. How much stiffer a contact with an immovable body is. Lower: floors feel soft."""

CONTACT_DAMPING_RATIO: Final = 10.0
"""Ratio of critical damping. Lower: overlapping bodies spring apart with speed of their own."""

PUSH_SPEED: Final = 3.0
"""m/s. Highest speed at which overlap is pushed out. Higher: bodies created inside each other
fly apart. Lower: they stay stuck for seconds."""

RESTITUTION_THRESHOLD: Final = 0.5
"""m/s. Closing speed below which nothing bounces. Lower: resting bodies hum. Higher: slow balls
stop dead."""

DEFAULT_FRICTION: Final = 0.6
"""Coulomb coefficient of a body without a Material. A dry everyday value."""

SLEEP_SPEED: Final = 0.05
"""m/s. Below it a body counts as resting. Higher: slow motion freezes. Lower: piles stay awake."""

SLEEP_TIME: Final = 0.5
"""s. How long an island must rest before it sleeps. Shorter: what turns round at the top of its
swing falls asleep. Longer: resting piles cost more."""

HIT_SPEED: Final = 1.0
"""m/s. Closing speed from which on a touch is told as a hit. Lower: what rocks and rolls is told
as well. Higher: gentle knocks are not."""

JOINT_CYCLES_PER_SUBSTEP: Final = 0.28
"""Ratio. Frequency of a rigid joint's spring by the substep rate: 67 Hz at 4 substeps of 1/60 s.
Lower: chains under load are stretched, double pendulums lose energy. Above 0.32: a chain that
carries fifty times its links' mass flies apart."""

JOINT_PULL_SPEED: Final = 200.0
"""m/s or rad/s. Highest speed at which a rigid joint closes a gap. Higher: bodies that are created
far from where their joint wants them are flung out of the world. Lower: a joint that is stretched
by a heavy load gives way for good."""

JOINT_MOST_SPEED: Final = 1000.0
"""m/s, along each axis. Joints leave no body faster than this. Higher: joints that contradict each
other fling their bodies farther. Lower: machines that are meant to be fast are slowed."""

JOINT_MOST_SPIN: Final = 10_000.0
"""rad/s, as above. A wheel of 10 cm that turns so fast moves 1000 m/s at its rim."""

JOINT_MOST_JOLT: Final = 10_000.0
"""m/s or rad/s, by which the impulse of a joint alone may change its bodies' motion in a substep.
Higher: joints that contradict each other build up more, which is let loose when one of them goes.
Lower: a light body between heavy ones cannot hold 200,000 times its own weight any more."""

JOINT_DAMPING_RATIO: Final = 1.0
"""Ratio of critical damping of a rigid joint. Lower: what was torn apart swings back. Higher: gaps
close later, and what swings fast loses energy by it."""
