"""What no mechanism can beat, and what the papers' theory says of any finite channel.

Pure functions of finite channels, distributions and parameters. A channel has one row per value and one
column per report; fractions stay exact where the result is rational. Information and divergences are in
nats. `Bound` is one line of a table.
"""

from discreet.bounds.assouad import CubeRisk, assouad, assouad_best
