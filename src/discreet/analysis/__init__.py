"""From reports with public labels to answers: groups, differences, regressions, several questions, honesty checks.

Everything rests on one principle: whatever would be computed from 1{x_i = x}, with ``phi_x(y_i)`` in its place it stays
unbiased (Chaudhuri1988), because ``E[phi_x(Y) | z] = 1{x = z}``.
"""
